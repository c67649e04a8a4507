"""A run and its judgements, joined into arrays over all queries at once.

Conventions: queries are numbered as in `Ranked.queries`; ranks start at 1; ties are broken as
trec_eval does, by document id in descending order of code points, whatever the order of the input.
Only the frames' own methods are used, so that the measures load without pandas.
"""

import re
from typing import Any, NamedTuple

BROKEN = re.compile("[\ud800-\udfff]")  # half a surrogate pair


class Rows(NamedTuple):
    """Documents in the order of query and rank: four arrays of one length."""

    query: Any  #: int, number of the query
    rank: Any  #: int, from 1 in each query
    relevance: Any  #: int, 0 where unjudged
    judged: Any  #: bool


class Ranked(NamedTuple):
    """A run beside the best that could be made of its judgements."""

    queries: list  #: ids of all queries of the qrels, also of those without results
    run: Rows  #: what the run ranks; each document once, at its best position
    ideal: Rows  #: what the qrels judge, most relevant first; each document once
    score: Any = ()  #: float array, the score of each row of `run`


def whole_relevance(qrels):
    """The relevance of each row of the qrels: an int array.

    Raises:
        ValueError: one is no whole number; names its document and query.
    """
    import numpy as np

    values = numbers("relevance", qrels)
    bad = np.flatnonzero(~np.isfinite(values) | (values != np.floor(values)))
    if len(bad):
        row = qrels.iloc[bad[0]]
        raise ValueError(
            f"relevance {values[bad[0]]} of document {row['doc_id']!r} for query "
            f"{row['query_id']!r}: expected a whole number; round or scale the judgements"
        )
    return values.astype(np.int64)


def join(qrels, run, judged_only=True, relevance=whole_relevance):
    """Join a run with its judgements.

    Args:
        qrels: frame `query_id`, `doc_id`, `relevance` (whole numbers). Where a document is judged
            twice for a query, the last row counts, as in ir_measures.
        run: frame `query_id`, `doc_id`, `score`, rows in any order. Queries without qrels are left
            out.
        judged_only: whether unjudged documents are taken out before ranks are given.
        relevance: function from the qrels to an int array, the relevance of each row.

    Raises:
        ValueError: a column is missing, a score is NaN, or a relevance is not a whole number.
    """
    import numpy as np

    _check_columns("qrels", qrels, ("query_id", "doc_id", "relevance"))
    _check_columns("run", run, ("query_id", "doc_id", "score"))
    _check_ids("qrels", qrels)
    _check_ids("run", run)
    pool_query, queries = qrels["query_id"].factorize(use_na_sentinel=False)
    pool_doc, docs = qrels["doc_id"].factorize(use_na_sentinel=False)
    query, doc = queries.get_indexer(run["query_id"]), docs.get_indexer(run["doc_id"])
    score = _scores(run, query >= 0)
    if not judged_only:  # the others need numbers too, so that each counts once
        other, others = run["doc_id"][doc < 0].factorize(use_na_sentinel=False)
        doc[doc < 0] = len(docs) + other
        docs = docs.append(others)

    pairs, last = np.unique((pool_query * len(docs) + pool_doc)[::-1], return_index=True)
    labels = relevance(qrels)[::-1][last]  # reversed: np.unique gives the first of equals
    place = _find(pairs, np.where(doc < 0, -1, query * len(docs) + doc))
    kept = np.flatnonzero((query >= 0) & ((place >= 0) | (not judged_only)))
    order = kept[_best_first(query[kept], score[kept], doc[kept], docs)]
    order = order[_first(query[order] * len(docs) + doc[order])]
    return Ranked(
        queries.tolist(),
        _rows(query[order], np.append(labels, 0)[place[order]], place[order] >= 0),
        _ideal(pairs // max(len(docs), 1), labels),
        score[order],
    )


def _ideal(query, relevance):
    import numpy as np

    order = np.lexsort((-relevance, query))
    return _rows(query[order], relevance[order], np.ones(len(order), dtype=bool))


def _rows(query, relevance, judged):
    """Number the rows of each query, which are in order."""
    import numpy as np

    return Rows(query, np.arange(len(query)) - np.searchsorted(query, query) + 1, relevance, judged)


def _best_first(query, score, doc, docs):
    """The order by query, score (descending) and, among equal scores, document id (descending)."""
    import numpy as np

    order = np.lexsort((score, -query))[::-1]
    equal = (np.diff(query[order]) == 0) & (score[order][1:] == score[order][:-1])
    if not equal.any():  # the usual case: ids need no sorting, which would cost most of the time
        return order
    tied = np.unique(doc[order][np.append(equal, False) | np.append(False, equal)])
    ids = [str(docs[number]) for number in tied]
    by_id = np.zeros(len(docs), dtype=np.int64)
    by_id[tied[sorted(range(len(ids)), key=ids.__getitem__)]] = np.arange(len(ids))
    return np.lexsort((by_id[doc], score, -query))[::-1]


def _first(keys):
    """The positions, ascending, at which a key occurs for the first time."""
    import numpy as np

    return np.sort(np.unique(keys, return_index=True)[1])


def _find(keys, wanted):
    """The position of each of `wanted` in the sorted `keys`, -1 where it is not there."""
    import numpy as np

    place = np.searchsorted(keys, wanted)
    found = np.append(keys, -2)[place] == wanted
    return np.where(found, place, -1)


def _check_columns(what, frame, columns):
    missing = [column for column in columns if column not in frame]
    if missing:
        raise ValueError(
            f"{what} without column {', '.join(missing)}: expected {', '.join(columns)}, "
            f"found {', '.join(map(str, frame.columns))}"
        )


def _scores(run, evaluated):
    score = numbers("score", run)
    bad = run[evaluated & (score != score)]
    if len(bad):
        raise ValueError(
            f"{len(bad)} rows of the run have no score (NaN), the first that of document "
            f"{bad['doc_id'].iloc[0]!r} for query {bad['query_id'].iloc[0]!r}: drop these rows, "
            "or give them a number"
        )
    return score


def numbers(column, frame):
    """A column of `frame` as floats; ValueError where it holds anything else."""
    import numpy as np

    try:
        return frame[column].to_numpy(dtype=np.float64, na_value=np.nan)
    except (TypeError, ValueError, OverflowError):
        wrong = [value for value in frame[column].tolist() if not _is_number(value)]
        raise ValueError(
            f"column {column}: expected numbers, got {wrong[0]!r:.60}; convert it, or drop the row"
        ) from None


def _is_number(value):
    try:
        return value is None or float(value) is not None
    except (TypeError, ValueError, OverflowError):
        return False


def _check_ids(what, frame):
    """Check that ids are texts, as ir_measures has them; others may have no hash, or no order."""
    for column in ("query_id", "doc_id"):
        values = frame[column]
        if str(values.dtype) in ("str", "string") and not values.hasnans:
            continue
        wrong = [value for value in values.tolist() if not isinstance(value, str)]
        wrong = wrong or [value for value in values.tolist() if BROKEN.search(value)]
        if wrong:
            raise ValueError(
                f"{what}, column {column}: {wrong[0]!r:.60} is no text; convert ids with "
                f".astype({{{column!r}: str}}), and drop rows without one"
            )

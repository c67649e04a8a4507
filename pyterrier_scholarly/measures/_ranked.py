"""Join a run and its judgements into arrays over all queries at once.

Conventions: queries are numbered as in `Ranked.queries`; ranks start at 1. Ties are broken as in
trec_eval, by document id in descending order of code points, whatever the order of the input.
Only frames' own methods are used, not pandas. Measures import this module when they compute.
"""

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

if TYPE_CHECKING:
    import pandas as pd


LARGEST_RELEVANCE = 2**53  # a float has all whole numbers up to it


class Rows(NamedTuple):
    """Documents in the order of query and rank: four arrays of one length."""

    query: np.ndarray  #: int, number of the query
    rank: np.ndarray  #: int, from 1 in each query
    relevance: np.ndarray  #: int, 0 if unjudged
    judged: np.ndarray  #: bool


class Ranked(NamedTuple):
    """A run beside the ideal ranking of its judgements."""

    queries: list[str]  #: ids of all queries of the qrels, including those without results
    run: Rows  #: the run's ranking; each document once, at its best position
    ideal: Rows  #: the judged documents, most relevant first; each document once
    score: np.ndarray  #: float, the score of each row of `run`

    def relevant(self, rel: int = 1) -> np.ndarray:
        """Count the documents of relevance `rel` or more: an int array, a number per query."""
        return self.sums(self.ideal.query[self.ideal.relevance >= rel])

    def hits(self, where: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Return query, rank and number (from 1 in each query) of the judged rows of a mask."""
        found = self.run.judged & where
        query = self.run.query[found]
        return query, self.run.rank[found], _numbered(query)

    def sums(self, query: np.ndarray, weights: np.ndarray | None = None) -> np.ndarray:
        """Add up the weights (None: ones) of each query's rows: an array, a number per query."""
        return np.bincount(query, weights, len(self.queries))


def join(
    qrels: "pd.DataFrame",
    run: "pd.DataFrame",
    judged_only: bool,
    relevance: "Callable[[pd.DataFrame], np.ndarray]",
) -> Ranked:
    """Join a run with its judgements.

    Args:
        qrels: frame `query_id`, `doc_id`, `relevance` (whole numbers). If a document is judged
            twice for a query, the last row counts, as in ir_measures.
        run: frame `query_id`, `doc_id`, `score`, in any order. Queries without qrels are skipped.
        judged_only: remove unjudged documents before ranks are counted.
        relevance: function from the qrels to an int array, the relevance of each row.

    Raises:
        ValueError: a score is NaN, or `relevance` raises it.
    """
    pool_query, queries = qrels["query_id"].factorize(use_na_sentinel=False)
    pool_doc, docs = qrels["doc_id"].factorize(use_na_sentinel=False)
    query, doc = queries.get_indexer(run["query_id"]), docs.get_indexer(run["doc_id"])
    score = _scores(run, query >= 0)
    if not judged_only:  # unjudged documents need numbers too, so that each counts once
        other, others = run["doc_id"][doc < 0].factorize(use_na_sentinel=False)
        doc[doc < 0] = len(docs) + other
        docs = docs.append(others)

    pairs, last = np.unique((pool_query * len(docs) + pool_doc)[::-1], return_index=True)
    labels = relevance(qrels)[::-1][last]  # reversed: np.unique gives the first of equals
    pool = pairs // max(len(docs), 1)  # ascending
    best = np.lexsort((-labels, pool))
    place = _find(pairs, np.where(doc < 0, -1, query * len(docs) + doc))
    kept = np.flatnonzero((query >= 0) & ((place >= 0) | (not judged_only)))
    order = kept[_best_first(query[kept], score[kept], doc[kept], docs)]
    firsts = np.unique(query[order] * len(docs) + doc[order], return_index=True)[1]
    order = order[np.sort(firsts)]  # each document once
    ranked = query[order]
    return Ranked(
        queries.tolist(),
        Rows(ranked, _numbered(ranked), np.append(labels, 0)[place[order]], place[order] >= 0),
        Rows(pool, _numbered(pool), labels[best], np.ones(len(best), dtype=bool)),
        score[order],
    )


def _numbered(query: np.ndarray) -> np.ndarray:
    """Number the rows of each query, which are in order, from 1."""
    return np.arange(len(query)) - np.searchsorted(query, query) + 1


def _best_first(
    query: np.ndarray, score: np.ndarray, doc: np.ndarray, docs: Sequence[str]
) -> np.ndarray:
    """Order by query, score (descending) and, among equal scores, document id (descending)."""
    order = np.lexsort((score, -query))[::-1]
    equal = (np.diff(query[order]) == 0) & (score[order][1:] == score[order][:-1])
    if not equal.any():  # the usual case: sorting the ids would cost most of the time
        return order
    tied = np.unique(doc[order][np.append(equal, False) | np.append(False, equal)])
    ids = [str(docs[number]) for number in tied]
    by_id = np.zeros(len(docs), dtype=np.int64)
    by_id[tied[sorted(range(len(ids)), key=ids.__getitem__)]] = np.arange(len(ids))
    return np.lexsort((by_id[doc], score, -query))[::-1]


def _find(keys: np.ndarray, wanted: np.ndarray) -> np.ndarray:
    """Return the position of each of `wanted` in the sorted `keys`, -1 if it is missing."""
    place = np.searchsorted(keys, wanted)
    return np.where(np.append(keys, -2)[place] == wanted, place, -1)


def _scores(run: "pd.DataFrame", evaluated: np.ndarray) -> np.ndarray:
    score = numbers("score", run)
    bad = run[evaluated & (score != score)]
    if len(bad):
        raise ValueError(
            f"{len(bad)} rows of the run have no score (NaN); the first is document "
            f"{bad['doc_id'].iloc[0]!r} for query {bad['query_id'].iloc[0]!r}. Drop these rows, "
            "or give them a number"
        )
    return score


def whole_relevance(qrels: "pd.DataFrame") -> np.ndarray:
    """Return the relevance of each row of the qrels as ints; ValueError if one is no such."""
    values = numbers("relevance", qrels)
    is_whole = np.isfinite(values) & (values == np.floor(values))
    bad = np.flatnonzero(~is_whole | (np.abs(values) > LARGEST_RELEVANCE))
    if len(bad):
        row = qrels.iloc[bad[0]]
        raise ValueError(
            f"relevance {values[bad[0]]} of document {row['doc_id']!r} for query "
            f"{row['query_id']!r}: expected a whole number from -2**53 to 2**53; round or scale "
            "the judgements"
        )
    return values.astype(np.int64)


def numbers(column: str, frame: "pd.DataFrame") -> np.ndarray:
    """Return a column of `frame` as floats; raise ValueError if it holds anything else."""
    try:
        return frame[column].to_numpy(dtype=np.float64, na_value=np.nan)
    except (TypeError, ValueError, OverflowError):
        wrong = [value for value in frame[column].tolist() if not _is_number(value)]
        raise ValueError(
            f"column {column}: expected numbers, got {wrong[0]!r:.60}; convert it, or drop the row"
        ) from None


def _is_number(value: Any) -> bool:
    try:
        return value is None or float(value) is not None
    except (TypeError, ValueError, OverflowError):
        return False

"""Join a run and its judgements into arrays over all queries at once.

    ranked = join(qrels, run, judged_only=True, read_relevance=read_whole_relevance)
    hits = ranked.find_hits(ranked.run.relevance >= 1)
    precision_at_hits = hits.number / hits.rank

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
#: in place of the number of a query or document that the qrels lack, or of a pair's position
MISSING = -1


class Rows(NamedTuple):
    """Documents in the order of query and rank: four arrays of one length."""

    query: np.ndarray  #: int, number of the query
    rank: np.ndarray  #: int, from 1 in each query
    relevance: np.ndarray  #: int, 0 if unjudged
    judged: np.ndarray  #: bool


class Hits(NamedTuple):
    """Some judged documents of a run, in the order of query and rank: arrays of one length."""

    query: np.ndarray  #: int, number of the query
    rank: np.ndarray  #: int, rank in the run
    number: np.ndarray  #: int, from 1 in each query: the third hit has number 3, whatever its rank


class Ranked(NamedTuple):
    """A run beside the ideal ranking of its judgements."""

    queries: list[str]  #: ids of all queries of the qrels, including those without results
    run: Rows  #: the run's ranking; each document once, at its best position
    ideal: Rows  #: the judged documents, most relevant first; each document once
    score: np.ndarray  #: float, the score of each row of `run`

    def count_relevant(self, rel: int = 1) -> np.ndarray:
        """Count the documents of relevance `rel` or more: an int array, a number per query."""
        is_relevant = self.ideal.relevance >= rel
        return self.sum_by_query(self.ideal.query[is_relevant])

    def find_hits(self, mask: np.ndarray) -> Hits:
        """Return the judged rows of the run where a bool array (rows of the run,) is true."""
        is_hit = self.run.judged & mask
        query = self.run.query[is_hit]
        return Hits(query, self.run.rank[is_hit], _number_within(query))

    def sum_by_query(self, query: np.ndarray, weights: np.ndarray | None = None) -> np.ndarray:
        """Add up the weights (None: ones) of each query's rows: an array, a number per query."""
        return np.bincount(query, weights, len(self.queries))


def join(
    qrels: "pd.DataFrame",
    run: "pd.DataFrame",
    judged_only: bool,
    read_relevance: "Callable[[pd.DataFrame], np.ndarray]",
) -> Ranked:
    """Join a run with its judgements.

    Args:
        qrels: frame `query_id`, `doc_id`, `relevance` (whole numbers). If a document is judged
            twice for a query, the last row counts, as in ir_measures.
        run: frame `query_id`, `doc_id`, `score`, in any order. Queries without qrels are skipped.
        judged_only: remove unjudged documents before ranks are counted.
        read_relevance: function from the qrels to an int array, the relevance of each row.

    Raises:
        ValueError: a score is NaN, or `read_relevance` raises it.
    """
    pairs = _number_pairs(qrels, run, judged_only)
    score = _read_scores(run, pairs.run_query != MISSING)
    judged = _find_judged_pairs(pairs, read_relevance(qrels))
    ideal = _rank_ideally(judged.query, judged.relevance)

    # a missing document's pair would be the pair of another one
    has_known_doc = pairs.run_doc != MISSING
    wanted_pair = np.where(has_known_doc, pairs.run_pair, MISSING)
    judged_row = _find_positions(judged.pair, wanted_pair)
    is_judged = judged_row != MISSING

    is_ranked = pairs.run_query != MISSING
    if judged_only:
        is_ranked &= is_judged
    ranked_rows = np.flatnonzero(is_ranked)
    best_first = _order_best_first(
        pairs.run_query[ranked_rows], score[ranked_rows], pairs.run_doc[ranked_rows], pairs.docs
    )
    order = _drop_repeated(ranked_rows[best_first], pairs.run_pair)

    # one item more, so that position MISSING, which is -1, has relevance 0
    relevance_or_zero = np.append(judged.relevance, 0)
    query = pairs.run_query[order]
    ranking = Rows(
        query=query,
        rank=_number_within(query),
        relevance=relevance_or_zero[judged_row[order]],
        judged=is_judged[order],
    )
    return Ranked(pairs.queries.tolist(), ranking, ideal, score[order])


class Pairs(NamedTuple):
    """Queries and documents as numbers, and a pair of both as one number, for fast look-ups."""

    queries: "pd.Index"  #: ids of the queries of the qrels
    docs: "pd.Index"  #: ids of the numbered documents
    qrels_pair: np.ndarray  #: pair of each row of the qrels
    run_query: np.ndarray  #: query of each row of the run; MISSING if no qrels have it
    run_doc: np.ndarray  #: document of each row of the run; perhaps MISSING
    run_pair: np.ndarray  #: pair of each row of the run; valid unless query or document are missing


def _number_pairs(qrels: "pd.DataFrame", run: "pd.DataFrame", judged_only: bool) -> Pairs:
    """Number the queries and documents of the qrels; unjudged documents too, if they are kept."""
    qrels_query, queries = qrels["query_id"].factorize(use_na_sentinel=False)
    qrels_doc, docs = qrels["doc_id"].factorize(use_na_sentinel=False)
    # `get_indexer` says -1, which is MISSING, for an id that is not among the others
    run_query = queries.get_indexer(run["query_id"])
    run_doc = docs.get_indexer(run["doc_id"])

    if not judged_only:  # unjudged documents need numbers too, so that each counts once
        is_unjudged = run_doc == MISSING
        unjudged, unjudged_docs = run["doc_id"][is_unjudged].factorize(use_na_sentinel=False)
        run_doc[is_unjudged] = len(docs) + unjudged
        docs = docs.append(unjudged_docs)

    return Pairs(
        queries=queries,
        docs=docs,
        qrels_pair=qrels_query * len(docs) + qrels_doc,
        run_query=run_query,
        run_doc=run_doc,
        run_pair=run_query * len(docs) + run_doc,
    )


class JudgedPairs(NamedTuple):
    """The distinct pairs of the qrels, ascending, thus in the order of queries."""

    pair: np.ndarray  #: int, as in `Pairs`
    query: np.ndarray  #: int, number of the query
    relevance: np.ndarray  #: int


def _find_judged_pairs(pairs: Pairs, relevance: np.ndarray) -> JudgedPairs:
    """Return each judged pair once, with the relevance in its last row.

    relevance: of each row of the qrels.
    """
    # np.unique gives the first of equal pairs, and the last row counts: so both are reversed
    pair, row_from_end = np.unique(pairs.qrels_pair[::-1], return_index=True)
    doc_count = max(len(pairs.docs), 1)  # without qrels there are no documents
    return JudgedPairs(pair=pair, query=pair // doc_count, relevance=relevance[::-1][row_from_end])


def _rank_ideally(query: np.ndarray, relevance: np.ndarray) -> Rows:
    """Rank the judged documents of each query by relevance.

    query, relevance: of each judged pair; the queries ascend.
    """
    by_relevance = np.lexsort((-relevance, query))  # lexsort sorts by its last key first
    return Rows(
        query=query,  # ascending already, so that sorting does not change it
        rank=_number_within(query),
        relevance=relevance[by_relevance],
        judged=np.ones(len(query), dtype=bool),
    )


def _number_within(query: np.ndarray) -> np.ndarray:
    """Number the rows of each query from 1. query: (rows,), ascending."""
    # in a sorted array, searchsorted finds the first row of each row's query
    first_row = np.searchsorted(query, query)
    return np.arange(len(query)) - first_row + 1


def _find_positions(sorted_pairs: np.ndarray, wanted: np.ndarray) -> np.ndarray:
    """Return the position of each of `wanted` among the sorted pairs, or MISSING."""
    position = np.searchsorted(sorted_pairs, wanted)
    # a large pair is looked for behind the last one: -2 stands there, which nobody wants
    pair_there = np.append(sorted_pairs, -2)[position]
    return np.where(pair_there == wanted, position, MISSING)


def _drop_repeated(rows: np.ndarray, pairs: np.ndarray) -> np.ndarray:
    """Return `rows`, in their order, without those whose pair an earlier one has."""
    _, first_positions = np.unique(pairs[rows], return_index=True)
    return rows[np.sort(first_positions)]


def _order_best_first(
    query: np.ndarray, score: np.ndarray, doc: np.ndarray, docs: Sequence[str]
) -> np.ndarray:
    """Return the order of rows by query, score and document id, the latter two descending.

    Args:
        query, score, doc: arrays (rows,); `doc` are positions in `docs`.
        docs: ids.

    Returns:
        The rows' numbers, (rows,).
    """
    # lexsort sorts by its last key first. The reversed order is descending in both keys: so
    # queries, which ascend, are negated
    order = np.lexsort((score, -query))[::-1]
    same_query = np.diff(query[order]) == 0
    same_score = score[order][1:] == score[order][:-1]
    is_tied_with_next = same_query & same_score
    if not is_tied_with_next.any():  # the usual case: sorting the ids would cost most of the time
        return order

    is_tied = np.append(is_tied_with_next, False) | np.append(False, is_tied_with_next)
    tied_docs = np.unique(doc[order][is_tied])
    position_by_id = _number_by_id(tied_docs, docs)
    return np.lexsort((position_by_id[doc], score, -query))[::-1]


def _number_by_id(tied_docs: np.ndarray, docs: Sequence[str]) -> np.ndarray:
    """Return each document's position in the order of ids: (documents,), 0 for those not tied."""
    ids = [str(docs[number]) for number in tied_docs]
    by_id = sorted(range(len(ids)), key=ids.__getitem__)  # by code points, as trec_eval does

    position_by_id = np.zeros(len(docs), dtype=np.int64)
    position_by_id[tied_docs[by_id]] = np.arange(len(ids))
    return position_by_id


def _read_scores(run: "pd.DataFrame", is_evaluated: np.ndarray) -> np.ndarray:
    """Return the scores as floats; ValueError if one of an evaluated query is NaN."""
    score = read_numbers("score", run)
    without_score = run[is_evaluated & np.isnan(score)]
    if len(without_score):
        first_row = without_score.iloc[0]
        raise ValueError(
            f"{len(without_score)} rows of the run have no score (NaN); the first is document "
            f"{first_row['doc_id']!r} for query {first_row['query_id']!r}. Drop these rows, "
            "or give them a number"
        )
    return score


def read_whole_relevance(qrels: "pd.DataFrame") -> np.ndarray:
    """Return the relevance of each row of the qrels as ints; ValueError if one is no such."""
    relevance = read_numbers("relevance", qrels)
    is_whole = np.isfinite(relevance) & (relevance == np.floor(relevance))
    is_too_large = np.abs(relevance) > LARGEST_RELEVANCE

    wrong_rows = np.flatnonzero(~is_whole | is_too_large)
    if len(wrong_rows):
        row = qrels.iloc[wrong_rows[0]]
        raise ValueError(
            f"relevance {relevance[wrong_rows[0]]} of document {row['doc_id']!r} for query "
            f"{row['query_id']!r}: expected a whole number from -2**53 to 2**53; round or scale "
            "the judgements"
        )
    return relevance.astype(np.int64)


def read_numbers(column: str, frame: "pd.DataFrame") -> np.ndarray:
    """Return a column of `frame` as floats; raise ValueError if it holds anything else."""
    try:
        return frame[column].to_numpy(dtype=np.float64, na_value=np.nan)
    except (TypeError, ValueError, OverflowError):
        wrong = [value for value in frame[column].tolist() if not _is_number(value)]
        raise ValueError(
            f"column {column}: expected numbers, got {wrong[0]!r:.60}; convert it, or drop the row"
        ) from None


def _is_number(value: Any) -> bool:
    """Return whether a value becomes a float; None does, it becomes NaN."""
    if value is None:
        return True
    try:
        float(value)
    except (TypeError, ValueError, OverflowError):
        return False
    return True

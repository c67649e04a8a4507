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
MISSING = -1  # the number of a query or document, and the row of a pair, that is not judged


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
    qrels_query, queries = qrels["query_id"].factorize(use_na_sentinel=False)
    qrels_doc, docs = qrels["doc_id"].factorize(use_na_sentinel=False)
    run_query = queries.get_indexer(run["query_id"])  # MISSING if no qrels have it
    run_doc = docs.get_indexer(run["doc_id"])
    score = _read_scores(run, run_query != MISSING)

    if not judged_only:  # unjudged documents need numbers too, so that each counts once
        is_unjudged = run_doc == MISSING
        unjudged, unjudged_docs = run["doc_id"][is_unjudged].factorize(use_na_sentinel=False)
        run_doc[is_unjudged] = len(docs) + unjudged
        docs = docs.append(unjudged_docs)

    # a pair of query and document as one number, so that pairs are sorted and looked up at once
    qrels_pair = qrels_query * len(docs) + qrels_doc
    run_pair = run_query * len(docs) + run_doc

    # np.unique gives the first of equal pairs, and the last row counts: so both are reversed
    judged_pairs, row_from_end = np.unique(qrels_pair[::-1], return_index=True)
    labels = read_relevance(qrels)[::-1][row_from_end]  # (judged pairs,)
    ideal = _rank_ideally(judged_pairs // max(len(docs), 1), labels)

    # a missing document's pair would be the pair of another one
    judged_row = _find(judged_pairs, np.where(run_doc == MISSING, MISSING, run_pair))
    is_judged = judged_row != MISSING
    is_ranked = (run_query != MISSING) & (is_judged | (not judged_only))
    ranked_rows = np.flatnonzero(is_ranked)
    best_first = _order_best_first(
        run_query[ranked_rows], score[ranked_rows], run_doc[ranked_rows], docs
    )
    order = _drop_repeated(ranked_rows[best_first], run_pair)

    # one label more, so that MISSING, which is -1, has relevance 0
    labels_or_zero = np.append(labels, 0)
    query = run_query[order]
    ranking = Rows(
        query=query,
        rank=_number_within(query),
        relevance=labels_or_zero[judged_row[order]],
        judged=is_judged[order],
    )
    return Ranked(queries.tolist(), ranking, ideal, score[order])


def _rank_ideally(query: np.ndarray, labels: np.ndarray) -> Rows:
    """Rank the judged documents, each once, by relevance. query, labels: (pairs,), by query."""
    by_relevance = np.lexsort((-labels, query))  # by its last key first
    return Rows(
        query=query,  # ascending already, so that sorting does not change it
        rank=_number_within(query),
        relevance=labels[by_relevance],
        judged=np.ones(len(query), dtype=bool),
    )


def _number_within(query: np.ndarray) -> np.ndarray:
    """Number the rows of each query from 1. query: (rows,), ascending."""
    # in a sorted array, searchsorted finds the first row of each row's query
    first_row = np.searchsorted(query, query)
    return np.arange(len(query)) - first_row + 1


def _find(sorted_keys: np.ndarray, wanted: np.ndarray) -> np.ndarray:
    """Return the position of each of `wanted` among the sorted keys, or MISSING."""
    position = np.searchsorted(sorted_keys, wanted)
    # a key beyond the last one is looked at, too: -2 stands there, which is none
    key_there = np.append(sorted_keys, -2)[position]
    return np.where(key_there == wanted, position, MISSING)


def _drop_repeated(rows: np.ndarray, pairs: np.ndarray) -> np.ndarray:
    """Return `rows`, in their order, without those whose pair an earlier one has."""
    _, first_positions = np.unique(pairs[rows], return_index=True)
    return rows[np.sort(first_positions)]


def _order_best_first(
    query: np.ndarray, score: np.ndarray, doc: np.ndarray, docs: Sequence[str]
) -> np.ndarray:
    """Order by query, score (descending) and, among equal scores, document id (descending).

    Args:
        query, score, doc: arrays (rows,); `doc` are positions in `docs`.
        docs: ids.

    Returns:
        The rows' numbers, (rows,).
    """
    # the last key counts first; the whole is reversed, so that only the query is negated
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
    """Number documents in the order of their ids: (documents,), 0 for those that are not tied."""
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

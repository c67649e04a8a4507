"""Join a run and its judgements into arrays over all queries at once.

    ranked = join(qrels, run, read_whole_relevance(qrels), judged_only=True)
    hits = ranked.find_hits(ranked.run.relevance >= 1)
    precision_at_hits = hits.number / hits.rank

Conventions: queries are numbered as in `Ranked.queries`; ranks start at 1. Ties are broken as in
trec_eval, by document id in descending order of code points, whatever the order of the input.
Measures import this module when they compute.
"""

from typing import NamedTuple

import numpy as np
import pandas as pd

LARGEST_RELEVANCE = 2**53  # a float has all whole numbers up to it


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

    @property
    def highest_relevance(self) -> np.ndarray:
        """The highest relevance of each query's judgements: an int array (queries,)."""
        # each query of the qrels has a first rank in the ideal ranking, in the order of queries
        return self.ideal.relevance[self.ideal.rank == 1]

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
    qrels: pd.DataFrame, run: pd.DataFrame, relevance: np.ndarray, judged_only: bool
) -> Ranked:
    """Join a run with its judgements.

    A pair of a query and a document is numbered like a cell of a table with a row per query: among
    10 documents, query 2 and document 3 are pair 23.

    Args:
        qrels: frame `query_id`, `doc_id`. If a document is judged twice for a query, the last row
            counts, as in ir_measures.
        run: frame `query_id`, `doc_id`, `score`, in any order. Queries without qrels are skipped.
        relevance: int array, the relevance of each row of the qrels.
        judged_only: remove unjudged documents before ranks are counted.

    Raises:
        ValueError: a score is NaN.
    """
    qrels_query, run_query, queries = _number_ids("query_id", qrels, run)
    qrels_doc, run_doc, docs = _number_ids("doc_id", qrels, run)
    qrels_pair = qrels_query * len(docs) + qrels_doc
    run_pair = run_query * len(docs) + run_doc

    # 1. judgements, each pair once
    # np.unique finds the first of equal pairs, and the last row counts: so both are reversed
    judged_pair, row_from_end = np.unique(qrels_pair[::-1], return_index=True)
    judged_relevance = relevance[::-1][row_from_end]
    judged_query = judged_pair // max(len(docs), 1)

    # 2. what is known of the run's rows
    position = pd.Index(judged_pair).get_indexer(run_pair)  # -1 for an unjudged pair
    is_judged = position >= 0
    relevance_at_position = np.append(judged_relevance, 0)  # the last one, at -1, is 0
    run_relevance = relevance_at_position[position]

    # 3. the rows that count, a query after the other, best first
    query_count = qrels_query.max(initial=-1) + 1  # the queries of the qrels have the first numbers
    has_query = run_query < query_count
    score = _read_numbers("score", run)
    is_missing = has_query & np.isnan(score)
    if is_missing.any():
        row = run[is_missing].iloc[0]
        raise ValueError(
            f"{is_missing.sum()} rows of the run have no score (NaN); the first is document "
            f"{row['doc_id']!r} for query {row['query_id']!r}. Drop these rows, or give them a "
            "number"
        )
    rows = np.flatnonzero(is_judged if judged_only else has_query)
    order = rows[_order_best_first(run_query[rows], score[rows], run_doc[rows], docs)]
    is_repeated = pd.Series(run_pair[order]).duplicated().to_numpy()
    order = order[~is_repeated]

    # 4. the ranking, and the ideal one
    ranked_query = run_query[order]
    ranks = _number_within(ranked_query)
    ranking = Rows(ranked_query, ranks, run_relevance[order], is_judged[order])
    # the judged queries ascend already, so that sorting does not change them
    most_relevant_first = np.lexsort((-judged_relevance, judged_query))
    ideal_ranks = _number_within(judged_query)
    is_judged_ideal = np.ones(len(judged_query), dtype=bool)
    ideal = Rows(judged_query, ideal_ranks, judged_relevance[most_relevant_first], is_judged_ideal)
    return Ranked(queries[:query_count].tolist(), ranking, ideal, score[order])


def _number_ids(
    column: str, qrels: pd.DataFrame, run: pd.DataFrame
) -> tuple[np.ndarray, np.ndarray, pd.Index]:
    """Return the number of the id in each row of the qrels, and of the run; and the numbered ids.

    Ids are numbered as they occur, first those of the qrels.
    """
    numbers, ids = pd.concat([qrels[column], run[column]]).factorize(use_na_sentinel=False)
    return numbers[: len(qrels)], numbers[len(qrels) :], ids


def _number_within(query: np.ndarray) -> np.ndarray:
    """Number the rows of each query from 1. query: (rows,), ascending."""
    # in a sorted array, searchsorted finds the first row of each row's query
    first_row = np.searchsorted(query, query)
    return np.arange(len(query)) - first_row + 1


def _order_best_first(
    query: np.ndarray, score: np.ndarray, doc: np.ndarray, docs: pd.Index
) -> np.ndarray:
    """Return the order of rows by query, score and document id, the latter two descending.

    Args:
        query, score, doc: arrays (rows,); `doc` are positions in `docs`.
        docs: ids.

    Returns:
        The rows' numbers, (rows,).
    """
    # lexsort sorts ascending, by its last key first, and the order is then reversed. So scores and
    # ids descend; queries ascend, because they are negated
    order = np.lexsort((score, -query))[::-1]
    ordered_query = query[order]
    ordered_score = score[order]
    has_same_query = ordered_query[1:] == ordered_query[:-1]
    has_same_score = ordered_score[1:] == ordered_score[:-1]
    ties_with_next = has_same_query & has_same_score
    if not ties_with_next.any():  # the usual case: sorting the ids would cost most of the time
        return order

    is_tied = np.append(ties_with_next, False) | np.append(False, ties_with_next)
    tied_docs = np.unique(doc[order[is_tied]])
    # texts of Python are sorted by code points, as trec_eval does
    tied_ids = np.array([str(doc_id) for doc_id in docs[tied_docs]], dtype=object)
    docs_by_id = tied_docs[np.argsort(tied_ids, kind="stable")]
    position_of_doc = np.zeros(len(docs), dtype=np.int64)
    position_of_doc[docs_by_id] = np.arange(len(docs_by_id))
    return np.lexsort((position_of_doc[doc], score, -query))[::-1]


def read_whole_relevance(qrels: pd.DataFrame) -> np.ndarray:
    """Return the relevance of each row of the qrels as ints; ValueError if one is no such."""
    relevance = _read_numbers("relevance", qrels)
    # NaN is in no range, and infinity beyond this one
    is_right = (np.abs(relevance) <= LARGEST_RELEVANCE) & (relevance == np.floor(relevance))
    if not is_right.all():
        row = qrels[~is_right].iloc[0]
        raise ValueError(
            f"relevance {row['relevance']} of document {row['doc_id']!r} for query "
            f"{row['query_id']!r}: expected a whole number from -2**53 to 2**53; round or scale "
            "the judgements"
        )
    return relevance.astype(np.int64)


def _read_numbers(column: str, frame: pd.DataFrame) -> np.ndarray:
    """Return a column of `frame` as floats; raise ValueError if it holds anything else."""
    try:
        return frame[column].to_numpy(dtype=np.float64, na_value=np.nan)
    except (TypeError, ValueError, OverflowError) as error:
        raise ValueError(f"column {column}: expected numbers ({error})") from error

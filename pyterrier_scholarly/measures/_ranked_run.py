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
NO_PAIR = -2  # a number that no pair has, and that is not MISSING


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
    has_query = pairs.run_query != MISSING  # of each row of the run, as all arrays up to `order`
    scores = _read_scores(run, has_query)

    judged_pairs = _find_judged_pairs(pairs, read_relevance(qrels))
    judgement_positions = _find_judgements(pairs, judged_pairs)
    is_judged = judgement_positions != MISSING

    is_ranked = has_query & is_judged if judged_only else has_query
    order = _rank_rows(pairs, scores, is_ranked)

    # MISSING is -1, which selects an array's last item: so a 0 is appended for unjudged documents
    relevance_or_zero = np.append(judged_pairs.relevance, 0)
    ranked_queries = pairs.run_query[order]
    ranking = Rows(
        query=ranked_queries,
        rank=_number_within(ranked_queries),
        relevance=relevance_or_zero[judgement_positions[order]],
        judged=is_judged[order],
    )
    return Ranked(
        queries=pairs.queries.tolist(),
        run=ranking,
        ideal=_rank_ideally(judged_pairs.query, judged_pairs.relevance),
        score=scores[order],
    )


class Pairs(NamedTuple):
    """Queries and documents as numbers, and a pair of both as one number, for fast look-ups."""

    queries: "pd.Index"  #: ids of the queries of the qrels
    docs: "pd.Index"  #: ids of the numbered documents
    qrels_pair: np.ndarray  #: pair of each row of the qrels
    run_query: np.ndarray  #: query of each row of the run; MISSING if no qrels have it
    run_doc: np.ndarray  #: document of each row of the run; perhaps MISSING
    run_pair: np.ndarray  #: pair of each row of the run; valid unless query or document are missing


def _number_pairs(qrels: "pd.DataFrame", run: "pd.DataFrame", judged_only: bool) -> Pairs:
    """Number the queries and documents of the qrels; unjudged documents too, if they are kept.

    The pair of a query and a document is numbered like a cell of a table with a row per query:
    among 10 documents, query 2 and document 3 are pair 23.
    """
    qrels_query, queries = qrels["query_id"].factorize(use_na_sentinel=False)
    qrels_doc, judged_docs = qrels["doc_id"].factorize(use_na_sentinel=False)
    # `get_indexer` says -1, which is MISSING, for an id that is not among the others
    run_query = queries.get_indexer(run["query_id"])
    run_doc = judged_docs.get_indexer(run["doc_id"])

    docs = judged_docs
    if not judged_only:
        # unjudged documents get the next numbers, so that each counts once
        is_unjudged = run_doc == MISSING
        unjudged, unjudged_docs = run["doc_id"][is_unjudged].factorize(use_na_sentinel=False)
        run_doc[is_unjudged] = len(judged_docs) + unjudged
        docs = judged_docs.append(unjudged_docs)

    doc_count = len(docs)
    return Pairs(
        queries=queries,
        docs=docs,
        qrels_pair=qrels_query * doc_count + qrels_doc,
        run_query=run_query,
        run_doc=run_doc,
        # meaningless where the query or document is MISSING: it may equal that of another pair
        run_pair=run_query * doc_count + run_doc,
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


def _find_judgements(pairs: Pairs, judged_pairs: JudgedPairs) -> np.ndarray:
    """Return the position of each row of the run among the judged pairs, or MISSING."""
    # the number of a pair with document MISSING, -1, is that of the query before and its last
    # document, which may be judged: so it is not looked for
    has_doc = pairs.run_doc != MISSING
    wanted_pairs = np.where(has_doc, pairs.run_pair, MISSING)
    return _find_positions(judged_pairs.pair, wanted_pairs)


def _rank_rows(pairs: Pairs, scores: np.ndarray, is_ranked: np.ndarray) -> np.ndarray:
    """Return the numbers of the run's rows in the order of query and rank, each document once.

    scores, is_ranked: of each row of the run; rows that are not ranked are left out.
    """
    ranked_rows = np.flatnonzero(is_ranked)
    best_first = _order_best_first(
        query=pairs.run_query[ranked_rows],
        score=scores[ranked_rows],
        doc=pairs.run_doc[ranked_rows],
        docs=pairs.docs,
    )
    return _drop_repeated(ranked_rows[best_first], pairs.run_pair)


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


def _find_positions(sorted_pairs: np.ndarray, wanted_pairs: np.ndarray) -> np.ndarray:
    """Return the position of each wanted pair among the sorted pairs, or MISSING.

    sorted_pairs, wanted_pairs: numbers of pairs, ascending and in any order.
    """
    positions = np.searchsorted(sorted_pairs, wanted_pairs)
    # a wanted pair above all others has the position behind the last one: NO_PAIR stands there
    found_pairs = np.append(sorted_pairs, NO_PAIR)[positions]
    return np.where(found_pairs == wanted_pairs, positions, MISSING)


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
    # lexsort sorts ascending, by its last key first, and the order is then reversed. So scores and
    # ids descend; queries ascend, because they are negated
    order = np.lexsort((score, -query))[::-1]
    is_tied = _find_tied(query[order], score[order])
    if not is_tied.any():  # the usual case: sorting the ids would cost most of the time
        return order

    tied_docs = np.unique(doc[order][is_tied])
    position_of_doc = _order_by_id(tied_docs, docs)
    return np.lexsort((position_of_doc[doc], score, -query))[::-1]


def _find_tied(query: np.ndarray, score: np.ndarray) -> np.ndarray:
    """Return whether a row ties with the row before or after it: bool (rows,).

    query, score: (rows,), with rows of one query and score side by side.
    """
    has_same_query = query[1:] == query[:-1]
    has_same_score = score[1:] == score[:-1]
    ties_with_next = has_same_query & has_same_score  # (rows - 1,), the last row has no next

    is_tied = np.zeros(len(query), dtype=bool)
    is_tied[:-1] = ties_with_next
    is_tied[1:] |= ties_with_next
    return is_tied


def _order_by_id(tied_docs: np.ndarray, docs: Sequence[str]) -> np.ndarray:
    """Return the position of each document in the order of the tied documents' ids.

    Args:
        tied_docs: numbers of documents.
        docs: ids of all documents, by their number.

    Returns:
        Int array (documents,); 0 for a document that is not tied.
    """
    tied_ids = [str(docs[doc]) for doc in tied_docs]
    # by code points, as trec_eval does
    order = sorted(range(len(tied_ids)), key=tied_ids.__getitem__)

    position_of_doc = np.zeros(len(docs), dtype=np.int64)
    position_of_doc[tied_docs[order]] = np.arange(len(tied_ids))
    return position_of_doc


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

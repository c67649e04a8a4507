"""Max-sim of many queries with the same documents, in blocks.

    >>> queries = [np.array([[1.0, 0.0]]), np.array([[0.0, 1.0], [1.0, 0.0]])]
    >>> rows = np.array([[1.0, 0.0], [3.0, 4.0], [0.0, 2.0]])  # of two documents
    >>> max_sim_blocks(queries, rows, lengths=[2, 1], aggregate="mean")
    array([[1. , 0. ],
           [0.9, 0.5]])

One product for many queries is several times faster than one per query. Within a block, all first
sentences of documents come first, then all second ones, so that a maximum over sentences is one
over whole arrays. Blocks bound the memory: apart from vectors and scores, it does not grow with
queries or documents.

Conventions: see `maxsim`. A block has k documents with n sentences, and q queries with m sentences.
"""

from collections.abc import Iterator, Sequence
from typing import NamedTuple

import numpy as np

from ir_datasets_ext.choices import check_option

from .array_checks import check_real
from .comparisons import Comparison, similarity_called
from .maxsim import AGGREGATES, Lengths, check_sentences, weigh_matches
from .unit_vectors import concatenate_rows, unit

#: aggregate -> how best matches of a query's sentences are reduced; of a mean, first to a sum
REDUCTIONS = {"max": np.maximum, "mean": np.add, "sum": np.add}


def max_sim_blocks(
    queries: Sequence[np.ndarray],
    rows: np.ndarray,
    lengths: Lengths,
    aggregate: str = "max",
    similarity: str = "cosine",
    most: tuple[int, int] = (16_384, 512),
    weights: Sequence[np.ndarray] | None = None,
) -> np.ndarray:
    """Score k documents against each of q queries.

    Args:
        queries: q arrays (m_i, d), vectors of a query's sentences.
        rows, lengths, aggregate, similarity: see `maxsim.max_sim`.
        weights: q arrays (m_i,), weights of a query's sentences; None for 1.
        most: sentences of documents and of queries in a block; a longer document or query is a
            block of its own.

    Returns:
        (q, k), the scores of `maxsim.max_sim` up to rounding.

    Raises:
        ValueError: see `maxsim.max_sim`.
    """
    check_option("aggregate", aggregate, AGGREGATES)
    # for cosines, vectors are first scaled to length 1: once, and not for each comparison
    compare = similarity_called("unit" if similarity == "cosine" else similarity)
    check_real(rows)
    for query in queries:
        check_sentences(query)

    if weights is None:
        weighted_queries = [WeightedQuery(query, factors=None) for query in queries]
        reduction = aggregate
    else:
        # best matches are multiplied by factors, which sum to 1 for a mean: then they are added
        weighted_queries = _weigh_queries(queries, weights, aggregate)
        reduction = "sum"

    document_sizes = np.asarray(lengths, dtype=np.intp)
    query_sizes = np.array([query.vectors.shape[0] for query in weighted_queries], dtype=np.intp)
    dtype = np.result_type(rows.dtype, *(query.dtype for query in queries[:1]))
    scores = np.empty((len(query_sizes), len(document_sizes)), dtype=dtype)

    most_document_sentences, most_query_sentences = most
    for block in _make_document_blocks(rows, document_sizes, most_document_sentences, similarity):
        for query_numbers in _group_neighbours(query_sizes, most_query_sentences):
            block_queries = [weighted_queries[number] for number in query_numbers]
            query_rows = concatenate_rows([query.vectors for query in block_queries])
            scaled_query_rows = _scale(query_rows, similarity)

            # of each query sentence in each document, then of each query: (documents, queries)
            best_matches = _match_sentences(scaled_query_rows, block, compare, dtype)
            _multiply_by_factors(best_matches, block_queries)
            block_scores = _reduce_matches(best_matches, query_sizes[query_numbers], reduction)
            scores[np.ix_(query_numbers, block.documents)] = block_scores.T
    return scores


class WeightedQuery(NamedTuple):
    """A query's sentences that count.

    Attributes:
        vectors: (m, d).
        factors: (m,), above 0, of their best matches; None for 1.
    """

    vectors: np.ndarray
    factors: np.ndarray | None


def _weigh_queries(
    queries: Sequence[np.ndarray], weights: Sequence[np.ndarray], aggregate: str
) -> list[WeightedQuery]:
    """Return each query's sentences that have a weight above 0, and their factors."""
    weighted_queries = []
    for query, query_weights in zip(queries, weights):
        factors = weigh_matches(query_weights, aggregate)
        is_counted = factors > 0  # 0 times the lowest similarity, -inf, would be NaN
        weighted_queries.append(WeightedQuery(query[is_counted], factors[is_counted]))
    return weighted_queries


def _group_neighbours(sizes: np.ndarray, most: int) -> Iterator[np.ndarray]:
    """Yield the positions in `sizes`, in groups of neighbours whose sizes sum to at most `most`.

    A larger one is a group of its own.
    """
    ends = np.cumsum(sizes)
    first = 0
    while first < len(sizes):
        sum_before = ends[first] - sizes[first]
        # the ends ascend, so a binary search finds the first that exceeds the group's limit
        first_beyond = int(np.searchsorted(ends, sum_before + most, side="right"))
        next_first = max(first + 1, first_beyond)
        yield np.arange(first, next_first)
        first = next_first


class Arrangement(NamedTuple):
    """An order of k documents' sentences by their position in the document.

    Attributes:
        row_order: (n,), the numbers of the rows: all first sentences, then all second ones, ….
        counts: the number of documents that have a first, a second, … sentence.
        document_order: (k,), the order of the documents in each of these parts: the longest first,
            so that the documents with a j-th sentence lead, for every j.
    """

    row_order: np.ndarray
    counts: list[int]
    document_order: np.ndarray


class DocumentBlock(NamedTuple):
    """Neighbouring documents, whose sentences are compared at once.

    Attributes:
        documents: (k,), their numbers, in the order of `arrangement`.
        rows: (n, d), their sentences in the order of `arrangement`, scaled if compared by cosine.
        arrangement: the order.
    """

    documents: np.ndarray
    rows: np.ndarray
    arrangement: Arrangement


def _make_document_blocks(
    rows: np.ndarray, lengths: np.ndarray, most: int, similarity: str
) -> Iterator[DocumentBlock]:
    """Yield blocks of documents with at most `most` sentences, or one longer document."""
    ends = np.cumsum(lengths)
    starts = ends - lengths
    for documents in _group_neighbours(lengths, most):
        block_rows = rows[starts[documents[0]] : ends[documents[-1]]]
        arrangement = _arrange_by_position(lengths[documents])
        yield DocumentBlock(
            documents=documents[arrangement.document_order],
            rows=_scale(block_rows[arrangement.row_order], similarity),
            arrangement=arrangement,
        )


def _arrange_by_position(lengths: np.ndarray) -> Arrangement:
    """Return the order of documents' sentences: all first ones, then all second ones, ….

    lengths: (k,), the number of sentences of each document.
    """
    document_order = np.argsort(-lengths, kind="stable")  # the longest first
    first_rows = np.cumsum(lengths) - lengths  # each document begins where those before it end
    ordered_first_rows = first_rows[document_order]

    counts = []
    rows_by_position = [np.zeros(0, dtype=np.intp)]  # there may be no sentence to concatenate
    for position in range(lengths.max(initial=0)):
        # the documents with a sentence at this position lead, because they are the longest
        count = int(np.sum(lengths > position))
        counts.append(count)
        rows_by_position.append(ordered_first_rows[:count] + position)

    row_order = np.concatenate(rows_by_position)
    return Arrangement(row_order, counts, document_order)


def _scale(vectors: np.ndarray, similarity: str) -> np.ndarray:
    """Scale vectors to length 1 (or 0) if they are compared by cosine."""
    if similarity == "cosine":
        return unit(vectors)
    return vectors


def _match_sentences(
    query_rows: np.ndarray, block: DocumentBlock, compare: Comparison, dtype: np.dtype
) -> np.ndarray:
    """Find the best match of each of m query sentences (m, d) in each of k documents: (k, m)."""
    counts = block.arrangement.counts
    best = np.full((len(block.documents), query_rows.shape[0]), compare.lowest, dtype=dtype)
    if not counts:  # rows of no sentences can have another width than the queries'
        return best

    similarities = compare(query_rows, block.rows).T  # (n, m)
    ends = np.cumsum(counts)
    for start, end in zip(ends - counts, ends):
        # the documents with a sentence at this position lead
        best_of_longest = best[: end - start]
        np.maximum(best_of_longest, similarities[start:end], out=best_of_longest)
    return best


def _multiply_by_factors(best: np.ndarray, queries: Sequence[WeightedQuery]) -> None:
    """Multiply best matches (k, m), in place, by the factors of the queries' m sentences."""
    factors = [query.factors for query in queries if query.factors is not None]
    if factors:  # all queries of a call have some, or none has
        best *= np.concatenate(factors).astype(best.dtype)


def _reduce_matches(best: np.ndarray, sizes: np.ndarray, aggregate: str) -> np.ndarray:
    """Reduce best matches (k, m) of the sentences of q queries with these sizes: (k, q)."""
    starts = np.cumsum(sizes) - sizes  # no query is empty, as `reduceat` needs
    scores = REDUCTIONS[aggregate].reduceat(best, starts, axis=1)
    if aggregate == "mean":
        return scores / sizes.astype(scores.dtype)
    return scores

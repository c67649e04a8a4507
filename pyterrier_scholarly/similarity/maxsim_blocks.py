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
from .unit_vectors import concatenate_rows, unit_in_place

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
    """Return the scores (q, k) of k documents for q queries, as `maxsim.max_sim` defines them.

    Args:
        queries: q arrays (m_i, d), the vectors of each query's sentences.
        rows: (n, d), the vectors of all documents' sentences, document by document.
        lengths: (k,), the number of sentences of each document.
        aggregate, similarity: see `maxsim.max_sim`.
        most: how many sentences of documents, and how many of queries, a block has at most. A
            longer document or query is a block of its own.
        weights: q arrays (m_i,), the weight of each sentence of a query; None for 1.

    Raises:
        ValueError: see `maxsim.max_sim`.
    """
    check_option("aggregate", aggregate, AGGREGATES)
    # blocks have vectors of length 1 if compared by cosine, so each comparison need not scale them
    compare = similarity_called("unit" if similarity == "cosine" else similarity)
    check_real(rows)
    for query in queries:
        check_sentences(query)

    most_document_sentences, most_query_sentences = most
    sentence_counts = np.asarray(lengths, dtype=np.intp)  # (k,)
    weighted_queries = _weigh_queries(queries, weights, aggregate)
    # the weights of a mean sum to 1, so its weighted matches are only added
    reduction = aggregate if weights is None else "sum"

    dtype = _choose_dtype(queries, rows)
    scores = np.empty((len(weighted_queries), len(sentence_counts)), dtype=dtype)
    for documents in _make_document_blocks(
        rows, sentence_counts, most_document_sentences, similarity
    ):
        # made again for each block of documents, so that only one is in memory
        for block_queries in _make_query_blocks(weighted_queries, most_query_sentences, similarity):
            block_scores = _score_block(block_queries, documents, compare, reduction, dtype)
            scores[np.ix_(block_queries.numbers, documents.numbers)] = block_scores.T
    return scores


def _score_block(
    queries: "QueryBlock",
    documents: "DocumentBlock",
    compare: Comparison,
    reduction: str,
    dtype: np.dtype,
) -> np.ndarray:
    """Return the scores (documents, queries) of all documents of a block for all queries of one.

    Args:
        queries, documents: the two blocks.
        compare: the similarity of sentences.
        reduction: how the best matches of a query's sentences become a score; see REDUCTIONS.
        dtype: of the scores.
    """
    # (documents, sentences of all queries)
    best_matches = _match_sentences(queries.rows, documents, compare, dtype)
    if queries.factors is not None:
        best_matches *= queries.factors.astype(dtype)
    return _reduce_matches(best_matches, queries.sizes, reduction)


class WeightedQuery(NamedTuple):
    """A query's sentences that count.

    Attributes:
        vectors: (m, d).
        factors: (m,), above 0, of their best matches; None for 1.
    """

    vectors: np.ndarray
    factors: np.ndarray | None


def _weigh_queries(
    queries: Sequence[np.ndarray], weights: Sequence[np.ndarray] | None, aggregate: str
) -> list[WeightedQuery]:
    """Return each query's sentences that have a weight above 0, and their factors.

    weights: see `max_sim_blocks`. Without, all sentences count, and have no factors.
    """
    if weights is None:
        return [WeightedQuery(query, factors=None) for query in queries]

    weighted_queries = []
    for query, query_weights in zip(queries, weights):
        factors = weigh_matches(query_weights, aggregate)
        is_counted = factors > 0  # 0 times the lowest similarity, -inf, would be NaN
        weighted_queries.append(WeightedQuery(query[is_counted], factors[is_counted]))
    return weighted_queries


def _choose_dtype(queries: Sequence[np.ndarray], rows: np.ndarray) -> np.dtype:
    """Return the type of the scores: that of the documents' vectors and of the first query's."""
    if not len(queries):
        return np.result_type(rows.dtype)
    return np.result_type(rows.dtype, queries[0].dtype)


class QueryBlock(NamedTuple):
    """Neighbouring queries, whose sentences are compared at once.

    Attributes:
        numbers: (q,), their numbers among all queries.
        sizes: (q,), the number of sentences of each.
        rows: (m, d), their sentences, query by query; scaled if compared by cosine.
        factors: (m,), of the sentences' best matches; None for 1.
    """

    numbers: np.ndarray
    sizes: np.ndarray
    rows: np.ndarray
    factors: np.ndarray | None


def _make_query_blocks(
    queries: Sequence[WeightedQuery], most_sentences: int, similarity: str
) -> Iterator[QueryBlock]:
    """Yield blocks of queries with at most `most_sentences`, or one longer query."""
    query_sizes = np.array([query.vectors.shape[0] for query in queries], dtype=np.intp)
    for numbers in _group_neighbours(query_sizes, most_sentences):
        block_queries = [queries[number] for number in numbers]
        rows = concatenate_rows([query.vectors for query in block_queries])
        # either all queries of a call have factors, or none has
        factors = [query.factors for query in block_queries if query.factors is not None]
        yield QueryBlock(
            numbers=numbers,
            sizes=query_sizes[numbers],
            rows=_scale(rows, similarity),
            factors=np.concatenate(factors) if factors else None,
        )


def _group_neighbours(sizes: np.ndarray, most: int) -> Iterator[np.ndarray]:
    """Yield the positions in `sizes`, in groups of neighbours whose sizes sum to at most `most`.

    A larger one is a group of its own. Sizes 2, 3, 9, 1 and at most 5 give [0, 1], [2], [3].
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
    """An order of k documents' sentences: all first ones, then all second ones, and so on.

    Documents with 1 and 2 sentences, rows 0 and 1, 2, have the `row_order` [1, 0, 2]: the first
    sentence of the longer document, that of the other, and the only second sentence.

    Attributes:
        row_order: (n,), the numbers of the rows in this order.
        counts: the number of documents that have a first, a second, … sentence.
        document_order: (k,), the order of the documents among all first sentences: the longest
            first. So those with a second sentence lead, in the same order; and so on.
    """

    row_order: np.ndarray
    counts: list[int]
    document_order: np.ndarray


class DocumentBlock(NamedTuple):
    """Neighbouring documents, whose sentences are compared at once.

    Attributes:
        numbers: (k,), their numbers among all documents, the longest document first.
        rows: (n, d), their sentences, all first ones, then all second ones, …; scaled if compared
            by cosine.
        counts: the number of documents that have a first, a second, … sentence.
    """

    numbers: np.ndarray
    rows: np.ndarray
    counts: list[int]


def _make_document_blocks(
    rows: np.ndarray, lengths: np.ndarray, most_sentences: int, similarity: str
) -> Iterator[DocumentBlock]:
    """Yield blocks of neighbouring documents with at most `most_sentences`, or one longer document.

    Within a block, all first sentences come before all second ones, and so on: `_match_sentences`
    then finds the best match in every document by a few operations on whole arrays.

    Args:
        rows: (n, d), the vectors of all documents' sentences, document by document.
        lengths: (documents,), the number of sentences of each document.
        most_sentences: of a block.
        similarity: rows are scaled for it.
    """
    ends = np.cumsum(lengths)  # of each document in `rows`
    starts = ends - lengths
    for document_numbers in _group_neighbours(lengths, most_sentences):
        first_document = document_numbers[0]
        last_document = document_numbers[-1]
        block_rows = rows[starts[first_document] : ends[last_document]]

        arrangement = _arrange_by_position(lengths[document_numbers])
        rows_by_position = block_rows[arrangement.row_order]
        yield DocumentBlock(
            numbers=document_numbers[arrangement.document_order],
            rows=_scale(rows_by_position, similarity),
            counts=arrangement.counts,
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
    """Scale a block's own copy of vectors to length 1 (or 0) if they are compared by cosine."""
    if similarity == "cosine":
        return unit_in_place(vectors)
    return vectors


def _match_sentences(
    query_rows: np.ndarray, documents: DocumentBlock, compare: Comparison, dtype: np.dtype
) -> np.ndarray:
    """Return the highest similarity of each query sentence in each document: (k, m).

    The block's rows are all first sentences of its k documents, then all second ones, and so on;
    at each position, documents are in the same order, the longest first. Three documents A, B, C
    of 3, 2 and 1 sentences have the rows A1 B1 C1 A2 B2 A3, and the counts 3, 2, 1.

    Args:
        query_rows: (m, d), the sentences of queries.
        documents: the block.
        compare: the similarity of sentences.
        dtype: of the result.
    """
    shape = (len(documents.numbers), query_rows.shape[0])
    best_matches = np.full(shape, compare.lowest, dtype=dtype)
    if not documents.counts:  # rows of no sentences can have another width than the queries'
        return best_matches

    similarities = compare(query_rows, documents.rows).T  # (n, m)
    start = 0
    for document_count in documents.counts:  # with a first, with a second, … sentence
        end = start + document_count
        similarities_at_position = similarities[start:end]
        # the longest documents lead, so exactly the first ones have a sentence at this position
        best_so_far = best_matches[:document_count]
        np.maximum(best_so_far, similarities_at_position, out=best_so_far)
        start = end
    return best_matches


def _reduce_matches(best_matches: np.ndarray, sizes: np.ndarray, aggregate: str) -> np.ndarray:
    """Return the scores (k, q) of k documents from best matches (k, m).

    sizes: (q,), how many of the m sentences each query has, query by query.
    """
    starts = np.cumsum(sizes) - sizes  # no query is empty, as `reduceat` needs
    scores = REDUCTIONS[aggregate].reduceat(best_matches, starts, axis=1)
    if aggregate == "mean":
        return scores / sizes.astype(scores.dtype)
    return scores

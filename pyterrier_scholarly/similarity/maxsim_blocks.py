"""Max-sim of many queries with the same documents, in blocks.

One product for many queries is several times faster than one per query. Within a block, all first
sentences of documents come first, then all second ones, so that a maximum over sentences is one
over whole arrays. Blocks bound the memory: apart from vectors and scores, it does not grow with
queries or documents. Conventions: see `maxsim`.
"""

from collections.abc import Iterator, Sequence

import numpy as np

from . import called, products, similarity_called, stacked, unit
from .array_checks import check_real
from .maxsim import AGGREGATES, Lengths, check_sentences, factors_of

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
    called("aggregate", aggregate, AGGREGATES)
    of, lowest = similarity_called(similarity)
    of = products if similarity == "cosine" else of  # vectors are scaled for cosines
    check_real(rows)
    for query in queries:
        check_sentences(query)
    factors = None
    if weights is not None:
        factors = [factors_of(own, aggregate) for own in weights]
        queries = [query[own > 0] for query, own in zip(queries, factors)]
        factors = [own[own > 0] for own in factors]
        aggregate = "sum"  # of the products; the factors of a mean sum to 1

    sizes = np.array([query.shape[0] for query in queries], dtype=np.intp)
    lengths = np.asarray(lengths, dtype=np.intp)
    ends = np.cumsum(lengths)
    dtype = np.result_type(*(vectors.dtype for vectors in (rows, *queries[:1])))
    scores = np.empty((len(sizes), len(lengths)), dtype=dtype)
    for documents in _blocks(lengths, most[0]):
        block = rows[ends[documents[0]] - lengths[documents[0]] : ends[documents[-1]]]
        order, counts, by_length = _by_position(lengths[documents])
        arranged = _scaled(block[order], similarity)
        for numbers in _blocks(sizes, most[1]):
            sentences = _scaled(stacked([queries[n] for n in numbers]), similarity)
            best = np.full((len(documents), sentences.shape[0]), lowest, dtype=dtype)
            if counts:  # rows of no sentences can have another width than the queries'
                _raise_to(best, of(sentences, arranged).T, counts)
            if factors is not None:
                best *= np.concatenate([factors[n] for n in numbers]).astype(dtype)
            at = np.ix_(numbers, documents[by_length])
            scores[at] = _aggregated(best, sizes[numbers], aggregate).T
    return scores


def _blocks(sizes: np.ndarray, most: int) -> Iterator[np.ndarray]:
    """Group neighbours with a sum of at most `most`; a larger one is a group of its own."""
    ends = np.cumsum(sizes)
    first = 0
    while first < len(sizes):
        fitting = np.searchsorted(ends, ends[first] - sizes[first] + most, side="right")
        last = max(first + 1, int(fitting))
        yield np.arange(first, last)
        first = last


def _by_position(lengths: np.ndarray) -> tuple[np.ndarray, list[int], np.ndarray]:
    """Order sentences by their position in the document: all first ones, then all second ones.

    Returns:
        The sentences' order (n,); the number of documents with a first, a second, … sentence; and
        the documents' order (k,), the longest first, so that documents with a j-th sentence lead.
    """
    by_length = np.argsort(-lengths, kind="stable")
    starts = (np.cumsum(lengths) - lengths)[by_length]
    counts = [int(np.sum(lengths > j)) for j in range(lengths.max(initial=0))]
    order = [starts[:count] + j for j, count in enumerate(counts)]
    return np.concatenate([np.zeros(0, dtype=np.intp), *order]), counts, by_length


def _scaled(vectors: np.ndarray, similarity: str) -> np.ndarray:
    """Scale vectors to length 1 (or 0) for cosines, which then are products."""
    return unit(vectors) if similarity == "cosine" else vectors


def _raise_to(best: np.ndarray, similarities: np.ndarray, counts: list[int]) -> None:
    """Raise `best` (k, m) to the similarities of the documents' sentences, by position."""
    for count, part in zip(counts, np.split(similarities, np.cumsum(counts)[:-1])):
        np.maximum(best[:count], part, out=best[:count])


def _aggregated(best: np.ndarray, sizes: np.ndarray, aggregate: str) -> np.ndarray:
    """Reduce best matches (k, m) of q queries' sentences to scores (k, q)."""
    scores = REDUCTIONS[aggregate].reduceat(best, np.cumsum(sizes) - sizes, axis=1)
    return scores / sizes.astype(scores.dtype) if aggregate == "mean" else scores

"""Scores of documents from their best sentences, or from the mean of their sentences.

    >>> query = np.array([[1.0, 0.0], [0.0, 1.0]])  # two sentences
    >>> rows = np.array([[1.0, 0.0], [3.0, 4.0], [0.0, 2.0]])  # of two documents
    >>> max_sim(query, rows, lengths=[2, 1], aggregate="mean")
    array([0.9, 0.5])

The first document has the first two sentences. Its best cosines are 1 and 4/5, and their mean .9.

Conventions: a *ragged* batch of k documents is one array of all their sentences, `rows` (n, d), and
`lengths` (k,), the number of sentences of each document, in the same order. The lengths sum to n
and can be 0. A query has m sentences, `query` (m, d). Vectors are as in `unit_vectors`.

CSFCube [Mysore2021] ranks by the maximum cosine over all pairs of sentences, DORIS-MAE [Wang2023,
eq. 4] by the mean over the query's sentences of the maximum over the document's, and TS-ASPIRE
[Mysore2022, section 3.2.1] by the smallest L2 distance.

[Mysore2021] S. Mysore et al.: CSFCube, NeurIPS 2021 Datasets and Benchmarks.
[Mysore2022] S. Mysore, A. Cohan, T. Hope: Multi-Vector Models with Textual Guidance for
    Fine-Grained Scientific Document Similarity, NAACL 2022 (ASPIRE).
[Wang2023] J. Wang et al.: DORIS-MAE, NeurIPS 2023 Datasets and Benchmarks.
"""

from collections.abc import Callable, Sequence
from functools import partial
from typing import NamedTuple, TypeAlias

import numpy as np

from ir_datasets_ext.choices import choose_option

from .array_checks import check_real
from .comparisons import LOWEST, similarity_called
from .unit_vectors import measure_lengths, unit

Lengths: TypeAlias = Sequence[int] | np.ndarray

#: from the best matches of the query's m sentences (m, k) to one score per document (k,)
AGGREGATES: dict[str, Callable[..., np.ndarray]] = {"max": np.max, "mean": np.mean, "sum": np.sum}
SYMMETRIC = "symmetric"
WEIGHTED = ("mean", "sum")  # the aggregates that take weights of the query's sentences


def choose_scorer(aggregate: str) -> Callable[..., np.ndarray]:
    """Return `max_sim` with one of AGGREGATES, or `symmetric_max_sim`.

    Raises:
        ValueError: another aggregate; the message lists them.
    """
    return choose_option("aggregate", aggregate, SCORINGS)


def best_matches(
    query: np.ndarray, rows: np.ndarray, lengths: Lengths, similarity: str = "cosine"
) -> np.ndarray:
    """Compute the best match of each sentence of a query in each document.

    Args:
        query: (m, d), vectors of the query's sentences, of any length.
        rows: (n, d), vectors of all documents' sentences, one document after the other.
        lengths: (k,), sentences per document.
        similarity: ``"cosine"``, ``"dot"``, ``"l2"`` (minus the distance) or ``"unit"`` (cosines
            of vectors of length 1).

    Returns:
        (m, k), in the similarity's range (cosines from -1 to 1 up to rounding). A document without
        sentences gets the lowest value: -1 for cosines, -inf for others.

    Raises:
        ValueError: unknown similarity.
    """
    check_real(query)
    check_real(rows)
    compare = similarity_called(similarity)

    segments = _find_segments(lengths)
    shape = (query.shape[0], len(segments.has_sentences))
    best = np.full(shape, compare.lowest, dtype=query.dtype)
    if not len(segments.starts):  # no document has sentences
        return best

    # a segment has the columns of one document, which are reduced to their maximum
    similarities = compare(query, rows)  # (m, n)
    best_in_segments = np.maximum.reduceat(similarities, segments.starts, axis=1)
    best = best.astype(best_in_segments.dtype, copy=False)
    best[:, segments.has_sentences] = best_in_segments
    return best


def max_sim(
    query: np.ndarray,
    rows: np.ndarray,
    lengths: Lengths,
    aggregate: str = "max",
    similarity: str = "cosine",
    weights: np.ndarray | None = None,
) -> np.ndarray:
    """Score documents by the best matches of the query's sentences; see `best_matches`.

    Args:
        query, rows, lengths, similarity: see `best_matches`.
        aggregate: ``"max"`` (CSFCube), ``"mean"`` (DORIS-MAE) or ``"sum"`` of the best matches.
        weights: (m,), of the query's sentences, from 0, not all 0; see `weigh_matches`. None for 1.

    Returns:
        (k,), for cosines from -1 to 1 (sum: from -m to m); the lowest for a document without
        sentences.

    Raises:
        ValueError: unknown aggregate or similarity, weights for another aggregate than "mean" and
            "sum", or a query without sentences.
    """
    check_sentences(query)
    reduce_matches = choose_option("aggregate", aggregate, AGGREGATES)
    if weights is None:
        return reduce_matches(best_matches(query, rows, lengths, similarity), axis=0)

    factors = weigh_matches(weights, aggregate)
    # sentences of weight 0 are left out: 0 times the lowest similarity, -inf, would be NaN
    is_counted = factors > 0
    best = best_matches(query[is_counted], rows, lengths, similarity)  # (sentences that count, k)
    weighted_matches = best * factors[is_counted, None]
    return weighted_matches.sum(axis=0, dtype=best.dtype)


def weigh_matches(weights: np.ndarray, aggregate: str) -> np.ndarray:
    """Return the factors (m,) of the query's best matches, whose products are then added up.

    For "sum" these are the `weights` (m,) themselves. For "mean" they are divided by their sum, so
    that weights of 1 give the mean.

    Raises:
        ValueError: another aggregate, which takes no weights.
    """
    if aggregate not in WEIGHTED:
        raise ValueError(
            f"aggregate={aggregate!r} takes no weights: choose one of {', '.join(WEIGHTED)}."
        )

    weights = np.asarray(weights, dtype=np.float64)
    if aggregate == "mean":
        return weights / weights.sum()
    return weights


def symmetric_max_sim(
    query: np.ndarray, rows: np.ndarray, lengths: Lengths, similarity: str = "cosine"
) -> np.ndarray:
    """Compute the mean of both directions: of the query's best matches, and of the document's.

    Unlike `max_sim`, sentences of the document that do not match the query lower the score. Query
    and document can be exchanged. Arguments, range and errors: see `max_sim`.
    """
    check_sentences(query)

    # the mean over the query's sentences, for each document: (k,)
    scores = best_matches(query, rows, lengths, similarity).mean(axis=0)
    segments = _find_segments(lengths)
    if not len(segments.starts):  # no document has sentences, so there is no other direction
        return scores

    # the mean over a document's sentences, for each document that has some
    compare = similarity_called(similarity)
    best_of_sentences = compare(query, rows).max(axis=0)  # (n,)
    sums_of_documents = np.add.reduceat(best_of_sentences, segments.starts)
    sentence_counts = np.asarray(lengths)[segments.has_sentences]
    document_means = sums_of_documents / sentence_counts

    query_means = scores[segments.has_sentences]
    scores[segments.has_sentences] = (query_means + document_means) / 2
    return scores


#: aggregate -> the function that scores by it; see `choose_scorer`
SCORINGS: dict[str, Callable[..., np.ndarray]] = {
    "max": partial(max_sim, aggregate="max"),
    "mean": partial(max_sim, aggregate="mean"),
    "sum": partial(max_sim, aggregate="sum"),
    SYMMETRIC: symmetric_max_sim,
}


def single_match(query: np.ndarray, rows: np.ndarray, lengths: Lengths) -> np.ndarray:
    """Compute the smallest L2 distance of a sentence of the query and one of each document.

    Returns (k,), float64, from 0; inf for a document without sentences. Errors: see `max_sim`.
    """
    return -max_sim(query, rows, lengths, "max", similarity="l2")


def mean_match(query: np.ndarray, rows: np.ndarray, lengths: Lengths) -> np.ndarray:
    """Compute the mean, over the query's sentences, of the L2 distance to the nearest sentence.

    DORIS-MAE's code runs TS-ASPIRE like this [Wang2023, eq. 4]. Otherwise see `single_match`.
    """
    return -max_sim(query, rows, lengths, "mean", similarity="l2")


def centroid_cosines(query: np.ndarray, rows: np.ndarray, lengths: Lengths) -> np.ndarray:
    """Compute cosines of the mean sentence of the query and of each document: (k,).

    All vectors are scaled to length 1 first. -1 for a document without sentences, 0 if a mean is 0.
    """
    check_real(query)
    check_real(rows)

    segments = _find_segments(lengths)
    scores = np.full(len(segments.has_sentences), LOWEST, dtype=query.dtype)
    if not len(segments.starts):  # no document has sentences
        return scores

    # a sum of sentences has the direction of their mean, and so the same cosines
    measured_query = measure_lengths(query)
    query_sum = measured_query.inverse_lengths @ measured_query.vectors  # (d,)
    (query_direction,) = unit(query_sum[None])  # of length 1
    document_sums = np.add.reduceat(unit(rows), segments.starts, axis=0)

    # (documents with sentences,): dividing by the documents' lengths leaves cosines
    measured_documents = measure_lengths(document_sums)
    products = measured_documents.vectors @ query_direction
    scores[segments.has_sentences] = products * measured_documents.inverse_lengths
    return scores


def check_sentences(query: np.ndarray) -> None:
    """Raise ValueError if a query has no sentences, or vectors that are not of real numbers."""
    check_real(query)
    if not query.shape[0]:
        raise ValueError("A query without sentences has no best match: pass at least one.")


class _Segments(NamedTuple):
    """The segments of a ragged batch's rows, one for each document that has sentences.

    Attributes:
        has_sentences: (k,), bool, of all documents.
        starts: the first row of each document with sentences.
    """

    has_sentences: np.ndarray
    starts: np.ndarray


def _find_segments(lengths: Lengths) -> _Segments:
    """Find the documents with sentences, and where each of them starts.

    Others are left out because `reduceat` would give an empty segment its neighbour's value.
    """
    lengths = np.asarray(lengths, dtype=np.intp)
    has_sentences = lengths > 0
    starts = np.cumsum(lengths) - lengths  # each document starts where those before it end
    return _Segments(has_sentences, starts[has_sentences])

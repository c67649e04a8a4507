"""Scores of documents from their best sentences, or from the mean of their sentences.

Conventions: a *ragged* batch of k documents is one array of all their sentences, `rows` (n, d), and
`lengths` (k,), the number of sentences of each document, in the same order. The lengths sum to n
and can be 0. Vectors are as in `similarity`.

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

import numpy as np

from . import LOWEST, called, measure, similarity_called, unit
from .array_checks import check_real

Lengths = Sequence[int] | np.ndarray

#: from the best matches of the query's m sentences (m, k) to one score per document (k,)
AGGREGATES: dict[str, Callable[..., np.ndarray]] = {"max": np.max, "mean": np.mean, "sum": np.sum}
SYMMETRIC = "symmetric"
WEIGHTED = ("mean", "sum")  # the aggregates that take weights of the query's sentences


def scoring(aggregate: str) -> Callable[..., np.ndarray]:
    """Return `max_sim` with one of AGGREGATES, or `symmetric_max_sim`.

    Raises:
        ValueError: another aggregate; the message lists them.
    """
    return called("aggregate", aggregate, SCORINGS)


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
    of, lowest = similarity_called(similarity)
    filled, starts = _segments(lengths)
    best = np.full((query.shape[0], len(filled)), lowest, dtype=query.dtype)
    if len(starts):
        values = np.maximum.reduceat(of(query, rows), starts, axis=1)
        best = best.astype(values.dtype, copy=False)
        best[:, filled] = values
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
        aggregate: ``"max"`` (CSFCube), ``"mean"`` (DORIS-MAE) or ``"sum"`` of the best matches.
        weights: (m,), of the query's sentences, from 0, not all 0; see `factors_of`. None for 1.

    Returns:
        (k,), for cosines from -1 to 1 (sum: from -m to m); the lowest for a document without
        sentences.

    Raises:
        ValueError: unknown aggregate or similarity, weights for another aggregate than "mean" and
            "sum", or a query without sentences.
    """
    check_sentences(query)
    aggregated = called("aggregate", aggregate, AGGREGATES)
    if weights is None:
        return aggregated(best_matches(query, rows, lengths, similarity), axis=0)

    factors = factors_of(weights, aggregate)
    counted = factors > 0  # 0 times the lowest similarity, -inf, would be NaN
    best = best_matches(query[counted], rows, lengths, similarity)
    return (best * factors[counted, None]).sum(axis=0, dtype=best.dtype)


def factors_of(weights: np.ndarray, aggregate: str) -> np.ndarray:
    """Return what each best match (m,) is multiplied with before all are added up.

    For "sum" these are the `weights` themselves; for "mean" they are divided by their sum, so that
    weights of 1 give the mean.

    Raises:
        ValueError: another aggregate, which takes no weights.
    """
    if aggregate not in WEIGHTED:
        raise ValueError(
            f"aggregate={aggregate!r} takes no weights: choose one of {', '.join(WEIGHTED)}."
        )
    weights = np.asarray(weights, dtype=np.float64)
    return weights / weights.sum() if aggregate == "mean" else weights


def symmetric_max_sim(
    query: np.ndarray, rows: np.ndarray, lengths: Lengths, similarity: str = "cosine"
) -> np.ndarray:
    """Compute the mean of both directions: of the query's best matches, and of the document's.

    Unlike `max_sim`, sentences of the document that do not match the query lower the score. Query
    and document can be exchanged. Arguments, range and errors: see `max_sim`.
    """
    check_sentences(query)
    scores = best_matches(query, rows, lengths, similarity).mean(axis=0)
    filled, starts = _segments(lengths)
    if len(starts):
        of, _ = similarity_called(similarity)
        back = np.add.reduceat(of(query, rows).max(axis=0), starts) / np.asarray(lengths)[filled]
        scores[filled] = (scores[filled] + back) / 2
    return scores


SCORINGS: dict[str, Callable[..., np.ndarray]] = {
    **{name: partial(max_sim, aggregate=name) for name in AGGREGATES},
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
    filled, starts = _segments(lengths)
    cosines = np.full(len(filled), LOWEST, dtype=query.dtype)
    if len(starts):
        # sums have the directions of the means
        sums = np.add.reduceat(unit(rows), starts, axis=0)
        query, query_factors = measure(query)
        (centroid,) = unit((query_factors @ query)[None])
        cosines[filled] = (sums @ centroid) * measure(sums).factors
    return cosines


def check_sentences(query: np.ndarray) -> None:
    """Raise ValueError if a query has no sentences, or vectors that are not of real numbers."""
    check_real(query)
    if not query.shape[0]:
        raise ValueError("A query without sentences has no best match: pass at least one.")


def _segments(lengths: Lengths) -> tuple[np.ndarray, np.ndarray]:
    """Find the documents with sentences, a bool array (k,), and where each of them starts."""
    lengths = np.asarray(lengths, dtype=np.intp)
    filled = lengths > 0  # `reduceat` would give an empty segment its neighbour's value
    return filled, (np.cumsum(lengths) - lengths)[filled]

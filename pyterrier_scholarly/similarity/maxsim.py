"""Max-sim: how well the best sentence of a document matches each sentence of a query.

Conventions: vectors are rows of float arrays, numpy's or scipy's sparse ones; a *ragged* batch of
documents is one array of all their sentences, `rows` (n, d), beside `lengths` (k,), the number of
sentences of each of the k documents, in the same order; lengths sum to n and may be 0.

CSFCube [Mysore2021] ranks by the maximum cosine over all pairs of sentences; DORIS-MAE [Wang2023]
by the mean, over the query's sentences, of the maximum over the document's (its eq. 4).

[Mysore2021] S. Mysore et al.: CSFCube, NeurIPS 2021 Datasets and Benchmarks.
[Wang2023] J. Wang et al.: DORIS-MAE, NeurIPS 2023 Datasets and Benchmarks.
"""

import numpy as np

from .pairwise import l2, products, weighted

LOWEST = -1.0  # the least a cosine can be: what a document without sentences gets

AGGREGATES = {"max": np.max, "mean": np.mean, "sum": np.sum}
"""From the best matches of the query's m sentences (m, k) to one score per document (k,)."""


def aggregation(name):
    """The function of AGGREGATES that is called `name`; ValueError, listing them, if none is."""
    if name not in AGGREGATES:
        raise ValueError(f"Unknown aggregate {name!r}: choose one of {', '.join(AGGREGATES)}.")
    return AGGREGATES[name]


def inverse_lengths(vectors):
    """What each of `vectors` (n, d) is to be multiplied with to have length 1: (n,).

    0 for the zero vector, whose cosines so are 0.
    """
    if hasattr(vectors, "multiply"):
        squares = np.asarray(vectors.multiply(vectors).sum(axis=1)).ravel()
    else:
        squares = np.einsum("ij,ij->i", vectors, vectors)
    return np.divide(1, np.sqrt(squares), out=np.zeros_like(squares), where=squares > 0)


def cosines(query, rows):
    """Cosines (m, n) of query vectors (m, d) and rows (n, d), from -1 to 1 up to rounding."""
    # scaling the products is cheaper than scaling the vectors, which are longer
    found = products(weighted(query, inverse_lengths(query)), rows)
    found *= inverse_lengths(rows)
    return found


SIMILARITIES = {
    "cosine": (cosines, LOWEST),
    "dot": (products, -np.inf),
    "l2": (lambda query, rows: -l2(query, rows), -np.inf),
    "unit": (products, LOWEST),  # cosines of vectors that have length 1
}
"""From (m, d) and (n, d) to similarities (m, n), higher is nearer; and the lowest there can be."""


def similarity_called(name):
    """The entry of SIMILARITIES called `name`; ValueError, listing them, if there is none."""
    if name not in SIMILARITIES:
        raise ValueError(f"Unknown similarity {name!r}: choose one of {', '.join(SIMILARITIES)}.")
    return SIMILARITIES[name]


def best_matches(query, rows, lengths, similarity="cosine"):
    """For each sentence of a query, its best match in each document.

    Args:
        query: (m, d), vectors of the query's sentences, of any length.
        rows: (n, d), vectors of all documents' sentences, one document after the other.
        lengths: (k,), sentences per document.
        similarity: ``"cosine"``, ``"dot"`` or ``"l2"`` (minus the distance).

    Returns:
        (m, k), in the similarity's range (cosines from -1 to 1 up to rounding); the lowest for a
        document without sentences: -1 for cosines, -inf for others.

    Raises:
        ValueError: unknown similarity.
    """
    of, lowest = similarity_called(similarity)
    lengths = np.asarray(lengths, dtype=np.intp)
    best = np.full((query.shape[0], len(lengths)), lowest, dtype=query.dtype)
    filled = lengths > 0  # reduceat gives an empty segment its neighbour's value
    if filled.any():
        starts = np.cumsum(lengths) - lengths
        found = np.maximum.reduceat(of(query, rows), starts[filled], axis=1)
        best = best.astype(found.dtype, copy=False)
        best[:, filled] = found
    return best


def max_sim(query, rows, lengths, aggregate="max", similarity="cosine"):
    """Score documents against a query; arguments as in `best_matches`.

    Args:
        aggregate: ``"max"`` (CSFCube), ``"mean"`` (DORIS-MAE) or ``"sum"`` of the best matches.

    Returns:
        (k,), for cosines from -1 to 1 (sum: from -m to m); the lowest for a document without
        sentences.

    Raises:
        ValueError: unknown aggregate or similarity, or a query without sentences.
    """
    if not query.shape[0]:
        raise ValueError("A query without sentences has no best match: give at least one.")
    return aggregation(aggregate)(best_matches(query, rows, lengths, similarity), axis=0)

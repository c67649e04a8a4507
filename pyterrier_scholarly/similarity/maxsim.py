"""Max-sim: how well the best sentence of a document matches each sentence of a query.

Conventions: vectors are rows of float arrays; a *ragged* batch of documents is one array of all
their sentences, `rows` (n, d), beside `lengths` (k,), the number of sentences of each of the k
documents, in the same order; lengths sum to n and may be 0.

CSFCube [Mysore2021] ranks by the maximum cosine over all pairs of sentences; DORIS-MAE [Wang2023]
by the mean, over the query's sentences, of the maximum over the document's (its eq. 4).

[Mysore2021] S. Mysore et al.: CSFCube, NeurIPS 2021 Datasets and Benchmarks.
[Wang2023] J. Wang et al.: DORIS-MAE, NeurIPS 2023 Datasets and Benchmarks.
"""

import numpy as np

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
    squares = np.einsum("ij,ij->i", vectors, vectors)
    return np.divide(1, np.sqrt(squares), out=np.zeros_like(squares), where=squares > 0)


def best_matches(query, rows, lengths):
    """For each sentence of a query, its best match in each document.

    Args:
        query: (m, d), vectors of the query's sentences, of any length.
        rows: (n, d), vectors of all documents' sentences, one document after the other.
        lengths: (k,), sentences per document.

    Returns:
        (m, k), cosines from -1 to 1 up to rounding; -1 for a document without sentences.
    """
    lengths = np.asarray(lengths, dtype=np.intp)
    best = np.full((len(query), len(lengths)), LOWEST, dtype=query.dtype)
    filled = lengths > 0  # reduceat gives an empty segment its neighbour's value
    if filled.any():
        starts = np.cumsum(lengths) - lengths
        # rows @ query.T is a third faster than its transpose, with few queries and many rows;
        # scaling the products is cheaper than scaling the vectors, which are longer
        cosines = rows @ (query * inverse_lengths(query)[:, None]).T
        cosines *= inverse_lengths(rows)[:, None]
        best[:, filled] = np.maximum.reduceat(cosines, starts[filled], axis=0).T
    return best


def max_sim(query, rows, lengths, aggregate="max"):
    """Score documents against a query; arguments as in `best_matches`.

    Args:
        aggregate: ``"max"`` (CSFCube), ``"mean"`` (DORIS-MAE) or ``"sum"`` of the best matches.

    Returns:
        (k,), from -1 to 1 (sum: from -m to m); the lowest for a document without sentences.

    Raises:
        ValueError: unknown aggregate, or a query without sentences.
    """
    if not len(query):
        raise ValueError("A query without sentences has no best match: give at least one.")
    return aggregation(aggregate)(best_matches(query, rows, lengths), axis=0)

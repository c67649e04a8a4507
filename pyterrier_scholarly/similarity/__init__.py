"""Similarities of groups of vectors: arrays in, arrays out. Here: of all pairs of two groups.

Conventions: vectors are rows of float arrays. Except where noted, they can also be rows of scipy's
sparse arrays, such as SPLADE's.
"""

from collections.abc import Callable, Mapping, Sequence
from typing import TypeVar

import numpy as np

from .documents import jensen_shannon

__all__ = ["jensen_shannon"]

BLOCK = 1 << 18  # numbers converted to double precision at a time: 2 MB
Option = TypeVar("Option")
LOWEST = -1.0  # the lowest cosine: the score of a document without sentences


def dense(vectors: np.ndarray) -> np.ndarray:
    """Return `vectors` as a numpy array."""
    return vectors.toarray() if hasattr(vectors, "toarray") else vectors


def products(query: np.ndarray, rows: np.ndarray) -> np.ndarray:
    """Compute inner products (m, n), a numpy array, of query vectors (m, d) and rows (n, d)."""
    # rows @ query.T is a third faster than its transpose, with few queries and many rows
    return dense(rows @ query.T).T


def weighted(vectors: np.ndarray, weights: np.ndarray) -> np.ndarray:
    """Multiply each of `vectors` (n, d) by its weight (n,); sparse vectors stay sparse."""
    scaled = vectors * weights[:, None]
    return scaled.tocsr() if hasattr(scaled, "tocsr") else scaled


def stacked(groups: Sequence[np.ndarray]) -> np.ndarray:
    """Concatenate groups of vectors, (n_i, d) each; sparse groups stay sparse."""
    if not hasattr(groups[0], "tocsr"):
        return np.concatenate(groups)
    from scipy.sparse import vstack

    return vstack(groups, format="csr")


def inverse_lengths(vectors: np.ndarray) -> np.ndarray:
    """Compute the factor that scales each of `vectors` (n, d) to length 1: (n,).

    It is 0 for a zero vector, so that its cosines are 0.
    """
    if hasattr(vectors, "multiply"):
        squares = np.asarray(vectors.multiply(vectors).sum(axis=1)).ravel()
    else:
        squares = np.einsum("ij,ij->i", vectors, vectors)
    return np.divide(1, np.sqrt(squares), out=np.zeros_like(squares), where=squares > 0)


def cosines(query: np.ndarray, rows: np.ndarray) -> np.ndarray:
    """Compute cosines (m, n) of query vectors (m, d) and rows (n, d), -1 to 1 up to rounding."""
    # scaling the products is cheaper than scaling the vectors, which are longer
    scaled = products(weighted(query, inverse_lengths(query)), rows)
    scaled *= inverse_lengths(rows)
    return scaled


def l2(query: np.ndarray, rows: np.ndarray) -> np.ndarray:
    """Compute L2 distances (m, n), float64, of query vectors (m, d) and rows (n, d), from 0.

    In single precision, long vectors near each other would cancel: two equal vectors of length 14
    can get the distance 0.01. So this uses double precision.
    """
    query = dense(query)
    # a common shift changes no distance; without the common part, rounding errors are smaller
    middle = query.mean(axis=0, dtype=np.float64)
    query = query - middle
    squares = np.einsum("ij,ij->i", query, query)
    distances = np.empty((len(query), rows.shape[0]))
    size = max(1, BLOCK // max(1, query.shape[1]))
    for start in range(0, rows.shape[0], size):
        block = dense(rows[start : start + size]) - middle
        out = distances[:, start : start + size]
        out[:] = query @ block.T
        out *= -2
        out += squares[:, None]
        out += np.einsum("ij,ij->i", block, block)
    return np.sqrt(np.maximum(distances, 0, out=distances), out=distances)


#: from (m, d) and (n, d) to similarities (m, n), higher is nearer
Similarity = Callable[[np.ndarray, np.ndarray], np.ndarray]

#: name -> function, and its lowest value
SIMILARITIES: dict[str, tuple[Similarity, float]] = {
    "cosine": (cosines, LOWEST),
    "dot": (products, -np.inf),
    "l2": (lambda query, rows: -l2(query, rows), -np.inf),
    "unit": (products, LOWEST),  # cosines of vectors of length 1
}


def similarity_called(name: str) -> tuple[Similarity, float]:
    """Return the entry of SIMILARITIES; ValueError, with all names, if it is unknown."""
    return called("similarity", name, SIMILARITIES)


def called(kind: str, name: str, options: Mapping[str, Option]) -> Option:
    """Return the option with this name; ValueError, with all names, if it is unknown."""
    if name not in options:
        raise ValueError(f"Unknown {kind} {name!r}: choose one of {', '.join(options)}.")
    return options[name]

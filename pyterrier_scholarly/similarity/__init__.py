"""Similarities of groups of vectors: arrays in, arrays out. Here: of all pairs of two groups.

Conventions: vectors are rows of float arrays. Except where noted, they can also be rows of scipy's
sparse arrays, such as SPLADE's.
"""

from collections.abc import Callable, Mapping, Sequence
from functools import lru_cache
from typing import NamedTuple, TypeVar

import numpy as np

from .array_checks import check_real
from .document_pairs import jensen_shannon

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


class Measured(NamedTuple):
    """Vectors (n, d), and the factor (n,) that scales each of them to length 1.

    The factor is 0 for a zero vector, so that its cosines are 0.
    """

    vectors: np.ndarray
    factors: np.ndarray


def measure(vectors: np.ndarray) -> Measured:
    """Measure the lengths of vectors (n, d).

    Vectors whose squares would overflow or vanish (in single precision, lengths above 1e19 or
    below 1e-16) are first scaled by a power of two, which changes no cosine.
    """
    if vectors.dtype.kind != "f":
        vectors = vectors.astype(np.float64)

    squares = _squared_lengths(vectors)
    if not len(squares):
        return Measured(vectors, squares)

    least = _least_square(squares.dtype)
    if squares.min() >= least and squares.max() < np.inf:  # the usual case
        return Measured(vectors, 1 / np.sqrt(squares))

    is_safe = (squares >= least) & (squares < np.inf)
    vectors = _rescale(vectors, ~is_safe)
    squares = _squared_lengths(vectors)
    factors = np.zeros_like(squares)
    np.divide(1, np.sqrt(squares), out=factors, where=squares > 0)
    return Measured(vectors, factors)


@lru_cache
def _least_square(dtype: np.dtype) -> float:
    """Return the least square that has all its digits; smaller numbers lose some."""
    limits = np.finfo(dtype)
    return float(limits.tiny / limits.eps)


def _squared_lengths(vectors: np.ndarray) -> np.ndarray:
    """Compute the squared length of each of `vectors` (n, d): (n,)."""
    if hasattr(vectors, "multiply"):
        return np.asarray(vectors.multiply(vectors).sum(axis=1)).ravel()
    return np.einsum("ij,ij->i", vectors, vectors)


def _rescale(vectors: np.ndarray, chosen: np.ndarray) -> np.ndarray:
    """Return `vectors` (n, d), the `chosen` ones (n,) multiplied by powers of two.

    Their largest number is then between 1/2 and 1; a zero vector stays 0.
    """
    if not vectors.shape[1]:
        return vectors

    is_sparse = hasattr(vectors, "tocsr")
    if hasattr(vectors, "tocsr"):
        vectors = vectors.tocsr()
    largest = dense(abs(vectors[chosen]).max(axis=1)).ravel()
    if not largest.any():  # zero vectors alone
        return vectors

    exponents = np.zeros(vectors.shape[0], dtype=int)
    exponents[chosen] = np.frexp(largest)[1]
    if is_sparse:
        rescaled = vectors.copy()
        exponent_of_entry = np.repeat(exponents, np.diff(rescaled.indptr))
        rescaled.data = np.ldexp(rescaled.data, -exponent_of_entry)
        return rescaled
    return np.ldexp(vectors, -exponents[:, None])


def inverse_lengths(vectors: np.ndarray) -> np.ndarray:
    """Compute the factor that scales each of `vectors` (n, d) to length 1: (n,).

    It is 0 for a zero vector. For vectors of any length, see `measure`.
    """
    return measure(vectors).factors


def unit(vectors: np.ndarray) -> np.ndarray:
    """Scale vectors (n, d) of any length to length 1; a zero vector stays 0."""
    return weighted(*measure(vectors))


def cosines(query: np.ndarray, rows: np.ndarray) -> np.ndarray:
    """Compute cosines (m, n) of query vectors (m, d) and rows (n, d), -1 to 1 up to rounding."""
    # scaling the products is cheaper than scaling the rows, which are longer
    rows, factors = measure(rows)
    scaled = products(unit(query), rows)
    scaled *= factors
    return scaled


def l2(query: np.ndarray, rows: np.ndarray) -> np.ndarray:
    """Compute L2 distances (m, n), float64, of query vectors (m, d) and rows (n, d), from 0.

    In single precision, long vectors near each other would cancel: two equal vectors of length 14
    can get the distance 0.01. So this uses double precision.
    """
    check_real(query)
    check_real(rows)
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

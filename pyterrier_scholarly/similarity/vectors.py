"""Compare two groups of vectors: by cosine, inner product or L2 distance.

    >>> cosines(np.array([[1.0, 0.0]]), np.array([[3.0, 4.0], [-2.0, 0.0]]))
    array([[ 0.6, -1. ]])
    >>> -l2(np.array([[1.0, 0.0]]), np.array([[1.0, 3.0]]))
    array([[-3.]])

Conventions: vectors are the rows of a float array (n, d), of numpy or a sparse one of scipy, such
as SPLADE's. m query vectors (m, d) and n others, `rows` (n, d), are compared; the result is a numpy
array (m, n). Of a similarity, higher is nearer; of a distance, lower. A zero vector has no
direction: its cosine with every other is 0.
"""

from collections.abc import Callable
from typing import NamedTuple

import numpy as np
from scipy.spatial.distance import cdist

LOWEST = -1.0  # the lowest cosine: the score of a document without text
LEAST_SQUARE = 1e-30  # of a vector's length, that single precision has with all digits


def to_dense(vectors: np.ndarray) -> np.ndarray:
    """Return vectors as an array of numpy."""
    return vectors.toarray() if hasattr(vectors, "toarray") else np.asarray(vectors)


def unit(vectors: np.ndarray) -> np.ndarray:
    """Scale vectors (n, d) to length 1; a zero vector stays 0."""
    if vectors.dtype.kind != "f":
        vectors = vectors.astype(np.float64)
    if hasattr(vectors, "multiply"):  # sparse
        squares = np.asarray(vectors.multiply(vectors).sum(axis=1)).ravel()
    else:
        squares = np.einsum("nd,nd->n", vectors, vectors)

    is_in_range = (squares > LEAST_SQUARE) & np.isfinite(squares)
    if vectors.dtype == np.float32 and not is_in_range.all():
        # double precision has the squares of all single numbers, but takes twice as long
        return unit(vectors.astype(np.float64)).astype(np.float32)

    lengths = np.sqrt(squares)
    lengths[lengths == 0] = 1

    scaled = vectors * (1 / lengths)[:, None]
    return scaled.tocsr() if hasattr(scaled, "tocsr") else scaled


def products(query: np.ndarray, rows: np.ndarray) -> np.ndarray:
    """Compute inner products (m, n); of vectors of length 1, these are cosines."""
    # a third faster than query @ rows.T, with few queries and many rows
    transposed = rows @ query.T
    return (transposed.toarray() if hasattr(transposed, "toarray") else transposed).T


def cosines(query: np.ndarray, rows: np.ndarray) -> np.ndarray:
    """Compute cosines (m, n), -1 to 1 up to rounding."""
    return products(unit(query), unit(rows))


def l2(query: np.ndarray, rows: np.ndarray) -> np.ndarray:
    """Compute L2 distances (m, n), float64, from 0.

    By products in single precision, two equal vectors of length 14 could get the distance 0.01.
    """
    return cdist(to_dense(query), to_dense(rows))


class Similarity(NamedTuple):
    """A similarity of vectors.

    Attributes:
        compare: from (m, d) and (n, d) to similarities (m, n).
        lowest: the similarity to a document without sentences.
        unit_name: what explanations call it.
    """

    compare: Callable[[np.ndarray, np.ndarray], np.ndarray]
    lowest: float
    unit_name: str


#: name -> similarity; "unit" is the cosine of vectors that have length 1 already
SIMILARITIES = {
    "cosine": Similarity(cosines, LOWEST, "cosine"),
    "dot": Similarity(products, -np.inf, "dot product"),
    "l2": Similarity(lambda query, rows: -l2(query, rows), -np.inf, "minus the distance"),
    "unit": Similarity(products, LOWEST, "cosine"),
}


def check_real(vectors: object, what: str = "vectors") -> None:
    """Raise ValueError for an array with a mask, or of complex numbers.

    Computing would ignore both: masked numbers count like others, imaginary parts are dropped.
    """
    if isinstance(vectors, np.ma.MaskedArray):
        raise ValueError(
            f"{what}: expected an array without a mask, got one with "
            f"{np.ma.count_masked(vectors)} masked numbers: fill them (array.filled(0)), or drop "
            "their rows"
        )
    dtype = getattr(vectors, "dtype", None)
    if getattr(dtype, "kind", "") == "c":  # numpy's letter for complex numbers
        raise ValueError(
            f"{what}: expected real numbers, got {dtype}: pass the real part (array.real), or "
            "real and imaginary parts side by side"
        )

"""Scale vectors to length 1, of any length and dense or sparse alike.

    >>> unit(np.array([[3.0, 4.0], [0.0, 0.0]]))
    array([[0.6, 0.8],
           [0. , 0. ]])

Conventions: n vectors of d numbers are the rows of an array (n, d): a float array of numpy, or a
sparse array of scipy, such as SPLADE's. A zero vector has no direction and stays 0, so its cosine
with every vector is 0.

Vectors may have any length that their type can hold. Squares of long vectors would overflow and
squares of short ones vanish (in single precision, lengths above 1e19 or below 1e-16). Such vectors
are first multiplied by a power of two, which rounds nothing and changes no cosine.
"""

from collections.abc import Sequence
from functools import lru_cache
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

if TYPE_CHECKING:
    from scipy.sparse import csr_array


def unit(vectors: np.ndarray) -> np.ndarray:
    """Scale vectors (n, d) of any length to length 1; a zero vector stays 0."""
    measured = measure_lengths(vectors)
    return multiply_rows(measured.vectors, measured.inverse_lengths)


def unit_in_place(vectors: np.ndarray) -> np.ndarray:
    """Scale vectors (n, d) as `unit` does; dense floats are overwritten.

    For arrays that the caller has just made: to allocate another one takes longer than to scale.
    """
    measured = measure_lengths(vectors)
    is_sparse = hasattr(measured.vectors, "tocsr")
    if is_sparse:
        return multiply_rows(measured.vectors, measured.inverse_lengths)

    factors = measured.inverse_lengths[:, None]  # (n, 1)
    return np.multiply(measured.vectors, factors, out=measured.vectors)


class MeasuredVectors(NamedTuple):
    """Vectors, and one over the length of each: the factor that scales it to length 1.

    Attributes:
        vectors: (n, d), those that were measured; very long or short ones times a power of two.
        inverse_lengths: (n,), one over the length of each of `vectors`; 0 for a zero vector.
    """

    vectors: np.ndarray
    inverse_lengths: np.ndarray


def measure_lengths(vectors: np.ndarray) -> MeasuredVectors:
    """Return vectors (n, d) and one over the length of each.

    The inverse lengths are those of the vectors that are returned, which may not be those passed:
    if squares overflow or vanish, very long or short vectors are multiplied by a power of two.

    To scale products of vectors is often cheaper than to scale the vectors (`unit`), which are
    longer.
    """
    if vectors.dtype.kind != "f":
        vectors = vectors.astype(np.float64)

    squares = _square_lengths(vectors)  # (n,)
    if not len(squares):
        return MeasuredVectors(vectors, inverse_lengths=squares)

    least_square = _find_least_square(squares.dtype)
    if squares.min() >= least_square and squares.max() < np.inf:  # the usual case, and the fast one
        return MeasuredVectors(vectors, inverse_lengths=1 / np.sqrt(squares))

    is_safe = (squares >= least_square) & (squares < np.inf)
    rescaled_vectors = _rescale(vectors, ~is_safe)
    rescaled_squares = _square_lengths(rescaled_vectors)
    inverse_lengths = np.zeros_like(rescaled_squares)  # a zero vector keeps 0
    is_nonzero = rescaled_squares > 0
    np.divide(1, np.sqrt(rescaled_squares), out=inverse_lengths, where=is_nonzero)
    return MeasuredVectors(rescaled_vectors, inverse_lengths)


def multiply_rows(vectors: np.ndarray, factors: np.ndarray) -> np.ndarray:
    """Multiply each of `vectors` (n, d) by its factor (n,); sparse vectors stay sparse."""
    products = vectors * factors[:, None]
    if hasattr(products, "tocsr"):  # scipy returns a sparse product in another format
        return products.tocsr()
    return products


def concatenate_rows(groups: Sequence[np.ndarray]) -> np.ndarray:
    """Concatenate groups of vectors, (n_i, d) each; sparse groups stay sparse."""
    is_sparse = hasattr(groups[0], "tocsr")
    if not is_sparse:
        return np.concatenate(groups)

    from scipy.sparse import vstack

    return vstack(groups, format="csr")


def to_dense(vectors: np.ndarray) -> np.ndarray:
    """Return `vectors` as a numpy array."""
    if hasattr(vectors, "toarray"):
        return vectors.toarray()
    return vectors


def _square_lengths(vectors: np.ndarray) -> np.ndarray:
    """Compute the squared length of each of `vectors` (n, d), dense or sparse: (n,)."""
    if hasattr(vectors, "multiply"):  # a sparse array of scipy, which einsum cannot read
        squares = vectors.multiply(vectors)
        return np.asarray(squares.sum(axis=1)).ravel()
    return np.einsum("ij,ij->i", vectors, vectors)


@lru_cache
def _find_least_square(dtype: np.dtype) -> float:
    """Return the least square that has all its digits; smaller numbers lose some."""
    limits = np.finfo(dtype)
    return float(limits.tiny / limits.eps)


def _rescale(vectors: np.ndarray, is_chosen: np.ndarray) -> np.ndarray:
    """Return `vectors` (n, d), the chosen ones (n,) multiplied by powers of two.

    The largest number of each chosen vector is then between 1/2 and 1; a zero vector stays 0.
    """
    if not vectors.shape[1]:
        return vectors
    if hasattr(vectors, "tocsr"):
        return _rescale_sparse(vectors.tocsr(), is_chosen)

    exponents = _find_exponents(vectors, is_chosen)
    return np.ldexp(vectors, -exponents[:, None])


def _rescale_sparse(vectors: "csr_array", is_chosen: np.ndarray) -> "csr_array":
    """Return sparse `vectors` (n, d), the chosen ones (n,) multiplied by powers of two.

    `_rescale` says by which.
    """
    exponents = _find_exponents(vectors, is_chosen)
    # indptr says where each row ends in `data`, so its differences are the rows' lengths there
    entry_counts = np.diff(vectors.indptr)
    exponent_of_entry = np.repeat(exponents, entry_counts)

    rescaled = vectors.copy()
    rescaled.data = np.ldexp(rescaled.data, -exponent_of_entry)
    return rescaled


def _find_exponents(vectors: np.ndarray, is_chosen: np.ndarray) -> np.ndarray:
    """Return the exponent (n,) of the largest number of each chosen vector; 0 for others.

    A number is its mantissa, from 1/2 to 1, times two to the power of its exponent.
    """
    largest_numbers = to_dense(abs(vectors[is_chosen]).max(axis=1)).ravel()
    _, exponents_of_chosen = np.frexp(largest_numbers)
    exponents = np.zeros(vectors.shape[0], dtype=int)
    exponents[is_chosen] = exponents_of_chosen
    return exponents

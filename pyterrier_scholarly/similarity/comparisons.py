"""Compare all pairs of two groups of vectors: by cosine, inner product or L2 distance.

    >>> cosines(np.array([[1.0, 0.0]]), np.array([[3.0, 4.0], [-2.0, 0.0]]))
    array([[ 0.6, -1. ]])
    >>> compare = similarity_called("l2")
    >>> compare(np.array([[1.0, 0.0]]), np.array([[1.0, 3.0]]))
    array([[-3.]])

Conventions: m query vectors (m, d) and n others, `rows` (n, d), are compared; the result has the
shape (m, n). Vectors are as in `unit_vectors`. Of a similarity, higher is nearer; of a distance,
lower.
"""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from ir_datasets_ext.choices import choose_option

from .array_checks import check_real
from .unit_vectors import measure_lengths, to_dense, unit

NUMBERS_IN_BLOCK = 1 << 18  # converted to double precision at a time: 2 MB
LOWEST = -1.0  # the lowest cosine: the score of a document without sentences


def inner_products(query: np.ndarray, rows: np.ndarray) -> np.ndarray:
    """Compute inner products (m, n), a numpy array, of query vectors (m, d) and rows (n, d)."""
    # rows @ query.T is a third faster than its transpose, with few queries and many rows
    return to_dense(rows @ query.T).T


def cosines(query: np.ndarray, rows: np.ndarray) -> np.ndarray:
    """Compute cosines (m, n) of query vectors (m, d) and rows (n, d), -1 to 1 up to rounding."""
    unit_query = unit(query)

    # the products are divided by the rows' lengths instead of the rows, which have more numbers
    measured_rows = measure_lengths(rows)
    products = inner_products(unit_query, measured_rows.vectors)  # (m, n)
    products *= measured_rows.inverse_lengths
    return products


def l2(query: np.ndarray, rows: np.ndarray) -> np.ndarray:
    """Compute L2 distances (m, n), float64, of query vectors (m, d) and rows (n, d), from 0.

    In single precision, long vectors near each other would cancel: two equal vectors of length 14
    can get the distance 0.01. So this uses double precision.
    """
    check_real(query)
    check_real(rows)

    # a common shift changes no distance; without the common part, rounding errors are smaller
    dense_query = to_dense(query)
    middle = dense_query.mean(axis=0, dtype=np.float64)  # (d,)
    centred_query = dense_query - middle
    query_squares = np.einsum("ij,ij->i", centred_query, centred_query)  # (m,)

    squared_distances = np.empty((len(centred_query), rows.shape[0]))
    rows_in_block = max(1, NUMBERS_IN_BLOCK // max(1, centred_query.shape[1]))
    for start in range(0, rows.shape[0], rows_in_block):
        end = start + rows_in_block
        centred_rows = to_dense(rows[start:end]) - middle
        squares_of_block = _square_distances(centred_query, query_squares, centred_rows)
        squared_distances[:, start:end] = squares_of_block

    # rounding can make the square of 0 negative; both steps overwrite the squares
    np.maximum(squared_distances, 0, out=squared_distances)
    return np.sqrt(squared_distances, out=squared_distances)


def _square_distances(query: np.ndarray, query_squares: np.ndarray, rows: np.ndarray) -> np.ndarray:
    """Compute the squared L2 distances (m, n) of query vectors (m, d) and rows (n, d).

    query_squares: (m,), the squared lengths of the query's vectors.
    """
    row_squares = np.einsum("ij,ij->i", rows, rows)  # (n,)

    # |q - r|² = -2 q·r + |q|² + |r|², added up in one array
    squares = query @ rows.T
    squares *= -2
    squares += query_squares[:, None]
    squares += row_squares
    return squares


def negative_l2(query: np.ndarray, rows: np.ndarray) -> np.ndarray:
    """Compute minus the L2 distances (m, n), a similarity up to 0; see `l2`."""
    return -l2(query, rows)


@dataclass(frozen=True)
class Comparison:
    """A similarity of vectors: a function to call, and its lowest value.

    Attributes:
        function: from (m, d) and (n, d) to similarities (m, n), higher is nearer.
        lowest: the lowest similarity, for a document without sentences.
    """

    function: Callable[[np.ndarray, np.ndarray], np.ndarray]
    lowest: float

    def __call__(self, query: np.ndarray, rows: np.ndarray) -> np.ndarray:
        """Compute the similarities (m, n) of query vectors (m, d) and rows (n, d)."""
        return self.function(query, rows)


#: name -> similarity
SIMILARITIES: dict[str, Comparison] = {
    "cosine": Comparison(cosines, LOWEST),
    "dot": Comparison(inner_products, -np.inf),
    "l2": Comparison(negative_l2, -np.inf),
    "unit": Comparison(inner_products, LOWEST),  # cosines of vectors of length 1
}


def similarity_called(name: str) -> Comparison:
    """Return the similarity with this name; ValueError, with all names, if it is unknown."""
    return choose_option("similarity", name, SIMILARITIES)

"""Tf-idf rows of whole documents: scale them, keep their strongest terms, multiply pairs of them.

    >>> rows = np.array([[0.6, 0.8], [1.0, 0.0]])  # of two documents
    >>> products(rows, rows, pairs=np.array([[0, 1], [1, 1]])).tolist()
    [0.6, 1.0]

Conventions: a document is a row of a matrix. Pairs are an int array (k, 2) of row numbers, left
and right; the result has a number for each pair, (k,). Sparse matrices are scipy's CSR: `data` has
their entries row by row, `indices` the column of each entry, and `indptr` (rows + 1,) where in
`data` each row starts, and where the last one ends.
"""

from itertools import pairwise
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from scipy.sparse import csr_matrix

CHUNK = 20_000  # pairs at a time: one product for all needs a gigabyte and three times as long


def unit_rows(matrix: "csr_matrix") -> "csr_matrix":
    """Return sparse rows scaled to length 1; rows without a number other than 0 do not change."""
    from sklearn.preprocessing import normalize

    return normalize(matrix) if matrix.shape[0] else matrix  # scikit-learn refuses zero rows


def strongest(matrix: "csr_matrix", count: int | None) -> "csr_matrix":
    """Return a matrix with only the `count` largest entries of each row; nothing is rescaled.

    Of equal entries, those in the first columns are kept.

    Args:
        matrix: sparse (n, terms).
        count: at least 1; None keeps all entries.
    """
    entry_counts = np.diff(matrix.indptr)
    if count is None or entry_counts.max(initial=0) <= count:
        return matrix

    strongest_entries = matrix.copy()
    strongest_entries.sort_indices()  # in each row by column, so that the first of equal ones stay
    for start, end in pairwise(strongest_entries.indptr):  # where a row's entries begin and end
        largest_first = np.argsort(-strongest_entries.data[start:end], kind="stable")
        strongest_entries.data[start + largest_first[count:]] = 0
    strongest_entries.eliminate_zeros()
    return strongest_entries


def products(left: np.ndarray, right: np.ndarray, pairs: np.ndarray) -> np.ndarray:
    """Compute inner products of pairs of rows: float array (k,); cosines for unit rows.

    Args:
        left, right: (m, terms) and (n, terms), both numpy arrays or both scipy's CSR.
        pairs: row numbers (k, 2).
    """
    values = np.empty(len(pairs))
    for start in range(0, len(pairs), CHUNK):
        part = slice(start, start + CHUNK)
        left_rows = left[pairs[part, 0]]
        right_rows = right[pairs[part, 1]]
        if hasattr(left_rows, "multiply"):  # a sparse matrix
            sums_of_rows = left_rows.multiply(right_rows).sum(axis=1)
            values[part] = np.asarray(sums_of_rows).ravel()
        else:
            values[part] = np.einsum("nd,nd->n", left_rows, right_rows)
    return values

"""Sparse vectors of documents, such as tf-idf: unit rows, their strongest terms, cosines of pairs.

Conventions: matrices are scipy's CSR, a row per document; `products` takes dense ones, too.
"""

import numpy as np

CHUNK = 20_000  # pairs at a time: one product for all needs a gigabyte and three times as long


def unit_rows(matrix):
    """The rows scaled to length 1; rows without an entry stay as they are."""
    squares = np.add.reduceat(np.append(matrix.data, 0).astype(float) ** 2, matrix.indptr[:-1])
    entries = np.diff(matrix.indptr)
    length = np.sqrt(np.where(entries, squares, 1))  # reduceat gives an empty row its neighbour's
    made = matrix.copy()
    made.data = made.data / np.repeat(np.where(length > 0, length, 1), entries)
    return made


def strongest(matrix, count):
    """Each row's `count` largest entries, not rescaled; of equal ones those of lower columns.

    Args:
        matrix: sparse (n, terms).
        count: of entries to keep of each row, at least 1; None keeps all.
    """
    from scipy.sparse import csr_matrix

    entries = np.diff(matrix.indptr)
    if count is None or not len(entries) or entries.max() <= count:
        return matrix
    row = np.repeat(np.arange(len(entries)), entries)
    order = np.lexsort((matrix.indices, -matrix.data, row))
    place = np.arange(len(order)) - np.repeat(matrix.indptr[:-1], entries)
    chosen = np.sort(order[place < count])
    ends = np.concatenate([[0], np.cumsum(np.minimum(entries, count))])
    return csr_matrix((matrix.data[chosen], matrix.indices[chosen], ends), shape=matrix.shape)


def products(left, right, pairs=None):
    """Inner products of pairs of rows; of unit rows, cosines.

    Args:
        left, right: (m, terms) and (n, terms), both sparse or both dense.
        pairs: int array (k, 2), numbers of a row of `left` and of one of `right`; without it, row
            by row (then m = n).

    Returns:
        float array (k,).
    """
    if pairs is None:
        return _summed(left, right)
    found = np.empty(len(pairs))
    for start in range(0, len(pairs), CHUNK):
        one, other = pairs[start : start + CHUNK].T
        found[start : start + CHUNK] = _summed(left[one], right[other])
    return found


def _summed(left, right):
    if not hasattr(left, "multiply"):
        return np.einsum("nd,nd->n", left, right)
    return np.asarray(left.multiply(right).sum(axis=1), dtype=float).ravel()

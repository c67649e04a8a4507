"""All pairs of two groups of vectors, which may be rows of scipy's sparse arrays: SPLADE's."""

import numpy as np

BLOCK = 1 << 18  # numbers converted to double precision at a time: 2 MB


def dense(vectors):
    """`vectors` as a numpy array."""
    return vectors.toarray() if hasattr(vectors, "toarray") else vectors


def products(query, rows):
    """Inner products (m, n), a numpy array, of query vectors (m, d) and rows (n, d)."""
    # rows @ query.T is a third faster than its transpose, with few queries and many rows
    return dense(rows @ query.T).T


def weighted(vectors, weights):
    """Each of `vectors` (n, d) times its own of `weights` (n,); sparse ones stay sparse."""
    scaled = vectors * weights[:, None]
    return scaled.tocsr() if hasattr(scaled, "tocsr") else scaled


def stacked(groups):
    """Groups of vectors, (n_i, d) each, as one; sparse if they are."""
    if not hasattr(groups[0], "tocsr"):
        return np.concatenate(groups)
    from scipy.sparse import vstack

    return vstack(groups, format="csr")


def l2(query, rows):
    """L2 distances (m, n), float64, of query vectors (m, d) and rows (n, d), from 0.

    Computed in double precision, because the product form of a distance cancels where vectors are
    long and near each other: in single precision, two equal ones of length 14 can come out 0.01
    apart.
    """
    query = dense(query)
    # L2 is blind to a common shift; without their common part vectors are shorter, errors smaller
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

"""L2 distances of all pairs of two groups of vectors."""

import numpy as np

BLOCK = 1 << 18  # numbers converted to double precision at a time: 2 MB


def l2(query, rows):
    """L2 distances (m, n), float64, of query vectors (m, d) and rows (n, d), from 0.

    Computed in double precision, because the product form of a distance cancels where vectors are
    long and near each other: in single precision, two equal ones of length 14 can come out 0.01
    apart.
    """
    # L2 is blind to a common shift; without their common part vectors are shorter, errors smaller
    middle = query.mean(axis=0, dtype=np.float64)
    query = query - middle
    squares = np.einsum("ij,ij->i", query, query)
    distances = np.empty((len(query), len(rows)))
    size = max(1, BLOCK // max(1, query.shape[1]))
    for start in range(0, len(rows), size):
        block = rows[start : start + size] - middle
        out = distances[:, start : start + size]
        out[:] = query @ block.T
        out *= -2
        out += squares[:, None]
        out += np.einsum("ij,ij->i", block, block)
    return np.sqrt(np.maximum(distances, 0, out=distances), out=distances)

"""Centroid similarity: cosine of the mean sentence of a query and that of a document.

Conventions: as in `maxsim`, a ragged batch of documents is `rows` (n, d) beside `lengths` (k,).
"""

import numpy as np

from .maxsim import LOWEST, inverse_lengths


def centroid_cosines(query, rows, lengths):
    """Score documents against a query; every vector counts with length 1.

    Args:
        query: (m, d), vectors of the query's sentences, at least one.
        rows: (n, d), vectors of all documents' sentences, one document after the other.
        lengths: (k,), sentences per document; they sum to n.

    Returns:
        (k,), cosines from -1 to 1 up to rounding; -1 for a document without sentences, 0 where a
        mean is zero.
    """
    lengths = np.asarray(lengths, dtype=np.intp)
    filled = lengths > 0  # reduceat gives an empty segment its neighbour's value
    cosines = np.full(len(lengths), LOWEST, dtype=query.dtype)
    if filled.any():
        starts = np.cumsum(lengths) - lengths
        scaled = rows * inverse_lengths(rows)[:, None]
        sums = np.add.reduceat(scaled, starts[filled], axis=0)  # a mean's direction is its sum's
        asked = inverse_lengths(query) @ query
        asked = asked * inverse_lengths(asked[None])
        cosines[filled] = (sums @ asked) * inverse_lengths(sums)
    return cosines

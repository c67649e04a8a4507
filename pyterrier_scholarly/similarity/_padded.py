"""Ragged batches of documents as padded blocks, where the work is many small equal steps."""

import numpy as np

BLOCK = 1 << 15  # padded numbers in a block: a quarter of a megabyte, so that it stays in the cache
LEAST = 64  # numbers that a document counts for at least, so that a block has few enough of them


def blocks(m, lengths):
    """Cut documents with sentences into blocks of similar length.

    Args:
        m: sentences of the query.
        lengths: (k,), sentences per document.

    Yields:
        places of documents in `lengths`, shortest first. A block has one document, or at most
        BLOCK numbers with m of them for each sentence of its longest.
    """
    filled = np.flatnonzero(lengths)
    filled = filled[np.argsort(lengths[filled], kind="stable")]
    first = 0
    for last, place in enumerate(filled):
        size = max(m * lengths[place], LEAST)
        if first < last and size * (last + 1 - first) > BLOCK:
            yield filled[first:last]
            first = last
    if first < len(filled):
        yield filled[first:]


def padded(distances, starts, lengths):
    """One problem per document of a block.

    Args:
        distances: (m, n), of the query's sentences to those of all documents.
        starts, lengths: (k,), where each document begins among the n, and its sentences.

    Returns:
        (m, longest, k), inf where a document has no sentence.
    """
    sentence = np.arange(lengths.max())[:, None]
    there = sentence < lengths
    costs = distances[:, np.where(there, starts + sentence, 0)]
    costs[:, ~there] = np.inf
    return costs


def diameters(query, rows, starts, lengths):
    """How far a query and a document may reach together: the diagonal of their bounding box.

    Args:
        query: (m, d).
        rows: (n, d).
        starts, lengths: (k,), where each document begins in `rows`, and its sentences; ascending.

    Returns:
        (k,), float64, an upper bound of all distances in the pair: the one that geomloss takes.
    """
    low = np.tile(query.min(axis=0), (len(starts), 1))
    high = np.tile(query.max(axis=0), (len(starts), 1))
    for sentence in range(lengths[-1]):  # nine times as fast as reduceat along the first axis
        first = np.searchsorted(lengths, sentence, side="right")
        there = rows[starts[first:] + sentence]
        np.minimum(low[first:], there, out=low[first:])
        np.maximum(high[first:], there, out=high[first:])
    return np.linalg.norm(np.subtract(high, low, dtype=np.float64), axis=1)

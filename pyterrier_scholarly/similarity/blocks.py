"""Max-sim of many queries with the same documents, in blocks.

One product for many queries is several times faster than one for each, and the maximum over a
document's sentences is one over whole rows of numbers when first sentences lie beside first ones,
second beside second. Blocks bound the memory: what is held above the vectors does not grow with
queries or documents. Conventions as in `maxsim`.
"""

import numpy as np

from .maxsim import aggregation, inverse_lengths, similarity_called
from .pairwise import dense, stacked, weighted

REDUCTIONS = {"max": np.maximum, "mean": np.add, "sum": np.add}


def max_sim_blocks(
    queries, rows, lengths, aggregate="max", similarity="cosine", most=(16_384, 512)
):
    """Score k documents against each of q queries.

    Args:
        queries: q arrays (m_i, d), vectors of a query's sentences.
        rows, lengths, aggregate, similarity: as in `maxsim.max_sim`.
        most: sentences of documents and of queries in a block, which bound the memory; a document
            or query with more is a block of its own.

    Returns:
        (q, k), rows as `maxsim.max_sim` gives them, up to rounding.

    Raises:
        ValueError: unknown aggregate or similarity, or a query without sentences.
    """
    aggregation(aggregate)
    of, lowest = similarity_called(similarity)
    sizes = np.array([query.shape[0] for query in queries], dtype=np.intp)
    if not sizes.all():
        raise ValueError("A query without sentences has no best match: give at least one.")
    lengths = np.asarray(lengths, dtype=np.intp)
    ends = np.cumsum(lengths)
    scores = np.empty(
        (len(sizes), len(lengths)),
        dtype=np.result_type(*(own.dtype for own in (rows, *queries[:1]))),
    )
    for own in _blocks(lengths, most[0]):
        first = ends[own[0]] - lengths[own[0]]
        block = rows[first : ends[own[-1]]]
        order, counts, placed = _by_position(lengths[own])
        arranged = _scaled(block[order], similarity)
        for asked in _blocks(sizes, most[1]):
            sentences = _scaled(stacked([queries[n] for n in asked]), similarity)
            best = np.full((len(own), sentences.shape[0]), lowest, dtype=scores.dtype)
            if counts:  # rows of no sentences need not be as wide as the queries'
                _raise_to(best, _similarities(of, similarity, sentences, arranged), counts)
            found = _aggregated(best, sizes[asked], aggregate)
            scores[np.ix_(asked, own[placed])] = found.T
    return scores


def _blocks(sizes, most):
    """Numbers of neighbours with at most so many in sum; one alone may have more."""
    block, held = [], 0
    for number, size in enumerate(sizes):
        if block and held + size > most:
            yield np.array(block)
            block, held = [], 0
        block.append(number)
        held += size
    if block:
        yield np.array(block)


def _by_position(lengths):
    """Where sentences go when all first ones come first, then all second ones.

    Returns:
        The sentences' order (n,), how many documents have a first, a second, … sentence, and the
        documents' order (k,), the longest first: those that have a j-th one are the first ones.
    """
    placed = np.argsort(-lengths, kind="stable")
    starts = (np.cumsum(lengths) - lengths)[placed]
    counts = [int(np.sum(lengths > j)) for j in range(lengths.max(initial=0))]
    order = [starts[:count] + j for j, count in enumerate(counts)]
    return np.concatenate([np.zeros(0, dtype=np.intp), *order]), counts, placed


def _scaled(vectors, similarity):
    """Vectors of length 1 (or 0), where angles count: so that the products are the cosines."""
    if similarity != "cosine":
        return vectors
    return weighted(vectors, inverse_lengths(vectors))


def _similarities(of, similarity, queries, rows):
    """(n, m) of rows and queries."""
    return dense(rows @ queries.T) if similarity == "cosine" else of(queries, rows).T


def _raise_to(best, similarities, counts):
    """Raise `best` (k, m) to the similarities of its documents' sentences, by position."""
    start = 0
    for count in counts:
        np.maximum(best[:count], similarities[start : start + count], out=best[:count])
        start += count


def _aggregated(best, sizes, aggregate):
    """From best matches (k, m) of q queries' sentences to scores (k, q)."""
    found = REDUCTIONS[aggregate].reduceat(best, np.cumsum(sizes) - sizes, axis=1)
    return found / sizes.astype(found.dtype) if aggregate == "mean" else found

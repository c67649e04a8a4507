"""Symmetric max-sim: each side's sentences look for their best match on the other."""

from functools import partial

import numpy as np

from .maxsim import AGGREGATES, best_matches, max_sim, similarity_called

SYMMETRIC = "symmetric"


def scoring(aggregate):
    """What scores by an aggregate: `max_sim` by one of AGGREGATES, or `symmetric_max_sim`.

    Raises:
        ValueError: it is another; lists them.
    """
    if aggregate == SYMMETRIC:
        return symmetric_max_sim
    if aggregate not in AGGREGATES:
        known = ", ".join([*AGGREGATES, SYMMETRIC])
        raise ValueError(f"Unknown aggregate {aggregate!r}: choose one of {known}.")
    return partial(max_sim, aggregate=aggregate)


def symmetric_max_sim(query, rows, lengths, similarity="cosine"):
    """Mean of both directions: of the query's best matches, and of the document's.

    Unlike `max_sim`, whose mean asks only whether the document has what the query asks for, it
    also counts what a document has that the query has not; query and document may change places.

    Args:
        query, rows, lengths: as in `max_sim`.
        similarity: ``"cosine"``, ``"dot"`` or ``"l2"`` (minus the distance).

    Returns:
        (k,), in the similarity's range; the lowest for a document without sentences: -1 for
        cosines, -inf for others.

    Raises:
        ValueError: unknown similarity, or a query without sentences.
    """
    if not query.shape[0]:
        raise ValueError("A query without sentences has no best match: give at least one.")
    of, _ = similarity_called(similarity)
    lengths = np.asarray(lengths, dtype=np.intp)
    scores = best_matches(query, rows, lengths, similarity).mean(axis=0)
    filled = lengths > 0
    if filled.any():
        starts = np.cumsum(lengths) - lengths
        back = of(query, rows).max(axis=0)
        means = np.add.reduceat(back, starts[filled]) / lengths[filled]
        scores[filled] = (scores[filled] + means) / 2
    return scores

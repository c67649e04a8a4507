"""The Jensen-Shannon divergence of pairs of distributions, such as documents' topics.

    >>> topics = np.array([[0.5, 0.5], [1.0, 0.0], [0.0, 1.0]])  # of three documents
    >>> jensen_shannon(topics, topics, pairs=[[1, 1], [1, 2]]).tolist()
    [0.0, 1.0]

Conventions: a distribution is a row of a matrix. Pairs are an int array (k, 2) of row numbers, left
and right; the result has a number for each pair, (k,). H is the entropy in bits.
"""

import numpy as np
from numpy.typing import ArrayLike

NUMBERS_IN_CACHE = 1 << 15  # at a time: their intermediate results fit into the processor's cache
TINY = np.finfo(np.float64).tiny  # instead of 0: its logarithm is finite, and 0 log 0 is 0


def jensen_shannon(left: ArrayLike, right: ArrayLike, pairs: ArrayLike | None = None) -> np.ndarray:
    """Compute the Jensen-Shannon divergence of pairs of rows: H((p + q) / 2) - (H(p) + H(q)) / 2.

    The logarithm is to base 2: 0 for equal distributions, 1 for disjoint ones. It is the square of
    `scipy.spatial.distance.jensenshannon` with ``base=2``.

    Args:
        left, right: arrays (m, topics) and (n, topics), numbers of 0 or more; each row is scaled to
            sum 1. They may be the same array.
        pairs: row numbers (k, 2); by default row by row, with m = n.

    Returns:
        (k,), in 0..1.

    Raises:
        ValueError: the shapes differ, a pair names no row, or a row is no distribution (a negative
            or infinite number, NaN, or only zeros).
    """
    left_rows = _read_distributions("left", left)
    right_rows = _read_distributions("right", right)
    lack_partners = pairs is None and len(left_rows) != len(right_rows)
    if left_rows.shape[1] != right_rows.shape[1] or lack_partners:
        raise ValueError(
            f"rows of shapes {left_rows.shape} and {right_rows.shape}: pass equal numbers of "
            "topics, and pairs if the numbers of rows differ"
        )
    if pairs is None:
        pairs = np.repeat(np.arange(len(left_rows))[:, None], 2, axis=1)
    row_numbers = np.asarray(pairs)
    _check_row_numbers(row_numbers, len(left_rows), len(right_rows))

    # for s = p + q, H(s / 2) = 1 + H(s) / 2, which saves a division per number
    differences = _compute_entropies_of_sums(left_rows, right_rows, row_numbers)  # (k,)
    differences -= _compute_entropies(left_rows)[row_numbers[:, 0]]
    differences -= _compute_entropies(right_rows)[row_numbers[:, 1]]
    divergences = 1 + differences / 2
    return np.clip(divergences, 0, 1)  # rounding can lead beyond


def _compute_entropies_of_sums(
    left: np.ndarray, right: np.ndarray, pairs: np.ndarray
) -> np.ndarray:
    """Compute the entropy of the sum of each pair of rows, in bits: float array (k,).

    A chunk of pairs at a time, whose numbers stay in the processor's cache.
    """
    pairs_at_once = max(1, NUMBERS_IN_CACHE // left.shape[1])
    sums_of_logarithms = np.empty(len(pairs))
    for start in range(0, len(pairs), pairs_at_once):
        chunk = slice(start, start + pairs_at_once)
        # the row numbers are valid; with another mode, numpy takes a third longer
        sums = left.take(pairs[chunk, 0], axis=0, mode="clip")
        sums += right.take(pairs[chunk, 1], axis=0, mode="clip")
        sums_of_logarithms[chunk] = np.einsum("ij,ij->i", sums, np.log(sums))
    return sums_of_logarithms / -np.log(2)  # to base 2; an entropy is minus the sum


def _compute_entropies(rows: np.ndarray) -> np.ndarray:
    """Compute the entropy of each row in bits: float array (n,)."""
    return -np.einsum("ij,ij->i", rows, np.log2(rows))


def _read_distributions(name: str, values: ArrayLike) -> np.ndarray:
    """Return an argument as rows (n, topics) of numbers above 0 with sum 1.

    ValueError, with the argument's name, for numbers that are no distributions.
    """
    try:
        rows = np.asarray(values).astype(np.float64, casting="same_kind")
    except (TypeError, ValueError):  # texts, complex numbers, lists of different lengths
        raise ValueError(f"{name} is {values!r:.80}: expected numbers (rows, topics)") from None
    if rows.ndim != 2 or not rows.shape[1]:
        raise ValueError(f"{name} has shape {rows.shape}: expected (rows, topics)")

    sums = rows.sum(axis=1)
    # NaN is neither above nor below any number
    is_distribution = (rows >= 0).all(axis=1) & (sums > 0) & (sums < np.inf)
    if not is_distribution.all():
        row = int(np.argmin(is_distribution))
        raise ValueError(
            f"row {row} of {name} is no distribution: its numbers are {rows[row].min()} to "
            f"{rows[row].max()}, expected finite numbers of 0 or more, not all 0; drop such rows"
        )
    return np.maximum(rows / sums[:, None], TINY)


def _check_row_numbers(pairs: np.ndarray, left_count: int, right_count: int) -> None:
    """Raise ValueError unless pairs are whole numbers (k, 2) of rows."""
    if pairs.shape[1:] != (2,) or not np.issubdtype(pairs.dtype, np.integer):
        raise ValueError(
            f"pairs of shape {pairs.shape} and type {pairs.dtype}: expected whole numbers (k, 2)"
        )
    if ((pairs < 0) | (pairs >= [left_count, right_count])).any():
        raise ValueError(
            f"pairs name rows {pairs.min()} to {pairs.max()}: expected 0 to {left_count - 1} on "
            f"the left and 0 to {right_count - 1} on the right"
        )

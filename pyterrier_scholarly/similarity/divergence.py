"""Jensen-Shannon divergence between discrete distributions, such as documents' topics.

Conventions: distributions are rows; the logarithm is to base 2, so that the divergence is 0 for
equal distributions and 1 for those that share nothing. It is the square of
`scipy.spatial.distance.jensenshannon` with base 2.
"""

import numpy as np

CHUNK = 1 << 15  # numbers at a time: what is computed from them stays in the processor's cache
TINY = np.finfo(np.float64).tiny  # in the place of 0: its logarithm is finite, 0 log 0 is 0


def jensen_shannon(left, right, pairs=None):
    """Compute the divergence of pairs of rows: H((p + q) / 2) - (H(p) + H(q)) / 2.

    To base 2: 0 for equal, 1 for disjoint distributions. `scipy.spatial.distance.jensenshannon` is
    its square root, and takes the natural logarithm unless it is told otherwise.

    Args:
        left, right: arrays (m, topics) and (n, topics), numbers of 0 or more; each row is scaled to
            sum 1. They may be the same array.
        pairs: int array (k, 2), numbers of a row of `left` and of one of `right`; without it, row
            by row (then m = n).

    Returns:
        float array (k,), in 0..1.

    Raises:
        ValueError: shapes do not fit, a pair names no row, or a row is no distribution (a negative
            or not finite number, or nothing but 0).
    """
    same = right is left
    left = _distributions("left", left)
    right = left if same else _distributions("right", right)
    if left.shape[1] != right.shape[1] or (pairs is None and left.shape != right.shape):
        raise ValueError(f"rows of shapes {left.shape} and {right.shape}: expected as many topics")
    pairs = _numbers(pairs, len(left), len(right))
    # with s = p + q: H(s / 2) = 1 + H(s) / 2, which spares a division per number
    found = _both(left, right, pairs)
    entropies = [_entropies(rows) for rows in ((left,) if same else (left, right))]
    found -= entropies[0][pairs[:, 0]]
    found -= entropies[-1][pairs[:, 1]]
    found *= 0.5
    found += 1
    return np.clip(found, 0, 1, out=found)


def _both(left, right, pairs):
    """Entropy of the sum of each pair of rows, in bits: float array (k,)."""
    size = max(1, CHUNK // left.shape[1])
    found = np.empty(len(pairs))
    buffers = np.empty((2, size, left.shape[1]))
    for start in range(0, len(pairs), size):
        chunk = pairs[start : start + size]
        total, other = buffers[:, : len(chunk)]
        # the numbers are checked; told to check them itself, numpy copies once more
        np.take(left, chunk[:, 0], axis=0, out=total, mode="clip")
        np.take(right, chunk[:, 1], axis=0, out=other, mode="clip")
        total += other
        np.log(total, out=other)
        np.einsum("ij,ij->i", total, other, out=found[start : start + size])
    found /= -np.log(2)
    return found


def _entropies(rows):
    """Entropy of each row in bits: float array (n,)."""
    size = max(1, CHUNK // rows.shape[1])
    parts = (rows[start : start + size] for start in range(0, len(rows), size))
    sums = [np.einsum("ij,ij->i", part, np.log(part)) for part in parts]
    return np.concatenate(sums or [np.empty(0)]) / -np.log(2)


def _distributions(name, rows):
    rows = np.asarray(rows, dtype=np.float64)
    if rows.ndim != 2 or not rows.shape[1]:
        raise ValueError(f"{name} of shape {rows.shape}: expected (rows, topics)")
    sums = rows.sum(axis=1)
    good = np.isfinite(sums) & (sums > 0)
    if len(rows):
        good &= rows.min(axis=1) >= 0
    if not good.all():
        bad = int(np.argmin(good))
        raise ValueError(
            f"row {bad} of {name} is no distribution: expected finite numbers of 0 or more, and "
            f"one above 0, found {rows[bad].min()} to {rows[bad].max()}; leave such documents out"
        )
    return np.maximum(rows / sums[:, None], TINY)


def _numbers(pairs, left, right):
    if pairs is None:
        return np.repeat(np.arange(left)[:, None], 2, axis=1)
    pairs = np.asarray(pairs)
    if pairs.ndim != 2 or pairs.shape[1] != 2 or pairs.dtype.kind not in "iu":
        raise ValueError(f"pairs of shape {pairs.shape}, {pairs.dtype}: expected whole (k, 2)")
    if len(pairs) and not (pairs.min() >= 0 and (pairs.max(axis=0) < (left, right)).all()):
        raise ValueError(
            f"pairs name rows {pairs.min()} to {pairs.max()}: expected 0 to {left - 1} on the left "
            f"and 0 to {right - 1} on the right"
        )
    return pairs

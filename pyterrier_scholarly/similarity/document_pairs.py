"""Similarities of pairs of whole documents: tf-idf rows, and distributions of topics.

Conventions: a document is a row of a matrix. Pairs are an int array (k, 2) of row numbers, left
and right.
"""

from typing import TYPE_CHECKING

import numpy as np

from ..arguments import Numbers, check_arguments

if TYPE_CHECKING:
    from scipy.sparse import csr_matrix

CHUNK = 20_000  # pairs at a time: one product for all needs a gigabyte and three times as long
NUMBERS = 1 << 15  # at a time: their intermediate results fit into the processor's cache
TINY = np.finfo(np.float64).tiny  # instead of 0: its logarithm is finite, and 0 log 0 is 0


def unit_rows(matrix: "csr_matrix") -> "csr_matrix":
    """Scale sparse rows to length 1; empty rows do not change."""
    squares = np.add.reduceat(np.append(matrix.data, 0).astype(float) ** 2, matrix.indptr[:-1])
    entries = np.diff(matrix.indptr)
    length = np.sqrt(np.where(entries, squares, 1))  # reduceat gives an empty row its neighbour's
    scaled = matrix.copy()
    scaled.data = scaled.data / np.repeat(np.where(length > 0, length, 1), entries)
    return scaled


def strongest(matrix: "csr_matrix", count: int | None) -> "csr_matrix":
    """Keep each row's `count` largest entries, not rescaled; of equal entries, the first columns.

    matrix: sparse (n, terms). count: at least 1; None keeps all entries.
    """
    from scipy.sparse import csr_matrix

    entries = np.diff(matrix.indptr)
    if count is None or not len(entries) or entries.max() <= count:
        return matrix
    order = np.lexsort((matrix.indices, -matrix.data, np.repeat(np.arange(len(entries)), entries)))
    rank = np.arange(len(order)) - np.repeat(matrix.indptr[:-1], entries)
    chosen = np.sort(order[rank < count])
    ends = np.concatenate([[0], np.cumsum(np.minimum(entries, count))])
    return csr_matrix((matrix.data[chosen], matrix.indices[chosen], ends), shape=matrix.shape)


def products(left: np.ndarray, right: np.ndarray, pairs: np.ndarray) -> np.ndarray:
    """Compute inner products of pairs of rows: float array (k,); cosines for unit rows.

    left, right: (m, terms) and (n, terms), both numpy arrays or both scipy's CSR.
    pairs: row numbers (k, 2).
    """
    values = np.empty(len(pairs))
    for start in range(0, len(pairs), CHUNK):
        one, other = pairs[start : start + CHUNK].T
        values[start : start + CHUNK] = _row_products(left[one], right[other])
    return values


def _row_products(left: np.ndarray, right: np.ndarray) -> np.ndarray:
    if not hasattr(left, "multiply"):
        return np.einsum("nd,nd->n", left, right)
    return np.asarray(left.multiply(right).sum(axis=1), dtype=float).ravel()


@check_arguments
def jensen_shannon(left: Numbers, right: Numbers, pairs: Numbers | None = None) -> np.ndarray:
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
    same = right is left
    left = _distributions("left", left)
    right = left if same else _distributions("right", right)
    if left.shape[1] != right.shape[1] or (pairs is None and left.shape != right.shape):
        raise ValueError(
            f"rows of shapes {left.shape} and {right.shape}: pass equal numbers of topics, and "
            "pairs if the numbers of rows differ"
        )
    rows = _row_numbers(pairs, len(left), len(right))
    # for s = p + q, H(s / 2) = 1 + H(s) / 2, which saves a division per number
    divergences = _entropies_of_sums(left, right, rows)
    entropies = [_entropies(matrix) for matrix in ((left,) if same else (left, right))]
    for side in (0, -1):
        divergences -= entropies[side][rows[:, side]]
    divergences *= 0.5
    divergences += 1
    return np.clip(divergences, 0, 1, out=divergences)


def _entropies_of_sums(left: np.ndarray, right: np.ndarray, pairs: np.ndarray) -> np.ndarray:
    """Compute the entropy of the sum of each pair of rows, in bits: float array (k,)."""
    size = max(1, NUMBERS // left.shape[1])
    entropies = np.empty(len(pairs))
    buffers = np.empty((2, size, left.shape[1]))
    for start in range(0, len(pairs), size):
        chunk = pairs[start : start + size]
        total, other = buffers[:, : len(chunk)]
        # the row numbers are valid; with another mode, numpy makes one more copy
        np.take(left, chunk[:, 0], axis=0, out=total, mode="clip")
        np.take(right, chunk[:, 1], axis=0, out=other, mode="clip")
        total += other
        np.log(total, out=other)
        np.einsum("ij,ij->i", total, other, out=entropies[start : start + size])
    entropies /= -np.log(2)
    return entropies


def _entropies(rows: np.ndarray) -> np.ndarray:
    """Compute the entropy of each row in bits: float array (n,)."""
    size = max(1, NUMBERS // rows.shape[1])
    parts = [rows[start : start + size] for start in range(0, max(len(rows), 1), size)]
    sums = [np.einsum("ij,ij->i", part, np.log(part)) for part in parts]
    return np.concatenate(sums) / -np.log(2)


def _distributions(name: str, values: Numbers) -> np.ndarray:
    rows = np.asarray(values, dtype=np.float64)
    if rows.ndim != 2 or not rows.shape[1]:
        raise ValueError(f"{name} has shape {rows.shape}: expected (rows, topics)")
    sums = rows.sum(axis=1)
    good = np.isfinite(sums) & (sums > 0) & (rows >= 0).all(axis=1)
    if not good.all():
        bad = int(np.argmin(good))
        raise ValueError(
            f"row {bad} of {name} is no distribution: its numbers are {rows[bad].min()} to "
            f"{rows[bad].max()}, expected finite numbers of 0 or more, not all 0; drop such rows"
        )
    return np.maximum(rows / sums[:, None], TINY)


def _row_numbers(pairs: Numbers | None, left: int, right: int) -> np.ndarray:
    if pairs is None:
        return np.repeat(np.arange(left)[:, None], 2, axis=1)
    pairs = np.asarray(pairs)
    if pairs.ndim != 2 or pairs.shape[1] != 2 or pairs.dtype.kind not in "iu":
        raise ValueError(
            f"pairs of shape {pairs.shape} and type {pairs.dtype}: expected whole numbers (k, 2)"
        )
    if len(pairs) and not (pairs.min() >= 0 and (pairs.max(axis=0) < (left, right)).all()):
        raise ValueError(
            f"pairs name rows {pairs.min()} to {pairs.max()}: expected 0 to {left - 1} on the left "
            f"and 0 to {right - 1} on the right"
        )
    return pairs

"""Similarities of pairs of whole documents: tf-idf rows, and distributions of topics.

    >>> topics = np.array([[0.5, 0.5], [1.0, 0.0], [0.0, 1.0]])  # of three documents
    >>> jensen_shannon(topics, topics, pairs=[[1, 1], [1, 2]]).tolist()
    [0.0, 1.0]

Conventions: a document is a row of a matrix. Pairs are an int array (k, 2) of row numbers, left
and right; the result has a number for each pair, (k,). Sparse matrices are scipy's CSR: `data` has
their entries row by row, `indices` the column of each entry, and `indptr` (rows + 1,) where in
`data` each row starts, and where the last one ends.
"""

from typing import TYPE_CHECKING

import numpy as np

from ..arguments import Numbers, check_arguments

if TYPE_CHECKING:
    from scipy.sparse import csr_matrix

CHUNK = 20_000  # pairs at a time: one product for all needs a gigabyte and three times as long
NUMBERS_IN_CACHE = 1 << 15  # at a time: their intermediate results fit into the processor's cache
TINY = np.finfo(np.float64).tiny  # instead of 0: its logarithm is finite, and 0 log 0 is 0


def unit_rows(matrix: "csr_matrix") -> "csr_matrix":
    """Scale sparse rows to length 1; empty rows do not change."""
    entry_counts = np.diff(matrix.indptr)
    is_empty = entry_counts == 0

    # one 0 more, so that an empty last row has a start within the array, as reduceat needs
    squares_of_entries = np.append(matrix.data, 0).astype(float) ** 2
    squares = np.add.reduceat(squares_of_entries, matrix.indptr[:-1])
    squares[is_empty] = 1  # reduceat gives an empty row its neighbour's
    lengths = np.sqrt(squares)
    lengths[lengths == 0] = 1  # a row of zeros stays 0

    scaled = matrix.copy()
    scaled.data = scaled.data / np.repeat(lengths, entry_counts)
    return scaled


def strongest(matrix: "csr_matrix", count: int | None) -> "csr_matrix":
    """Keep each row's `count` largest entries, not rescaled; of equal entries, the first columns.

    matrix: sparse (n, terms). count: at least 1; None keeps all entries.
    """
    from scipy.sparse import csr_matrix

    entry_counts = np.diff(matrix.indptr)
    if count is None or not len(entry_counts) or entry_counts.max() <= count:
        return matrix

    # rows stay together, as lexsort's last key counts first: by row, entry and column
    row_of_entry = np.repeat(np.arange(len(entry_counts)), entry_counts)
    order = np.lexsort((matrix.indices, -matrix.data, row_of_entry))
    start_of_entry = np.repeat(matrix.indptr[:-1], entry_counts)  # where the entry's row starts
    ranks = np.arange(len(order)) - start_of_entry

    kept = np.sort(order[ranks < count])  # in the order of the matrix
    kept_counts = np.minimum(entry_counts, count)
    indptr = np.concatenate([[0], np.cumsum(kept_counts)])
    return csr_matrix((matrix.data[kept], matrix.indices[kept], indptr), shape=matrix.shape)


def products(left: np.ndarray, right: np.ndarray, pairs: np.ndarray) -> np.ndarray:
    """Compute inner products of pairs of rows: float array (k,); cosines for unit rows.

    left, right: (m, terms) and (n, terms), both numpy arrays or both scipy's CSR.
    pairs: row numbers (k, 2).
    """
    values = np.empty(len(pairs))
    for start in range(0, len(pairs), CHUNK):
        part = slice(start, start + CHUNK)
        left_rows = left[pairs[part, 0]]
        right_rows = right[pairs[part, 1]]
        values[part] = _multiply_row_by_row(left_rows, right_rows)
    return values


def _multiply_row_by_row(left: np.ndarray, right: np.ndarray) -> np.ndarray:
    """Compute the inner product (n,) of each row of `left` with the same row of `right`."""
    if not hasattr(left, "multiply"):
        return np.einsum("nd,nd->n", left, right)

    sums = left.multiply(right).sum(axis=1)
    return np.asarray(sums, dtype=float).ravel()


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
    is_same = right is left
    left_rows = _read_distributions("left", left)
    if is_same:
        right_rows = left_rows
    else:
        right_rows = _read_distributions("right", right)

    topics_differ = left_rows.shape[1] != right_rows.shape[1]
    if topics_differ or (pairs is None and left_rows.shape != right_rows.shape):
        raise ValueError(
            f"rows of shapes {left_rows.shape} and {right_rows.shape}: pass equal numbers of "
            "topics, and pairs if the numbers of rows differ"
        )
    if pairs is None:
        row_numbers = np.repeat(np.arange(len(left_rows))[:, None], 2, axis=1)
    else:
        row_numbers = _read_row_numbers(pairs, len(left_rows), len(right_rows))

    # for s = p + q, H(s / 2) = 1 + H(s) / 2, which saves a division per number
    divergences = _compute_entropies_of_sums(left_rows, right_rows, row_numbers)
    left_entropies = _compute_entropies(left_rows)
    right_entropies = left_entropies if is_same else _compute_entropies(right_rows)
    divergences -= left_entropies[row_numbers[:, 0]]
    divergences -= right_entropies[row_numbers[:, 1]]
    divergences *= 0.5
    divergences += 1
    return np.clip(divergences, 0, 1, out=divergences)


def _compute_entropies_of_sums(
    left: np.ndarray, right: np.ndarray, pairs: np.ndarray
) -> np.ndarray:
    """Compute the entropy of the sum of each pair of rows, in bits: float array (k,)."""
    topic_count = left.shape[1]
    pairs_at_once = max(1, NUMBERS_IN_CACHE // topic_count)
    entropies = np.empty(len(pairs))
    # filled again for each chunk: to allocate them would take as long as to compute
    sums_buffer = np.empty((pairs_at_once, topic_count))
    other_buffer = np.empty((pairs_at_once, topic_count))

    for start in range(0, len(pairs), pairs_at_once):
        chunk = pairs[start : start + pairs_at_once]
        sums = sums_buffer[: len(chunk)]
        other = other_buffer[: len(chunk)]

        # the row numbers are valid; with another mode, numpy makes one more copy
        np.take(left, chunk[:, 0], axis=0, out=sums, mode="clip")
        np.take(right, chunk[:, 1], axis=0, out=other, mode="clip")
        sums += other

        logarithms = np.log(sums, out=other)  # the right rows are no longer needed
        np.einsum("ij,ij->i", sums, logarithms, out=entropies[start : start + pairs_at_once])

    entropies /= -np.log(2)
    return entropies


def _compute_entropies(rows: np.ndarray) -> np.ndarray:
    """Compute the entropy of each row in bits: float array (n,)."""
    entropies = np.empty(len(rows))
    rows_at_once = max(1, NUMBERS_IN_CACHE // rows.shape[1])
    for start in range(0, len(rows), rows_at_once):
        part = slice(start, start + rows_at_once)
        np.einsum("ij,ij->i", rows[part], np.log(rows[part]), out=entropies[part])

    entropies /= -np.log(2)
    return entropies


def _read_distributions(name: str, values: Numbers) -> np.ndarray:
    """Return rows (n, topics) of numbers above 0 with sum 1; ValueError for other numbers.

    name: of the argument, for the error.
    """
    rows = np.asarray(values, dtype=np.float64)
    if rows.ndim != 2 or not rows.shape[1]:
        raise ValueError(f"{name} has shape {rows.shape}: expected (rows, topics)")

    sums = rows.sum(axis=1)
    is_distribution = np.isfinite(sums) & (sums > 0) & (rows >= 0).all(axis=1)
    if not is_distribution.all():
        first_wrong = int(np.argmin(is_distribution))
        wrong_row = rows[first_wrong]
        raise ValueError(
            f"row {first_wrong} of {name} is no distribution: its numbers are {wrong_row.min()} to "
            f"{wrong_row.max()}, expected finite numbers of 0 or more, not all 0; drop such rows"
        )
    return np.maximum(rows / sums[:, None], TINY)


def _read_row_numbers(pairs: Numbers, left_count: int, right_count: int) -> np.ndarray:
    """Return pairs as an int array (k, 2); ValueError if one of them names no row."""
    row_numbers = np.asarray(pairs)
    is_table = row_numbers.ndim == 2 and row_numbers.shape[1] == 2
    is_whole = row_numbers.dtype.kind in "iu"  # numpy's letters for whole numbers
    if not is_table or not is_whole:
        raise ValueError(
            f"pairs of shape {row_numbers.shape} and type {row_numbers.dtype}: expected whole "
            "numbers (k, 2)"
        )
    if not len(row_numbers):
        return row_numbers

    lowest = row_numbers.min()
    left_highest, right_highest = row_numbers.max(axis=0)
    if lowest < 0 or left_highest >= left_count or right_highest >= right_count:
        raise ValueError(
            f"pairs name rows {lowest} to {row_numbers.max()}: expected 0 to {left_count - 1} on "
            f"the left and 0 to {right_count - 1} on the right"
        )
    return row_numbers

"""Histograms with the position of the values in each bin, filled chunk by chunk.

Conventions: bins have equal width; bin 0 starts at `low`. Memory depends on the number of bins,
not on the number of values.

    >>> histogram = Histogram(bins=2).add([0.1, 0.2, 0.7, 1.5])
    >>> histogram.counts.tolist(), histogram.above
    ([2, 1], 1)
"""

from typing import Literal, TypeAlias

import numpy as np
from numpy.typing import ArrayLike

from ..arguments import Count, check_arguments

CHUNK = 1 << 15  # values at a time: their intermediate results fit into the processor's cache
#: by how much rounding may move a value, in widths of a bin: 0.29 * 100 is 28.999999999999996, and
#: means the edge 29
TOLERANCE = 1e-9
#: variance of the uniform distribution from 0 to 1
UNIFORM_VARIANCE = 1 / 12
Edge: TypeAlias = Literal["upper", "lower"]


class Histogram:
    """Count values, and sum their positions and squared positions, per bin.

    Args:
        bins: their number, at least 1.
        low, high: the range, with both ends. Values outside, also infinite ones, are counted
            separately.
        edge: the bin of a value on the edge between two bins: "upper" (as in `numpy.histogram`) or
            "lower".

    Attributes:
        counts: int array (bins,), the number of values.
        sums, squares: float arrays (bins,), of the values' positions within their bin, in 0..1
            (sums of the values themselves would lose precision in narrow bins).
        below, above: numbers of values outside the range.

    Raises:
        ValueError: the range is empty or not finite, or another argument is out of range.
    """

    @check_arguments
    def __init__(
        self, bins: Count = 50, low: float = 0.0, high: float = 1.0, edge: Edge = "upper"
    ) -> None:
        if not low < high:
            raise ValueError(f"low={low!r}, high={high!r}: expected low < high.")

        self.bins = bins
        self.low = float(low)
        self.high = float(high)
        self.edge = edge
        self.counts = np.zeros(self.bins, dtype=np.int64)
        self.sums = np.zeros(self.bins)
        self.squares = np.zeros(self.bins)
        self.below = 0
        self.above = 0

    def add(self, values: ArrayLike) -> "Histogram":
        """Count the values of an array (n,), and return this histogram; errors: see `numbers`."""
        values = numbers(values)
        bins_per_unit = self.bins / (self.high - self.low)
        for start in range(0, len(values), CHUNK):
            # from 0 to the number of bins
            positions = (values[start : start + CHUNK] - self.low) * bins_per_unit
            positions_inside = self._drop_outside(positions)

            # the bin of each value, and where the value is in its bin, from 0 to 1
            bin_numbers, offsets = self._find_bins(positions_inside)
            self.counts += np.bincount(bin_numbers, minlength=self.bins)
            self.sums += np.bincount(bin_numbers, weights=offsets, minlength=self.bins)
            self.squares += np.bincount(bin_numbers, weights=offsets**2, minlength=self.bins)
        return self

    def __add__(self, other: "Histogram") -> "Histogram":
        """Return the histogram of both samples; ValueError if bins or range differ."""
        if not isinstance(other, Histogram):
            return NotImplemented

        check_alike(self, other)
        both = Histogram(*self.shape)
        for name in ("counts", "sums", "squares", "below", "above"):
            setattr(both, name, getattr(self, name) + getattr(other, name))
        return both

    @property
    def shape(self) -> tuple[int, float, float, Edge]:
        """Bins, low, high, edge: equal in histograms that can be added or divided."""
        return self.bins, self.low, self.high, self.edge

    @property
    def centres(self) -> np.ndarray:
        """Middle of each bin: float array (bins,)."""
        return self.low + (np.arange(self.bins) + 0.5) * self.width

    @property
    def means(self) -> np.ndarray:
        """Mean of the values of each bin; the middle of an empty bin: float array (bins,)."""
        mean_positions = np.full(self.bins, 0.5)
        np.divide(self.sums, self.counts, out=mean_positions, where=self.counts > 0)
        return self.low + (np.arange(self.bins) + mean_positions) * self.width

    @property
    def variances(self) -> np.ndarray:
        """Variance of the values of each bin: float array (bins,).

        With fewer than two values, it is the variance of the uniform distribution over the bin.
        """
        has_several = self.counts > 1
        counts = np.where(has_several, self.counts, 2)  # 2: no division by 0 in the other bins
        squared_deviations = np.maximum(self.squares - self.sums**2 / counts, 0)
        variances = squared_deviations / (counts - 1)
        return np.where(has_several, variances, UNIFORM_VARIANCE) * self.width**2

    @property
    def width(self) -> float:
        """Width of a bin."""
        return (self.high - self.low) / self.bins

    def _drop_outside(self, positions: np.ndarray) -> np.ndarray:
        """Return the positions inside the range; add the number of others to `below` and `above`.

        positions: (n,), in widths of a bin from the start of the range.
        """
        least = -TOLERANCE
        greatest = self.bins + TOLERANCE
        if positions.min() >= least and positions.max() <= greatest:  # the usual case
            return positions

        is_below = positions < least
        is_above = positions > greatest
        self.below += int(is_below.sum())
        self.above += int(is_above.sum())
        return positions[~(is_below | is_above)]

    def _find_bins(self, positions: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Return the bin of each position (n,), and the offset within it: 2.75 is .75 in bin 2.

        A position on an edge belongs to the bin that begins there.
        """
        is_mirrored = self.edge == "lower"
        if is_mirrored:  # seen from the other end, an edge begins the bin that ends there
            positions = self.bins - positions

        # rounding may leave a position slightly below its edge, which would be another bin
        bin_numbers = (positions + TOLERANCE).astype(np.intp)
        # the end of the range has no bin above it, and belongs to the last one
        bin_numbers = np.minimum(bin_numbers, self.bins - 1)
        offsets = positions - bin_numbers
        if is_mirrored:
            return self.bins - 1 - bin_numbers, 1 - offsets
        return bin_numbers, offsets

    def __repr__(self) -> str:
        return (
            f"<histogram of {self.counts.sum()} values, {self.bins} bins in "
            f"{self.low:g}..{self.high:g}, {self.below} below, {self.above} above>"
        )


def numbers(values: ArrayLike) -> np.ndarray:
    """Return values as a float array (n,); ValueError for more dimensions, text or NaN."""
    values = np.asarray(values, dtype=np.float64)
    if values.ndim != 1:
        raise ValueError(
            f"values have shape {values.shape}: expected one dimension. Flatten the array; pass "
            "several arrays as an iterator"
        )
    missing = np.isnan(values)
    if missing.any():
        raise ValueError(
            f"{missing.sum()} of {len(values)} values are NaN, the first at {missing.argmax()}: "
            "drop these pairs, or set their distance"
        )
    return values


def check_alike(first: Histogram, second: Histogram) -> None:
    """Raise ValueError if the bins of two histograms differ."""
    if first.shape != second.shape:
        raise ValueError(
            f"histograms with different bins, {first.shape} and {second.shape}: pass the same "
            "bins, low, high and edge for both"
        )

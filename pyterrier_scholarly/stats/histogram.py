"""Histograms with the position of the values in each bin, filled chunk by chunk.

Conventions: bins have equal width; bin 0 starts at `low`. Memory depends on the number of bins,
not on the number of values.
"""

from typing import Literal, TypeAlias

import numpy as np
from numpy.typing import ArrayLike

from ..arguments import Count, check_arguments

CHUNK = 1 << 15  # values at a time: their intermediate results fit into the processor's cache
TOLERANCE = 1e-9  # of a bin: 0.29 * 100 is 28.999999999999996, and means the edge 29
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
        self.bins, self.low, self.high, self.edge = bins, float(low), float(high), edge
        self.counts = np.zeros(self.bins, dtype=np.int64)
        self.sums, self.squares = np.zeros((2, self.bins))
        self.below = self.above = 0

    def add(self, values: ArrayLike) -> "Histogram":
        """Count the values of an array (n,), and return this histogram; errors: see `numbers`."""
        values = numbers(values)
        for start in range(0, len(values), CHUNK):
            self._add(values[start : start + CHUNK])
        return self

    def _add(self, values: np.ndarray) -> None:
        position = values - self.low
        position *= self.bins / (self.high - self.low)
        if not (position.min() >= -TOLERANCE and position.max() <= self.bins + TOLERANCE):
            below, above = position < -TOLERANCE, position > self.bins + TOLERANCE
            self.below += int(below.sum())
            self.above += int(above.sum())
            position = position[~(below | above)]
        if self.edge == "lower":
            position = self.bins - position
        number = (position + TOLERANCE).astype(np.intp)
        np.minimum(number, self.bins - 1, out=number)
        position -= number
        if self.edge == "lower":
            number, position = self.bins - 1 - number, 1 - position
        self.counts += np.bincount(number, minlength=self.bins)
        self.sums += np.bincount(number, weights=position, minlength=self.bins)
        position *= position
        self.squares += np.bincount(number, weights=position, minlength=self.bins)

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
        mean = np.divide(self.sums, self.counts, out=np.full(self.bins, 0.5), where=self.counts > 0)
        return self.low + (np.arange(self.bins) + mean) * self.width

    @property
    def variances(self) -> np.ndarray:
        """Variance of the values of each bin: float array (bins,).

        With fewer than two values, it is the variance of the uniform distribution over the bin.
        """
        several = self.counts > 1
        count = np.where(several, self.counts, 2)
        spread = np.maximum(self.squares - self.sums**2 / count, 0) / (count - 1)
        return np.where(several, spread, 1 / 12) * self.width**2

    @property
    def width(self) -> float:
        """Width of a bin."""
        return (self.high - self.low) / self.bins

    def __repr__(self) -> str:
        return (
            f"<histogram of {self.counts.sum()} values, {self.bins} bins in "
            f"{self.low:g}..{self.high:g}, {self.below} below, {self.above} above>"
        )


def numbers(values: ArrayLike) -> np.ndarray:
    """Return values as a float array (n,); ValueError for more dimensions, text or NaN."""
    try:
        values = np.asarray(values, dtype=np.float64)
    except (TypeError, ValueError) as error:
        raise ValueError(f"values must be numbers ({error})") from error
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

"""Histograms that also know where in each bin the values lie, filled chunk by chunk.

Conventions: bins are of equal width and numbered from 0 at `low`. Memory is that of the bins,
however many values are added.
"""

from math import isfinite
from numbers import Integral

import numpy as np

CHUNK = 1 << 15  # values at a time: what is computed from them stays in the processor's cache
TOLERANCE = 1e-9  # of a bin: 0.29 * 100 is 28.999999999999996, and is meant to be the edge 29
EDGES = ("upper", "lower")


class Histogram:
    """Counts, sums and sums of squares per bin.

    Args:
        bins: their number, at least 1.
        low, high: the range; both ends belong to it. Values outside are counted apart, infinite
            ones among them.
        edge: the bin to which a value on the edge between two belongs: "upper" (as in
            `numpy.histogram`) or "lower".

    Attributes:
        counts: int array (bins,), the number of values.
        sums, squares: float arrays (bins,), of the values' places within their bin, each in 0..1
            (sums of the values themselves would lose their digits where bins are narrow).
        below, above: numbers of values outside the range.

    Raises:
        ValueError: the range is empty or not finite, or another argument is out of range.
    """

    def __init__(self, bins=50, low=0.0, high=1.0, edge="upper"):
        whole = isinstance(bins, Integral) and bins >= 1
        if not (whole and isfinite(low) and isfinite(high) and low < high and edge in EDGES):
            raise ValueError(
                f"histogram of bins={bins!r}, low={low!r}, high={high!r}, edge={edge!r}: expected "
                f"1 bin or more, two finite numbers low < high, and one of {', '.join(EDGES)}"
            )
        self.bins, self.low, self.high, self.edge = int(bins), float(low), float(high), edge
        self.counts = np.zeros(self.bins, dtype=np.int64)
        self.sums, self.squares = np.zeros((2, self.bins))
        self.below = self.above = 0

    def add(self, values):
        """Count the values of an array, and return the histogram itself.

        Raises:
            ValueError: a value is NaN or no number, or the array has more than one dimension.
        """
        values = numbers(values)
        for start in range(0, len(values), CHUNK):
            self._add(values[start : start + CHUNK])
        return self

    def _add(self, values):
        place = values - self.low
        place *= self.bins / (self.high - self.low)
        if not (place.min() >= -TOLERANCE and place.max() <= self.bins + TOLERANCE):
            place = self._inside(place)
        if self.edge == "lower":
            place = self.bins - place
        number = (place + TOLERANCE).astype(np.intp)
        np.minimum(number, self.bins - 1, out=number)
        place -= number
        if self.edge == "lower":
            number, place = self.bins - 1 - number, 1 - place
        self.counts += np.bincount(number, minlength=self.bins)
        self.sums += np.bincount(number, weights=place, minlength=self.bins)
        place *= place
        self.squares += np.bincount(number, weights=place, minlength=self.bins)

    def _inside(self, place):
        """Drop what is outside the range, and count it."""
        below, above = place < -TOLERANCE, place > self.bins + TOLERANCE
        self.below += int(below.sum())
        self.above += int(above.sum())
        return place[~(below | above)]

    def __add__(self, other):
        """The histogram of both samples; ValueError where bins or range differ."""
        if not isinstance(other, Histogram):
            return NotImplemented
        check_alike(self, other)
        both = Histogram(*self.shape)
        for name in ("counts", "sums", "squares", "below", "above"):
            setattr(both, name, getattr(self, name) + getattr(other, name))
        return both

    @property
    def shape(self):
        """What another histogram must have in common with this one: bins, low, high, edge."""
        return self.bins, self.low, self.high, self.edge

    @property
    def centres(self):
        """Middle of each bin: float array (bins,)."""
        return self.low + (np.arange(self.bins) + 0.5) * self._width

    @property
    def means(self):
        """Mean of the values of each bin; its middle where there is none: float array (bins,)."""
        mean = np.divide(self.sums, self.counts, out=np.full(self.bins, 0.5), where=self.counts > 0)
        return self.low + (np.arange(self.bins) + mean) * self._width

    @property
    def variances(self):
        """Variance of the values of each bin: float array (bins,).

        Fewer than two values do not tell: theirs is that of values anywhere in the bin.
        """
        several = self.counts > 1
        count = np.where(several, self.counts, 2)
        spread = np.maximum(self.squares - self.sums**2 / count, 0) / (count - 1)
        return np.where(several, spread, 1 / 12) * self._width**2

    @property
    def _width(self):
        return (self.high - self.low) / self.bins

    def __repr__(self):
        return (
            f"<histogram of {self.counts.sum()} values, {self.bins} bins in "
            f"{self.low:g}..{self.high:g}, {self.below} below, {self.above} above>"
        )


def numbers(values):
    """Return values as a float array (n,); ValueError for more dimensions, text or NaN."""
    try:
        values = np.asarray(values, dtype=np.float64)
    except (TypeError, ValueError) as error:
        raise ValueError(f"expected numbers ({error})") from error
    if values.ndim != 1:
        raise ValueError(
            f"values of shape {values.shape}: expected one dimension; flatten them, and give "
            "several arrays as an iterator"
        )
    missing = np.count_nonzero(np.isnan(values))
    if missing:
        raise ValueError(
            f"{missing} of {len(values)} values are NaN, the first at {np.isnan(values).argmax()}: "
            "drop these pairs, or give them a distance"
        )
    return values


def check_alike(first, second):
    """ValueError unless two histograms have the same bins."""
    if first.shape != second.shape:
        raise ValueError(
            f"histograms of different bins, {first.shape} and {second.shape}: expected the same "
            "bins, low, high and edge"
        )

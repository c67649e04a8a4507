"""Per-query values that define how they are averaged.

Conventions: PyTerrier and ir_measures both compute ``0.0 + v1 + v2 + ...`` and divide by the number
of values. Adding up `Value`s gives a `Total`, which keeps them; dividing that by their number gives
the mean that the collection defines. So a query can be left out of the mean, or the figure computed
from all queries' values together (`SlopeValue`), without support from the host.
"""

import warnings
from functools import reduce
from math import isfinite, nan
from numbers import Real
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import numpy as np

    from ..stats import Histogram
    from .histogram_slope import _rHSA

    Kept = np.ndarray | Histogram  # a query's scores


class Value(float):
    """One query's value, with its weight in the mean over queries.

    Values and plain floats mix freely. A float weighs 1, as does a `Value` by default; then the
    mean is bit for bit the ordinary one. Convert a numpy scalar to `float` before adding a `Value`:
    numpy's own addition would drop the weight.

    Args:
        value: the query's value.
        weight: at least 0. With 0 the query is left out of the mean, and the value is NaN.

    Raises:
        ValueError: the weight is negative or not finite.
    """

    __slots__ = ("weight",)
    weight: float

    def __new__(cls, value: float = nan, weight: float = 1.0) -> "Value":
        if not (isfinite(weight) and weight >= 0):
            raise ValueError(f"weight {weight!r} of a value: expected a finite number, 0 or more")
        self = super().__new__(cls, value if weight else nan)
        self.weight = weight
        return self

    @staticmethod
    def pooled(total: "Total", count: float) -> float:
        """Return the weighted mean of `count` values, NaN if all weights are 0.

        Override it for a figure over all queries that is not the mean of theirs.

        Args:
            total: the values' `Total`; as a float, their weighted sum.
            count: how many values there are, including plain floats.
        """
        weights = [getattr(value, "weight", 1.0) for value in total.values]
        weight = count - len(weights) + sum(weights)
        return float(total) / weight if weight else nan

    def __add__(self, other: float) -> "Total":
        return Total(0.0, self) + other

    def __radd__(self, other: float) -> "Total":
        return Total(other, self) if isinstance(other, Real) else NotImplemented

    def __reduce__(self) -> tuple:
        return type(self), (float(self), self.weight)


class Total(float):
    """A sum of values; divided by their number, it gives their mean as they define it.

    Each sum links to the sum before it and the value added. So adding n values costs n steps, and
    an earlier sum does not change. Plain floats before the first `Value` are one sum.
    """

    __slots__ = ("_earlier", "_latest")
    _earlier: float
    _latest: float

    def __new__(cls, earlier: float, latest: float) -> "Total":
        weight = getattr(latest, "weight", 1.0)
        self = super().__new__(cls, float(earlier) + (weight * float(latest) if weight else 0.0))
        self._earlier, self._latest = earlier, latest
        return self

    @property
    def values(self) -> list[float]:
        """The values from the first `Value` on, in the order in which they were added."""
        return self._parts()[1:]

    def _parts(self) -> list[float]:
        link: float = self
        parts: list[float] = []
        while isinstance(link, Total):
            parts.append(link._latest)
            link = link._earlier
        return [link, *reversed(parts)]

    def __add__(self, other: float) -> "Total":
        if isinstance(other, Total):
            return reduce(Total, other._parts(), self)
        return Total(self, other) if isinstance(other, Real) else NotImplemented

    def __radd__(self, other: float) -> "Total":
        return Total(0.0, other) + self if isinstance(other, Real) else NotImplemented

    def __truediv__(self, count: float) -> float:
        if not isinstance(count, Real):
            return NotImplemented
        return next(v for v in self.values if isinstance(v, Value)).pooled(self, count)

    def __reduce__(self) -> tuple:
        return reduce, (Total, self._parts())


class SlopeValue(Value):
    """A query's rHSA; over several queries, the rHSA of all their pairs, not the mean of theirs.

    A measure sees a batch of queries at a time, but the scores' range is that of all queries. So
    each value carries its own scores until it is averaged, or histograms if the range is known.

    `similar` and `random` are scores or histograms, as the measure's `values` keeps them.
    """

    __slots__ = ("measure", "random", "similar")
    measure: "_rHSA"
    similar: "Kept"
    random: "Kept"

    def __new__(cls, measure: "_rHSA", similar: "Kept", random: "Kept") -> "SlopeValue":
        slope = measure.slope([similar], [random], measure["query_fit"])
        self = float.__new__(cls, slope.value)
        self.weight = 1.0
        self.measure, self.similar, self.random = measure, similar, random
        return self

    @staticmethod
    def pooled(total: Total, count: float) -> float:
        """Return the slope of all queries' pairs; a plain float (a query without pairs) adds none.

        Warns if pairs are outside the measure's range.
        """
        slopes = [value for value in total.values if isinstance(value, SlopeValue)]
        measure = slopes[0].measure
        kept = [one.similar for one in slopes], [one.random for one in slopes]
        slope = measure.slope(*kept, measure["fit"])
        if any(slope.outside):
            warnings.warn(
                f"{measure}: {slope.outside[0]} similar and {slope.outside[1]} random pairs are "
                "outside its range and are left out",
                stacklevel=2,
            )
        return slope.value

    def __reduce__(self) -> tuple:
        return type(self), (self.measure, self.similar, self.random)

"""Per-query values that define how they are averaged.

    >>> values = [Value(0.5), Value(weight=0), 1.0]
    >>> (0.0 + values[0] + values[1] + values[2]) / 3  # the second query does not count
    0.75

Conventions: PyTerrier and ir_measures both compute ``0.0 + v1 + v2 + ...`` and divide by the number
of values. Adding up `Value`s gives a `Total`, which keeps them; dividing that by their number gives
the mean that the collection defines. So a query can be left out of the mean, or the figure computed
from all queries' values together (as rHSA's), without support from the host.
"""

from functools import reduce
from math import isfinite, nan
from numbers import Real
from operator import add
from typing import Self


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

    def __new__(cls, value: float = nan, weight: float = 1.0) -> Self:
        if not (isfinite(weight) and weight >= 0):
            raise ValueError(f"weight {weight!r} of a value: expected a finite number, 0 or more")

        self = super().__new__(cls, value if weight else nan)
        self.weight = weight
        return self

    @staticmethod
    def pooled(total: "Total", count: float) -> float:
        """Return the figure of all queries: the weighted mean of their values.

        Hosts compute a mean as a sum divided by the number of queries. Here the sum is a `Total`,
        and its division calls this method of the first `Value` in it. A subclass overrides it if
        its figure of all queries is no mean of their values.

        Args:
            total: the sum of all queries' values; as a float, each counts times its weight.
            count: number of queries. Their values may be plain floats, which weigh 1.

        Returns:
            The mean; NaN if all weights are 0.
        """
        # of plain floats before the first `Value`, only the sum is known; each of them weighs 1
        missing_weights = [1 - getattr(value, "weight", 1.0) for value in total.values]
        total_weight = count - sum(missing_weights)
        return float(total) / total_weight if total_weight else nan

    def __add__(self, other: float) -> "Total":
        """Return the sum of this value and another one, of any kind."""
        return Total(self) + other

    __radd__ = __add__  # for a plain float on the left, such as the 0.0 of hosts

    def __reduce__(self) -> tuple:
        """Return how to unpickle this value: from its float and its weight."""
        return type(self), (float(self), self.weight)


class Total(float):
    """A sum of values; divided by their number, it gives their mean as they define it.

    Each sum links to the sum before it and the value added. So adding n values costs n steps, and
    an earlier sum does not change. The sum of the plain floats before the first `Value`, which
    Python adds up by itself, counts as one plain float.
    """

    __slots__ = ("_earlier", "_latest")
    _latest: float
    _earlier: "Total | None"

    def __new__(cls, latest: float, earlier: "Total | None" = None) -> "Total":
        """Create the sum of an earlier sum and one more value, which counts times its weight.

        Both are stored too, because a division needs the values themselves, not only their sum.

        Args:
            latest: the value to add, a `Value` or a plain float.
            earlier: the sum before it; None if there is none.
        """
        weight = getattr(latest, "weight", 1.0)  # a plain float weighs 1
        # a value of weight 0 is NaN, and 0 * NaN would spoil the sum
        addend = weight * float(latest) if weight else 0.0

        self = super().__new__(cls, addend if earlier is None else float(earlier) + addend)
        self._latest = latest
        self._earlier = earlier
        return self

    @property
    def values(self) -> list[float]:
        """What was added up, in that order."""
        latest_first = []
        total: Total | None = self
        while total is not None:
            latest_first.append(total._latest)
            total = total._earlier
        return latest_first[::-1]

    def __add__(self, other: float) -> "Total":
        """Return the sum with one more value, or with all values of another sum."""
        if isinstance(other, Total):
            # as one number, it would be a single value of weight 1; each value has its own weight
            return reduce(add, other.values, self)
        if not isinstance(other, Real):
            return NotImplemented
        return Total(other, earlier=self)

    __radd__ = __add__

    def __truediv__(self, count: float) -> float:
        """Return the figure of `count` queries, as the first `Value` in this sum defines it.

        ir_measures and PyTerrier divide a sum by the number of queries to get the mean. So this
        division decides what they report: see `Value.pooled`, which a subclass may override.
        """
        if not isinstance(count, Real):
            return NotImplemented  # Python then raises TypeError
        first_value = next(value for value in self.values if isinstance(value, Value))
        return first_value.pooled(self, count)

    def __reduce__(self) -> tuple:
        """Return how to unpickle this sum: add up its values again, from the first to the last."""
        return sum, (self.values, 0.0)

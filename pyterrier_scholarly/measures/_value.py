"""Per-query values that define how they are averaged.

    >>> values = [Value(0.5), Value(weight=0), 1.0]
    >>> (0.0 + values[0] + values[1] + values[2]) / 3  # the second query does not count
    0.75

Conventions: PyTerrier and ir_measures both compute ``0.0 + v1 + v2 + ...`` and divide by the number
of values. Adding up `Value`s gives a `Total`, which keeps them; dividing that by their number gives
the mean that the collection defines. So a query can be left out of the mean, or the figure computed
from all queries' values together (as rHSA's), without support from the host.
"""

from collections.abc import Iterator
from functools import reduce
from math import isfinite, nan
from numbers import Real


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
        listed_weights = [weight_of(value) for value in total.values]
        # Python adds up plain floats before the first `Value` by itself, without a `Total`: they
        # are in the sum, but not in `total.values`, and each weighs 1
        unlisted_weight = count - len(listed_weights)

        total_weight = unlisted_weight + sum(listed_weights)
        if not total_weight:
            return nan
        return float(total) / total_weight

    def __add__(self, other: float) -> "Total":
        """Return the sum of this value and another one, or of this value and a sum."""
        return Total(0.0, self) + other

    def __radd__(self, other: float) -> "Total":
        """Return the sum of a plain float on the left, such as the 0.0 of hosts, and this value."""
        if not isinstance(other, Real):
            return NotImplemented
        return Total(other, self)

    def __reduce__(self) -> tuple:
        """Return how to unpickle this value: from its float and its weight."""
        return type(self), (float(self), self.weight)


class Total(float):
    """A sum of values; divided by their number, it gives their mean as they define it.

    Each sum links to the sum before it and the value added. So adding n values costs n steps, and
    an earlier sum does not change. Plain floats before the first `Value` are one sum.
    """

    __slots__ = ("_earlier", "_latest")
    _earlier: float  #: a `Total`, or the sum of the plain floats before the first `Value`
    _latest: float

    def __new__(cls, earlier: float, latest: float) -> "Total":
        """Create the sum of an earlier sum and one more value, which counts times its weight.

        Both are stored too, because a division needs the values themselves, not only their sum.

        Args:
            earlier: a `Total`, or the sum of the plain floats before the first `Value`.
            latest: the value to add, a `Value` or a plain float.
        """
        weight = weight_of(latest)
        # a value of weight 0 is NaN, and 0 * NaN would spoil the sum
        addend = weight * float(latest) if weight else 0.0

        self = super().__new__(cls, float(earlier) + addend)
        self._earlier = earlier
        self._latest = latest
        return self

    @property
    def values(self) -> list[float]:
        """The values from the first `Value` on, in the order in which they were added."""
        return self._list_addends()[1:]

    def _list_addends(self) -> list[float]:
        """Return what was added up, in that order.

        It begins with the sum of the plain floats before the first `Value`; then come the values.
        The sum 0.0 + 0.5 + Value(1) + 0.25 has [0.5, Value(1), 0.25].
        """
        latest_first = list(self._iterate_backwards())
        return latest_first[::-1]

    def _iterate_backwards(self) -> Iterator[float]:
        """Yield the values, the latest first, and at last the sum of the plain floats before them.

        Each `Total` has the value that it added, and the sum before it, usually another `Total`.
        """
        remaining_sum: Total | float = self
        while isinstance(remaining_sum, Total):
            yield remaining_sum._latest
            remaining_sum = remaining_sum._earlier

        sum_of_first_floats = remaining_sum
        yield sum_of_first_floats

    def __add__(self, other: float) -> "Total":
        """Return the sum with one more value, or with all values of another sum."""
        if isinstance(other, Total):
            # as one number, the other sum would be a single value of weight 1; so its values are
            # added one by one, each with its own weight
            joined = self
            for value in other._list_addends():
                joined = Total(earlier=joined, latest=value)
            return joined

        if not isinstance(other, Real):
            return NotImplemented
        return Total(earlier=self, latest=other)

    def __radd__(self, other: float) -> "Total":
        """Return the sum of a plain float and these values; Python calls it if one is on the left.

        The float comes first, as in the expression.
        """
        if not isinstance(other, Real):
            return NotImplemented
        return Total(0.0, other) + self

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
        """Return how to unpickle this sum: add up its addends again, from the first to the last."""
        return reduce, (Total, self._list_addends())


def weight_of(value: float) -> float:
    """Return a value's weight in the mean; that of a plain float is 1."""
    return value.weight if isinstance(value, Value) else 1.0

"""A per-query value that knows how it is averaged.

Conventions: PyTerrier and ir_measures average alike, they compute ``0.0 + v1 + v2 + ...`` and
divide by the number of values. A `Value` takes part in that: adding it up gives a `Total`, which
keeps the values, and dividing the `Total` by their number gives the mean that the collection
defines. So a measure needs no support from the host for a query that its collection leaves out of
the mean, nor for a figure that is no mean at all but is computed from all queries' values together.
"""

from functools import reduce
from math import isfinite, nan
from numbers import Real


class Value(float):
    """One query's value, with the weight that it has in the mean over queries.

    Values and plain floats mix freely: a float weighs 1, as does a `Value` by default, and then the
    mean is bit for bit the ordinary one. (A numpy scalar must become a `float` before a `Value` is
    added to it: numpy's own addition would forget the weight.)

    Args:
        value: the query's value.
        weight: at least 0. With 0 the query is left out of the mean, and the value is NaN.

    Raises:
        ValueError: the weight is negative or not finite.
    """

    __slots__ = ("weight",)

    def __new__(cls, value=nan, weight=1.0):
        if not (isfinite(weight) and weight >= 0):
            raise ValueError(f"weight {weight!r} of a value: expected a finite number, 0 or more")
        self = super().__new__(cls, value if weight else nan)
        self.weight = weight
        return self

    @staticmethod
    def pooled(total, count):
        """Return what `count` values come to over all queries: here, their weighted mean.

        Overridden where the figure over all queries is not the mean of theirs.

        Args:
            total: their `Total`; ``total.values`` are those from the first `Value` on, and as a
                float it is their weighted sum, plain floats before that included.
            count: their number, plain floats included.

        Returns:
            float; NaN, as in a mean over no query, if all weights are 0.
        """
        weights = [getattr(value, "weight", 1.0) for value in total.values]
        weight = count - len(weights) + sum(weights)
        return float(total) / weight if weight else nan

    def __add__(self, other):
        return Total(0.0, self) + other

    def __radd__(self, other):
        return Total(other, self) if isinstance(other, Real) else NotImplemented

    def __reduce__(self):
        return type(self), (float(self), self.weight)


class Total(float):
    """A sum of values that, divided by their number, gives their mean as they define it.

    Each sum is a link to the one before it and the value added, so that adding n values costs n
    steps and an earlier sum stays what it was.
    """

    __slots__ = ("_earlier", "_latest")

    def __new__(cls, earlier, latest):
        weight = getattr(latest, "weight", 1.0)
        self = super().__new__(cls, float(earlier) + (weight * float(latest) if weight else 0.0))
        self._earlier, self._latest = earlier, latest
        return self

    @property
    def values(self):
        """The values from the first `Value` on, in the order in which they were added: a list."""
        return self._parts()[1:]

    def _parts(self):
        link, parts = self, []
        while isinstance(link, Total):
            parts.append(link._latest)
            link = link._earlier
        return [link, *reversed(parts)]

    def __add__(self, other):
        if isinstance(other, Total):
            return reduce(Total, other._parts(), self)
        return Total(self, other) if isinstance(other, Real) else NotImplemented

    def __radd__(self, other):
        return Total(0.0, other) + self if isinstance(other, Real) else NotImplemented

    def __truediv__(self, count):
        if not isinstance(count, Real):
            return NotImplemented
        return next(v for v in self.values if isinstance(v, Value)).pooled(self, count)

    def __reduce__(self):
        return reduce, (Total, self._parts())

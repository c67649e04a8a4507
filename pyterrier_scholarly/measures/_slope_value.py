"""A query's slope, and with it the pairs from which the slope over all queries is computed."""

import warnings

from ._value import Value


class SlopeValue(Value):
    """A query's rHSA; over several queries, the rHSA of all their pairs, not the mean of theirs.

    A measure sees a batch of queries at a time, and the range of the scores is that of all, so each
    value carries its own scores until it is averaged; histograms where the range is known.

    Args:
        measure: the rHSA measure.
        similar, random: scores, arrays or histograms, as the measure's `values` keeps them.
    """

    __slots__ = ("measure", "random", "similar")

    def __new__(cls, measure, similar, random):
        slope = measure.slope([similar], [random], measure["query_fit"])
        self = super().__new__(cls, slope.value)
        self.measure, self.similar, self.random = measure, similar, random
        return self

    @staticmethod
    def pooled(total, count):
        """Return the slope of all queries' pairs; plain floats (queries without pairs) add none."""
        slopes = [value for value in total.values if isinstance(value, SlopeValue)]
        measure = slopes[0].measure
        pairs = ([getattr(value, side) for value in slopes] for side in ("similar", "random"))
        found = measure.slope(*pairs, measure["fit"])
        if any(found.outside):
            warnings.warn(
                f"{measure}: {found.outside[0]} similar and {found.outside[1]} random pairs are "
                "outside its range and take no part",
                stacklevel=2,
            )
        return found.value

    def __reduce__(self):
        return type(self), (self.measure, self.similar, self.random)

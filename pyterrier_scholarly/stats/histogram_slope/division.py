"""The log division of two histograms: its points, and how sure their positions are.

Conventions: arrays are (bins,), natural logarithms, errors as variances.
"""

from typing import Any, NamedTuple

import numpy as np

from .histogram import check_alike


class Division(NamedTuple):
    """Counts of similar and random pairs, and the position of each bin."""

    similar: Any  #: int, counts C
    random: Any  #: int, counts R
    centre: Any  #: the bins' middles
    x: Any  #: the bins' positions
    x_variance: Any  #: their errors

    @property
    def total(self):
        """C + R."""
        return self.similar + self.random

    @property
    def ratio(self):
        """log((C + ½) / (R + ½)): nearly unbiased for the log of the expected counts' ratio."""
        return np.log((self.similar + 0.5) / (self.random + 0.5))


def _mean_errors(similar, random):
    return sum(h.variances / np.maximum(h.counts, 1) for h in (similar, random)) / 4


def _spreads(similar, random):
    return (similar.variances + random.variances) / 4


#: name -> function from both histograms to the variance of each bin's position
X_ERRORS = {
    "mean": _mean_errors,
    "spread": _spreads,
    "none": lambda similar, random: np.zeros(similar.bins),
}


def divide(similar, random, x_error="mean"):
    """Divide two histograms.

    A bin lies at the mean of two means, that of its similar and that of its random values. (The
    mean of all its values will not do: towards 0 it is the similar pairs', which crowd at a bin's
    lower end, towards 1 the random ones', so that the line tilts.)

    Args:
        similar, random: a `Histogram` each, of the same bins.
        x_error: the error of a bin's position. "mean": std / sqrt(n) of each mean, propagated;
            "spread": the values' std itself, propagated alike, which is what the paper's words say
            and is far too large; "none".

    Returns:
        `Division`.

    Raises:
        ValueError: the bins differ, or `x_error` is unknown.
    """
    check_alike(similar, random)
    if x_error not in X_ERRORS:
        raise ValueError(f"x_error={x_error!r}: expected one of {', '.join(X_ERRORS)}")
    x = (similar.means + random.means) / 2
    variance = X_ERRORS[x_error](similar, random)
    return Division(similar.counts, random.counts, similar.centres, x, variance)

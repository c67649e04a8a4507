"""The log division of two histograms, and a straight line through its points.

Conventions: arrays are (bins,) or (n,), logarithms natural, errors given as variances.
"""

from collections.abc import Callable
from typing import Annotated, NamedTuple

import numpy as np

from ..arguments import check_arguments, one_of
from .histogram import Histogram, check_alike

ROUNDS = 100
PRECISION = 1e-13  # relative, of the slope


class Division(NamedTuple):
    """Counts of similar and random pairs, and the position of each bin."""

    similar: np.ndarray  #: int, counts C
    random: np.ndarray  #: int, counts R
    centre: np.ndarray  #: middle of each bin
    x: np.ndarray  #: position of each bin
    x_variance: np.ndarray  #: squared error of this position

    @property
    def total(self) -> np.ndarray:
        """C + R."""
        return self.similar + self.random

    @property
    def ratio(self) -> np.ndarray:
        """log((C + ½) / (R + ½)): nearly unbiased for the log ratio of the expected counts."""
        return np.log((self.similar + 0.5) / (self.random + 0.5))


#: name -> function from a histogram to four times the variance that its means add to positions
X_ERRORS: dict[str, Callable[[Histogram], np.ndarray]] = {
    "mean": lambda one: one.variances / np.maximum(one.counts, 1),
    "spread": lambda one: one.variances,
    "none": lambda one: np.zeros(one.bins),
}


@check_arguments
def divide(
    similar: Histogram, random: Histogram, x_error: Annotated[str, one_of(X_ERRORS)] = "mean"
) -> Division:
    """Divide two histograms with the same bins.

    The position of a bin is the mean of two means: of its similar values and of its random values.
    (The mean of all its values would tilt the line. Near 0 it follows the similar pairs at the
    bin's lower end, near 1 the random pairs.)

    Args:
        similar, random: the two histograms.
        x_error: the error of a bin's position. "mean": std / sqrt(n) of each mean, propagated.
            "spread": the values' std, propagated; this is what the paper describes, and is far too
            large. "none": 0.

    ValueError if the bins differ, or `x_error` is unknown.
    """
    check_alike(similar, random)
    return Division(
        similar.counts,
        random.counts,
        similar.centres,
        x=(similar.means + random.means) / 2,
        x_variance=(X_ERRORS[x_error](similar) + X_ERRORS[x_error](random)) / 4,
    )


class Line(NamedTuple):
    """y = intercept + slope x."""

    slope: float
    intercept: float
    error: float  #: standard error of the slope from the points' errors, not scaled by chi²
    chi2: float  #: sum of squared distances in units of the effective errors


def straight_line(
    x: np.ndarray, y: np.ndarray, x_variance: np.ndarray, y_variance: np.ndarray
) -> Line:
    """Fit a line to points with errors in both coordinates, by effective variance.

    A point's weight is 1 / (var(y) + slope² var(x)). The weights depend on the slope, so the fit
    iterates [York et al., Am. J. Phys. 72, 367 (2004), for uncorrelated errors; written here in
    variances, because those of x may be 0].

    Args:
        x, y: float arrays (n,), at least two different x.
        x_variance, y_variance: float arrays (n,), the squared errors; those of y above 0.

    Returns:
        `Line`; its errors are valid only if chi² / (n - 2) is about 1.
    """
    slope = 0.0
    for _ in range(ROUNDS):  # the first one ignores the errors of x
        before = slope
        slope = _next_slope(slope, x, y, x_variance, y_variance)
        if abs(slope - before) <= PRECISION * abs(slope):
            break
    weight = 1 / (y_variance + slope**2 * x_variance)
    x_mean, y_mean = np.average(x, weights=weight), np.average(y, weights=weight)
    intercept = y_mean - slope * x_mean
    # the error is computed at the nearest points of the line, in units of the errors
    residual = y - intercept - slope * x
    adjusted = x + weight * x_variance * slope * residual
    adjusted = adjusted - np.average(adjusted, weights=weight)
    error = 1 / np.sqrt(weight @ adjusted**2)
    return Line(float(slope), float(intercept), float(error), float(weight @ residual**2))


def _next_slope(
    slope: float, x: np.ndarray, y: np.ndarray, x_variance: np.ndarray, y_variance: np.ndarray
) -> float:
    weight = 1 / (y_variance + slope**2 * x_variance)
    x, y = (values - np.average(values, weights=weight) for values in (x, y))
    # estimate of each point's true x, relative to the centre
    true_x = weight * (x * y_variance + slope * y * x_variance)
    return (weight * true_x) @ y / ((weight * true_x) @ x)

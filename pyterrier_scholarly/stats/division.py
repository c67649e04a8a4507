"""The log division of two histograms, and a straight line through its points.

    >>> similar, random = Histogram(3).add([0.1, 0.2, 0.5]), Histogram(3).add([0.1, 0.5, 0.9])
    >>> divide(similar, random).ratio.round(2)
    array([ 0.51,  0.  , -1.1 ])

Conventions: arrays are (bins,) or (n,), logarithms natural, errors given as variances.
"""

from collections.abc import Callable
from typing import Annotated, NamedTuple

import numpy as np

from ..arguments import check_arguments, one_of
from .histogram import Histogram, check_alike

MOST_ROUNDS = 100  # of the fit
SLOPE_PRECISION = 1e-13  # relative


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


def _variance_of_means(histogram: Histogram) -> np.ndarray:
    return histogram.variances / np.maximum(histogram.counts, 1)


def _variance_of_values(histogram: Histogram) -> np.ndarray:
    return histogram.variances


def _no_variance(histogram: Histogram) -> np.ndarray:
    return np.zeros(histogram.bins)


#: name -> function from a histogram to the variance of its bins' positions (bins,)
X_ERRORS: dict[str, Callable[[Histogram], np.ndarray]] = {
    "mean": _variance_of_means,
    "spread": _variance_of_values,
    "none": _no_variance,
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
    compute_variance = X_ERRORS[x_error]
    variance_of_sum = compute_variance(similar) + compute_variance(random)
    return Division(
        similar=similar.counts,
        random=random.counts,
        centre=similar.centres,
        x=(similar.means + random.means) / 2,
        x_variance=variance_of_sum / 4,  # of half the sum: 1/2 squared
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
    slope = 0.0  # so that the first round ignores the errors of x
    for _ in range(MOST_ROUNDS):
        previous_slope = slope
        slope = _improve_slope(previous_slope, x, y, x_variance, y_variance)
        if abs(slope - previous_slope) <= SLOPE_PRECISION * abs(slope):
            break

    weights = 1 / (y_variance + slope**2 * x_variance)
    x_mean = np.average(x, weights=weights)
    y_mean = np.average(y, weights=weights)
    intercept = y_mean - slope * x_mean  # the line goes through the centre of the points
    residuals = y - intercept - slope * x
    chi2 = weights @ residuals**2

    # the error is computed at the nearest points of the line, in units of the errors
    nearest_x = x + weights * x_variance * slope * residuals
    deviations = nearest_x - np.average(nearest_x, weights=weights)
    error = 1 / np.sqrt(weights @ deviations**2)
    return Line(float(slope), float(intercept), float(error), float(chi2))


def _improve_slope(
    slope: float, x: np.ndarray, y: np.ndarray, x_variance: np.ndarray, y_variance: np.ndarray
) -> float:
    """Return the slope that the weights of the previous `slope` give: one round of the fit."""
    weights = 1 / (y_variance + slope**2 * x_variance)
    x_deviations = x - np.average(x, weights=weights)
    y_deviations = y - np.average(y, weights=weights)

    # estimate of each point's true x, relative to the centre
    true_x = weights * (x_deviations * y_variance + slope * y_deviations * x_variance)
    return (weights * true_x) @ y_deviations / ((weights * true_x) @ x_deviations)

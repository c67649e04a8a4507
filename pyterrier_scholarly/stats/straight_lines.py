"""Fit a straight line to points with errors in both coordinates.

    >>> x = np.array([0.0, 1.0, 2.0])
    >>> line = straight_line(x, 3 - 2 * x, x_variance=0 * x, y_variance=0 * x + 1)
    >>> round(line.slope, 9), round(line.intercept, 9)
    (-2.0, 3.0)

Conventions: arrays are (n,), errors are given as variances.
"""

from typing import NamedTuple

import numpy as np

MOST_ROUNDS = 100  # of the fit
SLOPE_PRECISION = 1e-13  # relative


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
    slope = _iterate_slope(x, y, x_variance, y_variance)

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


def _iterate_slope(
    x: np.ndarray, y: np.ndarray, x_variance: np.ndarray, y_variance: np.ndarray
) -> float:
    """Return the slope of the line, by fixed-point iteration.

    The points' weights depend on the slope, and the slope on the weights. So each round computes
    weights from the last slope, and a new slope from these, until the slope stays the same.
    """
    slope = 0.0  # so that the first round ignores the errors of x
    for _ in range(MOST_ROUNDS):
        previous_slope = slope
        slope = _improve_slope(previous_slope, x, y, x_variance, y_variance)
        if abs(slope - previous_slope) <= SLOPE_PRECISION * abs(slope):
            break
    return slope


def _improve_slope(
    slope: float, x: np.ndarray, y: np.ndarray, x_variance: np.ndarray, y_variance: np.ndarray
) -> float:
    """Return a better slope, from the weights by the previous `slope`: one round of York's fit.

    With true values of x, the slope of least squares is Σ w x y / Σ w x². York estimates the true x
    by both coordinates: the measured x, and the x at which the line has the measured y. Each counts
    the more, the smaller its error is. The names of York et al. (2004) are in the comments.
    """
    weights = 1 / (y_variance + slope**2 * x_variance)  # W
    x_deviations = x - np.average(x, weights=weights)  # U
    y_deviations = y - np.average(y, weights=weights)  # V

    from_x = x_deviations * y_variance
    from_y = slope * y_deviations * x_variance
    true_x_deviations = weights * (from_x + from_y)  # β

    weighted_x = weights * true_x_deviations
    return (weighted_x @ y_deviations) / (weighted_x @ x_deviations)

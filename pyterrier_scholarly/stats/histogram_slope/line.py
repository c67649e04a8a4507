"""A straight line through points with errors in both coordinates, by effective variance.

The weight of a point is 1 / (var(y) + slope² var(x)), so that the slope stands on both sides of its
own equation and is found by repetition [York et al., Am. J. Phys. 72, 367 (2004), with uncorrelated
errors; written here in variances, which may be 0 in x].
"""

from typing import NamedTuple

import numpy as np

ROUNDS = 100
PRECISION = 1e-13  # relative, of the slope


class Line(NamedTuple):
    """y = intercept + slope x."""

    slope: float
    intercept: float
    error: float  #: standard error of the slope from the points' errors, not scaled by chi²
    chi2: float  #: sum of squared distances in units of the effective errors


def straight_line(x, y, x_variance, y_variance):
    """Fit a line.

    Args:
        x, y: float arrays (n,), at least two different x.
        x_variance, y_variance: float arrays (n,), the squared errors; those of y above 0.

    Returns:
        `Line`; its errors mean something only beside chi² / (n - 2), which is about 1 where a line
        is what the points lie on.
    """
    slope = _weighted_slope(x, y, 1 / y_variance)
    for _ in range(ROUNDS):
        before = slope
        slope = _next_slope(slope, x, y, x_variance, y_variance)
        if abs(slope - before) <= PRECISION * abs(slope):
            break
    weight = 1 / (y_variance + slope**2 * x_variance)
    x_mean, y_mean = np.average(x, weights=weight), np.average(y, weights=weight)
    intercept = y_mean - slope * x_mean
    # the error is taken at the points of the line that are nearest, in units of the errors
    residual = y - intercept - slope * x
    adjusted = x + weight * x_variance * slope * residual
    adjusted = adjusted - np.average(adjusted, weights=weight)
    error = 1 / np.sqrt(weight @ adjusted**2)
    return Line(float(slope), float(intercept), float(error), float(weight @ residual**2))


def _weighted_slope(x, y, weight):
    x, y = (values - np.average(values, weights=weight) for values in (x, y))
    return (weight * x) @ y / ((weight * x) @ x)


def _next_slope(slope, x, y, x_variance, y_variance):
    weight = 1 / (y_variance + slope**2 * x_variance)
    x, y = (values - np.average(values, weights=weight) for values in (x, y))
    # where, seen from the centre, each point's true x lies
    place = weight * (x * y_variance + slope * y * x_variance)
    return (weight * place) @ y / ((weight * place) @ x)

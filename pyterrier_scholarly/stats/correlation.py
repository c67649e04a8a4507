"""Correlations of two measures over systems, with intervals.

>>> round(pearson([1, 2, 3, 4], [1, 2, 3, 5]).value, 3)
0.983
"""

from typing import NamedTuple

import numpy as np

from ..arguments import InnerShare, Numbers, check_arguments

LEAST_POINTS = 4  # for an interval: its width goes with 1 / sqrt(n - 3)
NEARLY_ONE = 1 - 1e-12  # a larger coefficient is 1, but for rounding


class Correlation(NamedTuple):
    """A coefficient and the ends of its interval; NaN where undefined."""

    value: float
    low: float
    high: float


@check_arguments
def pearson(x: Numbers, y: Numbers, confidence: InnerShare = 0.95) -> Correlation:
    """Compute the linear correlation, with Fisher's interval.

    Args:
        x, y: finite numbers (n,).
        confidence: share of such intervals that contain the true coefficient, within 0..1.

    Returns:
        All NaN for fewer than two points or a constant series. The interval is NaN
        for fewer than four points, and at ±1, where its width would be 0.
    """
    return _correlate(np.asarray(x, dtype=float), np.asarray(y, dtype=float), confidence)


@check_arguments
def spearman(x: Numbers, y: Numbers, confidence: InnerShare = 0.95) -> Correlation:
    """Compute the rank correlation; equal values share the mean of their ranks.

    Its interval is Fisher's with the variance (1 + ρ²/2) / (n - 3) [Bonett & Wright 2000].
    Otherwise see `pearson`.
    """
    from scipy.stats import rankdata

    return _correlate(rankdata(x), rankdata(y), confidence, are_ranks=True)


def _correlate(
    x: np.ndarray, y: np.ndarray, confidence: float, are_ranks: bool = False
) -> Correlation:
    """Return the linear correlation of values or ranks, with its interval.

    The interval is Fisher's: the coefficient's inverse hyperbolic tangent is nearly normal, with
    the variance 1 / (n - 3); for ranks this is multiplied by 1 + coefficient² / 2.
    """
    from scipy.stats import norm

    if len(x) < 2 or np.ptp(x) == 0 or np.ptp(y) == 0:
        return Correlation(np.nan, np.nan, np.nan)
    coefficient = float(np.corrcoef(x, y)[0, 1])
    if len(x) < LEAST_POINTS or abs(coefficient) >= NEARLY_ONE:
        return Correlation(coefficient, np.nan, np.nan)

    factor = 1 + coefficient**2 / 2 if are_ranks else 1.0
    standard_error = np.sqrt(factor / (len(x) - 3))
    half_width = norm.ppf((1 + confidence) / 2) * standard_error
    low, high = np.tanh(np.arctanh(coefficient) + np.array([-half_width, half_width]))
    return Correlation(coefficient, float(low), float(high))

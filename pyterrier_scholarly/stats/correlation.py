"""Correlation of two series, with confidence intervals."""

from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

LEAST = 4  # points for an interval: its width goes with 1 / sqrt(n - 3)


class Correlation(NamedTuple):
    """A coefficient and the ends of its interval; NaN where undefined."""

    value: float
    low: float
    high: float


def pearson(x: ArrayLike, y: ArrayLike, confidence: float = 0.95) -> Correlation:
    """Compute the linear correlation, with Fisher's interval.

    Args:
        x, y: finite numbers (n,).
        confidence: share of such intervals that contain the true coefficient, within 0..1.

    Returns:
        `Correlation`: all NaN for fewer than two points or a constant series. The interval is NaN
        for fewer than four points, and at ±1, where its width would be 0.
    """
    x, y = (np.asarray(values, dtype=float) for values in (x, y))
    if len(x) < 2 or np.ptp(x) == 0 or np.ptp(y) == 0:
        return Correlation(np.nan, np.nan, np.nan)
    value = float(np.clip(np.corrcoef(x, y)[0, 1], -1, 1))
    return _with_interval(value, len(x), 1.0, confidence)


def spearman(x: ArrayLike, y: ArrayLike, confidence: float = 0.95) -> Correlation:
    """Compute the rank correlation; equal values share the mean of their ranks.

    Its interval is Fisher's with the variance (1 + ρ²/2) / (n - 3) [Bonett & Wright 2000].
    Otherwise see `pearson`.
    """
    from scipy.stats import rankdata

    ranks = rankdata(x)
    value = pearson(ranks, rankdata(y)).value
    return _with_interval(value, len(ranks), 1 + value**2 / 2, confidence)


def _with_interval(value: float, count: int, variance: float, confidence: float) -> Correlation:
    """Add the interval; the coefficient's inverse hyperbolic tangent has variance / (n - 3)."""
    from scipy.stats import norm

    if count < LEAST or not abs(value) < 1 - 1e-12:
        return Correlation(value, np.nan, np.nan)
    width = norm.ppf((1 + confidence) / 2) * np.sqrt(variance / (count - 3))
    low, high = np.tanh(np.arctanh(value) + np.array([-width, width])).tolist()
    return Correlation(value, low, high)

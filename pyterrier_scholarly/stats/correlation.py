"""Correlation of two series, with confidence intervals."""

from typing import NamedTuple

import numpy as np

LEAST = 4  # the intervals' width goes with 1 / sqrt(n - 3)


class Correlation(NamedTuple):
    """A coefficient and the ends of its interval, NaN where there is none."""

    value: float
    low: float
    high: float


def pearson(x, y, confidence=0.95):
    """Linear correlation, with Fisher's interval.

    Args:
        x, y: float arrays (n,) of finite numbers.
        confidence: share of such intervals that hold the true coefficient, within 0..1.

    Returns:
        `Correlation`: the value NaN for fewer than two points or where a series is constant; no
        interval for fewer than four points, nor at ±1, where it would have no width.
    """
    x, y = (np.asarray(values, dtype=float) for values in (x, y))
    if len(x) < 2 or np.ptp(x) == 0 or np.ptp(y) == 0:
        return Correlation(np.nan, np.nan, np.nan)
    value = float(np.clip(np.corrcoef(x, y)[0, 1], -1, 1))
    return Correlation(value, *_interval(value, len(x), 1.0, confidence))


def spearman(x, y, confidence=0.95):
    """Rank correlation, equal values having the mean of their ranks.

    Its interval is Fisher's with the variance (1 + ρ²/2) / (n - 3) [Bonett & Wright 2000]; the rest
    as for `pearson`.
    """
    from scipy.stats import rankdata

    value = pearson(rankdata(x), rankdata(y)).value
    return Correlation(value, *_interval(value, len(x), 1 + value**2 / 2, confidence))


def _interval(value, count, variance, confidence):
    """Interval of a coefficient whose inverse hyperbolic tangent varies by variance / (n - 3)."""
    from scipy.stats import norm

    if count < LEAST or not abs(value) < 1 - 1e-12:
        return np.nan, np.nan
    width = norm.ppf((1 + confidence) / 2) * np.sqrt(variance / (count - 3))
    ends = np.tanh(np.arctanh(value) + np.array([-width, width]))
    return tuple(ends.tolist())

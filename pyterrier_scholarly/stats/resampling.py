"""Bootstrap of means over queries.

Conventions: a row per system and measure, a column per query; NaN where a query does not count.
"""

from typing import NamedTuple

import numpy as np


class Resampled(NamedTuple):
    """Statistics of the means over queries: float arrays, one number per row of values."""

    mean: np.ndarray  #: over the queries themselves
    std: np.ndarray  #: of the means of the resamples
    low: np.ndarray  #: lower end of the percentile interval of those means
    high: np.ndarray  #: upper end


def resample_means(values, resamples=1000, seed=0, confidence=0.95, draw="counted"):
    """Resample queries with replacement, and describe how the means vary.

    Rows that count the same queries are resampled alike, so that two systems see the same queries
    in each resample, whatever rows stand beside them.

    Args:
        values: array (rows, queries).
        resamples: their number.
        seed: of numpy's default generator; equal seeds give equal figures.
        confidence: share of the resamples' means that lie between `low` and `high`, in 0..1.
        draw: ``"counted"``: as many as a row's queries that are not NaN, from these alone;
            ``"all"``: as many as all queries, from all. A resample's mean is then over those drawn
            that count, whose number varies, so `std` is a little larger. A resample without any
            is left out.

    Returns:
        `Resampled`; NaN for a row without a query that counts.
    """
    values = np.asarray(values, dtype=float)
    found = np.full((4, len(values)), np.nan)
    patterns, group = np.unique(~np.isnan(values), axis=0, return_inverse=True)
    for number, counts in enumerate(patterns):
        if counts.any():
            rows = np.flatnonzero(group.ravel() == number)
            if draw == "counted":
                drawn = _drawn(counts.sum(), resamples, seed)
            else:
                drawn = _drawn(len(counts), resamples, seed)[:, counts]
            found[:, rows] = _describe(values[rows][:, counts], drawn, confidence)
    return Resampled(*found)


def _drawn(size, resamples, seed):
    """How often each of `size` queries is among as many that are drawn: (resamples, size)."""
    return np.random.default_rng(seed).multinomial(size, np.full(size, 1 / size), resamples)


def _describe(values, drawn, confidence):
    """Mean, std, low and high of each row of values without NaN: (4, rows)."""
    drawn = drawn[drawn.any(axis=1)]
    means = values @ drawn.T / drawn.sum(axis=1)
    outside = (1 - confidence) / 2
    ends = np.quantile(means, [outside, 1 - outside], axis=1)
    return np.stack([values.mean(axis=1), means.std(axis=1), *ends])

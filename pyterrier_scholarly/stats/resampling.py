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


def resample_means(values, resamples=1000, seed=0, confidence=0.95):
    """Resample queries with replacement, and describe how the means vary.

    Rows that count the same queries are resampled alike, so that two systems see the same queries
    in each resample, whatever rows stand beside them.

    Args:
        values: array (rows, queries). A row is resampled from its queries that are not NaN.
        resamples: their number.
        seed: of numpy's default generator; equal seeds give equal figures.
        confidence: share of the resamples' means that lie between `low` and `high`, in 0..1.

    Returns:
        `Resampled`; NaN for a row without a query that counts.
    """
    values = np.asarray(values, dtype=float)
    found = np.full((4, len(values)), np.nan)
    patterns, group = np.unique(~np.isnan(values), axis=0, return_inverse=True)
    for number, counts in enumerate(patterns):
        if counts.any():
            rows = np.flatnonzero(group.ravel() == number)
            found[:, rows] = _describe(values[rows][:, counts], resamples, seed, confidence)
    return Resampled(*found)


def _describe(values, resamples, seed, confidence):
    """Mean, std, low and high of each row of values without NaN: (4, rows)."""
    size = values.shape[1]
    drawn = np.random.default_rng(seed).multinomial(size, np.full(size, 1 / size), resamples)
    means = values @ drawn.T / size
    outside = (1 - confidence) / 2
    ends = np.quantile(means, [outside, 1 - outside], axis=1)
    return np.stack([values.mean(axis=1), means.std(axis=1), *ends])

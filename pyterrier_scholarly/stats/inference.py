"""Paired tests, and the bootstrap of means over queries.

Conventions: a query that its collection leaves out of the mean has the value NaN.
"""

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike


class PairedResult(NamedTuple):
    """Result of a paired test, in the order of scipy's results."""

    statistic: float
    pvalue: float


class Resampled(NamedTuple):
    """Statistics of the means over queries: float arrays, one number per row of values."""

    mean: np.ndarray  #: over the queries themselves
    std: np.ndarray  #: of the resampled means
    low: np.ndarray  #: lower end of the percentile interval of the resampled means
    high: np.ndarray  #: upper end


def paired_t(system: ArrayLike, baseline: ArrayLike) -> PairedResult:
    """Run a two-sided paired t-test, for ``pt.Experiment(..., baseline=0, test=paired_t)``.

    Pairs with a NaN are skipped, as in `DorisAP` on DORIS-MAE; the built-in ``test="t"`` returns
    NaN for them. Without NaN the p-values are equal.

    Args:
        system, baseline: values per query, in the same order; NaN for a query that is left out.

    Returns:
        Statistic and p-value: NaN for fewer than two pairs; 0 and 1 if all pairs are equal.

    Raises:
        ValueError: the numbers of values differ.
    """
    from scipy.stats import ttest_rel

    return _paired(ttest_rel, system, baseline)


def paired_wilcoxon(system: ArrayLike, baseline: ArrayLike) -> PairedResult:
    """Run a two-sided Wilcoxon signed-rank test for `pt.Experiment`; see `paired_t`."""
    from scipy.stats import wilcoxon

    return _paired(wilcoxon, system, baseline)


def _paired(test: Callable[..., Any], system: ArrayLike, baseline: ArrayLike) -> PairedResult:
    pairs = [np.asarray(values, dtype=float) for values in (system, baseline)]
    if pairs[0].shape != pairs[1].shape or pairs[0].ndim != 1:
        raise ValueError(
            f"paired test of {pairs[0].shape} values against {pairs[1].shape}: pass one value per "
            "query for each system, in the same order"
        )
    complete = np.stack(pairs)[:, ~np.isnan(pairs).any(axis=0)]
    if complete.shape[1] < 2:
        return PairedResult(np.nan, np.nan)
    if (complete[0] == complete[1]).all():
        return PairedResult(0.0, 1.0)
    statistic, pvalue = test(*complete)
    return PairedResult(float(statistic), float(pvalue))


def resample_means(
    values: ArrayLike,
    resamples: int = 1000,
    seed: int = 0,
    confidence: float = 0.95,
    draw: str = "counted",
) -> Resampled:
    """Resample queries with replacement, and describe how the means vary.

    Rows with NaN for the same queries share their resamples, whatever the other rows are.

    Args:
        values: array (rows, queries): a row per system and measure.
        resamples: their number.
        seed: of numpy's default generator; equal seeds give equal figures.
        confidence: share of the resampled means between `low` and `high`, in 0..1.
        draw: ``"counted"`` draws from a row's queries without NaN, as many as these. ``"all"``
            draws from all queries, as many as these. Then a resample's mean is over the drawn
            queries without NaN; their number varies, so `std` is a little larger. A resample
            without such a query is skipped.

    Returns:
        `Resampled`; NaN for a row of NaN.
    """
    values = np.asarray(values, dtype=float)
    statistics = np.full((4, len(values)), np.nan)
    patterns, pattern_of = np.unique(~np.isnan(values), axis=0, return_inverse=True)
    for number, counts in enumerate(patterns):
        if counts.any():
            rows = np.flatnonzero(pattern_of.ravel() == number)
            if draw == "counted":
                drawn = _draw(counts.sum(), resamples, seed)
            else:
                drawn = _draw(len(counts), resamples, seed)[:, counts]
            statistics[:, rows] = _describe(values[rows][:, counts], drawn, confidence)
    return Resampled(*statistics)


def _draw(size: int, resamples: int, seed: int) -> np.ndarray:
    """Count how often each of `size` queries is drawn in `size` draws: (resamples, size)."""
    return np.random.default_rng(seed).multinomial(size, np.full(size, 1 / size), resamples)


def _describe(values: np.ndarray, drawn: np.ndarray, confidence: float) -> np.ndarray:
    """Compute mean, std, low and high of each row of values without NaN: (4, rows)."""
    drawn = drawn[drawn.any(axis=1)]
    means = values @ drawn.T / drawn.sum(axis=1)
    outside = (1 - confidence) / 2
    ends = np.quantile(means, [outside, 1 - outside], axis=1)
    return np.stack([values.mean(axis=1), means.std(axis=1), *ends])

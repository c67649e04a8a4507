"""What a sample of queries or systems says: paired tests, the bootstrap, correlations."""

from typing import Literal, NamedTuple, TypeAlias

import numpy as np

from ..arguments import InnerShare, Numbers, Repeats, Seed, check_arguments

Draw: TypeAlias = Literal["counted", "all"]
LEAST = 4  # points for an interval of a correlation: its width goes with 1 / sqrt(n - 3)


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


@check_arguments
def paired_t(system: Numbers, baseline: Numbers) -> PairedResult:
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
    return _paired("ttest_rel", system, baseline)


@check_arguments
def paired_wilcoxon(system: Numbers, baseline: Numbers) -> PairedResult:
    """Run a two-sided Wilcoxon signed-rank test for `pt.Experiment`; see `paired_t`."""
    return _paired("wilcoxon", system, baseline)


def _paired(test: str, system: Numbers, baseline: Numbers) -> PairedResult:
    from scipy import stats

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
    statistic, pvalue = getattr(stats, test)(*complete)
    return PairedResult(float(statistic), float(pvalue))


@check_arguments
def resample_means(
    values: Numbers,
    resamples: Repeats = 1000,
    seed: Seed = 0,
    confidence: InnerShare = 0.95,
    draw: Draw = "counted",
) -> Resampled:
    """Resample queries with replacement, and describe how the means vary.

    Rows with NaN for the same queries share their resamples, whatever the other rows are.

    Args:
        values: array (rows, queries): a row per system and measure.
        seed: of numpy's default generator; equal seeds give equal figures.
        confidence: share of the resampled means between `low` and `high`, in 0..1.
        draw: ``"counted"`` draws from a row's queries without NaN, as many as these. ``"all"``
            draws from all queries, as many as these. Then a resample's mean is over the drawn
            queries without NaN; their number varies, so `std` is a little larger. A resample
            without such a query is skipped.

    Returns:
        `Resampled`; NaN for a row of NaN.

    Raises:
        ValueError: a number out of range, or values of another shape.
    """
    values = np.asarray(values, dtype=float)
    if values.ndim != 2:
        raise ValueError(f"values has shape {values.shape}: expected (rows, queries).")
    statistics = np.full((4, len(values)), np.nan)
    patterns, pattern_of = np.unique(~np.isnan(values), axis=0, return_inverse=True)
    for number, counts in enumerate(patterns):
        if counts.any():
            rows = np.flatnonzero(pattern_of.ravel() == number)
            size = counts.sum() if draw == "counted" else len(counts)
            random = np.random.default_rng(seed)
            drawn = random.multinomial(size, np.full(size, 1 / size), resamples)  # how often each
            drawn = drawn if draw == "counted" else drawn[:, counts]
            statistics[:, rows] = _describe(values[rows][:, counts], drawn, confidence)
    return Resampled(*statistics)


def _describe(values: np.ndarray, drawn: np.ndarray, confidence: InnerShare) -> np.ndarray:
    """Compute mean, std, low and high of each row of values without NaN: (4, rows)."""
    drawn = drawn[drawn.any(axis=1)]
    means = values @ drawn.T / drawn.sum(axis=1)
    outside = (1 - confidence) / 2
    ends = np.quantile(means, [outside, 1 - outside], axis=1)
    return np.stack([values.mean(axis=1), means.std(axis=1), *ends])


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
    x, y = (np.asarray(values, dtype=float) for values in (x, y))
    if len(x) < 2 or np.ptp(x) == 0 or np.ptp(y) == 0:
        return Correlation(np.nan, np.nan, np.nan)
    return _with_interval(float(np.corrcoef(x, y)[0, 1]), len(x), 1.0, confidence)


@check_arguments
def spearman(x: Numbers, y: Numbers, confidence: InnerShare = 0.95) -> Correlation:
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
    return Correlation(value, *np.tanh(np.arctanh(value) + np.array([-width, width])).tolist())

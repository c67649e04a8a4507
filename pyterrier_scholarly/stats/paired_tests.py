"""Paired tests of two systems over the same queries, for `pt.Experiment`, and what they can show.

>>> paired_t([0.5, 0.6, 0.4], [0.5, 0.6, 0.4])
PairedResult(statistic=0.0, pvalue=1.0)
"""

from collections.abc import Callable, Sequence
from functools import cache
from typing import Any, NamedTuple

import numpy as np
import pandas as pd

from ..arguments import InnerShare, Numbers, check_arguments
from ..choices import some

FEWEST_DIFFERENCES = 3  # of which a variance says something
LARGEST_ROUNDING = 1e-12  # of the largest difference: less is no variance
EQUAL_WITHIN = 1e-12  # values that differ by no more are equal


class PairedResult(NamedTuple):
    """Result of a paired test, in the order of scipy's results."""

    statistic: float
    pvalue: float


@check_arguments
def paired_t(system: Numbers, baseline: Numbers) -> PairedResult:
    """Run a two-sided paired t-test, for ``pt.Experiment(..., baseline=0, test=paired_t)``.

    Pairs with a NaN are skipped, as in `DorisAP` on DORIS-MAE; the built-in ``test="t"`` returns
    NaN for them. Without NaN the p-values are equal.

    Args:
        system, baseline: values per query, in the same order; NaN for a query that is left out.

    Returns:
        Statistic and p-value: 0 and 1 if all pairs are equal; NaN for fewer than two pairs, and if
        all differences are one number, because there is no variance to compare it with. What
        shows such results to people says so, by `explain_missing_tests`.

    Raises:
        ValueError: the numbers of values differ.
    """
    from scipy.stats import ttest_1samp

    def test_mean(differences: np.ndarray) -> tuple[float, float]:
        rounding = LARGEST_ROUNDING * np.abs(differences).max()
        has_variance = np.ptp(differences) > rounding
        return ttest_1samp(differences, 0) if has_variance else (np.nan, np.nan)

    return _test_differences(test_mean, system, baseline)


@check_arguments
def paired_wilcoxon(system: Numbers, baseline: Numbers) -> PairedResult:
    """Run a two-sided Wilcoxon signed-rank test for `pt.Experiment`; see `paired_t`."""
    from scipy.stats import wilcoxon

    return _test_differences(wilcoxon, system, baseline)


@check_arguments
def smallest_difference(
    differences: Numbers, power: InnerShare = 0.8, significance: InnerShare = 0.05
) -> float:
    """Return the smallest mean difference that so many queries can be expected to show.

    A two-sided paired t-test over as many queries, whose differences vary as these do, finds a true
    difference of this size with probability `power`. A smaller one is likely to be missed, so a
    missing dagger then says little. ::

        smallest_difference(our_values - baseline_values)

    Args:
        differences: of two systems, a value for each query (queries,); NaN for a query left out.
        power: probability of finding the difference.
        significance: p-value below which it counts as found.

    Returns:
        In the unit of the differences; NaN for fewer than three, or if all are equal.
    """
    present_differences = np.asarray(differences, dtype=float)
    present_differences = present_differences[~np.isnan(present_differences)]
    count = len(present_differences)
    if count < FEWEST_DIFFERENCES or np.ptp(present_differences) == 0:
        return float("nan")

    effect = _find_effect(count, power, significance)
    deviation = present_differences.std(ddof=1)
    return float(effect * deviation)


@cache  # a table tests many systems over the same queries
def _find_effect(count: int, power: float, significance: float) -> float:
    """Return the mean difference, in standard deviations, that a t-test of `count` pairs finds.

    The test's statistic has a noncentral t distribution. (statsmodels' `solve_power` fails for some
    counts: for 73 it returns a negative effect.)
    """
    from scipy.optimize import brentq
    from scipy.stats import nct, t

    freedom = count - 1
    critical = t.ppf(1 - significance / 2, freedom)

    def find_missing_power(noncentrality: float) -> float:
        above = nct.sf(critical, freedom, noncentrality)
        # far below 0 scipy has NaN in the place of a probability of about 0
        below = np.nan_to_num(nct.cdf(-critical, freedom, noncentrality))
        return above + below - power

    # the power grows with the noncentrality, from `significance` on
    if power <= significance:
        return 0.0
    large_noncentrality = 1.0
    while find_missing_power(large_noncentrality) < 0:
        large_noncentrality *= 2
    return brentq(find_missing_power, 0, large_noncentrality) / count**0.5


def compare_pairs(system: Numbers, baseline: Numbers) -> dict[str, Any]:
    """Describe how a system differs from a baseline over the same queries.

    system, baseline: see `paired_t`.

    Returns:
        Dict with the mean `difference`, `p` of the paired t-test, the numbers of queries `better`,
        `equal` and `worse`, and `detectable`, see `smallest_difference`.
    """
    with np.errstate(invalid="ignore"):  # infinity minus infinity is NaN
        differences = np.asarray(system, dtype=float) - np.asarray(baseline, dtype=float)
    differences = differences[~np.isnan(differences)]
    is_equal = np.abs(differences) <= EQUAL_WITHIN
    return {
        "difference": float(differences.mean()) if len(differences) else np.nan,
        "p": paired_t(system, baseline).pvalue,
        "better": int((differences[~is_equal] > 0).sum()),
        "equal": int(is_equal.sum()),
        "worse": int((differences[~is_equal] < 0).sum()),
        "detectable": smallest_difference(differences),
    }


def explain_missing_tests(tests: pd.DataFrame, names: Sequence[str]) -> str:
    """Say why systems that differ from a baseline have no p-value; "" if all have one.

    Args:
        tests: frame with a row per test: `p`, `difference` (the mean), and the numbers of queries
            `better`, `equal` and `worse`.
        names: columns that name a test, such as ``["name", "subset"]``.
    """
    differs = tests["better"] + tests["worse"] > 0
    reasons = []
    for _, test in tests[tests["p"].isna() & differs].iterrows():
        query_count = int(test[["better", "equal", "worse"]].sum())
        reason = f"all {query_count} differences are {test['difference']:.4g}"
        if query_count == 1:
            reason = "one query"
        reasons.append(f"{' '.join(map(str, test[names]))} ({reason})")
    if not reasons:
        return ""
    return (
        f"No p-value for {some(reasons)}: without a variance of the differences there is nothing "
        "to test a mean by."
    )


def _test_differences(
    test: Callable[[np.ndarray], tuple[float, float]], system: Numbers, baseline: Numbers
) -> PairedResult:
    """Run a test on the differences of the pairs without NaN, as scipy's tests take them."""
    system_values = np.asarray(system, dtype=float)
    baseline_values = np.asarray(baseline, dtype=float)
    if system_values.shape != baseline_values.shape or system_values.ndim != 1:
        raise ValueError(
            f"paired test of {system_values.shape} values against {baseline_values.shape}: pass "
            "one value per query for each system, in the same order"
        )

    differences = system_values - baseline_values
    differences = differences[~np.isnan(differences)]
    if len(differences) < 2:
        return PairedResult(np.nan, np.nan)
    if not differences.any():  # all pairs are equal, and a statistic would be 0 / 0
        return PairedResult(0.0, 1.0)
    statistic, pvalue = test(differences)
    return PairedResult(float(statistic), float(pvalue))

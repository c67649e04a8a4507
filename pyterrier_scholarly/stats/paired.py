"""Paired tests over the queries that count.

Conventions: a query that its collection leaves out of the mean is NaN, and a pair with a NaN takes
no part. `pt.Experiment`'s built-in tests take it in, and print NaN for all queries then.
"""

from typing import NamedTuple

import numpy as np


class Tested(NamedTuple):
    """What a test found; by position, as scipy's results and as `pt.Experiment` reads them."""

    statistic: float
    pvalue: float


def paired_t(system, baseline):
    """Two-sided paired t-test, as ``pt.Experiment(..., baseline=0, test=paired_t)`` takes it.

    Where a collection leaves queries out of the mean (`DorisAP` and its like on DORIS-MAE), the
    built-in ``test="t"`` prints NaN; this one compares the queries that count. Without NaN it gives
    the same p-value.

    Args:
        system, baseline: values per query, in the same order; NaN for a query that does not count.

    Returns:
        A pair, statistic and p-value. Both are NaN with fewer than two pairs, from which there is
        nothing to conclude; where no pair differs, 0 and 1.

    Raises:
        ValueError: the two have different numbers of values.
    """
    from scipy.stats import ttest_rel

    return _tested(ttest_rel, system, baseline)


def paired_wilcoxon(system, baseline):
    """Two-sided Wilcoxon signed-rank test, for `pt.Experiment`; the rest as for `paired_t`."""
    from scipy.stats import wilcoxon

    return _tested(wilcoxon, system, baseline)


def _tested(test, system, baseline):
    system, baseline = (np.asarray(values, dtype=float) for values in (system, baseline))
    if system.shape != baseline.shape or system.ndim != 1:
        raise ValueError(
            f"a paired test of {system.shape} values against {baseline.shape}: expected one value "
            "of each per query, in the same order"
        )
    counts = ~(np.isnan(system) | np.isnan(baseline))
    system, baseline = system[counts], baseline[counts]
    if len(system) < 2:
        return Tested(np.nan, np.nan)
    if (system == baseline).all():
        return Tested(0.0, 1.0)
    found = test(system, baseline)
    return Tested(float(found[0]), float(found[1]))

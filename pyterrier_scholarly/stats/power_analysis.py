"""What a number of queries can show: the smallest difference that a paired t-test would find.

>>> differences = [0.1, -0.2, 0.3, 0.0, 0.2, -0.1]
>>> smallest = smallest_difference(differences)
>>> more_queries = smallest_difference(differences * 10)
>>> bool(more_queries < smallest / 3)
True
"""

import numpy as np

from ..arguments import InnerShare, Numbers, check_arguments

FEWEST_DIFFERENCES = 3  # of which a variance says something


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

    from statsmodels.stats.power import TTestPower

    # in standard deviations of the differences
    effect = TTestPower().solve_power(nobs=count, alpha=significance, power=power)
    deviation = present_differences.std(ddof=1)
    return float(effect * deviation)

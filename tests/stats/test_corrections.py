"""p-values that are corrected, and what so many queries can show."""

import numpy as np
import pandas as pd
import pytest
from scipy import stats

from pyterrier_scholarly.stats import correct_pvalues, paired_t, smallest_difference


def test_holm_and_benjamini_hochberg():
    """Holm: p times (4, 3, 2, 1); Benjamini-Hochberg: p times (4/1, 4/2, 4/3, 4/4), monotone."""
    pvalues = [0.04, 0.01, 0.03, 0.02]
    holm = [0.06, 0.04, 0.06, 0.06]  # 4 * .01, 3 * .02, then max(.06, 2 * .03), max(.06, .04)
    assert correct_pvalues(pvalues, "holm").tolist() == pytest.approx(holm)
    assert correct_pvalues(pvalues, "benjamini-hochberg").tolist() == pytest.approx([0.04] * 4)


def test_what_was_not_tested_does_not_count():
    """NaN stays, and the others are corrected for their own number."""
    corrected = correct_pvalues([float("nan"), 0.01, 0.02], "holm")
    assert np.isnan(corrected[0])
    assert corrected[1:].tolist() == pytest.approx([0.02, 0.02])
    assert correct_pvalues([]).tolist() == []
    with pytest.raises(ValueError, match="expected one of 'holm', 'benjamini-hochberg'"):
        correct_pvalues([0.1], "bonferroni")


def test_a_difference_of_that_size_is_found_four_times_in_five():
    """Samples of normal differences with this mean give p < 0.05 in about 80 % of cases."""
    random = np.random.default_rng(0)
    differences = random.normal(0, 0.2, 30)
    differences *= 0.2 / differences.std(ddof=1)
    smallest = smallest_difference(differences)
    samples = random.normal(smallest, 0.2, (2000, 30))
    found = [paired_t(sample, np.zeros(30)).pvalue < 0.05 for sample in samples]
    assert np.mean(found) == pytest.approx(0.8, abs=0.03)


def test_no_comparison_has_nothing_to_correct():
    """No p-values, also the column of a frame without rows, give no p-values."""
    assert correct_pvalues([]).shape == (0,)
    assert correct_pvalues(pd.DataFrame([], columns=["p"])["p"]).shape == (0,)


def test_what_has_no_smallest_difference():
    """Fewer than three differences, or equal ones, have no variance to go by; NaN is skipped."""
    assert np.isnan(smallest_difference([0.1, 0.3]))
    assert np.isnan(smallest_difference([0.1] * 9))
    assert smallest_difference([0.1, 0.3, 0.2, float("nan")]) == smallest_difference(
        [0.1, 0.3, 0.2]
    )
    assert smallest_difference([0.1, 0.3, 0.2], power=0.5) < smallest_difference([0.1, 0.3, 0.2])


@pytest.mark.parametrize("count", [3, 50, 73, 87, 597, 3000])
def test_the_smallest_difference_is_found_with_its_power(count):
    """By the noncentral t distribution; statsmodels' own search fails for 73 and 87."""
    differences = np.linspace(-1, 1, count)
    effect = smallest_difference(differences) / differences.std(ddof=1)
    noncentrality = effect * count**0.5
    critical = stats.t.ppf(0.975, count - 1)
    above = stats.nct.sf(critical, count - 1, noncentrality)
    below = stats.nct.cdf(-critical, count - 1, noncentrality)
    assert above + below == pytest.approx(0.8, abs=1e-6)

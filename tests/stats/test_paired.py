"""Test the paired tests, which skip queries without a value."""

from math import isnan, nan, sqrt

import numpy as np
import pandas as pd
import pytest
from scipy.stats import t as student
from scipy.stats import ttest_rel, wilcoxon

from pyterrier_scholarly.stats import paired_t, paired_wilcoxon, smallest_difference
from pyterrier_scholarly.stats.paired_tests import compare_pairs, explain_missing_tests

TESTS = [(paired_t, ttest_rel), (paired_wilcoxon, wilcoxon)]


def test_the_t_statistic_is_mean_over_standard_error():
    """Differences 1, 2, 6: mean 3, variance (4 + 1 + 9) / 2 = 7, so t = 3 / sqrt(7 / 3)."""
    statistic, p = paired_t([2, 4, 9], [1, 2, 3])
    assert statistic == pytest.approx(3 / sqrt(7 / 3))
    assert p == pytest.approx(2 * student.sf(3 / sqrt(7 / 3), df=2))


def test_the_signed_rank_p_value_by_enumeration():
    """Four differences have one sign; of 16 equally likely signings, two are as extreme."""
    assert paired_wilcoxon([2, 4, 6, 8], [1, 2, 3, 4])[1] == pytest.approx(2 / 16)


@pytest.mark.parametrize(("ours", "theirs"), TESTS)
def test_without_nan_it_is_scipys(ours, theirs):
    """The p-values equal those of the built-in tests."""
    first, second = np.random.default_rng(1).random((2, 40))
    assert ours(first, second)[1] == theirs(first, second)[1]


@pytest.mark.parametrize(("ours", "theirs"), TESTS)
def test_a_pair_with_nan_is_skipped(ours, theirs):
    """NaN on either side or both removes the pair; scipy returns NaN."""
    first, second = np.random.default_rng(2).random((2, 30))
    expected = theirs(first[3:], second[3:])[1]
    first[:2], second[1:3] = nan, nan
    assert ours(first, second)[1] == expected
    assert isnan(theirs(first, second)[1])


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize("test", [paired_t, paired_wilcoxon])
def test_undefined_cases_do_not_warn(test):
    """Fewer than two pairs give NaN; equal pairs give p = 1."""
    assert isnan(test([], [])[1])
    assert isnan(test([0.5, nan], [0.1, 0.2])[1])
    assert test([0.5, 0.2, nan], [0.5, 0.2, 0.3]) == (0, 1)


@pytest.mark.filterwarnings("error")
def test_equal_differences_have_no_t_statistic():
    """One difference at all queries has no variance, also where rounding makes one."""
    assert isnan(paired_t([1.0, 1.0], [0.5, 0.5]).pvalue)
    assert isnan(paired_t([0.3, 0.4, 0.7], [0.2, 0.3, 0.6]).pvalue)
    assert paired_t([0.3, 0.4, 0.71], [0.2, 0.3, 0.6]).pvalue < 0.05


def test_a_missing_p_value_has_a_reason():
    """Differences that are one number, and a single query; not where both systems are equal."""
    columns = ["name", "p", "difference", "better", "equal", "worse"]
    rows = [
        ("good", 0.03, 0.1, 3, 1, 1),
        ("same", nan, 0.0, 0, 5, 0),
        ("shifted", nan, -1.0, 0, 0, 5),
        ("single", nan, 0.5, 1, 0, 0),
        ("unknown", nan, nan, nan, nan, nan),
    ]
    tests = pd.DataFrame(rows, columns=columns)
    assert explain_missing_tests(tests[:2], ["name"]) == ""
    said = "No p-value for shifted (all 5 differences are -1), single (one query): "
    assert explain_missing_tests(tests, ["name"]).startswith(said)


@pytest.mark.parametrize("test", [paired_t, paired_wilcoxon])
def test_numbers_of_values_must_be_equal(test):
    """The error names both numbers."""
    with pytest.raises(ValueError, match=r"\(2,\) values against \(3,\)"):
        test([1, 2], [1, 2, 3])


def test_a_comparison_counts_queries_and_skips_nan():
    """Gains of .5, 0 (but for rounding), -.25 and one unknown: one query each, a mean of 1/12."""
    system, baseline = [0.75, 0.1 + 0.2, 0.25, nan], [0.25, 0.3, 0.5, 1.0]
    compared = compare_pairs(system, baseline)
    assert (compared["better"], compared["equal"], compared["worse"]) == (1, 1, 1)
    assert compared["difference"] == pytest.approx((0.5 + 0 - 0.25) / 3)
    assert compared["p"] == paired_t(system, baseline).pvalue
    assert compared["detectable"] == smallest_difference(np.subtract(system, baseline))


def test_nothing_to_compare():
    """Without a query that both have a value for, there is nothing but NaN and 0."""
    compared = compare_pairs([nan], [1.0])
    assert [compared[count] for count in ("better", "equal", "worse")] == [0, 0, 0]
    assert all(isnan(compared[name]) for name in ("difference", "p", "detectable"))

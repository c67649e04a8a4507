"""Paired tests that leave out what a collection leaves out."""

from math import isnan, nan, sqrt

import numpy as np
import pytest
from scipy.stats import t as student
from scipy.stats import ttest_rel, wilcoxon

from pyterrier_scholarly.stats import paired_t, paired_wilcoxon

TESTS = [(paired_t, ttest_rel), (paired_wilcoxon, wilcoxon)]


def test_the_t_statistic_is_mean_over_standard_error():
    """Differences 1, 2, 6: mean 3, variance (4 + 1 + 9) / 2 = 7, so t = 3 / sqrt(7 / 3)."""
    statistic, p = paired_t([2, 4, 9], [1, 2, 3])
    assert statistic == pytest.approx(3 / sqrt(7 / 3))
    assert p == pytest.approx(2 * student.sf(3 / sqrt(7 / 3), df=2))


def test_the_signed_rank_p_value_by_enumeration():
    """Four differences of one sign: of the 16 equally likely signings two are as extreme."""
    assert paired_wilcoxon([2, 4, 6, 8], [1, 2, 3, 4])[1] == pytest.approx(2 / 16)


@pytest.mark.parametrize(("ours", "theirs"), TESTS)
def test_without_nan_it_is_scipys(ours, theirs):
    """The p-values of the built-in tests."""
    first, second = np.random.default_rng(1).random((2, 40))
    assert ours(first, second)[1] == theirs(first, second)[1]


@pytest.mark.parametrize(("ours", "theirs"), TESTS)
def test_a_query_that_does_not_count_takes_no_part(ours, theirs):
    """NaN on either side or both: as if the pair were not there; scipy's would be NaN."""
    first, second = np.random.default_rng(2).random((2, 30))
    expected = theirs(first[3:], second[3:])[1]
    first[:2], second[1:3] = nan, nan
    assert ours(first, second)[1] == expected
    assert isnan(theirs(first, second)[1])


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize("test", [paired_t, paired_wilcoxon])
def test_the_edges_are_told_and_not_warned_of(test):
    """Fewer than two pairs: NaN. No difference at all: 1."""
    assert isnan(test([], [])[1])
    assert isnan(test([0.5, nan], [0.1, 0.2])[1])
    assert test([0.5, 0.2, nan], [0.5, 0.2, 0.3]) == (0, 1)


@pytest.mark.parametrize("test", [paired_t, paired_wilcoxon])
def test_values_must_pair(test):
    """Different numbers of queries cannot be compared."""
    with pytest.raises(ValueError, match=r"\(2,\) values against \(3,\)"):
        test([1, 2], [1, 2, 3])

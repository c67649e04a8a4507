"""Bootstrap of means over queries, against exact distributions and a plain loop."""

from math import comb, isnan, nan, sqrt

import numpy as np
import pytest

from pyterrier_scholarly.stats import resample_means


def test_the_standard_error_of_a_mean():
    """The means of resamples of n values vary as std / sqrt(n): here to 2 %, of 20,000."""
    values = np.random.default_rng(5).random((1, 50))
    found = resample_means(values, resamples=20_000)
    assert found.mean == pytest.approx(values.mean())
    assert found.std == pytest.approx(values.std() / sqrt(50), rel=0.02)


def test_the_interval_of_two_values():
    """Of 0 and 1 the mean is 0, 1/2 or 1 with chances 1/4, 1/2 and 1/4.

    For the middle 40 % the ends are the quantiles .3 and .7, both 1/2; for the middle 60 % they are
    .2 and .8, which are 0 and 1.
    """
    values = [[0.0, 1.0]]
    narrow = resample_means(values, resamples=5000, confidence=0.4)
    wide = resample_means(values, resamples=5000, confidence=0.6)
    assert (narrow.low, narrow.high) == (0.5, 0.5)
    assert (wide.low, wide.high) == (0.0, 1.0)


def test_a_plain_loop_gives_about_the_same():
    """Drawing queries one by one, with another generator: equal to within its own noise."""
    values = np.random.default_rng(8).random(30)
    other = np.random.default_rng(9)
    means = [other.choice(values, 30).mean() for _ in range(4000)]
    found = resample_means([values], resamples=4000)
    assert found.std == pytest.approx(np.std(means), rel=0.05)
    assert found.low == pytest.approx(np.quantile(means, 0.025), abs=0.01)
    assert found.high == pytest.approx(np.quantile(means, 0.975), abs=0.01)


def test_a_query_that_does_not_count_is_not_drawn():
    """With NaN for some queries, all figures are those of the others alone."""
    values = np.random.default_rng(3).random(20)
    with_gaps = np.insert(values, [0, 7, 20], nan)
    assert np.array_equal(resample_means([values]), resample_means([with_gaps]))


def test_all_queries_are_drawn_as_the_authors_of_doris_mae_do():
    """Given that K of the N drawn count, their mean varies by σ² / K, K being binomial.

    So the variance is σ² E[1 / K]: of 20 queries of which 14 count, 2 % above that of σ² / 14.
    """
    values = np.random.default_rng(3).random(20)
    values[[0, 3, 7, 9, 11, 19]] = nan
    sigma = np.nanstd(values)
    chances = {k: comb(20, k) * 0.7**k * 0.3 ** (20 - k) for k in range(1, 21)}
    expected = sigma * sqrt(sum(chance / k for k, chance in chances.items()))
    found = resample_means([values], resamples=100_000, draw="all")
    assert found.std[0] == pytest.approx(expected, rel=0.005)
    assert expected > 1.01 * sigma / sqrt(14)
    assert found.mean[0] == np.nanmean(values)
    assert found.low[0] < found.mean[0] < found.high[0]


def test_a_resample_of_queries_that_do_not_count_is_left_out():
    """Of one query in three, 8 of 27 resamples have none: the others' mean is its value."""
    found = resample_means([[nan, 0.5, nan]], draw="all")
    assert [figure[0] for figure in found] == [0.5, 0.0, 0.5, 0.5]


def test_where_all_queries_count_both_draw_alike():
    """The same resamples, the same figures."""
    values = np.random.default_rng(3).random((2, 20))
    assert np.array_equal(resample_means(values), resample_means(values, draw="all"))


def test_rows_that_count_the_same_queries_share_the_resamples():
    """One system a constant above another: so it is in each resample, whatever rows are between."""
    values = np.random.default_rng(4).random(25)
    other = values.copy()
    other[:5] = nan
    found = resample_means([values, other, values + 1])
    assert found.low[2] == pytest.approx(found.low[0] + 1)
    assert found.std[2] == pytest.approx(found.std[0])
    assert found.mean[1] == pytest.approx(values[5:].mean())


def test_equal_seeds_give_equal_figures():
    """And another seed gives others."""
    values = np.random.default_rng(6).random((3, 12))
    assert np.array_equal(resample_means(values, seed=1), resample_means(values, seed=1))
    assert not np.array_equal(
        resample_means(values, seed=1).std, resample_means(values, seed=2).std
    )


@pytest.mark.filterwarnings("error")
def test_nothing_that_counts():
    """A row of NaN has NaN throughout; no rows, or no queries, are ordinary."""
    found = resample_means([[nan, nan], [1.0, nan]])
    assert all(isnan(figure[0]) for figure in found)
    assert [figure[1] for figure in found] == [1.0, 0.0, 1.0, 1.0]
    assert all(len(figure) == 0 for figure in resample_means(np.empty((0, 4))))
    assert np.isnan(resample_means(np.empty((2, 0)))).all()

"""Test the bootstrap against exact distributions and a plain loop."""

from math import comb, isnan, nan, sqrt

import numpy as np
import pytest

from pyterrier_scholarly.stats import resample_means


def test_the_standard_error_of_a_mean():
    """The std of resampled means is std / sqrt(n), here within 2 % for 20,000 resamples."""
    values = np.random.default_rng(5).random((1, 50))
    resampled = resample_means(values, resamples=20_000)
    assert resampled.mean == pytest.approx(values.mean())
    assert resampled.std == pytest.approx(values.std() / sqrt(50), rel=0.02)


def test_the_interval_of_two_values():
    """The mean of 0 and 1 is 0, 1/2 or 1 with probability 1/4, 1/2 and 1/4.

    For the middle 40 % the ends are the quantiles .3 and .7, both 1/2; for the middle 60 % they are
    .2 and .8, which are 0 and 1.
    """
    values = [[0.0, 1.0]]
    narrow = resample_means(values, resamples=5000, confidence=0.4)
    wide = resample_means(values, resamples=5000, confidence=0.6)
    assert (narrow.low, narrow.high) == (0.5, 0.5)
    assert (wide.low, wide.high) == (0.0, 1.0)


def test_a_plain_loop_gives_about_the_same():
    """Queries drawn one by one, with another generator, give figures within the noise."""
    values = np.random.default_rng(8).random(30)
    other = np.random.default_rng(9)
    means = [other.choice(values, 30).mean() for _ in range(4000)]
    resampled = resample_means([values], resamples=4000)
    assert resampled.std == pytest.approx(np.std(means), rel=0.05)
    assert resampled.low == pytest.approx(np.quantile(means, 0.025), abs=0.01)
    assert resampled.high == pytest.approx(np.quantile(means, 0.975), abs=0.01)


def test_a_query_with_nan_is_not_drawn():
    """With NaN for some queries, all figures are those of the other queries."""
    values = np.random.default_rng(3).random(20)
    with_gaps = np.insert(values, [0, 7, 20], nan)
    assert np.array_equal(resample_means([values]), resample_means([with_gaps]))


def test_all_queries_are_drawn_as_the_authors_of_doris_mae_do():
    """If K of the N drawn queries have a value, the variance is σ² / K; K is binomial.

    So the variance is σ² E[1 / K]: for 14 values in 20 queries, 2 % above σ² / 14.
    """
    values = np.random.default_rng(3).random(20)
    values[[0, 3, 7, 9, 11, 19]] = nan
    sigma = np.nanstd(values)
    chances = {k: comb(20, k) * 0.7**k * 0.3 ** (20 - k) for k in range(1, 21)}
    expected = sigma * sqrt(sum(chance / k for k, chance in chances.items()))
    resampled = resample_means([values], resamples=100_000, draw="all")
    assert resampled.std[0] == pytest.approx(expected, rel=0.005)
    assert expected > 1.01 * sigma / sqrt(14)
    assert resampled.mean[0] == np.nanmean(values)
    assert resampled.low[0] < resampled.mean[0] < resampled.high[0]


def test_a_resample_without_values_is_skipped():
    """One query of three has a value: 8 of 27 resamples are skipped, the others have its value."""
    resampled = resample_means([[nan, 0.5, nan]], draw="all")
    assert [figure[0] for figure in resampled] == [0.5, 0.0, 0.5, 0.5]


def test_without_nan_both_draws_are_equal():
    """The resamples and the figures are the same."""
    values = np.random.default_rng(3).random((2, 20))
    assert np.array_equal(resample_means(values), resample_means(values, draw="all"))


def test_rows_with_nan_for_the_same_queries_share_resamples():
    """A row that is a constant above another is so in each resample."""
    values = np.random.default_rng(4).random(25)
    other = values.copy()
    other[:5] = nan
    resampled = resample_means([values, other, values + 1])
    assert resampled.low[2] == pytest.approx(resampled.low[0] + 1)
    assert resampled.std[2] == pytest.approx(resampled.std[0])
    assert resampled.mean[1] == pytest.approx(values[5:].mean())


def test_equal_seeds_give_equal_figures():
    """Another seed gives other figures."""
    values = np.random.default_rng(6).random((3, 12))
    assert np.array_equal(resample_means(values, seed=1), resample_means(values, seed=1))
    assert not np.array_equal(
        resample_means(values, seed=1).std, resample_means(values, seed=2).std
    )


@pytest.mark.filterwarnings("error")
def test_rows_of_nan_and_empty_arrays():
    """A row of NaN gives NaN; zero rows and zero queries are valid."""
    resampled = resample_means([[nan, nan], [1.0, nan]])
    assert all(isnan(figure[0]) for figure in resampled)
    assert [figure[1] for figure in resampled] == [1.0, 0.0, 1.0, 1.0]
    assert all(len(figure) == 0 for figure in resample_means(np.empty((0, 4))))
    assert np.isnan(resample_means(np.empty((2, 0)))).all()

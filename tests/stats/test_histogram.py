"""Test histograms with sums, filled chunk by chunk."""

import numpy as np
import pytest

from pyterrier_scholarly.stats import Histogram
from pyterrier_scholarly.stats.histogram import CHUNK


@pytest.fixture
def values():
    """Return more values than one chunk, in 2..3."""
    return 2 + np.random.default_rng(0).random(2 * CHUNK + 5)


def test_counts_are_numpys(values):
    """Random values fall into the bins of `numpy.histogram`."""
    found = Histogram(37, 2, 3).add(values)
    assert found.counts.tolist() == np.histogram(values, 37, (2, 3))[0].tolist()
    assert (found.below, found.above) == (0, 0)


def test_means_and_variances_are_those_of_the_values_in_a_bin(values):
    """By definition; also in a narrow range far from 0, where sums of squares would cancel."""
    for shift in (0, 1e6):
        found = Histogram(10, 2 + shift, 3 + shift).add(values + shift)
        for number in range(10):
            inside = values[(values * 10).astype(int) == 20 + number]
            assert found.means[number] == pytest.approx(
                inside.mean() + shift, abs=1e-9 + shift / 1e14
            )
            assert found.variances[number] == pytest.approx(inside.var(ddof=1), rel=1e-4)


def test_chunks_and_sums_of_histograms_are_one_sample(values):
    """Chunks of values, and the sum of two histograms, equal one histogram of all values."""
    whole = Histogram(20, 2, 3).add(values)
    parts = Histogram(20, 2, 3)
    for chunk in np.array_split(values, 7):
        parts.add(chunk)
    both = Histogram(20, 2, 3).add(values[:100]) + Histogram(20, 2, 3).add(values[100:])
    for other in (parts, both):
        assert other.counts.tolist() == whole.counts.tolist()
        assert other.sums == pytest.approx(whole.sums)
        assert other.squares == pytest.approx(whole.squares)


def test_values_outside_are_counted_separately():
    """Infinite values too; both ends of the range are inside."""
    found = Histogram(4).add([-0.1, 0, 0.5, 1, 1.1, np.inf, -np.inf, 7])
    assert found.counts.tolist() == [1, 0, 1, 1]
    assert (found.below, found.above) == (2, 3)
    assert repr(found) == "<histogram of 3 values, 4 bins in 0..1, 2 below, 3 above>"
    total = found + found
    assert (total.below, total.above) == (4, 6)


@pytest.mark.parametrize(("edge", "counts"), [("upper", [1, 1, 2]), ("lower", [2, 1, 1])])
def test_the_bin_of_a_value_on_an_edge_is_a_choice(edge, counts):
    """0, 1/3, 2/3 and 1 in three bins: both ends are fixed, the two others follow `edge`."""
    found = Histogram(3, edge=edge).add([0, 1 / 3, 2 / 3, 1])
    assert found.counts.tolist() == counts
    assert found.counts @ found.means == pytest.approx(0 + 1 / 3 + 2 / 3 + 1)


def test_rounded_values_fill_bins_evenly():
    """0.00, 0.01, … 0.99 fill one bin of width 0.01 each, although 0.29 * 100 is below 29."""
    assert (Histogram(100).add(np.arange(100) / 100).counts == 1).all()


def test_a_bin_without_values_is_at_its_middle():
    """Two values have a variance; fewer get that of a uniform distribution over the bin."""
    found = Histogram(2).add([0.1, 0.3])
    assert found.means.tolist() == pytest.approx([0.2, 0.75])
    assert found.variances.tolist() == pytest.approx([0.02, 0.5**2 / 12])


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (dict(bins=0), "bins=0: expected a whole number of at least 1"),
        (dict(bins=2.5), "bins=2.5"),
        (dict(low=1, high=1), "low < high"),
        (dict(high=np.inf), "high=inf: expected a number"),
        (dict(edge="left"), "one of 'upper', 'lower'"),
    ],
)
def test_wrong_bins_raise(arguments, message):
    """The error names what was expected."""
    with pytest.raises(ValueError, match=message):
        Histogram(**arguments)


@pytest.mark.parametrize(
    ("values", "message"),
    [
        ([0.5, np.nan], "1 of 2 values are NaN, the first at 1: drop"),
        (["near"], "could not convert string to float"),
        (np.zeros((2, 2)), r"shape \(2, 2\): expected one dimension.*iterator"),
    ],
)
def test_wrong_values_raise(values, message):
    """The error names the remedy, and no value is counted."""
    histogram = Histogram()
    with pytest.raises(ValueError, match=message):
        histogram.add(values)
    assert histogram.counts.sum() == 0


def test_histograms_of_different_bins_are_not_added():
    """The error names both shapes."""
    with pytest.raises(ValueError, match="different bins"):
        Histogram(10) + Histogram(20)
    with pytest.raises(TypeError):
        Histogram(10) + 1

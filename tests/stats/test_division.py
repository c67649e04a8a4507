"""Test positions of bins and their errors."""

import numpy as np
import pytest

from pyterrier_scholarly.stats import Histogram
from pyterrier_scholarly.stats.division import divide


@pytest.fixture
def pair():
    """Similar values 0.1, 0.2, 0.3 and random ones 0.2, 0.4, in the lower of two bins."""
    return Histogram(2).add([0.1, 0.2, 0.3]), Histogram(2).add([0.2, 0.4])


def test_a_bin_lies_at_the_mean_of_two_means(pair):
    """Of 0.2 and 0.3, not at the mean of all five values; an empty bin lies at its middle."""
    assert divide(*pair).x.tolist() == pytest.approx([(0.2 + 0.3) / 2, 0.75])


def test_errors_of_the_position(pair):
    """Variances 0.01 (of three) and 0.02 (of two): a quarter of their sum, over n for the means."""
    variances = {name: divide(*pair, x_error=name).x_variance[0] for name in ("mean", "spread")}
    assert variances["mean"] == pytest.approx((0.01 / 3 + 0.02 / 2) / 4)
    assert variances["spread"] == pytest.approx((0.01 + 0.02) / 4)
    assert divide(*pair, x_error="none").x_variance.tolist() == [0, 0]


def test_half_a_count_makes_every_bin_finite(pair):
    """log(3.5 / 2.5), and log(0.5 / 0.5) for an empty bin."""
    assert divide(*pair).ratio.tolist() == pytest.approx([np.log(3.5 / 2.5), 0])


def test_different_bins_and_unknown_errors_raise(pair):
    """Both raise ValueError."""
    with pytest.raises(ValueError, match="different bins"):
        divide(pair[0], Histogram(3))
    with pytest.raises(ValueError, match="x_error='std': choose one of mean, spread, none"):
        divide(*pair, x_error="std")

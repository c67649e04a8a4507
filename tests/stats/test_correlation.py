"""Test coefficients and their intervals."""

from math import atanh, isnan, sqrt, tanh

import numpy as np
import pytest
from scipy.stats import pearsonr, spearmanr

from pyterrier_scholarly.stats.correlation import pearson, spearman

X, Y = [1.0, 2.0, 2.0, 4.0, 7.0], [2.0, 1.0, 3.0, 5.0, 4.0]


def test_coefficients_are_scipys():
    """Also with ties; Pearson's interval is scipy's, too."""
    assert pearson(X, Y).value == pytest.approx(pearsonr(X, Y)[0])
    assert spearman(X, Y).value == pytest.approx(spearmanr(X, Y)[0])
    interval = pearsonr(X, Y).confidence_interval(0.9)
    assert pearson(X, Y, 0.9)[1:] == pytest.approx(tuple(interval))


def test_the_interval_of_rank_correlation():
    """Artanh ρ ± 1.96 sqrt((1 + ρ²/2) / 2), for five points."""
    rho, low, high = spearman(X, Y)
    width = 1.959963984540054 * sqrt((1 + rho**2 / 2) / 2)
    assert (low, high) == pytest.approx((tanh(atanh(rho) - width), tanh(atanh(rho) + width)))


def test_fewer_than_four_points_have_no_interval():
    """Coefficients of ±1 have none either; a constant series has no coefficient."""
    for function in (pearson, spearman):
        assert np.isfinite(function(X[:3], Y[:3]).value)
        assert np.isnan(function(X[:3], Y[:3])[1:]).all()
        assert np.isfinite(function(X[:4], Y[:4])).all()
        assert np.isnan(function(X[:1], Y[:1])).all()
        assert isnan(function(X, [3.0] * 5).value)
        line = function([1.0, 2, 3, 4, 5], [-2.0, -4, -6, -8, -10])
        assert line.value == pytest.approx(-1) and isnan(line.low) and isnan(line.high)

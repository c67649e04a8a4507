"""Test the line through points with errors in both coordinates."""

import numpy as np
import pytest

from pyterrier_scholarly.stats.straight_lines import straight_line


def points(seed, size=12):
    """Draw points near a line, each with its own errors in both coordinates."""
    random = np.random.default_rng(seed)
    x = np.sort(random.random(size))
    slope, errors = random.normal(0, 15), random.uniform(0.01, 0.3, (2, size))
    errors[0] /= 10
    y = 3 + slope * x + errors[1] * random.normal(size=size)
    return x + errors[0] * random.normal(size=size), y, *errors


def test_an_exact_line_is_found():
    """Points on y = 2 - 7 x give this line, with chi² 0."""
    x = np.linspace(0, 1, 5)
    line = straight_line(x, 2 - 7 * x, np.full(5, 0.01), np.full(5, 0.1))
    assert (line.slope, line.intercept) == pytest.approx((-7, 2))
    assert line.chi2 == pytest.approx(0, abs=1e-20)


def test_without_errors_in_x_it_is_the_weighted_line():
    """Slope, intercept and unscaled standard error are those of weighted least squares."""
    x, y, _, y_error = points(0)
    line = straight_line(x, y, np.zeros(len(x)), y_error**2)
    expected, covariance = np.polyfit(x, y, 1, w=1 / y_error, cov="unscaled")
    assert (line.slope, line.intercept) == pytest.approx(tuple(expected))
    assert line.error == pytest.approx(np.sqrt(covariance[0, 0]))
    assert line.chi2 == pytest.approx((((y - np.polyval(expected, x)) / y_error) ** 2).sum())


@pytest.mark.parametrize("seed", range(40))
def test_it_agrees_with_orthogonal_distance_regression(seed):
    """Slope, intercept and the root of the unscaled covariance are those of odrpack."""
    import odrpack

    x, y, x_error, y_error = points(seed)
    line = straight_line(x, y, x_error**2, y_error**2)
    fitted = odrpack.odr_fit(
        lambda x, beta: beta[0] + beta[1] * x,
        x,
        y,
        beta0=np.array([line.intercept + 0.1, line.slope * 1.1]),
        weight_x=1 / x_error**2,
        weight_y=1 / y_error**2,
        sstol=1e-14,
        partol=1e-14,
    )
    assert (line.intercept, line.slope) == pytest.approx(tuple(fitted.beta), rel=1e-5, abs=1e-5)
    assert line.error == pytest.approx(np.sqrt(fitted.cov_beta[1, 1]), rel=1e-4)
    assert line.chi2 == pytest.approx(fitted.sum_square, rel=1e-5)


def test_exchanged_axes_give_the_inverse_slope():
    """The fit treats both coordinates alike: x on y has 1 / slope."""
    x, y, x_error, y_error = points(3)
    line = straight_line(x, y, x_error**2, y_error**2)
    other = straight_line(y, x, y_error**2, x_error**2)
    assert other.slope == pytest.approx(1 / line.slope)
    assert other.chi2 == pytest.approx(line.chi2)

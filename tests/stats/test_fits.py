"""Test the points of rHSA's line, which bins each fit uses and their weights, and the line."""

import numpy as np
import pytest

from pyterrier_scholarly.stats import Histogram
from pyterrier_scholarly.stats.fits import (
    FITS,
    Division,
    NoLine,
    binomial,
    divide,
    expected,
    logistic,
    observed,
    straight_line,
)


def division(similar, random, x_error=0.0):
    """Make a division with bins of width 1/n at their middles."""
    centre = (np.arange(len(similar)) + 0.5) / len(similar)
    counts = np.array(similar), np.array(random)
    return Division(*counts, centre, centre, np.full(len(similar), x_error**2))


@pytest.mark.parametrize("name", FITS)
def test_counts_on_a_line_give_it(name):
    """C / R = exp(2 - 4 x), with counts so large that half a count does not matter."""
    random = np.full(10, 10**12)
    x = (np.arange(10) + 0.5) / 10
    line = FITS[name](division((random * np.exp(2 - 4 * x)).round(), random)).line
    assert (line.slope, line.intercept) == pytest.approx((-4, 2), abs=1e-9)


def test_the_binomial_fit_is_the_most_likely():
    """Every small step lowers the likelihood; the error comes from the curvature."""
    pairs = division([9, 7, 4, 2, 1, 0], [0, 1, 2, 4, 8, 3])
    line = binomial(pairs).line

    def likelihood(intercept, slope):
        share = logistic(intercept + slope * pairs.centre)
        return pairs.similar @ np.log(share) + pairs.random @ np.log(1 - share)

    best = likelihood(line.intercept, line.slope)
    for step in (0.01, -0.01):
        assert likelihood(line.intercept + step, line.slope) < best
        assert likelihood(line.intercept, line.slope + step) < best
    share = logistic(line.intercept + line.slope * pairs.centre)
    weight = pairs.total * share * (1 - share)
    middle = np.average(pairs.centre, weights=weight)
    assert line.error == pytest.approx((weight @ (pairs.centre - middle) ** 2) ** -0.5)
    assert line.chi2 == pytest.approx(((pairs.similar - pairs.total * share) ** 2 / weight).sum())


def test_exchanged_samples_change_the_sign():
    """Every fit treats similar and random pairs alike."""
    pairs = [50, 30, 20, 9, 6, 3], [4, 9, 16, 30, 41, 60]
    for fit in FITS.values():
        line, turned = fit(division(*pairs)).line, fit(division(*pairs[::-1])).line
        assert turned.slope == pytest.approx(-line.slope)
        assert turned.error == pytest.approx(line.error)


def test_expected_counts_choose_the_bins():
    """A bin is used if the line expects two of each, even if a count is 0; so is its error."""
    fitted = expected(division([400, 200, 100, 40, 25, 0, 6, 0], [5, 9, 20, 41, 80, 20, 400, 0]))
    line, total = fitted.line, np.array([405, 209, 120, 81, 105, 20, 406, 0])
    share = logistic(line.intercept + line.slope * fitted.x)
    similar, random = total * share, total * (1 - share)
    assert fitted.used.tolist() == ((similar >= 2) & (random >= 2)).tolist()
    assert fitted.used.tolist() == [True] * 5 + [False, True, False]
    used = fitted.used
    variance = 1 / similar[used] + 1 / random[used]
    assert fitted.y_variance[used] == pytest.approx(variance, rel=1e-6)


def test_observed_counts_skip_empty_bins():
    """log(C/R) with the paper's error 1/C + 1/R, if both are above 0."""
    fitted = observed(division([8, 4, 0, 2, 1], [1, 2, 3, 4, 0]))
    assert fitted.used.tolist() == [True, True, False, True, False]
    assert fitted.y[fitted.used].tolist() == pytest.approx(np.log([8, 2, 0.5]).tolist())
    assert fitted.y_variance[fitted.used].tolist() == pytest.approx([9 / 8, 3 / 4, 3 / 4])


@pytest.mark.parametrize("name", FITS)
@pytest.mark.parametrize(
    ("similar", "random", "reason"),
    [
        ([0, 0, 0], [1, 2, 3], "no similar pair in the range"),
        ([1, 2, 3], [0, 0, 0], "no random pair in the range"),
        ([0, 9, 0], [0, 9, 0], "all pairs are in one bin"),
        ([9, 9, 0, 0], [0, 0, 9, 9], "do not overlap"),
        ([9, 9, 1, 0], [0, 0, 9, 9], "do not overlap"),
        ([0, 0, 5, 5], [5, 5, 0, 0], "do not overlap"),
        ([9, 5, 0, 0], [5, 9, 0, 0], "2 bins .*: a slope needs 3"),
    ],
)
def test_no_line_has_a_reason(name, similar, random, reason):
    """A sample is empty, a threshold separates the samples, or only two bins have pairs."""
    with pytest.raises(NoLine, match=reason):
        FITS[name](division(similar, random))


def test_few_pairs_leave_too_few_expected_bins():
    """The binomial fit finds a line; the fit by expected counts does not."""
    few = division([3, 1, 1, 0, 0, 1, 0], [0, 1, 0, 1, 2, 3, 4])
    assert binomial(few).line.slope < 0
    with pytest.raises(NoLine, match="bins where the line expects 2 counts in both"):
        expected(few)


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


def test_different_bins_raise(pair):
    """The error says so."""
    with pytest.raises(ValueError, match="different bins"):
        divide(pair[0], Histogram(3))


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

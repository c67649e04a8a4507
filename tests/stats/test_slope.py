"""Test `histogram_slope`, and how reliable its errors are."""

import warnings
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path

import numpy as np
import pytest

from pyterrier_scholarly.protocols import KRSTOVSKI_2016
from pyterrier_scholarly.stats import Histogram, histogram_slope

FILE = Path(__file__).parents[2] / "benchmarks" / "rhsa_coverage.py"


@pytest.fixture(scope="module")
def benchmark():
    """Load the script that measures coverage; a part of it runs here."""
    spec = spec_from_file_location("rhsa_coverage", FILE)
    module = module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.fixture(scope="module")
def samples(benchmark):
    """Ten thousand similar and random distances of slope 8."""
    random = np.random.default_rng(0)
    return tuple(benchmark.draw(random, rate, 10_000) for rate in (4, -4))


@pytest.mark.parametrize(("shape", "size"), [("8u", 1_000), ("17u", 1_000), ("8r", 10_000)])
def test_errors_cover_the_truth(benchmark, shape, size):
    """Two standard errors cover the true slope in 91 to 99 % of trials; chi²/dof is about 1."""
    ways = {fit: dict(fit=fit) for fit in ("binomial", "expected")}
    cells = benchmark.fitted(shape, (50,), size, 200, ways)
    figures = {fit: benchmark.described(cells[50, fit], shape) for fit in ways}
    assert benchmark.promised(figures, shape) == []


def test_observed_counts_make_the_slope_too_flat(benchmark):
    """With a thousand pairs, slope 8 and 50 bins it is too small, and rarely covered."""
    cells = benchmark.fitted("8u", (50,), 1_000, 100, {"": dict(fit="observed")})
    assert benchmark.described(cells[50, ""], "8u")[0] < 0.7
    assert cells[50, ""][:, 0].mean() < 7.7


@pytest.mark.slow
def test_errors_of_the_positions_matter_in_wide_bins(benchmark):
    """5 bins, slope 25: chi²/dof is about 1 with the errors of the means, larger without."""
    ways = {name: dict(x_error=name) for name in ("mean", "none", "spread")}
    cells = benchmark.fitted("25", (5,), 100_000, 250, ways)
    mean, none, spread = (benchmark.described(cells[5, name], "25")[2] for name in ways)
    assert 0.9 <= mean <= 1.15 and none > 1.2 and spread < 0.3


def test_weights_by_counts_matter(benchmark):
    """A hundred thousand pairs, slope 17: an unweighted line has five times the error."""
    assert benchmark.unweighted(60) >= 5


@pytest.mark.slow
def test_the_spread_of_values_is_a_bad_error_of_the_position(benchmark):
    """A million pairs, slope 17: the slope has three times the error."""
    ways = {name: dict(x_error=name) for name in ("mean", "spread")}
    cells = benchmark.fitted("17u", (20,), 1_000_000, 25, ways)
    mean, spread = (benchmark.described(cells[20, name], "17u")[3] for name in ways)
    assert spread >= 3 * mean


def test_the_logarithm_is_natural():
    """Counts that fall by e from bin to bin have the slope 1 per bin."""
    similar, random = Histogram(bins=4, high=4), Histogram(bins=4, high=4)
    for distance in range(4):
        similar.add(np.full(round(1e6 * np.exp(-distance)), distance + 0.5))
        random.add(np.full(1_000_000, distance + 0.5))
    assert histogram_slope(similar, random).value == pytest.approx(1, abs=1e-4)


def test_the_result_holds_line_and_settings(samples):
    """Value, sign, line, bins used and settings; it converts to a number and to text."""
    slope = histogram_slope(*samples, bins=20, fit="binomial")
    assert float(slope) == slope.value == pytest.approx(8, abs=2 * slope.error)
    assert (slope.sign, slope.fit, slope.x_error, slope.reason) == (-1, "binomial", "mean", "")
    assert slope.used.sum() == 20 and slope.dof == 18
    assert slope.reduced_chi2 == slope.chi2 / 18
    assert (slope.similar.bins, slope.similar.low, slope.similar.high) == (20, 0, 1)
    assert str(slope).startswith(f"rHSA {slope.value:.2f} ± {slope.error:.2f} (slope -, 20 of 20")


def test_the_papers_setting_is_its_equations(samples):
    """The paper step by step: counts, variances, and the smallest sum over bins."""
    from scipy.optimize import minimize

    points = []
    for low in np.arange(20) / 20:
        inside = [side[(side >= low) & (side < low + 0.05)] for side in (s[:1000] for s in samples)]
        c, r = map(len, inside)
        if c and r:  # the logarithm of the division C / R, whose variance is C/C² + R/R²
            var_x = sum(np.var(side, ddof=1) if len(side) > 1 else 0.05**2 / 12 for side in inside)
            x = (inside[0].mean() + inside[1].mean()) / 2
            points.append((x, np.log(c / r), var_x / 4, c / c**2 + r / r**2))
    x, y, var_x, var_y = np.array(points).T

    def chi2(line):
        return ((y - line[0] - line[1] * x) ** 2 / (var_y + line[1] ** 2 * var_x)).sum()

    best = minimize(chi2, [0, -8], method="Nelder-Mead", options={"xatol": 1e-9, "fatol": 1e-12})
    slope = histogram_slope(*(side[:1000] for side in samples), bins=20, **KRSTOVSKI_2016.line)
    assert (slope.value, slope.chi2) == pytest.approx((-best.x[1], best.fun), rel=1e-6)
    assert slope.value != pytest.approx(
        histogram_slope(*(s[:1000] for s in samples), bins=20).value, rel=0.01
    )


def test_exchanged_samples_change_only_the_sign(samples):
    """The value is the slope's size; the sign shows a system worse than chance."""
    slope, turned = histogram_slope(*samples), histogram_slope(*samples[::-1])
    assert turned.value == pytest.approx(slope.value) and turned.sign == -slope.sign == 1


def test_chunks_equal_arrays(samples):
    """An iterator of chunks and two histograms give the same slope as arrays."""
    whole = histogram_slope(*samples)
    chunked = histogram_slope(*(iter(np.array_split(side, 9)) for side in samples))
    counted = histogram_slope(*(Histogram(50).add(side) for side in samples))
    assert chunked.value == pytest.approx(whole.value, rel=1e-12)
    assert counted.value == pytest.approx(whole.value, rel=1e-12)


def test_a_stream_needs_memory_for_one_chunk():
    """Of fifty chunks, one at a time is in memory."""
    import tracemalloc

    chunk = np.random.default_rng(0).random(100_000)
    tracemalloc.start()
    slope = histogram_slope((chunk**2 for _ in range(50)), (chunk + 0 for _ in range(50)))
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert slope.similar.counts.sum() == 5_000_000
    assert peak < 5 * chunk.nbytes


def test_the_slope_is_per_unit_of_distance(samples):
    """Doubled distances in a doubled range have half the slope and half the error."""
    slope, longer = (
        histogram_slope(*samples),
        histogram_slope(*(2 * side for side in samples), high=2),
    )
    assert longer.value == pytest.approx(slope.value / 2)
    assert longer.error == pytest.approx(slope.error / 2)


def test_values_outside_the_range_are_reported(samples):
    """They do not change the slope; infinite values are outside, too."""
    similar = np.append(samples[0], [1.5, -2, np.inf])
    slope = histogram_slope(similar, samples[1])
    assert slope.outside == (3, 0) and slope.value == histogram_slope(*samples).value


@pytest.mark.parametrize("fit", ["expected", "binomial", "observed"])
@pytest.mark.parametrize(
    ("similar", "random", "reason"),
    [
        ([], [], "no similar pair"),
        ([0.1] * 9, [0.1] * 9, "one bin"),
        ([0.1, 0.2, 0.25], [0.6, 0.7, 0.8], "do not overlap"),
        ([np.inf], [0.5], "no similar pair in the range"),
    ],
)
def test_no_slope_is_0_with_a_reason(similar, random, reason, fit):
    """Such as the paper's LDA with 10,000 topics, where all pairs are alike."""
    slope = histogram_slope(similar, random, fit=fit)
    assert (slope.value, slope.sign, slope.dof, slope.used.any()) == (0, 0, 0, False)
    assert reason in slope.reason and reason in str(slope)
    assert np.isnan([slope.error, slope.chi2, slope.intercept, slope.reduced_chi2]).all()


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (dict(similar=[np.nan]), "NaN"),
        (dict(similar=[[0.1]]), "one dimension"),
        (dict(fit="york"), "fit='york': expected one of 'expected', 'binomial', 'observed'"),
        (dict(x_error="sd"), "x_error='sd'"),
        (dict(bins=0), "bins=0"),
        (dict(low=2), "low < high"),
        (dict(random=Histogram(7)), "different bins"),
    ],
)
def test_wrong_arguments_raise(arguments, message):
    """The error names the argument."""
    with pytest.raises(ValueError, match=message):
        histogram_slope(**{"similar": [0.1], "random": [0.5], **arguments})


def test_rounded_distances_that_do_not_fit_the_bins_warn(samples):
    """Two decimals give 50 bins two values each, but 30 bins three or four."""
    rounded = [np.round(side, 2) for side in samples]
    with pytest.warns(UserWarning, match="rounded to 2 decimals, and a bin is 3.33333 such steps"):
        histogram_slope(*rounded, bins=30)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        histogram_slope(*rounded, bins=50)
        histogram_slope(*samples, bins=30)


@pytest.mark.parametrize("count", [9, 10])
def test_few_different_distances_do_not_warn(count):
    """The warning needs at least ten different distances."""
    values = np.tile(np.arange(count) / 10, 30)
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        histogram_slope(values, values[::-1], bins=7, low=0, high=1)
    assert any("rounded to 1 decimals" in str(one.message) for one in caught) == (count == 10)


def test_the_repr_of_a_slope_is_short(samples):
    """It has the value, its error and the settings, but no histogram and no array."""
    assert "Histogram(" not in repr(histogram_slope(*samples)) and "array" not in repr(
        histogram_slope(*samples)
    )

"""Divide two histograms, and fit rHSA's line to their log division, in three ways.

The three fits choose and weight the bins differently. Each takes a `Division` and returns a
`Fitted`, or raises `NoLine` with the reason. Of a bin's n pairs, a share p is similar. The line is
log(p / (1 - p)), so it predicts p and the expected counts E[C] = n p and E[R] = n (1 - p).

    >>> similar = Histogram(4).add([0.1] * 8 + [0.4] * 4 + [0.6] * 2 + [0.9])
    >>> random = Histogram(4).add([0.1] + [0.4] * 2 + [0.6] * 4 + [0.9] * 8)
    >>> round(observed(divide(similar, random)).line.slope, 2)
    -5.35

Conventions: arrays are (bins,), logarithms are natural, errors are given as variances.
"""

from typing import Literal, NamedTuple, TypeAlias

import numpy as np

from .histogram import Histogram, check_alike

LEAST_BINS = 3  # any two points have a line
LEAST_EXPECTED = 2  # counts of a bin, in each histogram
ROUNDS = 8  # of choosing bins by the line, and fitting it again
MOST_NEWTON_ROUNDS = 100
LEAST_STEP = 1e-12  # of a coefficient; it is not halved any more
STEP_PRECISION = 1e-10  # relative to the coefficients: Newton's method ends
TINY = 1e-300  # in place of 0 as a divisor
MOST_YORK_ROUNDS = 100  # of fitting the straight line
SLOPE_PRECISION = 1e-13  # relative


# --- the points ---------------------------------------------------------------------------------


class Division(NamedTuple):
    """Counts of similar and random pairs, and the position of each bin."""

    similar: np.ndarray  #: int, counts C of similar pairs
    random: np.ndarray  #: int, counts R of random pairs
    centre: np.ndarray  #: middle of each bin
    x: np.ndarray  #: position of each bin, by the values in it
    x_variance: np.ndarray  #: squared error of `x`

    @property
    def total(self) -> np.ndarray:
        """C + R, the number of pairs in each bin."""
        return self.similar + self.random

    @property
    def ratio(self) -> np.ndarray:
        """log((C + ½) / (R + ½)): nearly unbiased for the log ratio of the expected counts."""
        return np.log((self.similar + 0.5) / (self.random + 0.5))


def divide(similar: Histogram, random: Histogram, x_error: str = "mean") -> Division:
    """Divide two histograms with the same bins.

    The position of a bin is the mean of two means: of its similar values and of its random values.
    (The mean of all its values would tilt the line. Near 0 it follows the similar pairs at the
    bin's lower end, near 1 the random pairs.)

    Args:
        similar, random: the two histograms.
        x_error: the error of a bin's position. "mean": std / sqrt(n) of each mean, propagated.
            "spread": the values' std, propagated; this is what the paper describes, and is far too
            large. "none": 0.

    ValueError if the bins differ.
    """
    check_alike(similar, random)
    variance_of_sum = _find_variance(similar, x_error) + _find_variance(random, x_error)
    return Division(
        similar=similar.counts,
        random=random.counts,
        centre=similar.centres,
        x=(similar.means + random.means) / 2,
        x_variance=variance_of_sum / 4,  # of half the sum: 1/2 squared
    )


def _find_variance(histogram: Histogram, x_error: str) -> np.ndarray:
    """Return the variance of each bin's position; for `x_error` see the caller."""
    if x_error == "none":
        return np.zeros(histogram.bins)
    if x_error == "spread":
        return histogram.variances
    return histogram.variances / np.maximum(histogram.counts, 1)  # of a mean


# --- the three fits -----------------------------------------------------------------------------


class Line(NamedTuple):
    """y = intercept + slope x."""

    slope: float
    intercept: float
    error: float  #: standard error of the slope from the points' errors, not scaled by chi²
    chi2: float  #: sum of squared distances in units of the effective errors


class NoLine(Exception):
    """No line can be fitted; the message is the reason."""


class Fitted(NamedTuple):
    """A line and its points; arrays (bins,) over all bins, used or not."""

    line: Line
    used: np.ndarray  #: bool, whether the line is fitted to the bin
    x: np.ndarray  #: position of the bin
    y: np.ndarray  #: log division
    y_variance: np.ndarray  #: squared error of `y`


def observed(division: Division) -> Fitted:
    """Fit the line to all bins with both counts above 0, as the paper says literally.

    A bin is weighted by its observed counts. A count that is high by chance gets a larger weight,
    so the slope is too flat below about a million pairs.
    """
    _check_overlap(division)
    used = (division.similar > 0) & (division.random > 0)
    _check_bins(used, "where both histograms have pairs")

    # empty bins, which are not used, divide by 0
    with np.errstate(divide="ignore", invalid="ignore"):
        y = np.log(division.similar) - np.log(division.random)
        y_variance = 1 / division.similar + 1 / division.random
    return _fit_line(division, used, y, y_variance)


def expected(division: Division) -> Fitted:
    """Fit the bins with at least 2 expected counts in both histograms, weighted by these counts.

    The line decides which counts are expected, so the bins are chosen and fitted several times.
    """
    line = binomial(division).line
    for _ in range(ROUNDS):
        counts = _expect_counts(line, division.x, division.total)  # (2, bins)
        used = counts.min(axis=0) >= LEAST_EXPECTED
        _check_bins(used, f"where the line expects {LEAST_EXPECTED} counts in both histograms")
        fitted = _fit_line(division, used, division.ratio, _compute_log_variance(counts))
        line = fitted.line
    return fitted


def binomial(division: Division) -> Fitted:
    """Maximise the likelihood: C of a bin's n pairs are similar; the logit is linear in its middle.

    Every bin with pairs is used. Newton's method halves any step that would lower the likelihood.
    The chi² is Pearson's.
    """
    _check_overlap(division)
    used = division.total > 0
    _check_bins(used, "with pairs")

    line = _find_likeliest_line(division.centre[used], division.similar[used], division.total[used])
    counts = _expect_counts(line, division.centre, division.total)
    y_variance = _compute_log_variance(counts)
    return Fitted(line, used, division.centre, division.ratio, y_variance)


FitName: TypeAlias = Literal["expected", "binomial", "observed"]
FITS = {"expected": expected, "binomial": binomial, "observed": observed}


def logistic(x: np.ndarray) -> np.ndarray:
    """Compute 1 / (1 + exp(-x)) without overflow."""
    return 0.5 * (1 + np.tanh(x / 2))


def _find_likeliest_line(x: np.ndarray, similar: np.ndarray, total: np.ndarray) -> Line:
    """Return the line for which these counts are most likely, with its slope's error and chi².

    The line is the logit of the share of similar pairs in a bin.

    Args:
        x: positions of the bins, (bins,).
        similar, total: similar pairs, and all pairs, of each bin, (bins,).
    """
    # positions around 0 and of width 1, so that the equations are well conditioned
    middle, width = x.mean(), np.ptp(x)
    columns = np.stack([np.ones(len(x)), (x - middle) / width])  # (2, bins)
    coefficients, information = _maximise_likelihood(columns, similar, total)
    covariances = np.linalg.inv(information)  # (2, 2), of intercept and slope

    # Pearson's chi²: the number of similar pairs in a bin is binomial
    share = logistic(coefficients @ columns)
    variance_of_similar = np.maximum(total * share * (1 - share), TINY)
    chi2 = ((similar - total * share) ** 2 / variance_of_similar).sum()

    # back to the scale of x
    slope = coefficients[1] / width
    return Line(
        slope=float(slope),
        intercept=float(coefficients[0] - slope * middle),
        error=float(np.sqrt(covariances[1, 1]) / width),
        chi2=float(chi2),
    )


def _maximise_likelihood(
    columns: np.ndarray, similar: np.ndarray, total: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """Find intercept and slope of the most likely logit, by Newton's method.

    Args:
        columns: ones, and positions: (2, bins).
        similar, total: pairs of each bin, (bins,).

    Returns:
        Intercept and slope, (2,), and Fisher's information, (2, 2), whose inverse has their
        variances.
    """

    def log_likelihood(coefficients: np.ndarray) -> float:
        logit = coefficients @ columns
        return similar @ logit - total @ np.logaddexp(0, logit)

    # a level line, at the share of similar pairs among all
    mean_logit = np.log(similar.sum() / (total - similar).sum())
    coefficients = np.array([mean_logit, 0.0])
    for _ in range(MOST_NEWTON_ROUNDS):
        share = logistic(coefficients @ columns)
        information = (columns * (total * share * (1 - share))) @ columns.T
        step = np.linalg.solve(information, columns @ (similar - total * share))

        # a step that lowers the likelihood goes beyond the maximum
        likelihood = log_likelihood(coefficients)
        while log_likelihood(coefficients + step) < likelihood and np.abs(step).max() > LEAST_STEP:
            step /= 2

        coefficients = coefficients + step
        if np.abs(step).max() <= STEP_PRECISION * (1 + np.abs(coefficients).max()):
            break
    return coefficients, information


def _expect_counts(line: Line, x: np.ndarray, total: np.ndarray) -> np.ndarray:
    """Compute the similar and the random pairs that a line expects in each bin: (2, bins)."""
    logit = line.intercept + line.slope * x
    shares = logistic(np.stack([logit, -logit]))  # logistic(-x) is 1 - logistic(x)
    return total * shares


def _compute_log_variance(counts: np.ndarray) -> np.ndarray:
    """Compute the variance of the log division from expected counts (2, bins)."""
    return (1 / np.maximum(counts, TINY)).sum(axis=0)


def _fit_line(
    division: Division, used: np.ndarray, y: np.ndarray, y_variance: np.ndarray
) -> Fitted:
    """Fit a straight line to the bins that are used."""
    line = straight_line(division.x[used], y[used], division.x_variance[used], y_variance[used])
    return Fitted(line, used, division.x, y, y_variance)


def _check_overlap(division: Division) -> None:
    """Raise NoLine if a threshold separates the samples: the best slope would be infinite."""
    similar_bins = np.flatnonzero(division.similar)  # numbers of the bins with pairs, ascending
    random_bins = np.flatnonzero(division.random)
    for kind, bins in (("similar", similar_bins), ("random", random_bins)):
        if not len(bins):
            raise NoLine(f"no {kind} pair in the range")
    if similar_bins[0] == similar_bins[-1] == random_bins[0] == random_bins[-1]:
        raise NoLine("all pairs are in one bin")

    # one bin in common is no overlap: a threshold within it would separate them
    if similar_bins[-1] <= random_bins[0] or random_bins[-1] <= similar_bins[0]:
        raise NoLine("the histograms do not overlap")


def _check_bins(used: np.ndarray, which: str) -> None:
    """Raise NoLine if too few bins are used. which: bins they are, for the message."""
    count = np.count_nonzero(used)
    if count < LEAST_BINS:
        raise NoLine(f"{count} bins {which}: a slope needs {LEAST_BINS}")


# --- the line through points with errors in both coordinates -------------------------------------


def straight_line(
    x: np.ndarray, y: np.ndarray, x_variance: np.ndarray, y_variance: np.ndarray
) -> Line:
    """Fit a line to points with errors in both coordinates, by effective variance.

    A point's weight is 1 / (var(y) + slope² var(x)). The weights depend on the slope, so the fit
    iterates [York et al., Am. J. Phys. 72, 367 (2004), for uncorrelated errors; written here in
    variances, because those of x may be 0].

    Args:
        x, y: float arrays (n,), at least two different x.
        x_variance, y_variance: float arrays (n,), the squared errors; those of y above 0.

    Returns:
        `Line`; its errors are valid only if chi² / (n - 2) is about 1.
    """
    slope = _iterate_slope(x, y, x_variance, y_variance)

    weights = 1 / (y_variance + slope**2 * x_variance)
    x_mean = np.average(x, weights=weights)
    y_mean = np.average(y, weights=weights)
    intercept = y_mean - slope * x_mean  # the line goes through the centre of the points
    residuals = y - intercept - slope * x
    chi2 = weights @ residuals**2

    # the error is computed at the nearest points of the line, in units of the errors
    nearest_x = x + weights * x_variance * slope * residuals
    deviations = nearest_x - np.average(nearest_x, weights=weights)
    error = 1 / np.sqrt(weights @ deviations**2)
    return Line(float(slope), float(intercept), float(error), float(chi2))


def _iterate_slope(
    x: np.ndarray, y: np.ndarray, x_variance: np.ndarray, y_variance: np.ndarray
) -> float:
    """Return the slope of the line, by fixed-point iteration.

    The points' weights depend on the slope, and the slope on the weights. So each round computes
    weights from the last slope, and a new slope from these, until the slope stays the same.

    With true values of x, the slope of least squares is Σ w x y / Σ w x². York estimates the true x
    by both coordinates: the measured x, and the x at which the line has the measured y. Each counts
    the more, the smaller its error is. The names of York et al. (2004) are in the comments.
    """
    slope = 0.0  # so that the first round ignores the errors of x
    for _ in range(MOST_YORK_ROUNDS):
        previous_slope = slope
        weights = 1 / (y_variance + slope**2 * x_variance)  # W
        x_deviations = x - np.average(x, weights=weights)  # U
        y_deviations = y - np.average(y, weights=weights)  # V

        from_x = x_deviations * y_variance
        from_y = slope * y_deviations * x_variance
        weighted_x = weights * weights * (from_x + from_y)  # W β
        slope = (weighted_x @ y_deviations) / (weighted_x @ x_deviations)
        if abs(slope - previous_slope) <= SLOPE_PRECISION * abs(slope):
            break
    return slope

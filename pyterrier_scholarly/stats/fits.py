"""Three ways to fit rHSA's line: they choose and weight the bins differently.

Each takes a `Division` and returns a `Fitted`, or raises `NoLine` with the reason. Of a bin's n
pairs, a share p is similar. The line is log(p / (1 - p)), so it predicts p and the expected counts
E[C] = n p and E[R] = n (1 - p).

    >>> similar, random = np.array([8, 4, 2, 1]), np.array([1, 2, 4, 8])
    >>> x = np.array([0.1, 0.4, 0.6, 0.9])
    >>> fitted = observed(Division(similar, random, centre=x, x=x, x_variance=np.zeros(4)))
    >>> round(fitted.line.slope, 2)
    -5.35
"""

from typing import Literal, NamedTuple, TypeAlias

import numpy as np

from .division import Division
from .straight_lines import Line, straight_line

LEAST_BINS = 3  # any two points have a line
LEAST_EXPECTED = 2  # counts of a bin, in each histogram
ROUNDS = 8  # of choosing bins by the line, and fitting it again
MOST_NEWTON_ROUNDS = 100
LEAST_STEP = 1e-12  # of a coefficient; it is not halved any more
STEP_PRECISION = 1e-10  # relative to the coefficients: Newton's method ends
TINY = 1e-300  # in place of 0 as a divisor


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
    middle = x.mean()
    width = np.ptp(x)
    positions = (x - middle) / width
    columns = np.stack([np.ones(len(x)), positions])  # (2, bins)
    estimate = _maximise_likelihood(columns, similar, total)
    intercept_at_middle, slope_over_width = estimate.coefficients

    # back to the scale of x
    slope = slope_over_width / width
    intercept = intercept_at_middle - slope * middle
    covariances = np.linalg.inv(estimate.information)  # (2, 2), of intercept and slope
    slope_error = np.sqrt(covariances[1, 1]) / width

    # Pearson's chi²: the number of similar pairs in a bin is binomial
    share = logistic(estimate.coefficients @ columns)
    expected_similar = total * share
    variance_of_similar = np.maximum(total * share * (1 - share), TINY)
    chi2 = ((similar - expected_similar) ** 2 / variance_of_similar).sum()
    return Line(float(slope), float(intercept), float(slope_error), float(chi2))


class Estimate(NamedTuple):
    """The most likely line, as Newton's method finds it."""

    coefficients: np.ndarray  #: intercept and slope, (2,)
    information: np.ndarray  #: Fisher's information, (2, 2); its inverse has their variances


def _maximise_likelihood(columns: np.ndarray, similar: np.ndarray, total: np.ndarray) -> Estimate:
    """Find intercept and slope of the most likely logit, by Newton's method.

    Args:
        columns: ones, and positions: (2, bins).
        similar, total: pairs of each bin, (bins,).
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
        gradient = columns @ (similar - total * share)
        step = np.linalg.solve(information, gradient)

        # a step that lowers the likelihood goes beyond the maximum
        likelihood_before = log_likelihood(coefficients)
        while log_likelihood(coefficients + step) < likelihood_before:
            if np.abs(step).max() <= LEAST_STEP:
                break
            step /= 2

        coefficients = coefficients + step
        if np.abs(step).max() <= STEP_PRECISION * (1 + np.abs(coefficients).max()):
            break
    return Estimate(coefficients, information)


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
    if not len(similar_bins):
        raise NoLine("no similar pair in the range")
    if not len(random_bins):
        raise NoLine("no random pair in the range")

    first_bin = min(similar_bins[0], random_bins[0])
    last_bin = max(similar_bins[-1], random_bins[-1])
    if first_bin == last_bin:
        raise NoLine("all pairs are in one bin")

    # one bin in common is no overlap: a threshold within it would separate them
    is_similar_first = similar_bins[-1] <= random_bins[0]
    is_random_first = random_bins[-1] <= similar_bins[0]
    if is_similar_first or is_random_first:
        raise NoLine("the histograms do not overlap")


def _check_bins(used: np.ndarray, which: str) -> None:
    """Raise NoLine if too few bins are used. which: bins they are, for the message."""
    count = np.count_nonzero(used)
    if count < LEAST_BINS:
        raise NoLine(f"{count} bins {which}: a slope needs {LEAST_BINS}")

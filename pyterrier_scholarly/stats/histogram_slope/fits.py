"""Which bins the line goes through, and what each weighs: three answers, of one signature.

Each takes a `Division` and gives a `Fitted`, or raises `NoLine`, whose message says why there is
none. In a bin of n pairs a share p is similar; the line is that of log(p / (1 - p)), so p follows
from the line, and with it the counts to expect, E[C] = n p and E[R] = n (1 - p).
"""

from typing import Any, NamedTuple

import numpy as np

from .line import Line, straight_line

LEAST_BINS = 3  # two points lie on any line
LEAST_EXPECTED = 2
ROUNDS = 8
NEWTON_ROUNDS = 100


class NoLine(Exception):
    """No line can be had; the message is the reason."""


class Fitted(NamedTuple):
    """A line and the points it was put through; arrays over all bins, whether used or not."""

    line: Line
    used: Any  #: bool
    x: Any
    y: Any  #: log division
    y_variance: Any  #: its error


def observed(division):
    """The plainest reading of the paper: observed counts weigh, bins with an empty one are out.

    A bin is in only if both counts happen to be above 0, and one that came out high weighs more:
    the slope is too flat below about a million pairs.
    """
    used = (division.similar > 0) & (division.random > 0)
    _check_overlap(division)
    _check_bins(used, "in which neither histogram is empty")
    with np.errstate(divide="ignore", invalid="ignore"):
        y = np.log(division.similar) - np.log(division.random)
        variance = 1 / division.similar + 1 / division.random
    line = _line(division, used, y, variance)
    return Fitted(line, used, division.x, y, variance)


def expected(division):
    """Bins where the line expects at least 2 counts in both, weighed by the counts it expects."""
    line = binomial(division).line
    for _ in range(ROUNDS):
        similar, random = _expected_counts(line, division.x, division.total)
        used = (similar >= LEAST_EXPECTED) & (random >= LEAST_EXPECTED)
        _check_bins(used, f"in which the line expects {LEAST_EXPECTED} counts in both histograms")
        variance = 1 / np.maximum(similar, 1e-300) + 1 / np.maximum(random, 1e-300)
        line = _line(division, used, division.ratio, variance)
    return Fitted(line, used, division.x, division.ratio, variance)


def binomial(division):
    """Maximum likelihood: in each bin C of n pairs are similar, the logit is linear in its middle.

    No bin is left out. Newton's method, halving steps that would lose likelihood; its chi² is
    Pearson's.
    """
    _check_overlap(division)
    used = division.total > 0
    _check_bins(used, "with a pair in them")
    similar, total = division.similar[used], division.total[used]
    middle, scale = division.centre[used].mean(), np.ptp(division.centre[used])
    columns = np.stack([np.ones(len(total)), (division.centre[used] - middle) / scale])
    best, information = _most_likely(columns, similar, total)
    slope = best[1] / scale
    error = np.sqrt(np.linalg.inv(information)[1, 1]) / scale
    share = logistic(best @ columns)
    chi2 = ((similar - total * share) ** 2 / np.maximum(total * share * (1 - share), 1e-300)).sum()
    line = Line(float(slope), float(best[0] - slope * middle), float(error), float(chi2))
    counts = _expected_counts(line, division.centre, division.total)
    variance = sum(1 / np.maximum(count, 1e-300) for count in counts)
    return Fitted(line, used, division.centre, division.ratio, variance)


FITS = {"expected": expected, "binomial": binomial, "observed": observed}


def logistic(x):
    """1 / (1 + exp(-x)), without overflow."""
    return 0.5 * (1 + np.tanh(x / 2))


def _most_likely(columns, similar, total):
    """Coefficients (2,) and their information matrix (2, 2)."""

    def likelihood(coefficients):
        line = coefficients @ columns
        return similar @ line - total @ np.logaddexp(0, line)

    random = total.sum() - similar.sum()
    best = np.array([np.log(similar.sum() / random), 0.0])
    for _ in range(NEWTON_ROUNDS):
        share = logistic(best @ columns)
        information = (columns * (total * share * (1 - share))) @ columns.T
        step = np.linalg.solve(information, columns @ (similar - total * share))
        reached = likelihood(best)
        while likelihood(best + step) < reached and np.abs(step).max() > 1e-12:
            step /= 2
        best = best + step
        if np.abs(step).max() <= 1e-10 * (1 + np.abs(best).max()):
            break
    return best, information


def _expected_counts(line, x, total):
    """Similar and random pairs that a line expects in each bin: two float arrays."""
    logit = line.intercept + line.slope * x
    return total * logistic(logit), total * logistic(-logit)


def _line(division, used, y, y_variance):
    variances = division.x_variance[used], y_variance[used]
    return straight_line(division.x[used], y[used], *variances)


def _check_overlap(division):
    """NoLine where some threshold parts the samples: the steepest of lines would be the best."""
    similar, random = (np.flatnonzero(counts) for counts in (division.similar, division.random))
    if not len(similar) or not len(random):
        raise NoLine(f"no {'similar' if not len(similar) else 'random'} pair in the range")
    if similar[0] == similar[-1] == random[0] == random[-1]:
        raise NoLine("all pairs are in one bin")
    if similar[-1] <= random[0] or random[-1] <= similar[0]:
        raise NoLine("the histograms do not overlap")


def _check_bins(used, which):
    count = np.count_nonzero(used)
    if count < LEAST_BINS:
        raise NoLine(f"{count} bins {which}: a slope needs {LEAST_BINS}")

"""Three ways to choose and weight the bins of the line; all take a `Division`.

Each returns a `Fitted`, or raises `NoLine` with the reason. Of a bin's n pairs, a share p is
similar. The line is log(p / (1 - p)), so it predicts p and the expected counts E[C] = n p and
E[R] = n (1 - p).
"""

from typing import Literal, NamedTuple, TypeAlias

import numpy as np

from .division import Division, Line, straight_line

LEAST_BINS = 3  # any two points have a line
LEAST_EXPECTED = 2
ROUNDS = 8
NEWTON_ROUNDS = 100


class NoLine(Exception):
    """No line can be fitted; the message is the reason."""


class Fitted(NamedTuple):
    """A line and its points; arrays over all bins, used or not."""

    line: Line
    used: np.ndarray  #: bool
    x: np.ndarray
    y: np.ndarray  #: log division
    y_variance: np.ndarray  #: its squared error


def observed(division: Division) -> Fitted:
    """Fit the bins with both counts above 0, weighted by observed counts: the paper's plain words.

    A count that is high by chance gets a larger weight, so the slope is too flat below about a
    million pairs.
    """
    _check_overlap(division)
    used = (division.similar > 0) & (division.random > 0)
    _check_bins(used, "where both histograms have pairs")
    with np.errstate(divide="ignore", invalid="ignore"):
        y = np.log(division.similar) - np.log(division.random)
        variance = 1 / division.similar + 1 / division.random
    return _fitted(division, used, y, variance)


def expected(division: Division) -> Fitted:
    """Fit the bins with at least 2 expected counts in both histograms, weighted by these counts."""
    line = binomial(division).line
    for _ in range(ROUNDS):
        counts = _expected_counts(line, division.x, division.total)
        used = counts.min(axis=0) >= LEAST_EXPECTED
        _check_bins(used, f"where the line expects {LEAST_EXPECTED} counts in both histograms")
        fitted = _fitted(division, used, division.ratio, _log_variance(counts))
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
    similar, total = division.similar[used], division.total[used]
    middle, scale = division.centre[used].mean(), np.ptp(division.centre[used])
    columns = np.stack([np.ones(len(total)), (division.centre[used] - middle) / scale])
    best, information = _most_likely(columns, similar, total)
    slope = best[1] / scale
    error = np.sqrt(np.linalg.inv(information)[1, 1]) / scale
    share = logistic(best @ columns)
    chi2 = ((similar - total * share) ** 2 / np.maximum(total * share * (1 - share), 1e-300)).sum()
    line = Line(float(slope), float(best[0] - slope * middle), float(error), float(chi2))
    variance = _log_variance(_expected_counts(line, division.centre, division.total))
    return Fitted(line, used, division.centre, division.ratio, variance)


FitName: TypeAlias = Literal["expected", "binomial", "observed"]
FITS = {"expected": expected, "binomial": binomial, "observed": observed}


def logistic(x: np.ndarray) -> np.ndarray:
    """Compute 1 / (1 + exp(-x)) without overflow."""
    return 0.5 * (1 + np.tanh(x / 2))


def _most_likely(
    columns: np.ndarray, similar: np.ndarray, total: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """Find the coefficients (2,) and their information matrix (2, 2)."""

    def likelihood(coefficients: np.ndarray) -> float:
        line = coefficients @ columns
        return similar @ line - total @ np.logaddexp(0, line)

    best = np.array([np.log(similar.sum() / (total - similar).sum()), 0.0])
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


def _expected_counts(line: Line, x: np.ndarray, total: np.ndarray) -> np.ndarray:
    """Compute the similar and the random pairs that a line expects in each bin: (2, bins)."""
    logit = line.intercept + line.slope * x
    return total * logistic(np.stack([logit, -logit]))


def _log_variance(counts: np.ndarray) -> np.ndarray:
    """Compute the variance of the log division from expected counts (2, bins)."""
    return (1 / np.maximum(counts, 1e-300)).sum(axis=0)


def _fitted(division: Division, used: np.ndarray, y: np.ndarray, y_variance: np.ndarray) -> Fitted:
    line = straight_line(division.x[used], y[used], division.x_variance[used], y_variance[used])
    return Fitted(line, used, division.x, y, y_variance)


def _check_overlap(division: Division) -> None:
    """Raise NoLine if a threshold separates the samples: the best slope would be infinite."""
    similar, random = (np.flatnonzero(counts) for counts in (division.similar, division.random))
    if not len(similar) or not len(random):
        raise NoLine(f"no {'similar' if not len(similar) else 'random'} pair in the range")
    if similar[0] == similar[-1] == random[0] == random[-1]:
        raise NoLine("all pairs are in one bin")
    if similar[-1] <= random[0] or random[-1] <= similar[0]:
        raise NoLine("the histograms do not overlap")


def _check_bins(used: np.ndarray, which: str) -> None:
    count = np.count_nonzero(used)
    if count < LEAST_BINS:
        raise NoLine(f"{count} bins {which}: a slope needs {LEAST_BINS}")

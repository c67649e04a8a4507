"""How far two or more judges agree, beyond what chance would give.

Conventions: a scale is a tuple of the grades that there may be, in ascending order; a *confusion
matrix* (k, k) of a scale of k grades has in [c, d] how many things the first judge gave grade c
and the second grade d. A missing rating is NaN. Where a coefficient is not defined it is NaN, never
0 or 1: constant ratings say nothing about agreement beyond chance.
"""

import numpy as np

from . import correlation

LEVELS = ("nominal", "ordinal", "interval")


def confusion(first, second, scale):
    """Count the pairs of grades of two judges, as the confusion matrix (k, k) of integers.

    first, second: float arrays (n,); things that one of them did not rate are left out.
    """
    both = ~(np.isnan(first) | np.isnan(second))
    places = np.searchsorted(scale, first[both]), np.searchsorted(scale, second[both])
    matrix = np.zeros((len(scale), len(scale)), dtype=int)
    np.add.at(matrix, places, 1)
    return matrix


def percent(matrix):
    """Share of a confusion matrix on which both say the same, in 0..1; NaN if there is nothing."""
    return np.trace(matrix) / matrix.sum() if matrix.sum() else np.nan


def spearman(matrix):
    """Spearman's ρ of a confusion matrix; NaN where either side gave one grade throughout."""
    first, second = np.nonzero(matrix)
    times = matrix[first, second]
    return correlation.spearman(np.repeat(first, times), np.repeat(second, times)).value


def cohen_kappa(matrix, weights=None):
    """Cohen's κ of a confusion matrix: 1 less observed by expected disagreement.

    weights: None (any disagreement counts the same), "linear" or "quadratic" in the distance of the
        grades' places on the scale.

    NaN where no disagreement is expected: both judges gave one and the same grade throughout. Where
    one of them did, and the other did not, it is 0.
    """
    places = np.arange(len(matrix))
    apart = np.abs(places[:, None] - places)
    power = {None: 0, "linear": 1, "quadratic": 2}[weights]
    cost = (apart > 0) * apart**power
    expected = np.outer(matrix.sum(1), matrix.sum(0)) / max(matrix.sum(), 1)
    return 1 - _ratio((cost * matrix).sum(), (cost * expected).sum())


def coincidences(ratings, scale):
    """Krippendorff's coincidence matrix (k, k) of the ratings of any number of judges.

    ratings: float array (n, m) of n things by m judges, NaN where one did not rate. A thing that u
        judges rated has u (u - 1) ordered pairs, which together count u; one that a single judge
        rated counts nothing.
    """
    counts = np.stack([(ratings == grade).sum(1) for grade in scale], axis=1).astype(float)
    raters = counts.sum(1)
    counts, raters = counts[raters > 1], raters[raters > 1]
    pairs = counts[:, :, None] * counts[:, None, :]
    pairs[:, range(len(scale)), range(len(scale))] -= counts
    return (pairs / (raters - 1)[:, None, None]).sum(0)


def krippendorff_alpha(matrix, scale, level="ordinal"):
    """Krippendorff's α of a coincidence matrix: 1 less observed by expected disagreement.

    level: what grades are to each other. "nominal": the same or not; "interval": the square of
        their difference; "ordinal": the square of how many ratings lie from one to the other, the
        two ends counted by half.

    NaN where no disagreement is expected: all ratings are one grade, or nothing was rated twice.
    """
    totals = matrix.sum(0)
    expected = np.outer(totals, totals) - np.diag(totals)
    cost = _distances(totals, np.asarray(scale, dtype=float), level)
    return 1 - _ratio((cost * matrix).sum() * (totals.sum() - 1), (cost * expected).sum())


def _distances(totals, scale, level):
    if level == "nominal":
        return 1.0 - np.eye(len(scale))
    if level == "interval":
        return (scale[:, None] - scale) ** 2
    if level == "ordinal":
        middle = np.cumsum(totals) - totals / 2
        return (middle[:, None] - middle) ** 2
    raise ValueError(f"level={level!r}: choose one of {', '.join(LEVELS)}.")


def macro(matrix):
    """Macro-averaged precision, recall and F1 of a confusion matrix (rows: the reference).

    Means over the grades that either side uses; a grade that one side never uses has 0 there, as
    scikit-learn has it with ``zero_division=0``. NaN if there is nothing.
    """
    right, given, wanted = np.diag(matrix).astype(float), matrix.sum(0), matrix.sum(1)
    used = (given + wanted) > 0
    if not used.any():
        return np.nan, np.nan, np.nan
    precision = (right / np.maximum(given, 1))[used].mean()
    recall = (right / np.maximum(wanted, 1))[used].mean()
    f1 = (2 * right / np.maximum(given + wanted, 1))[used].mean()
    return precision, recall, f1


def _ratio(observed, expected):
    return observed / expected if expected > 0 else np.nan

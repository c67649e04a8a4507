"""Measure how far two or more judges agree, beyond chance.

Conventions: a scale is a tuple of all possible grades, ascending. A *confusion matrix* (k, k) over
a scale of k grades counts in [c, d] the items with grade c from the first judge and d from the
second. A missing rating is NaN. An undefined coefficient is NaN, never 0 or 1: constant ratings
show no agreement beyond chance.

    >>> matrix = confusion(np.array([1.0, 2.0]), np.array([1.0, 1.0]), scale=(1, 2))
    >>> matrix.tolist()
    [[1, 0], [1, 0]]
    >>> float(percent(matrix))
    0.5
"""

from collections.abc import Sequence
from typing import Literal, TypeAlias, get_args

import numpy as np

from . import correlation

Level: TypeAlias = Literal["nominal", "ordinal", "interval"]
LEVELS: tuple[Level, ...] = get_args(Level)


def confusion(first: np.ndarray, second: np.ndarray, scale: Sequence[float]) -> np.ndarray:
    """Count the pairs of grades of two judges: the confusion matrix (k, k) of integers.

    first, second: float arrays (n,); items with a missing rating are skipped.
    """
    has_both = ~(np.isnan(first) | np.isnan(second))
    edges = np.append(scale, np.inf)  # the bin of a grade ends below the next one
    counts, _, _ = np.histogram2d(first[has_both], second[has_both], bins=edges)
    return counts.astype(int)


def percent(matrix: np.ndarray) -> float:
    """Compute the share of equal grades in a confusion matrix, in 0..1; NaN if it is empty."""
    return _divide(np.trace(matrix), matrix.sum())


def spearman(matrix: np.ndarray) -> float:
    """Compute Spearman's ρ of a confusion matrix; NaN if one judge's grades are constant."""
    # a count of 3 becomes three pairs of positions again
    pairs = np.repeat(np.nonzero(matrix), matrix[matrix > 0], axis=1)  # (2, ratings)
    return correlation.spearman(*pairs).value


def cohen_kappa(matrix: np.ndarray, weights: str | None = None) -> float:
    """Compute Cohen's κ of a confusion matrix: 1 - observed / expected disagreement.

    weights: "linear" or "quadratic" in the distance of the grades' positions on the scale; None
        weights every disagreement equally.

    NaN if both judges give the same single grade; 0 if only one judge's grades are constant.
    """
    from statsmodels.stats.inter_rater import cohens_kappa

    if not matrix.any():
        return np.nan
    with np.errstate(invalid="ignore"):  # 0 / 0 of a single grade
        return float(cohens_kappa(matrix, wt=weights, return_results=False))


def coincidences(ratings: np.ndarray, scale: Sequence[float]) -> np.ndarray:
    """Return Krippendorff's coincidence matrix (k, k): how often two grades meet on an item.

    Each rating of an item is paired with each other one, in both orders: the grades 1, 1, 2 give
    the pair (1, 1) twice, (1, 2) twice and (2, 1) twice. The pairs of an item with u ratings weigh
    1 / (u - 1), so that they sum to u. An item with one rating has no pair.

    ratings: float array (n, m), n items by m judges; NaN for a missing rating.
    scale: see the module.
    """
    # of each item, the number of its ratings with each grade: (n, k)
    grade_counts = np.stack([(ratings == grade).sum(axis=1) for grade in scale], axis=1)
    grade_counts = grade_counts[grade_counts.sum(axis=1) > 1]
    weighted_counts = grade_counts / (grade_counts.sum(axis=1, keepdims=True) - 1)
    # no rating is paired with itself: on the diagonal, c ratings have c (c - 1) pairs, not c * c
    return grade_counts.T @ weighted_counts - np.diag(weighted_counts.sum(axis=0))


def krippendorff_alpha(
    matrix: np.ndarray, scale: Sequence[float], level: Level = "ordinal"
) -> float:
    """Compute Krippendorff's α of a coincidence matrix: 1 - observed / expected disagreement.

    matrix: from `coincidences`, with the same `scale`.
    level: the cost of two grades. "nominal": 1 if they differ. "interval": the square of their
        difference. "ordinal": the square of the number of ratings from one to the other, where
        ratings at the two ends count half.

    NaN if all ratings are one grade, or no item has two ratings.
    """
    totals = matrix.sum(axis=0)
    positions = np.asarray(scale, dtype=float)
    if level == "ordinal":
        # all ratings stand in a row, from the lowest grade to the highest: a grade is where the
        # middle of its ratings is. Totals of 2, 4 and 2 give the positions 1, 4 and 7
        positions = np.cumsum(totals) - totals / 2
    differences = positions[:, None] - positions
    costs = differences != 0 if level == "nominal" else differences**2

    expected = np.outer(totals, totals) - np.diag(totals)  # without pairs of a rating with itself
    observed_cost = (costs * matrix).sum() * (totals.sum() - 1)
    expected_cost = (costs * expected).sum()
    return 1 - _divide(observed_cost, expected_cost)


def macro(matrix: np.ndarray) -> tuple[float, float, float]:
    """Compute macro precision, recall and F1 of a confusion matrix; rows are the reference.

    These are means over the grades that occur. A grade missing on one side counts 0, like
    scikit-learn's ``zero_division=0``. NaN if the matrix is empty.
    """
    # numbers of items by grade, (k,)
    right_counts = np.diag(matrix).astype(float)
    predicted_counts = matrix.sum(axis=0)
    reference_counts = matrix.sum(axis=1)
    occurs = (predicted_counts + reference_counts) > 0
    if not occurs.any():
        return np.nan, np.nan, np.nan

    # where a denominator is 0, so is the numerator
    precision = right_counts / np.maximum(predicted_counts, 1)
    recall = right_counts / np.maximum(reference_counts, 1)
    f1 = 2 * right_counts / np.maximum(predicted_counts + reference_counts, 1)
    return precision[occurs].mean(), recall[occurs].mean(), f1[occurs].mean()


def _divide(numerator: float, denominator: float) -> float:
    """Divide; NaN if the denominator is 0."""
    return numerator / denominator if denominator > 0 else np.nan

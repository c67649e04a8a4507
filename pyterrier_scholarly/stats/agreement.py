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
from typing import Literal, NamedTuple, TypeAlias, get_args

import numpy as np

from ..arguments import check_arguments
from . import correlation

Level: TypeAlias = Literal["nominal", "ordinal", "interval"]
LEVELS: tuple[Level, ...] = get_args(Level)


def confusion(first: np.ndarray, second: np.ndarray, scale: Sequence[float]) -> np.ndarray:
    """Count the pairs of grades of two judges: the confusion matrix (k, k) of integers.

    first, second: float arrays (n,); items with a missing rating are skipped.
    """
    has_both = ~(np.isnan(first) | np.isnan(second))
    # a grade's position on the scale, which is sorted
    first_positions = np.searchsorted(scale, first[has_both])
    second_positions = np.searchsorted(scale, second[has_both])

    matrix = np.zeros((len(scale), len(scale)), dtype=int)
    # `matrix[…] += 1` would count a pair that occurs several times once
    np.add.at(matrix, (first_positions, second_positions), 1)
    return matrix


def percent(matrix: np.ndarray) -> float:
    """Compute the share of equal grades in a confusion matrix, in 0..1; NaN if it is empty."""
    return _divide(np.trace(matrix), matrix.sum())


def spearman(matrix: np.ndarray) -> float:
    """Compute Spearman's ρ of a confusion matrix; NaN if one judge's grades are constant."""
    # a count of 3 becomes three pairs of positions again
    first_positions, second_positions = np.nonzero(matrix)
    counts = matrix[first_positions, second_positions]
    first_ratings = np.repeat(first_positions, counts)
    second_ratings = np.repeat(second_positions, counts)
    return correlation.spearman(first_ratings, second_ratings).value


def cohen_kappa(matrix: np.ndarray, weights: str | None = None) -> float:
    """Compute Cohen's κ of a confusion matrix: 1 - observed / expected disagreement.

    weights: "linear" or "quadratic" in the distance of the grades' positions on the scale; None
        weights every disagreement equally.

    NaN if both judges give the same single grade; 0 if only one judge's grades are constant.
    """
    costs = _compute_kappa_costs(len(matrix), weights)
    first_totals = matrix.sum(axis=1)
    second_totals = matrix.sum(axis=0)
    expected = np.outer(first_totals, second_totals) / max(matrix.sum(), 1)

    observed_cost = (costs * matrix).sum()
    expected_cost = (costs * expected).sum()
    return 1 - _divide(observed_cost, expected_cost)


def coincidences(ratings: np.ndarray, scale: Sequence[float]) -> np.ndarray:
    """Return Krippendorff's coincidence matrix (k, k): how often two grades meet on an item.

    Each rating of an item is paired with each other one, in both orders: the grades 1, 1, 2 give
    the pair (1, 1) twice, (1, 2) twice and (2, 1) twice. The pairs of an item with u ratings weigh
    1 / (u - 1), so that they sum to u. An item with one rating has no pair.

    ratings: float array (n, m), n items by m judges; NaN for a missing rating.
    scale: see the module.
    """
    # of each item, the number of its ratings with each grade: (n, k)
    counts_by_grade = [(ratings == grade).sum(axis=1) for grade in scale]
    grade_counts = np.stack(counts_by_grade, axis=1).astype(float)
    rating_counts = grade_counts.sum(axis=1)

    has_pairs = rating_counts > 1
    grade_counts = grade_counts[has_pairs]
    rating_counts = rating_counts[has_pairs]

    # of each item, the number of pairs of each two grades: (items with pairs, k, k)
    pair_counts = grade_counts[:, :, None] * grade_counts[:, None, :]
    # no rating is paired with itself: on the diagonal, c ratings have c (c - 1) pairs, not c * c
    diagonal = np.arange(len(scale))
    pair_counts[:, diagonal, diagonal] -= grade_counts

    divisors = rating_counts - 1
    weighted_counts = pair_counts / divisors[:, None, None]
    return weighted_counts.sum(axis=0)


@check_arguments
def krippendorff_alpha(
    matrix: np.ndarray, scale: Sequence[float], level: Level = "ordinal"
) -> float:
    """Compute Krippendorff's α of a coincidence matrix: 1 - observed / expected disagreement.

    matrix: from `coincidences`, with the same `scale`.
    level: the cost of two grades. "nominal": 1 if they differ. "interval": the square of their
        difference. "ordinal": the square of the number of ratings from one to the other, where
        ratings at the two ends count half.

    NaN if all ratings are one grade, or no item has two ratings. ValueError for another level.
    """
    totals = matrix.sum(axis=0)
    costs = _compute_alpha_costs(totals, np.asarray(scale, dtype=float), level)
    expected = np.outer(totals, totals) - np.diag(totals)  # without pairs of a rating with itself

    observed_cost = (costs * matrix).sum() * (totals.sum() - 1)
    expected_cost = (costs * expected).sum()
    return 1 - _divide(observed_cost, expected_cost)


class MacroScores(NamedTuple):
    """Means over the grades that occur."""

    precision: float
    recall: float
    f1: float


def macro(matrix: np.ndarray) -> MacroScores:
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
        return MacroScores(np.nan, np.nan, np.nan)

    # where a denominator is 0, so is the numerator
    precision = right_counts / np.maximum(predicted_counts, 1)
    recall = right_counts / np.maximum(reference_counts, 1)
    f1 = 2 * right_counts / np.maximum(predicted_counts + reference_counts, 1)
    return MacroScores(precision[occurs].mean(), recall[occurs].mean(), f1[occurs].mean())


def _compute_kappa_costs(grade_count: int, weights: str | None) -> np.ndarray:
    """Return what each pair of grades costs κ (k, k); `weights`: see `cohen_kappa`."""
    positions = np.arange(grade_count)
    distances = np.abs(positions[:, None] - positions)
    if weights == "linear":
        return distances
    if weights == "quadratic":
        return distances**2
    if weights is None:
        return (distances > 0).astype(int)
    raise KeyError(weights)


def _compute_alpha_costs(totals: np.ndarray, scale: np.ndarray, level: Level) -> np.ndarray:
    """Return what each pair of grades costs α (k, k); `level`: see `krippendorff_alpha`.

    totals: number of ratings with each grade, (k,).
    """
    if level == "nominal":
        return 1.0 - np.eye(len(scale))

    if level == "ordinal":
        # all ratings stand in a row, from the lowest grade to the highest: a grade is where the
        # middle of its ratings is. Totals of 2, 4 and 2 give the positions 1, 4 and 7
        ratings_up_to_grade = np.cumsum(totals)
        positions = ratings_up_to_grade - totals / 2
    else:
        positions = scale
    differences = positions[:, None] - positions
    return differences**2


def _divide(numerator: float, denominator: float) -> float:
    """Divide; NaN if the denominator is 0."""
    return numerator / denominator if denominator > 0 else np.nan

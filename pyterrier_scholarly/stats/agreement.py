"""Measure how far two or more judges agree, beyond chance.

Conventions: a scale is a tuple of all possible grades, ascending. A *confusion matrix* (k, k) over
a scale of k grades counts in [c, d] the items with grade c from the first judge and d from the
second. A missing rating is NaN. An undefined coefficient is NaN, never 0 or 1: constant ratings
show no agreement beyond chance.
"""

from collections.abc import Sequence
from typing import Literal, TypeAlias, get_args

import numpy as np

from ..arguments import check_arguments
from . import inference

Level: TypeAlias = Literal["nominal", "ordinal", "interval"]
LEVELS: tuple[Level, ...] = get_args(Level)


def confusion(first: np.ndarray, second: np.ndarray, scale: Sequence[float]) -> np.ndarray:
    """Count the pairs of grades of two judges: the confusion matrix (k, k) of integers.

    first, second: float arrays (n,); items with a missing rating are skipped.
    """
    both = ~(np.isnan(first) | np.isnan(second))
    positions = np.searchsorted(scale, first[both]), np.searchsorted(scale, second[both])
    matrix = np.zeros((len(scale), len(scale)), dtype=int)
    np.add.at(matrix, positions, 1)
    return matrix


def percent(matrix: np.ndarray) -> float:
    """Compute the share of equal grades in a confusion matrix, in 0..1; NaN if it is empty."""
    return np.trace(matrix) / matrix.sum() if matrix.sum() else np.nan


def spearman(matrix: np.ndarray) -> float:
    """Compute Spearman's ρ of a confusion matrix; NaN if one judge's grades are constant."""
    first, second = np.nonzero(matrix)
    times = matrix[first, second]
    return inference.spearman(np.repeat(first, times), np.repeat(second, times)).value


def cohen_kappa(matrix: np.ndarray, weights: str | None = None) -> float:
    """Compute Cohen's κ of a confusion matrix: 1 - observed / expected disagreement.

    weights: "linear" or "quadratic" in the distance of the grades' positions on the scale; None
        weights every disagreement equally.

    NaN if both judges give the same single grade; 0 if only one judge's grades are constant.
    """
    positions = np.arange(len(matrix))
    apart = np.abs(positions[:, None] - positions)
    power = {None: 0, "linear": 1, "quadratic": 2}[weights]
    cost = (apart > 0) * apart**power
    expected = np.outer(matrix.sum(1), matrix.sum(0)) / max(matrix.sum(), 1)
    return 1 - _ratio((cost * matrix).sum(), (cost * expected).sum())


def coincidences(ratings: np.ndarray, scale: Sequence[float]) -> np.ndarray:
    """Compute Krippendorff's coincidence matrix (k, k) for any number of judges.

    ratings: float array (n, m), n items by m judges. An item with u ratings has u (u - 1) ordered
        pairs with a total weight of u. An item with one rating has no weight.
    """
    counts = np.stack([(ratings == grade).sum(1) for grade in scale], axis=1).astype(float)
    raters = counts.sum(1)
    counts, raters = counts[raters > 1], raters[raters > 1]
    pairs = counts[:, :, None] * counts[:, None, :]
    pairs[:, range(len(scale)), range(len(scale))] -= counts
    return (pairs / (raters - 1)[:, None, None]).sum(0)


@check_arguments
def krippendorff_alpha(
    matrix: np.ndarray, scale: Sequence[float], level: Level = "ordinal"
) -> float:
    """Compute Krippendorff's α of a coincidence matrix: 1 - observed / expected disagreement.

    level: the cost of two grades. "nominal": 1 if they differ. "interval": the square of their
        difference. "ordinal": the square of the number of ratings from one to the other, where
        ratings at the two ends count half.

    NaN if all ratings are one grade, or no item has two ratings. ValueError for another level.
    """
    totals = matrix.sum(0)
    expected = np.outer(totals, totals) - np.diag(totals)
    cost = _costs(totals, np.asarray(scale, dtype=float), level)
    return 1 - _ratio((cost * matrix).sum() * (totals.sum() - 1), (cost * expected).sum())


def _costs(totals: np.ndarray, scale: np.ndarray, level: Level) -> np.ndarray:
    if level == "nominal":
        return 1.0 - np.eye(len(scale))
    values = scale if level == "interval" else np.cumsum(totals) - totals / 2
    return (values[:, None] - values) ** 2


def macro(matrix: np.ndarray) -> tuple[float, float, float]:
    """Compute macro precision, recall and F1 of a confusion matrix; rows are the reference.

    These are means over the grades that occur. A grade missing on one side counts 0, like
    scikit-learn's ``zero_division=0``. NaN if the matrix is empty.
    """
    right, given, wanted = np.diag(matrix).astype(float), matrix.sum(0), matrix.sum(1)
    used = (given + wanted) > 0
    if not used.any():
        return np.nan, np.nan, np.nan
    precision = (right / np.maximum(given, 1))[used].mean()
    recall = (right / np.maximum(wanted, 1))[used].mean()
    f1 = (2 * right / np.maximum(given + wanted, 1))[used].mean()
    return precision, recall, f1


def _ratio(observed: float, expected: float) -> float:
    return observed / expected if expected > 0 else np.nan

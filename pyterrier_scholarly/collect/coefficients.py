"""Coefficients of agreement: of the annotators of one query, and of all queries together.

Conventions: `grades` is a frame, documents × annotators, NaN where a document was not rated. A
*confusion matrix* counts the documents that two annotators rate, (grades, grades). The *coincidence
matrix* of all annotators counts pairs of ratings of one document, (grades, grades), as
Krippendorff's α needs them.
"""

from collections.abc import Iterable, Sequence
from itertools import combinations
from typing import NamedTuple

import numpy as np
import pandas as pd

from ..stats import agreement

#: what is compared, as the column `compared` says it
AMONG_ANNOTATORS = "annotators"
WITH_REFERENCE = "reference"

MACRO_AVERAGES = ["precision", "recall", "f1"]
#: the columns of coefficients
COEFFICIENTS = [
    "spearman",
    *(f"alpha_{level}" for level in agreement.LEVELS),
    "kappa",
    "kappa_linear",
    "kappa_quadratic",
    "percent",
    *MACRO_AVERAGES,
]


class Comparison(NamedTuple):
    """Hold the ratings of one query, or of all, as count matrices over the scale.

    confusions: a confusion matrix for each pair of annotators, or of the reference and an
        annotator.
    coincidences: the coincidence matrix of all annotators; None against a reference.
    missing: the number of missing ratings.
    """

    confusions: list[np.ndarray]
    coincidences: np.ndarray | None
    missing: int

    def compute_figures(self, scale: Sequence[float]) -> dict[str, float]:
        """Compute `pairs` (compared ratings), `missing`, and COEFFICIENTS.

        Coefficients are means over the pairs, except α of all annotators together.
        """
        coefficients_of_pairs = pd.DataFrame(
            [compute_coefficients(confusion, scale) for confusion in self.confusions]
        )
        figures: dict[str, float] = {
            "pairs": int(np.sum(self.confusions)),
            "missing": self.missing,
            **coefficients_of_pairs.mean(skipna=False).to_dict(),
        }
        if self.coincidences is not None:
            figures.update(_compute_alphas(self.coincidences, scale))
            # neither annotator is the truth, so there is nothing to be precise about
            figures.update(dict.fromkeys(MACRO_AVERAGES, np.nan))
        return figures


def compare_ratings(
    grades: pd.DataFrame, reference: str | None, scale: Sequence[float]
) -> dict[str, Comparison]:
    """Compare the columns of one query's `grades`.

    Returns:
        Dict from AMONG_ANNOTATORS and WITH_REFERENCE, as far as there are columns for them, to the
        comparison.
    """
    of_annotators = grades.drop(columns=[reference], errors="ignore")
    annotators = list(of_annotators.columns)

    comparisons = {}
    if len(annotators) > 1:
        pairs = combinations(annotators, 2)
        comparisons[AMONG_ANNOTATORS] = Comparison(
            confusions=_count_confusions(grades, pairs, scale),
            coincidences=agreement.coincidences(of_annotators.to_numpy(), scale),
            missing=_count_missing(of_annotators),
        )
    if reference in grades and annotators:
        pairs_with_reference = [(reference, annotator) for annotator in annotators]
        comparisons[WITH_REFERENCE] = Comparison(
            confusions=_count_confusions(grades, pairs_with_reference, scale),
            coincidences=None,
            missing=_count_missing(grades),
        )
    return comparisons


def pool_comparisons(comparisons: Sequence[Comparison]) -> Comparison:
    """Join the comparisons of several queries, as if all pairs were of two annotators.

    Returns:
        A comparison with a single confusion matrix.
    """
    confusions = []
    coincidences = []
    for comparison in comparisons:
        confusions += comparison.confusions
        if comparison.coincidences is not None:
            coincidences.append(comparison.coincidences)

    return Comparison(
        confusions=[np.sum(confusions, axis=0)],
        coincidences=np.sum(coincidences, axis=0) if coincidences else None,
        missing=sum(comparison.missing for comparison in comparisons),
    )


def compute_coefficients(confusion: np.ndarray, scale: Sequence[float]) -> dict[str, float]:
    """Compute COEFFICIENTS of a confusion matrix: of two annotators, or of a reference and one."""
    precision, recall, f1 = agreement.macro(confusion)
    # two ratings of each document, of which either may be the first
    coincidences = confusion + confusion.T
    return {
        "spearman": agreement.spearman(confusion),
        **_compute_alphas(coincidences, scale),
        "kappa": agreement.cohen_kappa(confusion),
        "kappa_linear": agreement.cohen_kappa(confusion, "linear"),
        "kappa_quadratic": agreement.cohen_kappa(confusion, "quadratic"),
        "percent": agreement.percent(confusion),
        "precision": precision,
        "recall": recall,
        "f1": f1,
    }


def _count_confusions(
    grades: pd.DataFrame, pairs: Iterable[tuple[str | None, str]], scale: Sequence[float]
) -> list[np.ndarray]:
    """Return the confusion matrix of each pair of columns."""
    confusions = []
    for first, second in pairs:
        first_grades = grades[first].to_numpy()
        second_grades = grades[second].to_numpy()
        confusions.append(agreement.confusion(first_grades, second_grades, scale))
    return confusions


def _count_missing(grades: pd.DataFrame) -> int:
    return int(grades.isna().to_numpy().sum())


def _compute_alphas(coincidences: np.ndarray, scale: Sequence[float]) -> dict[str, float]:
    """Compute Krippendorff's α on each level of measurement."""
    alphas = {}
    for level in agreement.LEVELS:
        alphas[f"alpha_{level}"] = agreement.krippendorff_alpha(coincidences, scale, level)
    return alphas

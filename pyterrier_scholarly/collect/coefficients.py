"""Coefficients of agreement: of one query's ratings, and of a judge with a majority of people."""

from collections.abc import Iterable, Mapping, Sequence
from itertools import combinations
from statistics import median_low
from typing import NamedTuple

import numpy as np
import pandas as pd

from ..arguments import check_arguments
from ..stats import agreement
from .ratings import PAIR, REFERENCE, checked, ratings_of, single_ratings

AMONG, WITH = "annotators", "reference"
MACRO = ["precision", "recall", "f1"]
#: the coefficients, by column
COEFFICIENTS = [
    "spearman",
    *(f"alpha_{level}" for level in agreement.LEVELS),
    "kappa",
    "kappa_linear",
    "kappa_quadratic",
    "percent",
    *MACRO,
]


class Comparison(NamedTuple):
    """Hold the ratings of one query, or of all, as count matrices over the scale.

    pairs: a confusion matrix for each pair of annotators, or of the reference and an annotator.
    together: the coincidence matrix of all annotators; None against a reference.
    missing: the number of missing ratings.
    """

    pairs: list[np.ndarray]
    together: np.ndarray | None
    missing: int

    def figures(self, scale: tuple) -> dict[str, float]:
        """Compute `pairs` (compared ratings), `missing`, and COEFFICIENTS.

        Coefficients are means over the pairs, except α of all annotators together.
        """
        each = pd.DataFrame([coefficients(matrix, scale) for matrix in self.pairs])
        values = each.mean(skipna=False).to_dict()
        if self.together is not None:  # neither side is the truth
            values |= {**_alphas(self.together, scale), **dict.fromkeys(MACRO, np.nan)}
        return {"pairs": int(np.sum(self.pairs)), "missing": self.missing, **values}


def comparisons(grades: pd.DataFrame, reference: str | None, scale: tuple) -> dict[str, Comparison]:
    """Compare the columns of one query's `grades` (documents × annotators; NaN: not rated).

    Returns:
        Dict from AMONG and WITH, as far as there are columns for them, to the comparison.
    """
    judges = grades.drop(columns=[reference], errors="ignore")
    both = {}
    if len(judges.columns) > 1:
        both[AMONG] = Comparison(
            _confusions(grades, combinations(judges, 2), scale),
            agreement.coincidences(judges.to_numpy(), scale),
            int(judges.isna().sum().sum()),
        )
    if reference in grades and len(judges.columns):
        both[WITH] = Comparison(
            _confusions(grades, ((reference, judge) for judge in judges), scale),
            None,
            int(grades.isna().sum().sum()),
        )
    return both


def pooled(queries: list[Comparison]) -> Comparison:
    """Join the comparisons of several queries, as if all pairs were of two annotators."""
    together = [one.together for one in queries if one.together is not None]
    return Comparison(
        [np.sum([matrix for one in queries for matrix in one.pairs], axis=0)],
        np.sum(together, axis=0) if together else None,
        sum(one.missing for one in queries),
    )


def coefficients(matrix: np.ndarray, scale: Sequence[float]) -> dict[str, float]:
    """Compute COEFFICIENTS of a confusion matrix: of two annotators, or of a reference and one."""
    return {
        "spearman": agreement.spearman(matrix),
        **_alphas(matrix + matrix.T, scale),  # two ratings of each document
        "kappa": agreement.cohen_kappa(matrix),
        "kappa_linear": agreement.cohen_kappa(matrix, "linear"),
        "kappa_quadratic": agreement.cohen_kappa(matrix, "quadratic"),
        "percent": agreement.percent(matrix),
        **dict(zip(MACRO, agreement.macro(matrix))),
    }


def _alphas(together: np.ndarray, scale: Sequence[float]) -> dict[str, float]:
    return {
        f"alpha_{level}": agreement.krippendorff_alpha(together, scale, level)
        for level in agreement.LEVELS
    }


def _confusions(grades: pd.DataFrame, pairs: Iterable[tuple], scale: tuple) -> list[np.ndarray]:
    return [
        agreement.confusion(grades[one].to_numpy(), grades[two].to_numpy(), scale)
        for one, two in pairs
    ]


@check_arguments
def against_people(
    judged: pd.DataFrame | Mapping[str, pd.DataFrame],
    people: object,
    scale: Sequence[float] = (0, 1, 2),
) -> pd.DataFrame:
    """Compare labels of a judge, and of each person, with the majority of people [Wang2023, 4].

    The majority is the median grade: the middle one if three people all differ. Figures are over
    all pairs together, not per aspect. People's figures are flattered: unlike a judge, a person is
    part of the majority.

    Args:
        judged: frame of `qid`, `docno`, `label`, as the `frame` of `judge`; or a dict from a judge
            to such a frame. Pairs that people did not judge are left out.
        people: a dataset with their ratings (``"doris-mae/human"``), a frame of `qid`, `docno`,
            `annotator`, `rating`, or a dict from a person to a frame of `qid`, `docno`, `label`.
        scale: the possible grades.

    Returns:
        Frame `annotator` (judges first), `pairs` (compared), `precision`, `recall`, `f1` (macro
        averages over the grades), `spearman`, `percent` (equal grades, in 0..1).

    Raises:
        ValueError: see `agreement`; a judge of none of the pairs.
    """
    ratings = _ratings_of_people(people, scale)
    majority = _majority(ratings)
    judges = ratings_of(judged if isinstance(judged, Mapping) else {"judge": judged})
    judges, _ = checked(judges.merge(majority[PAIR]), scale)
    rows = [
        {"annotator": name, **_figures(own.merge(majority, on=PAIR), scale)}
        for side in (judges, ratings)
        for name, own in side.groupby("annotator", sort=False)
    ]
    return pd.DataFrame(rows, columns=["annotator", "pairs", *MACRO, "spearman", "percent"])


def majority_of(people: object, scale: Sequence[float] = (0, 1, 2)) -> pd.DataFrame:
    """Return the grade that most people give, the middle one if three all differ.

    Args:
        people, scale: see `against_people`.

    Returns:
        Frame `qid`, `docno`, `majority`, in the order of the pairs' first ratings.
    """
    return _majority(_ratings_of_people(people, scale))


def _ratings_of_people(people: object, scale: Sequence[float]) -> pd.DataFrame:
    """Return the ratings that people gave, without missing ones and without final grades."""
    if not isinstance(people, (pd.DataFrame, Mapping)):
        people = single_ratings(people)
    ratings, _ = checked(people, scale)
    return ratings[ratings["annotator"] != REFERENCE].dropna(subset="rating")


def _majority(ratings: pd.DataFrame) -> pd.DataFrame:
    by_pair = ratings.groupby(PAIR, sort=False, as_index=False)
    return by_pair.agg(majority=("rating", median_low))


def _figures(rated: pd.DataFrame, scale: Sequence[float]) -> dict[str, float]:
    """Compute `pairs` and the coefficients of `rating` with `majority`."""
    matrix = agreement.confusion(rated["majority"].to_numpy(), rated["rating"].to_numpy(), scale)
    return {"pairs": matrix.sum(), **coefficients(matrix, scale)}

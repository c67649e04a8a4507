"""The grades that most people give, and how well judges agree with them [Wang2023, 4].

print(against_people({"gpt-4": judged.frame}, "doris-mae/human"))
"""

from collections.abc import Mapping, Sequence
from statistics import median_low
from typing import TypeAlias

import pandas as pd

from ..arguments import check_arguments
from ..datasets import DatasetLike
from ..stats import agreement
from .coefficients import MACRO_AVERAGES, compute_coefficients
from .ratings import PAIR, REFERENCE, Ratings, check_ratings, check_scale, join_ratings
from .released_ratings import single_ratings

#: ratings by several people, or a dataset with such
People: TypeAlias = Ratings | DatasetLike
SHOWN_COEFFICIENTS = [*MACRO_AVERAGES, "spearman", "percent"]


@check_arguments
def against_people(
    judged: pd.DataFrame | Mapping[str, pd.DataFrame],
    people: People,
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
    ratings = _read_people(people, scale)
    majority = _compute_majority(ratings)

    frame_of_judge = judged if isinstance(judged, Mapping) else {"judge": judged}
    all_labels = join_ratings(frame_of_judge)
    labels = check_ratings(all_labels.merge(majority[PAIR]))  # of pairs that people judged
    check_scale(labels, scale)

    rows = []
    for side in (labels, ratings):
        for name, ratings_of_one in side.groupby("annotator", sort=False):
            figures = _compare_with_majority(ratings_of_one, majority, scale)
            rows.append({"annotator": name, **figures})
    return pd.DataFrame(rows, columns=["annotator", "pairs", *SHOWN_COEFFICIENTS])


def find_majority(people: People, scale: Sequence[float] = (0, 1, 2)) -> pd.DataFrame:
    """Return the grade that most people give, the middle one if three all differ.

    Args:
        people, scale: see `against_people`.

    Returns:
        Frame `qid`, `docno`, `majority`, in the order of the pairs' first ratings.
    """
    return _compute_majority(_read_people(people, scale))


def _read_people(people: People, scale: Sequence[float]) -> pd.DataFrame:
    """Return the ratings that people gave, without missing ones and without final grades."""
    if isinstance(people, (pd.DataFrame, Mapping)):
        ratings = check_ratings(people)
    else:
        ratings = check_ratings(single_ratings(people))
    check_scale(ratings, scale)

    is_of_person = ratings["annotator"] != REFERENCE
    return ratings[is_of_person].dropna(subset="rating")


def _compute_majority(ratings: pd.DataFrame) -> pd.DataFrame:
    by_pair = ratings.groupby(PAIR, sort=False, as_index=False)
    return by_pair.agg(majority=("rating", median_low))


def _compare_with_majority(
    ratings: pd.DataFrame, majority: pd.DataFrame, scale: Sequence[float]
) -> dict[str, float]:
    """Compute `pairs` and the coefficients of one annotator's ratings with the majority."""
    compared = ratings.merge(majority, on=PAIR)
    confusion = agreement.confusion(
        compared["majority"].to_numpy(), compared["rating"].to_numpy(), scale
    )
    return {"pairs": confusion.sum(), **compute_coefficients(confusion, scale)}

"""How far a judge's labels are people's: the figures of DORIS-MAE's hypothesis test."""

from collections.abc import Mapping
from statistics import median_low

import pandas as pd

from ..stats import agreeing
from ._comparing import MACRO, of_pair
from .ratings import REFERENCE, checked, ratings_of, single_ratings

PAIR = ["qid", "docno"]
FIGURES = [*MACRO, "spearman", "percent"]


def against_people(judged, people, scale=(0, 1, 2)):
    """Compare a judge's labels, and each person's, with the majority of the people [Wang2023, 4].

    The majority is the median grade: of three people where all differ, the middle one. Figures are
    over all pairs together, not per aspect. A person is part of the majority that he or she is
    compared with, a judge is not, so that people's figures are flattered.

    Args:
        judged: frame of `qid`, `docno`, `label`, as the `frame` of `judge`; or a dict from a judge
            to such a frame. Pairs that people did not judge are left out.
        people: a dataset with their ratings (``"doris-mae/human"``), a frame of `qid`, `docno`,
            `annotator`, `rating`, or a dict from a person to a frame of `qid`, `docno`, `label`.
        scale: the grades that there may be.

    Returns:
        Frame `annotator` (judges first), `pairs` (compared), `precision`, `recall`, `f1` (macro
        averages over the grades), `spearman`, `percent` (equal grades, in 0..1).

    Raises:
        ValueError: see `agreement`; a judge of none of the pairs.
    """
    if isinstance(people, str) or hasattr(people, "irds_ref") or hasattr(people, "qrels_iter"):
        people = single_ratings(people)
    people, _ = checked(people, scale)
    people = people[people["annotator"] != REFERENCE].dropna(subset="rating")
    majority = people.groupby(PAIR, sort=False)["rating"].agg(median_low).reset_index()
    judges = ratings_of(judged if isinstance(judged, Mapping) else {"judge": judged})
    judges, _ = checked(judges.merge(majority[PAIR]), scale)
    rows = [
        _figures(name, own.merge(majority, on=PAIR, suffixes=("", "_of_most")), scale)
        for part in (judges, people)
        for name, own in part.groupby("annotator", sort=False)
    ]
    return pd.DataFrame(rows, columns=["annotator", "pairs", *FIGURES])


def _figures(name, rated, scale):
    sides = rated[["rating_of_most", "rating"]].to_numpy().T
    matrix = agreeing.confusion(*sides, scale)
    found = of_pair(matrix, scale)
    return {"annotator": name, "pairs": matrix.sum()} | {own: found[own] for own in FIGURES}

"""How far a judge's labels are people's: the figures of DORIS-MAE's hypothesis test."""

from collections.abc import Mapping
from statistics import median_low

import pandas as pd

from ._comparing import MACRO, WITH
from ._rated import checked, ratings_of
from .agreeing import agreement
from .single import REFERENCE, single_ratings

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
    majority = people.groupby(["qid", "docno"], sort=False)["rating"].agg(median_low).reset_index()
    judges = ratings_of(judged if isinstance(judged, Mapping) else {"judge": judged})
    asked = pd.MultiIndex.from_frame(majority[["qid", "docno"]])
    judges = judges[pd.MultiIndex.from_frame(judges[["qid", "docno"]]).isin(asked)]
    reference = majority.assign(annotator=REFERENCE)
    rows = [
        _figures(name, own, reference, scale)
        for part in (judges, people)
        for name, own in part.groupby("annotator", sort=False)
    ]
    return pd.DataFrame(rows, columns=["annotator", "pairs", *FIGURES])


def _figures(name, own, reference, scale):
    both = reference.merge(own[["qid", "docno"]], on=["qid", "docno"])
    table = agreement(pd.concat([own, both]), REFERENCE, scale).table
    row = table[(table["compared"] == WITH) & (table["over"] == "pooled")].iloc[0]
    return {"annotator": name, **row[["pairs", *FIGURES]]}

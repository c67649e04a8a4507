"""Judgements of a query's aspects, summed over them as in DORIS-MAE [Wang2023, 4].

totals = aspect_totals(judge(pairs, client).frame, {"q1": ["q1-a", "q1-b"]})
totals.frame, totals.incomplete
"""

from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple, TypeAlias

import pandas as pd

from .. import frames
from ..arguments import check_arguments

#: aspect -> document -> grade
Grades: TypeAlias = dict[str, dict[str, float]]


class Totals(NamedTuple):
    """Hold the sums of judgements over aspects.

    frame: `qid`, `docno`, `label` (the sum of the grades over the query's aspects), `iteration`
        (the number of aspects, as text): qrels for `write_collection` and our DORIS-MAE measures. A
        document is relevant if its `label` is that number or more.
    incomplete: `qid`, `docno`, `missing` (tuple of aspects without a judgement); these have no sum.
    """

    frame: pd.DataFrame
    incomplete: pd.DataFrame

    def __repr__(self) -> str:
        return frames.fit_screen(self)


@check_arguments
def aspect_totals(judged: pd.DataFrame, aspects: Mapping[str, Iterable[str]]) -> Totals:
    """Sum the grades of a query's aspects for each document, as DORIS-MAE does [Wang2023, 4].

    Args:
        judged: frame of `qid` (an aspect's id), `docno`, `label`, as the frame of `judge`.
        aspects: dict from a query's qid to the ids of its aspects and sub-aspects.

    Returns:
        `Totals` of every document that is judged for at least one aspect of the query. A document
        with an aspect that is not judged has no sum: it would be too low.

    Raises:
        ValueError: a duplicate pair, a label that is no whole number (NaN), an aspect without
            judgements, a query without aspects.
    """
    judged = frames.check(judged, "aspect_totals", ["qid", "docno", "label"])
    _check_labels(judged)
    grades_by_aspect = _collect_grades(judged)

    totals = []
    incomplete = []
    for qid, aspects_of_query in aspects.items():
        aspect_ids = list(dict.fromkeys(aspects_of_query))
        _check_aspects(qid, aspect_ids, grades_by_aspect)

        for docno in _list_documents(aspect_ids, grades_by_aspect):
            missing_ids = [
                aspect_id for aspect_id in aspect_ids if docno not in grades_by_aspect[aspect_id]
            ]
            if missing_ids:
                incomplete.append((qid, docno, tuple(missing_ids)))
                continue

            total = sum(grades_by_aspect[aspect_id][docno] for aspect_id in aspect_ids)
            totals.append((qid, docno, int(total), str(len(aspect_ids))))

    return Totals(
        pd.DataFrame(totals, columns=["qid", "docno", "label", "iteration"]),
        pd.DataFrame(incomplete, columns=["qid", "docno", "missing"]),
    )


def _check_labels(judged: pd.DataFrame) -> None:
    """Raise ValueError for a label that is no whole number."""
    labels = pd.to_numeric(judged["label"], errors="coerce")
    is_broken = labels % 1 != 0  # also true of NaN
    frames.refuse_rows(
        judged,
        column="label",
        by="docno",
        is_bad=is_broken.tolist(),
        expected="whole numbers",
        remedy="fill it in, or leave these rows out",
    )


def _collect_grades(judged: pd.DataFrame) -> Grades:
    """Return the grades of each aspect's documents."""
    grades_by_aspect: Grades = {}
    for aspect_id, rows_of_aspect in judged.groupby("qid", sort=False):
        grades_by_aspect[aspect_id] = dict(zip(rows_of_aspect["docno"], rows_of_aspect["label"]))
    return grades_by_aspect


def _check_aspects(qid: str, aspect_ids: Sequence[str], grades_by_aspect: Grades) -> None:
    """Raise ValueError for a query without aspects, or with an aspect that was not judged."""
    unjudged_ids = [aspect_id for aspect_id in aspect_ids if aspect_id not in grades_by_aspect]
    if unjudged_ids or not aspect_ids:
        raise ValueError(
            f"Query {qid!r} has the aspects {aspect_ids}, without judgements of "
            f"{frames.some(unjudged_ids) or 'any'}: judge them first, or leave the query out."
        )


def _list_documents(aspect_ids: Sequence[str], grades_by_aspect: Grades) -> list[str]:
    """Return the documents that are judged for one of the aspects, in the order of judgements."""
    docnos: dict[str, None] = {}  # a dict, because it keeps each document's first place
    for aspect_id in aspect_ids:
        docnos.update(dict.fromkeys(grades_by_aspect[aspect_id]))
    return list(docnos)

"""From judgements of aspects to judgements of queries."""

from typing import NamedTuple

import pandas as pd

from .. import frames


class Totals(NamedTuple):
    """What judgements of aspects come to.

    frame: `qid`, `docno`, `label` (the sum of the grades of the query's aspects), `iteration` (how
        many aspects there are, as text), as `write_collection` takes qrels and our DORIS-MAE
        measures read them: relevant is what has `label` of that number or more.
    incomplete: `qid`, `docno`, `missing` (tuple of the aspects without a judgement): no sum.
    """

    frame: pd.DataFrame
    incomplete: pd.DataFrame


def aspect_totals(judged, aspects):
    """Sum the grades of a query's aspects for each document, as DORIS-MAE does [Wang2023, 4].

    Args:
        judged: frame of `qid` (an aspect's id), `docno`, `label`, as the frame of `judge`.
        aspects: dict from a query's qid to the ids of its aspects and sub-aspects.

    Returns:
        `Totals`, over every document that is judged for one aspect of the query at least. One with
        an aspect that is not judged has no sum, which would be too low.

    Raises:
        ValueError: a pair twice, a label that is no whole number (NaN), an aspect for which
            nothing is judged, a query without aspects.
    """
    judged = frames.check(judged, "aspect_totals", ["qid", "docno", "label"])
    _whole(judged)
    grades = {}
    for aspect, docno, label in zip(judged["qid"], judged["docno"], judged["label"]):
        grades.setdefault(aspect, {})[docno] = label
    rows, incomplete = [], []
    for qid, ids in aspects.items():
        ids = list(dict.fromkeys(ids))
        unknown = [aspect for aspect in ids if aspect not in grades]
        if unknown or not ids:
            raise ValueError(
                f"Query {qid!r} has the aspects {ids}, of which nothing is judged for "
                f"{frames.some(unknown) or 'any'}: judge them first, or leave the query out."
            )
        for docno in dict.fromkeys(docno for aspect in ids for docno in grades[aspect]):
            missing = tuple(aspect for aspect in ids if docno not in grades[aspect])
            if missing:
                incomplete.append((qid, docno, missing))
            else:
                total = sum(grades[aspect][docno] for aspect in ids)
                rows.append((qid, docno, int(total), str(len(ids))))
    return Totals(
        pd.DataFrame(rows, columns=["qid", "docno", "label", "iteration"]),
        pd.DataFrame(incomplete, columns=["qid", "docno", "missing"]),
    )


def _whole(judged):
    bad = pd.to_numeric(judged["label"], errors="coerce") % 1 != 0  # true of NaN
    if bad.any():
        named = frames.some(map(" ".join, zip(judged["qid"][bad], judged["docno"][bad])))
        raise ValueError(
            f"Column 'label' must hold whole numbers; it does not for {named}: fill it in, or "
            "leave these rows out."
        )

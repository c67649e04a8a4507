"""Candidates in tables: what people grade, and what an adjudicator settles."""

from typing import NamedTuple

import pandas as pd

from .. import frames
from ..protocols import GUIDELINES, preset
from .ratings import ratings_of
from .sheets import Sheet

PAIR = ["qid", "docno"]
SHOWN = ("query", "text")
VERDICT = "verdict"


def write_grading(pairs, path, guidelines="csfcube", shown=SHOWN):
    """Write pairs of a query and a document to a CSV file, for one person to grade in `verdict`.

    The guidelines stand at the top of the file (see `Sheet`). People should see titles and
    abstracts alone, neither authors nor years, nor one another's sheets [Mysore2021, 4].

    Args:
        pairs: frame of `qid`, `docno` and the columns of `shown`, as for `judge`; the `unclear`
            pairs of a `judge` are such a frame.
        path: of the new file; one for each person.
        guidelines: ``"csfcube"``, ``"doris-mae"``, or `Guidelines` of your own.
        shown: columns for people to read.

    Returns:
        Path of the file.

    Raises:
        pt.validate.InputValidationError: a column is missing.
        FileExistsError, ValueError: see `Sheet.write`.
    """
    return grading_sheet(guidelines, shown).write(pairs, path)


def read_grading(path, pairs, guidelines="csfcube", partial=False):
    """Read the grades that a person has filled in.

    Args:
        path: of a file of `write_grading`.
        pairs, guidelines: as they were for writing.
        partial: whether pairs may be left without a grade; they have no row then.

    Returns:
        Frame `qid`, `docno`, `label` (int, the grade), `verdict` (what was filled in) and `note`,
        in the order of `pairs`. With other people's, and with `judge`'s frame, it is what
        `agreement` and `write_adjudication` take: ``{"ann1": …, "ann2": …}``.

    Raises:
        ValueError: see `Sheet.read`; a grade is missing or none of the guidelines'.
    """
    sheet = grading_sheet(guidelines)
    found = sheet.read(path, pairs, lambda row: (VERDICT,) if partial else ())
    found = found[found[VERDICT] != ""].reset_index(drop=True)
    labels = found[VERDICT].map(preset("guidelines", guidelines, GUIDELINES).grades).astype(int)
    return found.assign(label=labels)[[*PAIR, "label", VERDICT, "note"]]


def grading_sheet(guidelines, shown=()):
    """The `Sheet` of guidelines, by name or as they are, with the columns `shown`."""
    known = preset("guidelines", guidelines, GUIDELINES)
    top = (f"From {known.source}.", *known.words)
    return Sheet(tuple(PAIR), tuple(shown), {VERDICT: known.meanings, "note": None}, top)


class Adjudicated(NamedTuple):
    """What two sheets and the adjudicator's come to, in the columns that CSFCube's release has.

    qrels: `qid`, `docno`, `label`, as `write_collection` takes it.
    annotators: `qid`, `docno`, `annotator`, `rating`, as `write_collection` and `agreement` do.
    table: `qid`, `docno`, `relevance` (the final grade), `relevance_max`, `relevance_min` (of the
        annotators'), and a column for each annotator; NaN where there is no rating.
    """

    qrels: pd.DataFrame
    annotators: pd.DataFrame
    table: pd.DataFrame


def write_adjudication(ratings, pairs, path, guidelines="csfcube", shown=SHOWN):
    """Write the pairs that annotators do not agree on, with their grades, for an adjudicator.

    Two that agree are not asked about again. A pair that some annotator of the query did not rate
    is listed, too.

    Args:
        ratings: dict from an annotator to a frame of `qid`, `docno`, `label`, as `read_grading` and
            `judge` give it; or a frame of `qid`, `docno`, `annotator`, `rating`.
        pairs: frame of `qid`, `docno` and the columns of `shown`.
        path, guidelines, shown: as for `write_grading`.

    Returns:
        Path of the file; it lists no pair where annotators agree on all.

    Raises:
        ValueError: a query with a single annotator; a pair in dispute that `pairs` does not have.
    """
    wide, disputed = _wide(ratings)
    pairs = frames.check(pairs, "write_adjudication", [*PAIR, *shown])
    grades = wide[disputed].map(lambda grade: "" if pd.isna(grade) else f"{grade:g}")
    texts = pairs.set_index(PAIR)[list(shown)]
    without = [" ".join(pair) for pair in grades.index.difference(texts.index)]
    if without:
        raise ValueError(f"pairs has no {frames.some(without)}, which annotators disagree on.")
    rows = grades.join(texts).reset_index()
    return grading_sheet(guidelines, (*shown, *wide.columns)).write(rows, path)


def read_adjudication(path, ratings, guidelines="csfcube"):
    """Read the adjudicator's grades, and put the annotators' where these agree.

    Args:
        path: of a file of `write_adjudication`.
        ratings, guidelines: as they were for writing.

    Returns:
        `Adjudicated`, for ``write_collection(…, qrels=found.qrels, annotators=found.annotators)``;
        `single_ratings` and `agreement` then tell what the adjudicator kept and over-ruled.

    Raises:
        ValueError: see `Sheet.read`; a grade is missing.
    """
    wide, disputed = _wide(ratings)
    ruled = read_grading(path, wide[disputed].reset_index(), guidelines)["label"]
    grades = pd.DataFrame(
        {
            "relevance": wide.max(axis=1).mask(disputed, ruled.set_axis(wide.index[disputed])),
            "relevance_max": wide.max(axis=1),
            "relevance_min": wide.min(axis=1),
        }
    ).astype(int)
    return Adjudicated(
        grades["relevance"].reset_index(name="label"),
        ratings_of(ratings),
        grades.join(wide).reset_index(),
    )


def _wide(ratings):
    """Pairs × annotators, and for each pair whether somebody has to settle it."""
    rated = ratings_of(ratings).dropna(subset="rating")
    people = rated.groupby("qid")["annotator"].nunique()
    alone = people.index[people < 2]
    if len(alone):
        raise ValueError(
            f"Query {frames.some(alone)} has one annotator alone: two are needed to disagree."
        )
    order = pd.MultiIndex.from_frame(rated[PAIR].drop_duplicates())
    wide = rated.pivot(index=PAIR, columns="annotator", values="rating").reindex(order)
    wide.columns.name = None
    needed = wide.index.get_level_values("qid").map(people).to_numpy()
    settled = (wide.nunique(axis=1) == 1) & (wide.count(axis=1) == needed)
    return wide, ~settled

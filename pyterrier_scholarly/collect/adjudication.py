"""The sheet of an adjudicator, who decides where annotators disagree.

ratings = {"ann1": read_grading("ann1.csv", pairs), "ann2": read_grading("ann2.csv", pairs)}
write_adjudication(ratings, pairs, "adjudicator.csv")
# the adjudicator fills in the column `verdict`
final = read_adjudication("adjudicator.csv", ratings)
"""

from pathlib import Path
from typing import NamedTuple

import numpy as np
import pandas as pd

from .. import frames
from ..arguments import FilePath, check_arguments
from .grading_sheets import (
    NamedGuidelines,
    choose_guidelines,
    choose_shown,
    grading_sheet,
    read_grading,
)
from .ratings import PAIR, Ratings, join_ratings


class Adjudicated(NamedTuple):
    """Hold the result of several sheets and the adjudicator's, in the columns of CSFCube's release.

    qrels: `qid`, `docno`, `label`, for `write_collection`.
    annotators: `qid`, `docno`, `annotator`, `rating`, for `write_collection` and `agreement`.
    table: `qid`, `docno`, `relevance` (the final grade), `relevance_max`, `relevance_min` (of the
        annotators' grades), and a column for each annotator; NaN for a missing rating.
    """

    qrels: pd.DataFrame
    annotators: pd.DataFrame
    table: pd.DataFrame

    def __repr__(self) -> str:
        return frames.fit_screen(self)


@check_arguments
def write_adjudication(
    ratings: Ratings,
    pairs: pd.DataFrame,
    path: FilePath,
    guidelines: NamedGuidelines = "csfcube",
    shown: tuple[str, ...] | None = None,
    overwrite: bool = False,
) -> Path:
    """Write the pairs on which annotators disagree, with their grades, for an adjudicator.

    A pair that one of the query's annotators did not rate is listed, too. The file has no rows if
    annotators agree on all pairs.

    Args:
        ratings: dict from an annotator to a frame of `qid`, `docno`, `label` (see `read_grading`
            and `judge`); or a frame of `qid`, `docno`, `annotator`, `rating`.
        pairs: frame of `qid`, `docno` and the columns of `shown`.
        path, guidelines, shown, overwrite: as for `write_grading`.

    Raises:
        ValueError: a query with a single annotator, or a disputed pair missing from `pairs`.
    """
    chosen = choose_guidelines(guidelines, pairs)
    shown_columns = list(choose_shown(chosen, pairs) if shown is None else shown)
    pairs = frames.check(pairs, "write_adjudication", [*PAIR, *shown_columns])

    # a row for each disputed pair, a column for each annotator
    compared = _compare_annotators(ratings)
    disputed_grades = compared.grades[compared.is_disputed]
    annotators = list(disputed_grades.columns)

    texts = pairs.set_index(PAIR)[shown_columns]
    missing_pairs = [" ".join(pair) for pair in disputed_grades.index.difference(texts.index)]
    if missing_pairs:
        raise ValueError(
            f"pairs has no {frames.some(missing_pairs)}, which are in dispute: add them."
        )

    # the adjudicator sees the pair's texts and the annotators' grades
    grades_as_text = disputed_grades.map(_format_grade)
    rows = grades_as_text.join(texts).reset_index()
    sheet = grading_sheet(chosen, (*shown_columns, *annotators))
    return sheet.write(rows, path, overwrite)


@check_arguments
def read_adjudication(
    path: FilePath, ratings: Ratings, guidelines: NamedGuidelines = "csfcube"
) -> Adjudicated:
    """Read the adjudicator's grades, and keep the annotators' grade where they agree.

    Args:
        path: a file of `write_adjudication`.
        ratings, guidelines: the arguments that it was written with.

    Returns:
        `Adjudicated`, for ``write_collection(…, qrels=final.qrels, annotators=final.annotators)``.
        `single_ratings` and `agreement` then count what the adjudicator kept and over-ruled.

    Raises:
        ValueError: see `Sheet.read`; a missing grade.
    """
    compared = _compare_annotators(ratings)
    disputed_pairs = compared.grades[compared.is_disputed].reset_index()
    verdicts = read_grading(path, disputed_pairs, guidelines)

    highest = compared.grades.max(axis=1)
    lowest = compared.grades.min(axis=1)
    final_grades = highest.copy()  # where nothing is disputed, highest and lowest are equal
    final_grades[compared.is_disputed] = verdicts["label"].to_numpy()  # in the order of the pairs

    table = pd.DataFrame(
        {"relevance": final_grades, "relevance_max": highest, "relevance_min": lowest}, dtype=int
    )
    return Adjudicated(
        qrels=table["relevance"].reset_index(name="label"),
        annotators=join_ratings(ratings),
        table=table.join(compared.grades).reset_index(),
    )


class ComparedGrades(NamedTuple):
    """The grades of several annotators.

    grades: frame, pairs × annotators, with `qid` and `docno` as its index; NaN if missing.
    is_disputed: for each pair, whether grades differ, or an annotator of the query gave none.
    """

    grades: pd.DataFrame
    is_disputed: np.ndarray


def _compare_annotators(ratings: Ratings) -> ComparedGrades:
    """Return the annotators' grades of each pair, and for which pairs they have to be settled.

    Those are pairs with different grades, or with no grade of one of the query's annotators.

    Raises:
        ValueError: a query with a single annotator.
    """
    rated = join_ratings(ratings).dropna(subset="rating")
    annotator_counts = rated.groupby("qid")["annotator"].nunique()
    single_qids = annotator_counts.index[annotator_counts < 2]
    if len(single_qids):
        raise ValueError(f"Query {frames.some(single_qids)} has a single annotator: expected two.")

    # a row per pair, a column per annotator; `pivot` sorts the pairs, so their order is restored
    pairs_in_order = pd.MultiIndex.from_frame(rated[PAIR].drop_duplicates())
    sorted_grades = rated.pivot(index=PAIR, columns="annotator", values="rating")
    grades = sorted_grades.reindex(pairs_in_order)
    grades.columns.name = None

    qids = grades.index.get_level_values("qid")
    expected_counts = qids.map(annotator_counts).to_numpy()
    grade_counts = grades.count(axis=1).to_numpy()
    distinct_grade_counts = grades.nunique(axis=1).to_numpy()
    has_different_grades = distinct_grade_counts != 1
    is_incomplete = grade_counts != expected_counts
    return ComparedGrades(grades, has_different_grades | is_incomplete)


def _format_grade(grade: float) -> str:
    """Return a grade as text; "" for a missing one."""
    return "" if pd.isna(grade) else f"{grade:g}"

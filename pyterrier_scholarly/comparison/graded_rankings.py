"""Results and grades as the code of a measure sees them: its order of ties, its kind of grades."""

import numpy as np
import pandas as pd
import pyterrier as pt
from ir_measures import Measure

from ..evaluation.checks import PAIR
from .measure_splits import read_parameter

#: what `iteration` of DORIS-MAE's judgements says, and other judgements need not have
OPTIONAL_COLUMN = "iteration"


def read_grades(measure: Measure, qrels: pd.DataFrame) -> pd.Series:
    """Return the grade of each judged pair as the measure sees it.

    Args:
        measure: which may derive grades from other columns, or replace them by gains.
        qrels: frame `qid`, `docno`, `label`, and perhaps `iteration`. Of two judgements of a pair
            the last counts.

    Returns:
        Series of ints by `qid` and `docno`.
    """
    columns = [*PAIR, "label"]
    if OPTIONAL_COLUMN in qrels:
        columns.append(OPTIONAL_COLUMN)
    judged = qrels[columns].drop_duplicates(PAIR, keep="last")

    grades = judged["label"]
    if hasattr(measure, "read_relevance"):  # ours: DORIS-MAE's derive a grade from two columns
        grades = measure.read_relevance(pt.model.to_ir_measures(judged))
    elif "gains" in measure.params:
        gain_of_grade = measure["gains"]
        grades = [gain_of_grade.get(grade, grade) for grade in judged["label"]]

    pairs = pd.MultiIndex.from_frame(judged[PAIR])
    return pd.Series(np.asarray(grades, dtype=np.int64), pairs)


def rank_as_measured(measure: Measure, run: pd.DataFrame, grade_of_pair: pd.Series) -> pd.DataFrame:
    """Order results as a measure's own code does, and add their grades.

    Args:
        measure: whose code breaks ties.
        run: frame `qid`, `docno`, `score`.
        grade_of_pair: see `read_grades`.

    Returns:
        Frame `qid`, `docno`, `score`, `grade` (0 for an unjudged paper), `is_judged`, best paper
        first. It lacks unjudged papers if the measure ignores them.
    """
    grades = grade_of_pair.reindex(pd.MultiIndex.from_frame(run[PAIR])).to_numpy()
    is_judged = ~np.isnan(grades.astype(float))
    scores = run["score"].to_numpy(dtype=float)
    if not _is_ours(measure) and not _is_ms_marco(measure):
        scores = scores.astype(np.float32)  # trec_eval's scores have single precision

    ranked = run[PAIR].assign(
        score=scores, grade=np.where(is_judged, grades, 0), is_judged=is_judged
    )
    if read_parameter(measure, "judged_only", False):
        ranked = ranked[ranked["is_judged"]]

    ties_ascend = _is_ms_marco(measure)
    return ranked.sort_values(
        ["qid", "score", "docno"], ascending=[True, False, ties_ascend], kind="stable"
    )


def _is_ours(measure: Measure) -> bool:
    """Return whether this package computes a measure."""
    return hasattr(measure, "read_relevance")


def _is_ms_marco(measure: Measure) -> bool:
    """Return whether MS MARCO's script computes a measure: it alone has RR with a cut-off."""
    return measure.NAME == "RR" and "cutoff" in measure.params

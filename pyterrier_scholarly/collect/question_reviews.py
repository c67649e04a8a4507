"""Questions, reviewed by people: quality and specificity [Ajith2024, 2.1, Table 1].

write_review(questions, papers, "review.csv")
# people fill in `quality`, `specificity` and `rewritten`
accepted = read_review("review.csv", questions)
"""

from collections.abc import Sequence
from pathlib import Path

import pandas as pd

from .. import frames, protocols
from ..arguments import FilePath, check_arguments
from .generated_questions import QUESTION_COLUMNS
from .paper_titles import read_titles
from .sheets import Row, Sheet

#: LitSearch's rubric, as printed
RUBRIC = pd.read_csv(
    protocols.PROTOCOLS["litsearch"].folder / "tables/1.csv", dtype=str, keep_default_na=False
)
DISCARDED = "0"  # the quality of a question that is not used


def _read_meanings(annotation: str) -> dict[str, str]:
    """Return the meaning of each grade of the rubric's "Quality" or "Specificity"."""
    meanings = {}
    for grade in RUBRIC[RUBRIC["annotation"] == annotation].itertuples():
        meaning = f"{grade.name}. {grade.guideline}"
        if grade.example:
            meaning += f" Example: {grade.example}"
        meanings[grade.score] = meaning
    return meanings


REVIEW = Sheet(
    keys=("query_id",),
    shown=("query", "titles"),
    filled={
        "quality": _read_meanings("Quality"),
        "specificity": _read_meanings("Specificity"),
        "rewritten": None,
    },
    instructions=(
        "Grade each question by the rubric below (Ajith et al. 2024, LitSearch, Table 1).",
        "A minor mistake: write the whole corrected question into 'rewritten'.",
    ),
    unchanged={"query": "write the new one into 'rewritten'"},
)


@check_arguments
def write_review(
    questions: pd.DataFrame, papers: pd.DataFrame, path: FilePath, overwrite: bool = False
) -> Path:
    """Write questions to a CSV file; people fill in `quality`, `specificity`, `rewritten`.

    LitSearch's rubric is at the top of the file (`REVIEW`; see `Sheet`). Quality: 0 (discarded), 1
    (acceptable), 2 (good). Specificity: 0 (broad: at most 20 papers of the collection fit), 1
    (specific: at most 5); a question that more than 20 papers fit has quality 0. `rewritten` is
    the whole question, with a minor mistake corrected.

    Args:
        questions: frame of `query_id`, `query`, `doc_ids` (a list).
        papers: frame of `doc_id` and `title`; titles are shown beside the question.
        path: of the file.
        overwrite: whether to replace an existing file, with all that people filled in.

    Raises:
        FileExistsError: `path` exists, and `overwrite` is False.
        ValueError: a duplicate question, one without text, or an id that is no text.
    """
    questions = frames.check(questions, "write_review", QUESTION_COLUMNS, keys=REVIEW.keys)
    title_of_paper = read_titles(papers, "write_review")

    joined_titles = []
    for doc_ids in questions["doc_ids"]:
        titles = [title_of_paper.get(doc_id, doc_id) for doc_id in doc_ids]
        joined_titles.append("; ".join(titles))
    return REVIEW.write(questions.assign(titles=joined_titles), path, overwrite)


@check_arguments
def read_review(path: FilePath, questions: pd.DataFrame) -> pd.DataFrame:
    """Read the questions that people accepted, from the filled-in file of `write_review`.

    Args:
        path: the file; its rows and columns may be in any order, with further columns.
        questions: the frame that was written.

    Returns:
        The questions of quality 1 and 2, in their order: all columns, `query` as rewritten,
        `quality` (int) and `specificity` (``"broad"`` or ``"specific"``).

    Raises:
        ValueError: see `Sheet.read`; a question edited in place; a missing grade. Only the
            specificity of a question of quality 0 may be empty.
    """
    filled = REVIEW.read(path, questions, _find_optional)
    is_accepted = (filled["quality"] != DISCARDED).to_numpy(dtype=bool)
    accepted = questions[is_accepted].reset_index(drop=True)
    answers = filled[is_accepted].reset_index(drop=True)

    is_rewritten = answers["rewritten"] != ""
    specificity_grades = RUBRIC[RUBRIC["annotation"] == "Specificity"]
    specificity_names = specificity_grades.set_index("score")["name"].str.lower()
    return accepted.assign(
        query=answers["rewritten"].where(is_rewritten, accepted["query"]),
        quality=answers["quality"].astype("int64"),
        specificity=answers["specificity"].map(specificity_names).astype(object),
    )


def _find_optional(row: Row) -> Sequence[str]:
    """Return the columns that may be empty in a row of the sheet."""
    return ("specificity",) if row["quality"] == DISCARDED else ()

"""Questions, filtered and reviewed by people: quality and specificity [Ajith2024, 2.1, Table 1]."""

from collections.abc import Iterable, Mapping
from pathlib import Path

import numpy as np
import pandas as pd

from .. import frames, protocols
from ..arguments import FilePath, check_arguments
from ..text import mean_overlap
from .generated_questions import QUESTION_COLUMNS
from .paper_titles import find_titles, read_titles
from .sheets import Sheet

#: LitSearch's rubric, as printed
RUBRIC = pd.read_csv(
    protocols.PROTOCOLS["litsearch"].folder / "tables/1.csv", dtype=str, keep_default_na=False
)


@check_arguments
def drop_overlapping(
    questions: pd.DataFrame,
    papers: pd.DataFrame,
    limit: float | Mapping[str, float] = protocols.TITLE_LIMITS,
) -> pd.DataFrame:
    """Drop questions that share too many words with the titles of their papers.

    This is LitSearch's filter. It drops a question if the share of its words that occur in the
    titles is *above* .3 (for papers of the ACL anthology) or .1 (for others).

    Args:
        questions: frame of `query_id`, `query`, `doc_ids` (a list), and of `source` if `limit` is a
            dict.
        papers: frame of `doc_id` and `title`.
        limit: in 0..1, or a dict from the values of `source` to such limits. The default is
            LitSearch's, for the sources ``"inline-acl"`` and ``"inline-nonacl"``.

    Returns:
        A new frame of the remaining questions, with `overlap` (in 0..1).

    Raises:
        ValueError: a source without a limit, a limit out of range, a paper without a title, a
            question without words or papers; names the questions.
    """
    by_source = isinstance(limit, Mapping)
    limits: Mapping = limit if isinstance(limit, Mapping) else {"": limit}
    questions = frames.check(
        questions,
        "drop_overlapping",
        [*QUESTION_COLUMNS, "source"] if by_source else QUESTION_COLUMNS,
        remedy="Pass one number as limit, or add a column `source`." if by_source else "",
        keys=QUESTION_COLUMNS[:1],
    )
    sources = questions["source"] if by_source else [""] * len(questions)
    _check_limits(questions, sources, limits)
    titles = read_titles(papers, "drop_overlapping")
    overlaps = [
        mean_overlap(question, find_titles(ids, titles, f"Question {query_id!r}"))
        for query_id, question, ids in questions[QUESTION_COLUMNS].itertuples(index=False)
    ]
    out = questions.assign(overlap=np.array(overlaps, dtype=float))
    highest = np.array([limits[source] for source in sources], dtype=float)
    return out[out["overlap"] <= highest].reset_index(drop=True)


def _check_limits(questions: pd.DataFrame, sources: Iterable, limits: Mapping) -> None:
    wrong = {source: limit for source, limit in limits.items() if not 0 <= limit <= 1}
    if wrong:
        raise ValueError(f"limit={wrong}: expected a share of words in 0..1.")
    unknown = [source not in limits for source in sources]
    if any(unknown):
        raise ValueError(
            f"Questions {frames.some(questions['query_id'][unknown])} have a source without a "
            f"limit: there are limits for {', '.join(map(repr, limits))}."
        )


def _grades(annotation: str) -> dict[str, str]:
    """Return the meaning of each grade."""
    return {
        row.score: f"{row.name}. {row.guideline} Example: {row.example}".removesuffix(" Example: ")
        for row in RUBRIC[RUBRIC["annotation"] == annotation].itertuples()
    }


REVIEW = Sheet(
    keys=("query_id",),
    shown=("query", "titles"),
    filled={
        "quality": _grades("Quality"),
        "specificity": _grades("Specificity"),
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
    titles = read_titles(papers, "write_review")
    shown = ["; ".join(titles.get(one, one) for one in ids) for ids in questions["doc_ids"]]
    return REVIEW.write(questions.assign(titles=shown), path, overwrite)


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
    filled = REVIEW.read(
        path, questions, lambda row: ("specificity",) if row["quality"] == "0" else ()
    )
    kept = (filled["quality"] != "0").to_numpy(dtype=bool)
    out, filled = questions[kept].reset_index(drop=True), filled[kept].reset_index(drop=True)
    names = RUBRIC[RUBRIC["annotation"] == "Specificity"].set_index("score")["name"]
    return out.assign(
        query=filled["rewritten"].where(filled["rewritten"] != "", out["query"]),
        quality=filled["quality"].astype("int64"),
        specificity=filled["specificity"].map(names.str.lower()).astype(object),
    )

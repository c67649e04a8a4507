"""Questions in a table that people fill in: how good, and how specific [Ajith2024, Table 1]."""

import pandas as pd

from .. import frames
from ..protocols import PROTOCOLS
from .overlapping import titles_of
from .sheets import Sheet

QUESTION = ["query_id", "query", "doc_ids"]
#: LitSearch's rubric, as printed
RUBRIC = pd.read_csv(
    PROTOCOLS["litsearch"].folder / "tables/1.csv", dtype=str, keep_default_na=False
)


def _grades(annotation):
    """Grade -> what it means."""
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
    unchanged={"query": "put the new one into 'rewritten'"},
)


def write_review(questions, papers, path):
    """Write questions to a CSV file for people to fill in: `quality`, `specificity`, `rewritten`.

    LitSearch's rubric stands at the top of the file (`REVIEW`; see `Sheet`): quality 0 (discarded),
    1 (acceptable), 2 (good); specificity 0 (broad: no more than 20 papers of the collection fit), 1
    (specific: no more than 5; a question that more than 20 fit is of quality 0). A minor mistake is
    corrected in `rewritten`, a whole question.

    Args:
        questions: a frame with `query_id`, `query`, `doc_ids` (a list).
        papers: a frame with `doc_id` and `title`, which are shown beside the question.
        path: of the new file.

    Returns:
        Path of the file.

    Raises:
        FileExistsError: something is there: what people have filled in is never written over.
        ValueError: a question twice, without text, or with an id that is no text.
    """
    questions = frames.check(questions, "write_review", QUESTION, keys=REVIEW.keys)
    titles = titles_of(papers, "write_review")
    shown = ["; ".join(titles.get(one, one) for one in ids) for ids in questions["doc_ids"]]
    return REVIEW.write(questions.assign(titles=shown), path)


def read_review(path, questions):
    """The questions that people let pass, from the file of `write_review` when it is filled in.

    Args:
        path: of the file; its rows may be in any order, its columns too, others may be added.
        questions: the frame that was written.

    Returns:
        The questions of quality 1 and 2, in their order: all columns, `query` as rewritten, and
        `quality` (int) and `specificity` (``"broad"`` or ``"specific"``).

    Raises:
        ValueError: see `Sheet.read`; a question's text was changed in place. The specificity of a
            question of quality 0 may be empty, no other grade.
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


def question_rows(questions):
    """What `write_collection` takes of questions: queries, judgements, and a part by specificity.

    ``write_collection(name, docs, **question_rows(questions), description=…, licence=…)``

    Args:
        questions: a frame with `query_id`, `query`, `doc_ids` (a list), as `read_review` gives it;
            other columns of texts and numbers become fields of the queries.

    Returns:
        Dict of `queries` and `qrels` (relevance 1 for each of a question's papers) and, where there
        is a column `specificity`, `parts`: the same for ``broad`` and ``specific`` questions.

    Raises:
        ValueError: a question twice, without text, or without papers.
    """
    questions = frames.check(questions, "question_rows", QUESTION, keys=REVIEW.keys)
    rows = _tables(questions)
    if "specificity" not in questions.columns:
        return rows
    parts = questions.groupby("specificity", sort=True)
    return {**rows, "parts": {name: _tables(own) for name, own in parts}}


def _tables(questions):
    queries = questions.drop(columns="doc_ids").reset_index(drop=True)
    pairs = questions[["query_id", "doc_ids"]].explode("doc_ids", ignore_index=True)
    qrels = pairs.rename(columns={"doc_ids": "doc_id"}).drop_duplicates(ignore_index=True)
    return {"queries": queries, "qrels": qrels.assign(relevance=1)}

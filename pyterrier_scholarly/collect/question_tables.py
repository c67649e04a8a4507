"""Reviewed questions as the tables of a collection: queries, judgements and parts.

write_collection("mine", docs, **question_rows(questions), description="…", licence="CC BY")
"""

from typing import TypedDict

import pandas as pd

from .. import frames
from ..arguments import check_arguments
from .generated_questions import QUESTION_COLUMNS


class QuestionRows(TypedDict):
    """Questions as arguments of `write_collection`."""

    queries: pd.DataFrame
    qrels: pd.DataFrame
    parts: dict[str, dict[str, pd.DataFrame]]


@check_arguments
def question_rows(questions: pd.DataFrame) -> QuestionRows:
    """Convert questions for `write_collection`: queries, judgements, and parts by specificity.

    ``write_collection(name, docs, **question_rows(questions), description=…, licence=…)``

    Args:
        questions: frame of `query_id`, `query`, `doc_ids` (a list), as from `read_review`. Other
            columns of texts and numbers become fields of the queries.

    Returns:
        Dict of `queries`, `qrels` (relevance 1 for each paper of a question) and `parts`: the same
        for ``broad`` and ``specific`` questions, by the column `specificity`; {} without it.

    Raises:
        ValueError: a duplicate question, one without text or without papers.
    """
    questions = frames.check(questions, "question_rows", QUESTION_COLUMNS, keys=["query_id"])
    parts = {}
    if "specificity" in questions.columns:
        for specificity, questions_of_part in questions.groupby("specificity"):
            parts[str(specificity)] = {
                "queries": _convert_to_queries(questions_of_part),
                "qrels": _convert_to_qrels(questions_of_part),
            }

    return {
        "queries": _convert_to_queries(questions),
        "qrels": _convert_to_qrels(questions),
        "parts": parts,
    }


def _convert_to_queries(questions: pd.DataFrame) -> pd.DataFrame:
    """Return the questions as queries: all columns but their papers."""
    return questions.drop(columns="doc_ids").reset_index(drop=True)


def _convert_to_qrels(questions: pd.DataFrame) -> pd.DataFrame:
    """Return the questions' papers as judgements, each relevant."""
    papers = questions[["query_id", "doc_ids"]].explode("doc_ids")
    papers = papers.drop_duplicates(ignore_index=True)
    return papers.rename(columns={"doc_ids": "doc_id"}).assign(relevance=1)

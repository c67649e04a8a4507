"""Collections as folders that ir_datasets loads: rows of any kind, and reviewed questions."""

from collections.abc import Mapping
from os.path import basename
from pathlib import Path
from typing import Any, TypedDict

import pandas as pd

from ir_datasets_ext.local import folder_of
from ir_datasets_ext.local.kinds import Rows
from ir_datasets_ext.local.row_conversion import table_of
from ir_datasets_ext.local.writer import write_folder

from .. import frames
from ..arguments import check_arguments
from ..progress import progress
from .generated_questions import QUESTION_COLUMNS


@check_arguments
def write_collection(
    where: str | Path,
    docs: Rows,
    queries: Rows | None = None,
    pools: Rows | None = None,
    qrels: Rows | None = None,
    *,
    annotators: Rows | Mapping[str, Rows] | None = None,
    pairs: Rows | None = None,
    parts: Mapping[str, Mapping[str, Rows]] | None = None,
    description: str,
    licence: str,
    **more: Any,
) -> Path:
    """Write documents, queries, pools and judgements to a folder that ir_datasets can load.

    A collection with a name is ``made/<name>`` in ir_datasets and ``irds:made/<name>`` in
    PyTerrier, in every process from then on. Rows are data frames or iterables of dicts or named
    tuples, and are read once. Columns may have PyTerrier's names (`qid`, `docno`, `label`).

    Args:
        where: a name (letters, digits, ``.``, ``_``, ``-``), for the folder
            ``$IR_DATASETS_HOME/made/<name>``; or another folder to move there later, as a Path or
            with a separator in it.
        docs: `doc_id`, and any of `title`, `text`, `sentences`, `labels` (which our transformers
            read) and other fields of text, numbers or lists of texts.
        queries: `query_id`, `query`, and any other fields.
        pools: `query_id`, `doc_id`, and optionally `score` and `sources` (a list of texts), as from
            `make_pools`.
        qrels: `query_id`, `doc_id`, `relevance` (an integer), and optionally `iteration`.
        annotators: rows of `query_id`, `doc_id`, `annotator`, `rating` (None or NaN if missing), or
            a dict from an annotator to rows like those of `qrels`.
        pairs: `doc_id_a`, `doc_id_b`, and any other fields.
        parts: datasets below it with the same documents, as dicts by name:
            ``{"dev": {"queries": …, "pools": …, …}}``.
        description: of the collection; licence: its name, or its text with the name on the first
            line.
        more: `lang` ("en"), `definitions` (dict from grade to meaning), `page` (documentation by
            part, such as ``{"_": {"bibtex": …}}``), `about` (kept in the manifest), `form`
            ("jsonl", or "parquet" for millions of rows), `overwrite` (False).

    Returns:
        Path of the folder. An interrupted call leaves nothing there, or the former folder.

    Raises:
        ValueError: inconsistent rows: a duplicate id, a judgement of an unknown query or document,
            a grade that is no integer, a pair judged twice, …; names the row.
        FileExistsError: the folder exists, and `overwrite` is not set.
    """
    named = isinstance(where, str) and basename(where) == where
    path = folder_of("made", str(where)) if named else Path(where)
    if not path.name:
        raise ValueError(f"where={str(where)!r}: expected a name, or a folder that has a name.")
    whole = dict(queries=queries, pools=pools, qrels=qrels, annotators=annotators, pairs=pairs)
    tables = {part: _tables(rows) for part, rows in {"": whole, **(parts or {})}.items()}
    with progress("writing the collection"):
        return write_folder(path, docs, tables, description=description, licence=licence, **more)


def _tables(part: Mapping[str, Rows | None]) -> dict[str, Rows]:
    """Return the rows of a part by their names in its folder."""
    renamed = {"pools": "scoreddocs", "annotators": "ratings"}
    tables = {renamed.get(kind, kind): rows for kind, rows in part.items() if rows is not None}
    if isinstance(ratings := tables.get("ratings"), Mapping):
        tables["ratings"] = (
            {"query_id": query_id, "doc_id": doc_id, "annotator": str(name), "rating": rating}
            for name, rows in ratings.items()
            for query_id, doc_id, rating, *_ in table_of("qrels", rows)[1]
        )
    return tables


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
    questions = frames.check(
        questions, "question_rows", QUESTION_COLUMNS, keys=QUESTION_COLUMNS[:1]
    )
    parts = {}
    if "specificity" in questions.columns:
        for specificity, asked in questions.groupby("specificity"):
            parts[str(specificity)] = {"queries": _queries(asked), "qrels": _qrels(asked)}

    return {"queries": _queries(questions), "qrels": _qrels(questions), "parts": parts}


def _queries(questions: pd.DataFrame) -> pd.DataFrame:
    """Return the questions as queries: all columns but their papers."""
    return questions.drop(columns="doc_ids").reset_index(drop=True)


def _qrels(questions: pd.DataFrame) -> pd.DataFrame:
    """Return the questions' papers as judgements, each relevant."""
    papers = questions[["query_id", "doc_ids"]].explode("doc_ids")
    papers = papers.drop_duplicates(ignore_index=True)
    return papers.rename(columns={"doc_ids": "doc_id"}).assign(relevance=1)

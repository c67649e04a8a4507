"""Collections as folders that ir_datasets loads.

write_collection("mine", docs, queries, pools, qrels, description="…", licence="CC BY 4.0")
ir_datasets.load("made/mine")
"""

from collections.abc import Iterator, Mapping
from os.path import basename
from pathlib import Path
from typing import Any

from ir_datasets_ext.local import folder_of
from ir_datasets_ext.writing import Rows, iter_rows, write_folder

from ..arguments import check_arguments
from ..progress import progress

#: argument -> the table's name in a folder, if it has another
TABLE_NAMES = {"pools": "scoreddocs", "annotators": "ratings"}


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
        docs: `doc_id`, and any of `title`, `text` (str), `sentences`, `labels` (lists of str, one
            label per sentence), which our transformers read, and other fields of text, numbers or
            lists of texts.
        queries: `query_id`, `query`, and any other fields. `paper_id` and `facet` (str) ask with a
            facet of a document; then documents need `sentences` and `labels`.
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
    path = _find_folder(where)
    whole_collection = {
        "queries": queries,
        "pools": pools,
        "qrels": qrels,
        "annotators": annotators,
        "pairs": pairs,
    }
    tables = {"": _name_tables(whole_collection)}
    for part, rows_by_kind in (parts or {}).items():
        tables[part] = _name_tables(rows_by_kind)

    with progress("writing the collection"):
        return write_folder(path, docs, tables, description=description, licence=licence, **more)


def _find_folder(where: str | Path) -> Path:
    """Return the folder of a name, or the folder itself."""
    is_name = isinstance(where, str) and basename(where) == where
    path = folder_of("made", str(where)) if is_name else Path(where)
    if not path.name:
        raise ValueError(f"where={str(where)!r}: expected a name, or a folder that has a name.")
    return path


def _name_tables(
    rows_by_argument: Mapping[str, Rows | Mapping[str, Rows] | None],
) -> dict[str, Rows]:
    """Return the rows of each table of a dataset, by the table's name in the folder.

    rows_by_argument: rows as they were passed to `write_collection`, by the argument's name, such
        as ``{"pools": rows, "qrels": None}``; None for an argument that was not passed.
    """
    rows_by_table: dict[str, Rows] = {}
    for argument, rows in rows_by_argument.items():
        if rows is None:
            continue

        table_name = TABLE_NAMES.get(argument, argument)
        if table_name == "ratings" and isinstance(rows, Mapping):  # a dict by annotator
            rows_by_table[table_name] = _join_annotators(rows)
        else:
            rows_by_table[table_name] = rows
    return rows_by_table


def _join_annotators(rows_by_annotator: Mapping[str, Rows]) -> Iterator[dict[str, Any]]:
    """Yield the rows of several annotators as ratings."""
    for annotator, rows in rows_by_annotator.items():
        for row in iter_rows("qrels", rows):
            yield {
                "query_id": row["query_id"],
                "doc_id": row["doc_id"],
                "annotator": str(annotator),
                "rating": row["relevance"],
            }

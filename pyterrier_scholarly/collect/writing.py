"""A collection of one's own in a folder, which ir_datasets knows as `made/<name>` at once."""

import os
from collections.abc import Mapping
from itertools import chain
from pathlib import Path


def write_collection(
    where,
    docs,
    queries=None,
    pools=None,
    qrels=None,
    *,
    annotators=None,
    pairs=None,
    parts=None,
    description,
    licence,
    **more,
):
    """Write documents, queries, pools and judgements to a folder that is a collection at once.

    Under a name, it is ``made/<name>`` in ir_datasets and ``irds:made/<name>`` in PyTerrier, in
    every process from then on. Rows are data frames or iterables of dicts or named tuples, which
    are read once; columns may have PyTerrier's names (`qid`, `docno`, `label`).

    Args:
        where: a name (letters, digits, ``.``, ``_``, ``-``), for the folder
            ``$IR_DATASETS_HOME/made/<name>``; or another folder, as a Path or with a separator in
            it, to be put there later.
        docs: `doc_id`, and any of `title`, `text`, `sentences`, `labels` (which our transformers
            read) and other fields of text, numbers or lists of texts.
        queries: `query_id`, `query`, and any other fields.
        pools: `query_id`, `doc_id`, and optionally `score` and `sources` (a list of texts), as
            `make_pools` gives them.
        qrels: `query_id`, `doc_id`, `relevance` (an integer), and optionally `iteration`.
        annotators: what each one said: rows of `query_id`, `doc_id`, `annotator`, `rating` (None
            or NaN where it is missing), or a dict from annotator to rows like those of `qrels`.
        pairs: `doc_id_a`, `doc_id_b`, and any other fields.
        parts: datasets below it, as dicts by name: ``{"dev": {"queries": …, "pools": …, …}}``, with
            the same documents.
        description: what it is; licence: its name, or its text with the name on the first line.
        more: `lang` ("en"), `definitions` (from grade to meaning), `page` (texts of documentation,
            by part, such as ``{"_": {"bibtex": …}}``), `about` (whatever the manifest shall keep),
            `form` ("jsonl", or "parquet" for millions of rows), `overwrite` (False).

    Returns:
        Path of the folder. Killed while it is written, nothing is there (or what was there before).

    Raises:
        ValueError: rows that do not fit together: an id twice, a judgement of an unknown query or
            document, a grade that is no integer, a pair judged twice, …; names the row.
        FileExistsError: something is there, and `overwrite` is not set.
    """
    from ir_datasets_ext.local.writer import write_folder

    own = dict(queries=queries, pools=pools, qrels=qrels, annotators=annotators, pairs=pairs)
    tables = {part: _tables(given) for part, given in {"": own, **(parts or {})}.items()}
    said = {"description": description, "licence": licence}
    return write_folder(_folder(where), docs, tables, **said, **more)


def _folder(where):
    from ir_datasets_ext.local import folder_of

    if isinstance(where, str) and not any(mark and mark in where for mark in (os.sep, os.altsep)):
        return folder_of("made", where)
    return Path(where)


def _tables(given):
    renamed = {"pools": "scoreddocs", "annotators": "ratings"}
    tables = {renamed.get(kind, kind): rows for kind, rows in given.items() if rows is not None}
    if isinstance(tables.get("ratings"), Mapping):
        tables["ratings"] = chain.from_iterable(
            _by_one(annotator, rows) for annotator, rows in tables["ratings"].items()
        )
    return tables


def _by_one(annotator, rows):
    from ir_datasets_ext.local.rows import table_of

    _, tuples = table_of("qrels", rows)
    for query_id, doc_id, rating, *_ in tuples:
        yield dict(query_id=query_id, doc_id=doc_id, annotator=str(annotator), rating=rating)

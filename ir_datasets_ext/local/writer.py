"""Writing a collection into a folder: all of it, or nothing."""

import html
import json
import os
from pathlib import Path

import ir_datasets

from ir_datasets_ext.local import check_name
from ir_datasets_ext.local.checks import Ids, known
from ir_datasets_ext.local.kinds import REQUIRED
from ir_datasets_ext.local.manifest import FILE, FORMAT
from ir_datasets_ext.local.placing import LICENCE, PAGE, place
from ir_datasets_ext.local.rows import table_of
from ir_datasets_ext.local.tables import FORMS, write_table
from ir_datasets_ext.records import shortened
from ir_datasets_ext.store import new_file
from ir_datasets_ext.store.files import alone, temporary
from ir_datasets_ext.store.folders import measured


def write_folder(
    folder,
    docs,
    parts,
    *,
    description,
    licence,
    lang="en",
    definitions=None,
    page=None,
    about=None,
    form="jsonl",
    overwrite=False,
):
    """Write a collection into `folder` and return its path.

    Killed at any moment, it leaves the folder as it was: the tables are written beside it under a
    temporary name, which the next writing removes, and one rename puts them in their place. Where
    a collection is overwritten, the rename is that of its manifest. Equal input gives equal bytes.

    docs: rows with `doc_id` and any other fields (`title`, `text`, `sentences`, …), see
        `local.rows.table_of` for what rows may be. Streams are read once.
    parts: by name ("" is the collection itself, "100q" a part of it), dicts from a kind (queries,
        scoreddocs, qrels, ratings, pairs) to its rows.
    licence: its name, or its whole text with the name on the first line.
    definitions: what the grades of the qrels mean, from grade to text.
    page: what the documentation shall say, by part ("_" is the collection), over what it says by
        itself: `pretty_name`, `desc`, `bibtex`, …
    about: whatever else shall stand in the manifest: seeds, settings, counts.
    form: "jsonl", or "parquet" for millions of rows.

    Raises ValueError for rows that fit not together (ids twice, judgements of unknown queries or
    documents, a grade that is no integer, …), FileExistsError where there is something already and
    `overwrite` is false, OSError with the remedy when the folder cannot be written to.
    """
    folder = Path(folder)
    if form not in FORMS:
        raise ValueError(f"form is {form!r}: expected one of {', '.join(FORMS)}")
    for part in filter(None, parts):
        if Path(check_name(part, "part")).suffix[1:] in (*FORMS, "yaml", "txt"):
            raise ValueError(f"{part!r} is the name of a file: expected another name of the part")
    said = {"description": description, "licence": licence, "lang": lang}
    for key, text in said.items():
        if not isinstance(text, str):
            raise ValueError(f"{key} is {shortened.repr(text)}: expected a text")
        if not text.strip():
            raise ValueError(f"{key} is empty: say what applies, others will rely on it")
    _check_texts({**said, "definitions": definitions, "page": page, "about": about})
    said["licence"] = licence.strip().partition("\n")[0]
    with alone(folder.parent), temporary(folder, folder=True) as new:
        _ensure_free(folder, overwrite)
        tables = new / "tables"
        tables.mkdir()
        written = _write_tables(tables, docs, parts, form, definitions)
        for name, text in (
            (LICENCE, licence.strip() + "\n"),
            (PAGE, _page(folder.name, said, parts, page or {})),
        ):
            with new_file(tables / name) as file:
                file.write(text)
        place(folder, new, {"format": FORMAT, **said, **written, "about": about or {}})
    return folder


def _check_texts(said):
    """Raise ValueError unless all is JSON that UTF-8 can hold."""
    for name, value in said.items():
        try:
            json.dumps(value, ensure_ascii=False, allow_nan=False).encode()
        except (TypeError, ValueError, RecursionError) as error:
            raise ValueError(
                f"{name} is {shortened.repr(value)}: expected what JSON and UTF-8 can hold "
                f"({error}). Leave it out, or write it as text"
            ) from None


def _ensure_free(folder, overwrite):
    if folder.is_symlink() and not folder.exists():
        raise FileExistsError(
            f"{folder} is a link to {os.readlink(folder)}, where nothing is: remove the link, or "
            "choose another name"
        )
    if not folder.exists() or (folder.is_dir() and not any(folder.iterdir())):
        return
    if not (folder / FILE).is_file():
        raise FileExistsError(
            f"{folder} is there, and no collection (it has no {FILE}): choose another name"
        )
    if not overwrite:
        raise FileExistsError(
            f"{folder} has a collection already: choose another name, or say overwrite=True"
        )


def _write_tables(folder, docs, parts, form, definitions):
    """Write all tables; returns the manifest's `docs` and `parts`, with files by their names."""
    documents = Ids("document")
    fields, rows = table_of("docs", docs)
    entry = _write_one(folder / f"docs.{form}", fields, documents.pass_on(rows))
    if not entry["rows"]:
        raise ValueError("the collection has no documents: expected one or more")
    found = {}
    for part, tables in parts.items():
        wrong = [kind for kind in tables if kind == "docs" or kind not in REQUIRED]
        if wrong:
            kinds = ", ".join(list(REQUIRED)[1:])
            raise ValueError(f"part {part!r} has {', '.join(wrong)}: expected {kinds}")
        queries, found[part] = Ids("query"), {}
        for kind in [kind for kind in REQUIRED if kind in tables]:  # queries before what names them
            fields, rows = table_of(kind, tables[kind])
            if kind == "queries":
                rows = queries.pass_on(rows)
            else:
                rows = known(kind, rows, queries, documents)
            path = folder / part / f"{kind}.{form}"
            path.parent.mkdir(exist_ok=True)
            found[part][kind] = _write_one(path, fields, rows)
            found[part][kind]["file"] = path.relative_to(folder).as_posix()
        if "qrels" in found[part] and definitions:
            grades = {str(int(grade)): text for grade, text in definitions.items()}
            found[part]["qrels"]["definitions"] = grades
    return {"docs": entry, "parts": found}


def _write_one(path, fields, rows):
    count = write_table(path, fields, rows)
    return {"file": path.name, "fields": fields, "rows": count, **measured(path)}


def _page(name, said, parts, more):
    """The texts of documentation, as YAML: keys as in ``docs/*.yaml`` of this package."""
    description, licence = html.escape(said["description"]), html.escape(said["licence"])
    texts = {"_": {"pretty_name": name, "desc": f"<p>{description}</p>"}}
    texts["_"]["data_access"] = f"<p>In a folder on this machine. Licence: {licence}.</p>"
    for part in filter(None, parts):
        texts[part] = {"pretty_name": f"{name}, {part}"}
    for part, added in more.items():
        texts.setdefault(part, {}).update(added)
    return ir_datasets.lazy_libs.yaml().safe_dump(texts, sort_keys=False, allow_unicode=True)

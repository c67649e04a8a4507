"""Write a collection into a folder: all of it, or nothing.

::

    parts = {"": {"queries": [{"query_id": "1", "query": "ants"}]}}
    docs = [{"doc_id": "a", "text": "On ants"}]
    write_folder(folder, docs, parts, description="Ants.", licence="CC0-1.0")
"""

import html
import json
import os
from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import partial
from pathlib import Path
from typing import NamedTuple

import ir_datasets

from ir_datasets_ext.choices import check_option
from ir_datasets_ext.handlers import Texts
from ir_datasets_ext.local.kinds import REQUIRED, Rows
from ir_datasets_ext.local.manifest import FILE, FORMAT
from ir_datasets_ext.local.names import check_name
from ir_datasets_ext.local.publishing import PAGE, publish_tables
from ir_datasets_ext.local.record_files import FORMS, write_table
from ir_datasets_ext.local.row_conversion import convert_rows
from ir_datasets_ext.local.row_ids import Ids, check_pairs
from ir_datasets_ext.store import About, new_file
from ir_datasets_ext.store.atomic_files import lock_folder, temporary_beside
from ir_datasets_ext.store.file_measures import measure_file
from ir_datasets_ext.typed_records import shortened

LICENCE = "LICENCE.txt"
#: passes rows on, and raises ValueError for a wrong one
CheckRows = Callable[[Iterable[tuple]], Iterator[tuple]]


class Facts(NamedTuple):
    """What a collection's writer says of it; all are texts, and none is empty."""

    description: str
    licence: str
    lang: str


def write_folder(
    folder: str | Path,
    docs: Rows,
    parts: Mapping[str, Mapping[str, Rows]],
    *,
    description: str,
    licence: str,
    lang: str = "en",
    definitions: Mapping[int, str] | None = None,
    page: Texts | None = None,
    about: Mapping[str, object] | None = None,
    form: str = "jsonl",
    overwrite: bool = False,
) -> Path:
    """Write a collection into `folder` and return its path.

    A killed call leaves the folder unchanged. It writes tables beside the folder under a temporary
    name, which the next call removes. One rename puts them in place; to overwrite a collection, its
    manifest is renamed. Equal input gives equal bytes.

    docs: rows with `doc_id` and any other fields (`title`, `text`, …), see `local.row_conversion`.
    parts: by name ("" is the collection itself, "100q" a part of it), dicts from a kind (queries,
        scoreddocs, qrels, ratings, pairs) to its rows.
    licence: its name, or its whole text with the name on the first line.
    definitions: grade of the qrels -> meaning.
    page: documentation by part ("_" is the collection), over the default: `desc`, `bibtex`, …
    about: more for the manifest: seeds, settings. form: "jsonl", or "parquet" for millions of rows.

    Raises ValueError for inconsistent rows (duplicate ids, unknown papers, …), FileExistsError if
    `folder` has content and `overwrite` is false, OSError with the remedy if it is not writable.
    """
    folder = Path(folder)
    _check_names(form, parts)
    facts = Facts(description, licence, lang)
    _check_facts(facts)
    for name, value in {"definitions": definitions, "page": page, "about": about}.items():
        _check_storable(name, value)

    # a file has the licence's whole text; its first line, the name, stands for it elsewhere
    licence_text = licence.strip()
    licence_name = licence_text.partition("\n")[0]
    named_facts = facts._replace(licence=licence_name)

    with lock_folder(folder.parent), temporary_beside(folder, folder=True) as new_folder:
        _ensure_free(folder, overwrite)

        tables_folder = new_folder / "tables"
        tables = _write_tables(tables_folder, docs, parts, form, definitions)
        _write_text(tables_folder / LICENCE, f"{licence_text}\n")
        page_text = _make_page(folder.name, named_facts, parts, page or {})
        _write_text(tables_folder / PAGE, page_text)

        manifest: About = {
            "format": FORMAT,
            **named_facts._asdict(),
            **tables,
            "about": about or {},
        }
        publish_tables(folder, new_folder, manifest)
    return folder


def _check_names(form: str, parts: Iterable[str]) -> None:
    """Raise ValueError for an unknown form, and a part whose name a file in the folder may have."""
    check_option("form", form, FORMS)
    for part in parts:
        if not part:  # the collection itself
            continue
        check_name(part, "part")
        if Path(part).suffix.removeprefix(".") in (*FORMS, "yaml", "txt"):
            raise ValueError(f"part {part!r} has the name of a file: choose another name")


def _check_facts(facts: Facts) -> None:
    """Raise ValueError for a fact that is no text, or empty, or that no file can hold."""
    for name, text in facts._asdict().items():
        if not isinstance(text, str):
            raise ValueError(f"{name} is {shortened.repr(text)}: expected a text")
        if not text.strip():
            raise ValueError(f"{name} is empty: write what applies, because others rely on it")
    for name, text in facts._asdict().items():
        _check_storable(name, text)


def _check_storable(name: str, value: object) -> None:
    """Raise ValueError for a value that JSON in UTF-8 cannot hold."""
    try:
        json.dumps(value, ensure_ascii=False, allow_nan=False).encode()
    except (TypeError, ValueError, RecursionError) as error:
        raise ValueError(
            f"{name} is {shortened.repr(value)}: expected a value that JSON and UTF-8 can hold "
            f"({error}). Leave it out, or write it as text"
        ) from None


def _ensure_free(folder: Path, overwrite: bool) -> None:
    """Raise FileExistsError if something is in the folder's place that may not be replaced."""
    if folder.is_symlink() and not folder.exists():
        target = os.readlink(folder)
        raise FileExistsError(
            f"{folder} is a link to {target}, which is missing: remove the link, or choose another "
            "name"
        )

    is_empty_folder = folder.is_dir() and not any(folder.iterdir())
    if not folder.exists() or is_empty_folder:
        return

    if not (folder / FILE).is_file():
        raise FileExistsError(
            f"{folder} exists and is no collection (it has no {FILE}): choose another name"
        )
    if not overwrite:
        raise FileExistsError(
            f"{folder} already has a collection: pass overwrite=True, or choose another name"
        )


def _write_tables(
    folder: Path,
    docs: Rows,
    parts: Mapping[str, Mapping[str, Rows]],
    form: str,
    definitions: Mapping[int, str] | None,
) -> About:
    """Write all tables; return the manifest's `docs` and `parts`.

    The arguments are those of `write_folder`.
    """
    documents = Ids("document")
    docs_path = folder / f"docs.{form}"
    docs_entry = _write_checked(folder, docs_path, "docs", docs, documents.check_rows)
    if not docs_entry["rows"]:
        raise ValueError("the collection has no documents: expected one or more")

    entries_by_part: dict[str, dict] = {}
    for part, rows_by_kind in parts.items():
        _check_kinds(part, rows_by_kind)
        entries = _write_part(folder, part, rows_by_kind, form, documents)
        if "qrels" in entries and definitions:
            meanings = {str(int(grade)): meaning for grade, meaning in definitions.items()}
            entries["qrels"]["definitions"] = meanings
        entries_by_part[part] = entries
    return {"docs": docs_entry, "parts": entries_by_part}


def _write_part(
    folder: Path, part: str, rows_by_kind: Mapping[str, Rows], form: str, documents: Ids
) -> dict[str, About]:
    """Write the tables of one part; return the manifest's entry of each, by kind.

    documents: the ids of the collection's documents, which rows may name.
    """
    queries = Ids("query")  # filled by the part's table of queries
    entries: dict[str, About] = {}
    for kind in REQUIRED:  # in this order: queries come before the tables that name them
        if kind not in rows_by_kind:
            continue
        if kind == "queries":
            check_rows: CheckRows = queries.check_rows
        else:
            check_rows = partial(check_pairs, kind, queries, documents)
        path = folder / part / f"{kind}.{form}"
        entries[kind] = _write_checked(folder, path, kind, rows_by_kind[kind], check_rows)
    return entries


def _check_kinds(part: str, rows_by_kind: Iterable[str]) -> None:
    """Raise ValueError for a kind of rows that no part has."""
    kinds_of_parts = [kind for kind in REQUIRED if kind != "docs"]
    unknown_kinds = [kind for kind in rows_by_kind if kind not in kinds_of_parts]
    if unknown_kinds:
        raise ValueError(
            f"part {part!r} has {', '.join(unknown_kinds)}: expected {', '.join(kinds_of_parts)}"
        )


def _write_checked(folder: Path, path: Path, kind: str, rows: Rows, check_rows: CheckRows) -> About:
    """Write rows to a file in the folder, checked one by one; return the table's entry."""
    path.parent.mkdir(exist_ok=True)
    table = convert_rows(kind, rows)
    row_count = write_table(path, table.fields, check_rows(table.rows))
    return {
        "file": path.relative_to(folder).as_posix(),
        "fields": table.fields,
        "rows": row_count,
        **measure_file(path),
    }


def _make_page(name: str, facts: Facts, parts: Iterable[str], added_texts: Texts) -> str:
    """Return the texts of documentation as YAML, with the keys of our ``documentation.yaml``.

    name: of the collection. added_texts: by part and name; they replace the usual ones.
    """
    description = html.escape(facts.description)
    licence = html.escape(facts.licence)
    texts: dict[str, dict] = {
        "_": {
            "pretty_name": name,
            "desc": f"<p>{description}</p>",
            "data_access": f"<p>In a folder on this machine. Licence: {licence}.</p>",
        }
    }
    for part in parts:
        if part:
            texts[part] = {"pretty_name": f"{name}, {part}"}
    for part, added in added_texts.items():
        texts.setdefault(part, {}).update(added)
    return ir_datasets.lazy_libs.yaml().safe_dump(texts, sort_keys=False, allow_unicode=True)


def _write_text(path: Path, text: str) -> None:
    """Write a text file; a killed process leaves all of it or none."""
    with new_file(path) as file:
        file.write(text)

"""Write a collection into a folder: all of it, or nothing."""

import html
import json
import os
import re
import time
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

import ir_datasets

from ir_datasets_ext.local import check_name
from ir_datasets_ext.local.kinds import REQUIRED
from ir_datasets_ext.local.manifest import FILE, FORMAT, digest_of
from ir_datasets_ext.local.rows import Ids, known, table_of
from ir_datasets_ext.local.tables import FORMS, write_table
from ir_datasets_ext.records import shortened
from ir_datasets_ext.store import fingerprint, new_file
from ir_datasets_ext.store.disk import file_hash
from ir_datasets_ext.store.files import alone, remove, settle, temporary
from ir_datasets_ext.store.folders import measured

PAGE, LICENCE = "page.yaml", "LICENCE.txt"
#: the folder of the tables inside a collection's, named by the tables' hash
VERSION = re.compile(r"[0-9a-f]{12}(-again)*")
REPLACED, GRACE = ".replaced", 3_600  # seconds for which replaced tables stay


def write_folder(
    folder: str | Path,
    docs: Any,
    parts: Mapping[str, Mapping[str, Any]],
    *,
    description: str,
    licence: str,
    lang: str = "en",
    definitions: Mapping[Any, str] | None = None,
    page: Mapping[str, Mapping[str, Any]] | None = None,
    about: Mapping[str, Any] | None = None,
    form: str = "jsonl",
    overwrite: bool = False,
) -> Path:
    """Write a collection into `folder` and return its path.

    A killed call leaves the folder unchanged. It writes tables beside the folder under a temporary
    name, which the next call removes. One rename puts them in place; to overwrite a collection, its
    manifest is renamed. Equal input gives equal bytes.

    docs: rows with `doc_id` and any other fields (`title`, `text`, `sentences`, …); see
        `local.rows.table_of` for the types of rows. Streams are read once.
    parts: by name ("" is the collection itself, "100q" a part of it), dicts from a kind (queries,
        scoreddocs, qrels, ratings, pairs) to its rows.
    licence: its name, or its whole text with the name on the first line.
    definitions: grade of the qrels -> meaning.
    page: texts of documentation by part ("_" is the collection), which replace the default ones:
        `pretty_name`, `desc`, `bibtex`, …
    about: further content of the manifest: seeds, settings, counts.
    form: "jsonl", or "parquet" for millions of rows.

    Raises ValueError for inconsistent rows (duplicate ids, judgements of unknown queries or
    documents, a grade that is no integer, …). Raises FileExistsError if `folder` has content and
    `overwrite` is false, OSError with the remedy if it is not writable.
    """
    folder = Path(folder)
    if form not in FORMS:
        raise ValueError(f"form is {form!r}: expected one of {', '.join(FORMS)}")
    for part in filter(None, parts):
        if Path(check_name(part, "part")).suffix[1:] in (*FORMS, "yaml", "txt"):
            raise ValueError(f"part {part!r} has the name of a file: choose another name")
    facts = {"description": description, "licence": licence, "lang": lang}
    for key, text in facts.items():
        if not isinstance(text, str):
            raise ValueError(f"{key} is {shortened.repr(text)}: expected a text")
        if not text.strip():
            raise ValueError(f"{key} is empty: write what applies, because others rely on it")
    _check_texts({**facts, "definitions": definitions, "page": page, "about": about})
    facts["licence"] = licence.strip().partition("\n")[0]
    with alone(folder.parent), temporary(folder, folder=True) as new:
        _ensure_free(folder, overwrite)
        tables = new / "tables"
        tables.mkdir()
        written = _write_tables(tables, docs, parts, form, definitions)
        for name, text in (
            (LICENCE, licence.strip() + "\n"),
            (PAGE, _page(folder.name, facts, parts, page or {})),
        ):
            with new_file(tables / name) as file:
                file.write(text)
        _place(folder, new, {"format": FORMAT, **facts, **written, "about": about or {}})
    return folder


def _check_texts(facts: Mapping[str, object]) -> None:
    """Raise ValueError for a value that JSON in UTF-8 cannot hold."""
    for name, value in facts.items():
        try:
            json.dumps(value, ensure_ascii=False, allow_nan=False).encode()
        except (TypeError, ValueError, RecursionError) as error:
            raise ValueError(
                f"{name} is {shortened.repr(value)}: expected a value that JSON and UTF-8 can hold "
                f"({error}). Leave it out, or write it as text"
            ) from None


def _ensure_free(folder: Path, overwrite: bool) -> None:
    if folder.is_symlink() and not folder.exists():
        raise FileExistsError(
            f"{folder} is a link to {os.readlink(folder)}, which is missing: remove the link, or "
            "choose another name"
        )
    if not folder.exists() or (folder.is_dir() and not any(folder.iterdir())):
        return
    if not (folder / FILE).is_file():
        raise FileExistsError(
            f"{folder} exists and is no collection (it has no {FILE}): choose another name"
        )
    if not overwrite:
        raise FileExistsError(
            f"{folder} already has a collection: choose another name, or pass overwrite=True"
        )


def _write_tables(
    folder: Path,
    docs: Any,
    parts: Mapping[str, Mapping[str, Any]],
    form: str,
    definitions: Mapping[Any, str] | None,
) -> dict[str, Any]:
    """Write all tables; return the manifest's `docs` and `parts`, with files by their names."""
    documents = Ids("document")
    fields, rows = table_of("docs", docs)
    entry = _write_one(folder / f"docs.{form}", fields, documents.pass_on(rows))
    if not entry["rows"]:
        raise ValueError("the collection has no documents: expected one or more")
    entries: dict[str, dict] = {}
    for part, tables in parts.items():
        wrong = [kind for kind in tables if kind == "docs" or kind not in REQUIRED]
        if wrong:
            kinds = ", ".join(list(REQUIRED)[1:])
            raise ValueError(f"part {part!r} has {', '.join(wrong)}: expected {kinds}")
        queries, entries[part] = Ids("query"), {}
        for kind in [kind for kind in REQUIRED if kind in tables]:  # queries first
            fields, rows = table_of(kind, tables[kind])
            if kind == "queries":
                rows = queries.pass_on(rows)
            else:
                rows = known(kind, rows, queries, documents)
            path = folder / part / f"{kind}.{form}"
            path.parent.mkdir(exist_ok=True)
            entries[part][kind] = _write_one(path, fields, rows)
            entries[part][kind]["file"] = path.relative_to(folder).as_posix()
        if "qrels" in entries[part] and definitions:
            grades = {str(int(grade)): text for grade, text in definitions.items()}
            entries[part]["qrels"]["definitions"] = grades
    return {"docs": entry, "parts": entries}


def _write_one(path: Path, fields: dict[str, str], rows: Iterable[tuple]) -> dict[str, Any]:
    count = write_table(path, fields, rows)
    return {"file": path.name, "fields": fields, "rows": count, **measured(path)}


def _page(
    name: str,
    facts: Mapping[str, str],
    parts: Iterable[str],
    more: Mapping[str, Mapping[str, Any]],
) -> str:
    """Return the texts of documentation as YAML, with the keys of our ``documentation.yaml``."""
    description, licence = html.escape(facts["description"]), html.escape(facts["licence"])
    texts: dict[str, dict] = {"_": {"pretty_name": name, "desc": f"<p>{description}</p>"}}
    texts["_"]["data_access"] = f"<p>In a folder on this machine. Licence: {licence}.</p>"
    for part in filter(None, parts):
        texts[part] = {"pretty_name": f"{name}, {part}"}
    for part, added in more.items():
        texts.setdefault(part, {}).update(added)
    return ir_datasets.lazy_libs.yaml().safe_dump(texts, sort_keys=False, allow_unicode=True)


def _place(folder: Path, new: Path, manifest: dict[str, Any]) -> None:
    """Move the tables from `new` to their place, then the manifest, which makes them valid."""
    tables = new / "tables"
    files = sorted(path.relative_to(tables) for path in tables.rglob("*") if path.is_file())
    hashes = {file: file_hash(tables / file, "sha256") for file in files}
    name = fingerprint(sorted(hashes.values()))[:12]
    while (folder / name).exists() and not _holds(folder / name, hashes):
        name += "-again"  # the existing one is damaged
    for entry in (
        manifest["docs"],
        *(e for part in manifest["parts"].values() for e in part.values()),
    ):
        entry["file"] = f"{name}/{entry['file']}"
    manifest |= {"page": f"{name}/{PAGE}", "page_sha256": hashes[Path(PAGE)]}
    manifest["digest"] = digest_of(manifest)
    home = folder if (folder / FILE).exists() else new
    if not (home / name).exists():
        settle(tables, home / name)
    remove(home / name / REPLACED)  # a replaced version may come back
    with new_file(home / FILE) as file:
        file.write(json.dumps(manifest, indent=1, ensure_ascii=False) + "\n")
    if home == new:
        settle(new, folder)
    _retire(path for path in folder.iterdir() if VERSION.fullmatch(path.name) and path.name != name)


def _retire(versions: Iterable[Path]) -> None:
    """Remove tables replaced more than GRACE ago: others may still read by the old manifest."""
    for path in versions:
        mark = path / REPLACED
        if not mark.exists():
            with new_file(mark):
                pass
        elif time.time() - mark.stat().st_mtime > GRACE:
            remove(path)


def _holds(folder: Path, hashes: Mapping[Path, str]) -> bool:
    paths = {file: folder / file for file in hashes}
    return all(
        path.is_file() and file_hash(path, "sha256") == hashes[file] for file, path in paths.items()
    )

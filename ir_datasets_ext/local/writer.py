"""Write a collection into a folder: all of it, or nothing."""

import html
import json
import os
import re
import time
from collections.abc import Iterable, Mapping
from pathlib import Path

import ir_datasets

from ir_datasets_ext.choices import check_option
from ir_datasets_ext.handlers import Texts
from ir_datasets_ext.local import check_name
from ir_datasets_ext.local.kinds import Rows
from ir_datasets_ext.local.manifest import FILE, FORMAT, digest_of
from ir_datasets_ext.local.record_files import FORMS
from ir_datasets_ext.local.row_conversion import write_tables
from ir_datasets_ext.store import About, fingerprint, new_file
from ir_datasets_ext.store.atomic_files import lock_folder, publish_folder, remove, temporary_beside
from ir_datasets_ext.store.hashes import file_hash
from ir_datasets_ext.typed_records import shortened

PAGE, LICENCE = "page.yaml", "LICENCE.txt"
VERSION = re.compile(r"[0-9a-f]{12}(-again)*")  # the tables' folder, named by their hash
REPLACED, GRACE = ".replaced", 3_600  # seconds for which replaced tables stay


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

    docs: rows with `doc_id` and any other fields (`title`, `text`, …), see `local.rows.table_of`.
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
    check_option("form", form, FORMS)
    for part in filter(None, parts):
        if Path(check_name(part, "part")).suffix[1:] in (*FORMS, "yaml", "txt"):
            raise ValueError(f"part {part!r} has the name of a file: choose another name")
    facts = {"description": description, "licence": licence, "lang": lang}
    _check_texts(facts, {"definitions": definitions, "page": page, "about": about})
    facts["licence"] = licence.strip().partition("\n")[0]
    with lock_folder(folder.parent), temporary_beside(folder, folder=True) as new:
        _ensure_free(folder, overwrite)
        tables = new / "tables"
        written = write_tables(tables, docs, parts, form, definitions)
        described = _page(folder.name, facts, parts, page or {})
        for name, text in {LICENCE: f"{licence.strip()}\n", PAGE: described}.items():
            with new_file(tables / name) as file:
                file.write(text)
        _place(folder, new, {"format": FORMAT, **facts, **written, "about": about or {}})
    return folder


def _check_texts(facts: Mapping[str, object], more: Mapping[str, object]) -> None:
    """Raise ValueError for a fact that is no text, and a value that JSON in UTF-8 cannot hold."""
    for key, text in facts.items():
        if not isinstance(text, str):
            raise ValueError(f"{key} is {shortened.repr(text)}: expected a text")
        if not text.strip():
            raise ValueError(f"{key} is empty: write what applies, because others rely on it")
    for name, value in {**facts, **more}.items():
        try:
            json.dumps(value, ensure_ascii=False, allow_nan=False).encode()
        except (TypeError, ValueError, RecursionError) as error:
            raise ValueError(
                f"{name} is {shortened.repr(value)}: expected a value that JSON and UTF-8 can hold "
                f"({error}). Leave it out, or write it as text"
            ) from None


def _ensure_free(folder: Path, overwrite: bool) -> None:
    if folder.is_symlink() and not folder.exists():
        what = f"is a link to {os.readlink(folder)}, which is missing: remove the link, or choose"
    elif not folder.exists() or (folder.is_dir() and not any(folder.iterdir())):
        return
    elif not (folder / FILE).is_file():
        what = f"exists and is no collection (it has no {FILE}): choose"
    elif not overwrite:
        what = "already has a collection: pass overwrite=True, or choose"
    else:
        return
    raise FileExistsError(f"{folder} {what} another name")


def _page(name: str, facts: Mapping[str, str], parts: Iterable[str], more: Texts) -> str:
    """Return the texts of documentation as YAML, with the keys of our ``documentation.yaml``."""
    description, licence = html.escape(facts["description"]), html.escape(facts["licence"])
    texts: dict[str, dict] = {"_": {"pretty_name": name, "desc": f"<p>{description}</p>"}}
    texts["_"]["data_access"] = f"<p>In a folder on this machine. Licence: {licence}.</p>"
    texts |= {part: {"pretty_name": f"{name}, {part}"} for part in filter(None, parts)}
    for part, added in more.items():
        texts.setdefault(part, {}).update(added)
    return ir_datasets.lazy_libs.yaml().safe_dump(texts, sort_keys=False, allow_unicode=True)


def _place(folder: Path, new: Path, manifest: About) -> None:
    """Move the tables from `new` to their place, then the manifest, which makes them valid."""
    tables = new / "tables"
    hashes = _hashes(tables)
    name = fingerprint(sorted(hashes.values()))[:12]
    while (folder / name).exists() and not hashes.items() <= _hashes(folder / name).items():
        name += "-again"  # the existing one is damaged
    for part in ({"docs": manifest["docs"]}, *manifest["parts"].values()):
        for entry in part.values():
            entry["file"] = f"{name}/{entry['file']}"
    manifest |= {"page": f"{name}/{PAGE}", "page_sha256": hashes[Path(PAGE)]}
    manifest["digest"] = digest_of(manifest)
    home = folder if (folder / FILE).exists() else new
    if not (home / name).exists():
        publish_folder(tables, home / name)
    remove(home / name / REPLACED)  # a replaced version may come back
    with new_file(home / FILE, follow=False) as file:
        file.write(json.dumps(manifest, indent=1, ensure_ascii=False) + "\n")
    if home == new:
        publish_folder(new, folder)
    for path in folder.iterdir():
        if VERSION.fullmatch(path.name) and path.name != name:
            _retire(path)


def _retire(tables: Path) -> None:
    """Remove tables replaced more than GRACE ago: others may still read by the old manifest."""
    mark = tables / REPLACED
    if not mark.exists():
        with new_file(mark):
            pass
    elif time.time() - mark.stat().st_mtime > GRACE:
        remove(tables)


def _hashes(folder: Path) -> dict[Path, str]:
    files = (path for path in folder.rglob("*") if path.is_file())
    return {path.relative_to(folder): file_hash(path, "sha256") for path in files}

"""Put the tables of a collection in their place, while others may read an earlier version of it.

::

    publish_tables(folder, new_folder, manifest)   # new_folder/tables has the new tables

A collection's folder has its manifest, and the tables in a folder that is named by their hash. The
manifest names that folder, so renaming the manifest replaces all tables at once. Replaced tables
stay for an hour, for those who have read the earlier manifest.
"""

import json
import re
import time
from collections.abc import Mapping
from pathlib import Path

from ir_datasets_ext.local.manifest import FILE, digest_of
from ir_datasets_ext.store import About, fingerprint, new_file
from ir_datasets_ext.store.atomic_files import publish_folder, remove
from ir_datasets_ext.store.hashes import file_hash

PAGE = "page.yaml"  # texts of documentation, in the tables' folder
TABLES_NAME = re.compile(r"[0-9a-f]{12}(-again)*")  # of the tables' folder: their hash
REPLACED_MARK = ".replaced"  # file in the folder of replaced tables
GRACE_SECONDS = 3_600  # for which replaced tables stay


def publish_tables(folder: Path, new_folder: Path, manifest: About) -> None:
    """Make new tables those of the collection in `folder`, at once for all who read it.

    The new tables are moved into `folder`, and then its manifest is replaced by one that names
    them. A killed call leaves the collection as it was, or as it will be.

    folder: of the collection; missing, empty, or with an earlier collection.
    new_folder: beside it, with the new tables in `new_folder/tables`. It becomes `folder` if that
        has no collection yet.
    manifest: without the tables' place, their page and the digest, which are added.
    """
    new_tables = new_folder / "tables"
    hashes = _hash_files(new_tables)
    tables_name = _choose_tables_name(folder, hashes)
    completed_manifest = _complete_manifest(manifest, tables_name, page_sha256=hashes[Path(PAGE)])

    has_collection = (folder / FILE).exists()
    if has_collection:
        # readers find the old tables until the manifest is replaced
        _place_tables(new_tables, folder / tables_name)
        _write_manifest(folder, completed_manifest)
    else:
        # the new folder is completed where nobody reads it, and then gets its name
        _place_tables(new_tables, new_folder / tables_name)
        _write_manifest(new_folder, completed_manifest)
        publish_folder(new_folder, folder)

    _retire_other_tables(folder, tables_name)


def _hash_files(folder: Path) -> dict[Path, str]:
    """Return the sha256 of all files below a folder, by their paths in it."""
    paths = [path for path in folder.rglob("*") if path.is_file()]
    return {path.relative_to(folder): file_hash(path, "sha256") for path in paths}


def _choose_tables_name(folder: Path, hashes: Mapping[Path, str]) -> str:
    """Return the name of the tables' folder: their hash, so that equal tables are written once.

    folder: of the collection, which may have these tables already.
    hashes: of the tables' files, by their paths.
    """
    name = fingerprint(sorted(hashes.values()))[:12]
    while (folder / name).exists() and not _has_files(folder / name, hashes):
        name += "-again"  # the existing one is damaged
    return name


def _has_files(folder: Path, hashes: Mapping[Path, str]) -> bool:
    """Return whether a folder has all these files, with these hashes; it may have others too."""
    existing_hashes = _hash_files(folder)
    return all(existing_hashes.get(path) == sha256 for path, sha256 in hashes.items())


def _complete_manifest(manifest: About, tables_name: str, page_sha256: str) -> About:
    """Return the manifest with the tables' places, the page, and the digest of all.

    The place of "docs.parquet" becomes "0123456789ab/docs.parquet", in the tables' folder.
    """

    def add_folder(entry: About) -> About:
        return {**entry, "file": f"{tables_name}/{entry['file']}"}

    parts = {}
    for part, entries_by_kind in manifest["parts"].items():
        parts[part] = {kind: add_folder(entry) for kind, entry in entries_by_kind.items()}

    completed = {
        **manifest,
        "docs": add_folder(manifest["docs"]),
        "parts": parts,
        "page": f"{tables_name}/{PAGE}",
        "page_sha256": page_sha256,
    }
    return {**completed, "digest": digest_of(completed)}


def _place_tables(new_tables: Path, place: Path) -> None:
    """Move the folder of new tables to `place`, unless equal tables are there."""
    if not place.exists():
        publish_folder(new_tables, place)
    remove(place / REPLACED_MARK)  # tables that were replaced earlier may come back


def _write_manifest(folder: Path, manifest: About) -> None:
    """Write the manifest into a collection's folder; an earlier one is replaced at once."""
    text = json.dumps(manifest, indent=1, ensure_ascii=False)
    with new_file(folder / FILE, follow=False) as file:
        file.write(text + "\n")


def _retire_other_tables(folder: Path, tables_name: str) -> None:
    """Mark or remove the folders of tables in a collection that are not `tables_name`."""
    for path in folder.iterdir():
        if TABLES_NAME.fullmatch(path.name) and path.name != tables_name:
            _mark_or_remove(path)


def _mark_or_remove(tables_folder: Path) -> None:
    """Mark replaced tables, or remove those that were marked more than an hour ago.

    Until then, others may read them by the old manifest. The mark is a file, whose time counts.
    """
    mark = tables_folder / REPLACED_MARK
    if not mark.exists():
        with new_file(mark):  # an empty file
            pass
        return

    age_seconds = time.time() - mark.stat().st_mtime
    if age_seconds > GRACE_SECONDS:
        remove(tables_folder)

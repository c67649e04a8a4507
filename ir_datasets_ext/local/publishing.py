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
    """Move new tables to their place in `folder`, then the manifest, which makes them valid.

    A killed call leaves the folder's collection as it was, or as it will be.

    folder: of the collection; missing, empty, or with an earlier collection.
    new_folder: beside it, with the new tables in `tables`. It becomes `folder` if that has no
        collection yet.
    manifest: without the tables' place, their page and the digest, which are added.
    """
    tables_folder = new_folder / "tables"
    hashes = _hash_files(tables_folder)
    tables_name = _choose_tables_name(folder, hashes)
    completed_manifest = _complete_manifest(manifest, tables_name, page_sha256=hashes[Path(PAGE)])

    has_collection = (folder / FILE).exists()
    target_folder = folder if has_collection else new_folder
    target_tables = target_folder / tables_name
    if not target_tables.exists():
        publish_folder(tables_folder, target_tables)
    remove(target_tables / REPLACED_MARK)  # a replaced version may come back

    with new_file(target_folder / FILE, follow=False) as file:
        file.write(json.dumps(completed_manifest, indent=1, ensure_ascii=False) + "\n")
    if not has_collection:
        publish_folder(new_folder, folder)

    for path in folder.iterdir():
        if TABLES_NAME.fullmatch(path.name) and path.name != tables_name:
            _retire(path)


def _hash_files(folder: Path) -> dict[Path, str]:
    """Return the sha256 of all files below a folder, by their paths in it."""
    paths = [path for path in folder.rglob("*") if path.is_file()]
    return {path.relative_to(folder): file_hash(path, "sha256") for path in paths}


def _choose_tables_name(folder: Path, hashes: Mapping[Path, str]) -> str:
    """Return the name of the tables' folder: their hash, so that equal tables are written once."""
    name = fingerprint(sorted(hashes.values()))[:12]
    while (folder / name).exists() and not _has_files(folder / name, hashes):
        name += "-again"  # the existing one is damaged
    return name


def _has_files(folder: Path, hashes: Mapping[Path, str]) -> bool:
    """Return whether a folder has all these files, with these hashes."""
    return hashes.items() <= _hash_files(folder).items()


def _complete_manifest(manifest: About, tables_name: str, page_sha256: str) -> About:
    """Return the manifest with the tables' places, the page, and the digest of all."""

    def relocate(entry: About) -> About:
        return {**entry, "file": f"{tables_name}/{entry['file']}"}

    parts = {}
    for part, entries_by_kind in manifest["parts"].items():
        parts[part] = {kind: relocate(entry) for kind, entry in entries_by_kind.items()}

    completed = {
        **manifest,
        "docs": relocate(manifest["docs"]),
        "parts": parts,
        "page": f"{tables_name}/{PAGE}",
        "page_sha256": page_sha256,
    }
    return {**completed, "digest": digest_of(completed)}


def _retire(tables_folder: Path) -> None:
    """Remove tables that were replaced an hour ago or more: the first call only marks them.

    Until then, others may read them by the old manifest. The mark is a file, whose time counts.
    """
    mark = tables_folder / REPLACED_MARK
    if not mark.exists():
        with new_file(mark):
            pass
        return

    age_seconds = time.time() - mark.stat().st_mtime
    if age_seconds > GRACE_SECONDS:
        remove(tables_folder)

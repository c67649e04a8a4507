"""The last step of writing a collection: one rename, before which nothing of it is there."""

import json
import re
import time
from pathlib import Path

from ir_datasets_ext.local.manifest import FILE, digest_of
from ir_datasets_ext.store import fingerprint, new_file
from ir_datasets_ext.store.files import file_hash, remove, settle

PAGE, LICENCE = "page.yaml", "LICENCE.txt"
#: the folder of the tables inside a collection's, called by the tables' hash
VERSION = re.compile(r"[0-9a-f]{12}(-again)*")
REPLACED, GRACE = ".replaced", 3_600  # seconds for which replaced tables stay


def place(folder, new, manifest):
    """Move the tables out of `new` to where they stay, and the manifest, which is what counts."""
    tables = new / "tables"
    files = sorted(path.relative_to(tables) for path in tables.rglob("*") if path.is_file())
    hashes = {file: file_hash(tables / file, "sha256") for file in files}
    name = fingerprint(sorted(hashes.values()))[:12]
    while (folder / name).exists() and not _holds(folder / name, hashes):
        name += "-again"  # what is there was damaged
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
    remove(home / name / REPLACED)  # what was replaced may come back
    with new_file(home / FILE) as file:
        file.write(json.dumps(manifest, indent=1, ensure_ascii=False) + "\n")
    if home == new:
        settle(new, folder)
    _retire(path for path in folder.iterdir() if VERSION.fullmatch(path.name) and path.name != name)


def _retire(versions):
    """Remove tables that were replaced a while ago: others may be reading by the old manifest."""
    for path in versions:
        mark = path / REPLACED
        if not mark.exists():
            with new_file(mark):
                pass
        elif time.time() - mark.stat().st_mtime > GRACE:
            remove(path)


def _holds(folder, hashes):
    paths = {file: folder / file for file in hashes}
    return all(
        path.is_file() and file_hash(path, "sha256") == hashes[file] for file, path in paths.items()
    )

"""The last step of writing a collection: one rename, before which nothing of it is there."""

import hashlib
import json
import os
import re
from contextlib import suppress

from ir_datasets_ext._local_manifest import FILE
from ir_datasets_ext.store.files import file_hash, remove

PAGE, LICENCE = "page.yaml", "LICENCE.txt"
#: the folder of the tables inside a collection's, called by the tables' hash
VERSION = re.compile(r"[0-9a-f]{12}(-again)*")


def place(folder, new, manifest):
    """Move the tables out of `new` to where they stay, and the manifest, which is what counts."""
    tables = new / "tables"
    files = sorted(path.relative_to(tables) for path in tables.rglob("*") if path.is_file())
    hashes = {file: file_hash(tables / file, "sha256") for file in files}
    name = hashlib.sha256(repr(sorted(hashes.values())).encode()).hexdigest()[:12]
    while (folder / name).exists() and not _holds(folder / name, hashes):
        name += "-again"  # what is there was damaged
    for entry in (
        manifest["docs"],
        *(e for part in manifest["parts"].values() for e in part.values()),
    ):
        entry["file"] = f"{name}/{entry['file']}"
    manifest["page"] = f"{name}/{PAGE}"
    write_text(new / FILE, json.dumps(manifest, indent=1, ensure_ascii=False) + "\n")
    os.rename(tables, new / name)
    for path in {new, new / name, *(new / name / file.parent for file in files)}:
        _flush(path)
    if not (folder / FILE).exists():
        os.rename(new, folder)
        _flush(folder.parent)
        return
    if not (folder / name).exists():
        os.rename(new / name, folder / name)
        _flush(folder)
    os.replace(new / FILE, folder / FILE)
    _flush(folder)
    for path in folder.iterdir():
        if VERSION.fullmatch(path.name) and path.name != name:
            remove(path)


def _holds(folder, hashes):
    paths = {file: folder / file for file in hashes}
    return all(
        path.is_file() and file_hash(path, "sha256") == hashes[file] for file, path in paths.items()
    )


def write_text(path, text):
    """Write a file that is on the disk when this returns."""
    with path.open("w", encoding="utf-8", newline="\n") as file:
        file.write(text)
        file.flush()
        os.fsync(file.fileno())


def _flush(folder):
    """Have the disk keep the names in `folder`, where the system can be told to."""
    with suppress(OSError):
        handle = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(handle)
        finally:
            os.close(handle)

"""Collections on this machine, in folders: `made/<name>` and `download-log/<name>`.

Any folder below ir_datasets' home with a manifest (see `local.manifest`) is a collection at once,
whatever wrote it: ``$IR_DATASETS_HOME/made/<name>`` for collections that people made, and
``$IR_DATASETS_HOME/download-log/<name>`` for what was mined from logs. A part's name follows the
collection's: `download-log/<name>/100q`.
"""

import re
from pathlib import Path
from typing import Any, NamedTuple, Tuple

import ir_datasets

from ir_datasets_ext.records import shortened
from ir_datasets_ext.store.files import collection_folder

# What reads a collection is imported when one is asked for: few who import us have any.

KINDS = ("made", "download-log")
#: names of collections and parts: nothing that could lead out of a folder, or be hidden in one
NAME = r"[A-Za-z0-9][A-Za-z0-9._-]*"
LONGEST = 200  # characters: file systems take 255, of which a temporary name needs some
PATTERN = rf"({'|'.join(KINDS)})/({NAME})(?:/({NAME}))?\Z"


def check_name(name, what="collection"):
    """Return `name`; ValueError if a collection or part cannot be called so."""
    if not isinstance(name, str) or not re.fullmatch(NAME, name) or len(name) > LONGEST:
        raise ValueError(
            f"{shortened.repr(name)} is no name of a {what}: expected letters, digits, '.', '_' "
            f"and '-', {LONGEST} at most, with a letter or digit first"
        )
    return name


def folder_of(kind, name):
    """Return where the collection `<kind>/<name>` is; ValueError for another kind or no name."""
    if kind not in KINDS:
        raise ValueError(f"{kind!r} is no kind of collection: expected {' or '.join(KINDS)}")
    return collection_folder(kind) / check_name(name)


def register():
    """Let ``ir_datasets.registry`` know the pattern of our ids; calling it twice is harmless."""
    known = [pattern.pattern for pattern, _ in ir_datasets.registry._patterns]
    if PATTERN not in known:
        ir_datasets.registry.register_pattern(PATTERN, _load)


def _load(_, names):
    from ir_datasets_ext.local.datasets import LocalDataset

    return LocalDataset(*names)


class Found(NamedTuple):
    """A folder below ir_datasets' home, as `collections` finds it.

    ids: of its datasets, the collection first; none where it is damaged.
    manifest: a `local.manifest.Manifest`; where it is damaged None, and `error` what is wrong.
    """

    path: Path
    ids: Tuple[str, ...]
    manifest: Any
    error: str = ""


def collections():
    """Yield `Found` for each folder that is a collection on this machine, or should be one."""
    from ir_datasets_ext.local.manifest import read_manifest

    for kind in KINDS:
        above = collection_folder(kind)
        for path in sorted(above.iterdir()) if above.is_dir() else ():
            if path.name.startswith(".") or not path.is_dir():
                continue
            try:
                manifest = read_manifest(folder_of(kind, path.name))
            except (OSError, ValueError) as error:
                yield Found(path, (), None, str(error))
            else:
                ids = ("/".join(filter(None, (kind, path.name, part))) for part in manifest.parts)
                yield Found(path, tuple(ids), manifest)

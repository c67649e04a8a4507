"""Collections on this machine, in folders: `made/<name>` and `download-log/<name>`.

A folder below ir_datasets' home with a manifest (see `local.manifest`) is a collection, whatever
wrote it. People's collections are in ``$IR_DATASETS_HOME/made/<name>``, and those mined from logs
in ``$IR_DATASETS_HOME/download-log/<name>``. A part's name follows the collection's:
`download-log/<name>/100q`.
"""

import re
from collections.abc import Iterator, Sequence
from itertools import chain, filterfalse
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple, Tuple

import ir_datasets
from ir_datasets.util import Registry

from ir_datasets_ext.store.write_errors import collection_folder
from ir_datasets_ext.typed_records import shortened

if TYPE_CHECKING:
    from ir_datasets_ext.local.manifest import Manifest

# The modules that read a collection are imported when one is first used: few users have any.

KINDS = ("made", "download-log")
#: names of collections and parts; none leads out of a folder or is hidden in one
NAME = r"[A-Za-z0-9][A-Za-z0-9._-]*"
LONGEST = 200  # characters: file systems allow 255, and temporary names are longer
PATTERN = rf"({'|'.join(KINDS)})/({NAME})(?:/({NAME}))?\Z"


def check_name(name: str, what: str = "collection") -> str:
    """Return `name`; raise ValueError if it is no valid name of a collection or part."""
    if not isinstance(name, str) or not re.fullmatch(NAME, name) or len(name) > LONGEST:
        raise ValueError(
            f"{shortened.repr(name)} is no name of a {what}: expected letters, digits, '.', '_' "
            f"and '-', {LONGEST} at most, with a letter or digit first"
        )
    return name


def folder_of(kind: str, name: str) -> Path:
    """Return the folder of `<kind>/<name>`; raise ValueError for an unknown kind or a bad name."""
    if kind not in KINDS:
        raise ValueError(f"{kind!r} is no kind of collection: expected {' or '.join(KINDS)}")
    return collection_folder(kind) / check_name(name)


class _Complete(Registry):
    """A registry that lists the collections on this machine, too: it looks when it is asked."""

    def __iter__(self) -> Iterator[str]:
        others = filterfalse(re.compile(PATTERN).match, super().__iter__())
        return chain(others, (name for one in collections() for name in one.ids))


def register() -> None:
    """Add our ids to ``ir_datasets.registry``, by a pattern; a second call changes nothing."""
    if PATTERN not in [pattern.pattern for pattern, _ in ir_datasets.registry._patterns]:
        ir_datasets.registry.register_pattern(PATTERN, _load)
        if type(ir_datasets.registry) is Registry:  # a pattern alone is not listed
            ir_datasets.registry.__class__ = _Complete


def _load(_: object, names: Sequence[str]) -> ir_datasets.Dataset:
    from ir_datasets_ext.local.dataset import LocalDataset

    return LocalDataset(*names)


class Found(NamedTuple):
    """A folder below ir_datasets' home, as `collections` yields it.

    ids: of its datasets, the collection first; none if it is damaged.
    manifest: None if it is damaged; then `error` says why.
    """

    path: Path
    ids: Tuple[str, ...]
    manifest: "Manifest | None"
    error: str = ""


def collections(check: bool = False) -> Iterator[Found]:
    """Yield a `Found` for each folder on this machine that is, or should be, a collection.

    check: whether to read all rows of its tables too, to find damage.
    """
    from ir_datasets_ext.local.manifest import read_manifest

    for kind in KINDS:
        above = collection_folder(kind)
        for path in sorted(above.iterdir()) if above.is_dir() else ():
            if path.name.startswith(".") or not path.is_dir():
                continue
            try:
                manifest = read_manifest(folder_of(kind, path.name))
                if check:
                    manifest.read_all()
            except (OSError, ValueError) as error:
                yield Found(path, (), None, str(error))
            else:
                ids = ("/".join(filter(None, (kind, path.name, part))) for part in manifest.parts)
                yield Found(path, tuple(ids), manifest)

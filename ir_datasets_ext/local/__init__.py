"""Collections on this machine, in folders: `made/<name>` and `download-log/<name>`.

A folder below ir_datasets' home with a manifest (see `local.manifest`) is a collection, whatever
wrote it. People's collections are in ``$IR_DATASETS_HOME/made/<name>``, and those mined from logs
in ``$IR_DATASETS_HOME/download-log/<name>``. A part's name follows the collection's:
`download-log/<name>/100q`.

::

    register()
    ir_datasets.load("made/mine").docs_iter()
    for found in collections():
        print(found.path, found.ids, found.error)
"""

import re
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple, Tuple

import ir_datasets
from ir_datasets.util import Registry

from ir_datasets_ext.local.names import DATASET_ID, KINDS, folder_of
from ir_datasets_ext.store.write_errors import collection_folder

if TYPE_CHECKING:
    from ir_datasets_ext.local.manifest import Manifest

# The modules that read a collection are imported when one is first used: few users have any.

__all__ = ["Found", "collections", "folder_of", "register"]


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
    for kind in KINDS:
        folder_of_kind = collection_folder(kind)
        if not folder_of_kind.is_dir():
            continue
        for path in sorted(folder_of_kind.iterdir()):
            if path.is_dir() and not path.name.startswith("."):
                yield _read_folder(kind, path, check)


def _read_folder(kind: str, path: Path, check: bool) -> Found:
    """Return what the folder of a collection of `kind` holds, or why it cannot be read."""
    from ir_datasets_ext.local.manifest import read_manifest

    try:
        # the same folder as `path`; but `folder_of` refuses a name that cannot be part of an id
        folder = folder_of(kind, path.name)
        manifest = read_manifest(folder)
        if check:
            manifest.read_all()
    except (OSError, ValueError) as error:
        return Found(path, ids=(), manifest=None, error=str(error))

    collection_id = f"{kind}/{path.name}"
    ids = [f"{collection_id}/{part}" if part else collection_id for part in manifest.parts]
    return Found(path, ids=tuple(ids), manifest=manifest)


def register() -> None:
    """Add our ids to ``ir_datasets.registry``, by a pattern; a second call changes nothing."""
    registry = ir_datasets.registry
    registered_patterns = [pattern.pattern for pattern, _ in registry._patterns]
    if DATASET_ID in registered_patterns:
        return

    registry.register_pattern(DATASET_ID, _load)
    # a pattern alone is not listed; another package's registry stays what it is
    if type(registry) is Registry:
        registry.__class__ = _ListingRegistry


class _ListingRegistry(Registry):
    """A registry that lists the collections on this machine, too: it looks when it is iterated."""

    def __iter__(self) -> Iterator[str]:
        # ir_datasets adds an id of ours to its own when it is loaded. It is left out here, because
        # all of our collections follow, loaded or not, as they are on the disk now
        for dataset_id in super().__iter__():
            is_ours = re.match(DATASET_ID, dataset_id)
            if not is_ours:
                yield dataset_id

        for found in collections():
            yield from found.ids


def _load(_: object, names: Sequence[str]) -> ir_datasets.Dataset:
    """Return the dataset of an id, by the groups of DATASET_ID; the registry calls this."""
    from ir_datasets_ext.local.dataset import LocalDataset

    kind, name, part = names
    return LocalDataset(kind, name, part)

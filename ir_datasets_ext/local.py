"""Collections in folders on this machine: `made/<name>`, and `download-log/<name>` of mined logs.

A folder ``$IR_DATASETS_HOME/made/<name>`` with a ``collection.json`` (see `local_tables`) is a
dataset, whatever wrote it; `writing.write_folder` does. A part's name follows the collection's:
`download-log/<name>/100q`.

::

    register()
    ir_datasets.load("made/mine").docs_iter()
    for found in collections():
        print(found.path, found.ids, found.error)
"""

import html
from collections import deque
from collections.abc import Iterator, Sequence
from functools import cache, lru_cache, partial
from pathlib import Path
from typing import Any, NamedTuple, Tuple

import ir_datasets

from .files import explaining, find_home
from .handlers import (
    Dataset,
    OtherRecords,
    Qrels,
    Queries,
    ScoredDocs,
    Source,
    make_dataset,
    merge_texts,
)
from .local_tables import (
    MANIFEST,
    NAME,
    REMEDY,
    Manifest,
    Table,
    check_name,
    make_class,
    make_file,
    read_manifest,
    read_records,
)
from .store import Store, StoredDocs

KINDS = ("made", "download-log")
#: ids of datasets: kind, name, and perhaps a part
DATASET_ID = rf"({'|'.join(KINDS)})/({NAME})(?:/({NAME}))?\Z"


class Found(NamedTuple):
    """A folder below ir_datasets' home, as `collections` yields it.

    ids: of its datasets, the collection first; none if it is damaged.
    manifest: None if it is damaged; then `error` says why.
    """

    path: Path
    ids: Tuple[str, ...]
    manifest: Manifest | None
    error: str = ""


class PoolSource(NamedTuple):
    """A document of a query's pool, and the sources that it came from."""

    query_id: str
    doc_id: str
    sources: Tuple[str, ...]


def collections(check: bool = False) -> Iterator[Found]:
    """Yield a `Found` for each folder on this machine that is, or should be, a collection.

    check: whether to read all rows of its tables too, to find damage.
    """
    for kind in KINDS:
        for folder in sorted((find_home() / kind).glob("[!.]*/")):
            try:
                check_name(folder.name)
                manifest = read_manifest(folder)
                if check:
                    for table_kind, table in manifest.list_tables():
                        cls = make_class(table_kind, table.fields)
                        deque(read_records(folder, table, cls), maxlen=0)
            except (OSError, ValueError) as error:
                yield Found(folder, (), None, str(error))
                continue

            ids = [f"{kind}/{folder.name}/{part}".rstrip("/") for part in manifest.parts]
            yield Found(folder, tuple(ids), manifest)


def folder_of(kind: str, name: str) -> Path:
    """Return the folder of `<kind>/<name>`; ValueError for a name that no id can have."""
    check_name(name)
    return find_home() / kind / name


@cache
def register() -> None:
    """Add our ids to ``ir_datasets.registry``, by a pattern; a second call changes nothing."""
    ir_datasets.registry.register_pattern(DATASET_ID, LocalDataset)


# --- datasets ------------------------------------------------------------------------------------


class LocalDataset(Dataset):
    """A collection's part that follows its folder: after an overwrite it has the new content.

    ir_datasets makes it from an id and the groups of DATASET_ID.

    Raises FileNotFoundError or ValueError if the folder is missing or damaged, and ValueError for
    an unknown part: at once, and at every use.
    """

    def __init__(self, dataset_id: str, groups: Sequence[str | None]) -> None:
        self._id = dataset_id
        self._names = [group or "" for group in groups]
        self._make_present_dataset()  # an error now, if it cannot be used

    def _make_present_dataset(self) -> Dataset:
        """Return the dataset of the folder's present content."""
        kind, name, part = self._names
        folder = folder_of(kind, name)
        manifest = read_manifest(folder)
        if part not in manifest.parts:
            known_parts = ", ".join(filter(None, manifest.parts)) or "none"
            raise ValueError(
                f"Unknown part {part!r} of {folder}, by its {MANIFEST}. Choose one of: "
                f"{known_parts}"
            )

        handlers: list[object] = [_make_docs(folder, manifest)]
        for table_kind, table in manifest.parts[part].items():
            handlers += _make_handlers(folder, table_kind, table, manifest.lang)
        return make_dataset(
            self._id,
            *handlers,
            documentation=partial(_read_texts, folder, manifest, part),
        )

    def __getattr__(self, name: str) -> Any:
        return getattr(self._make_present_dataset(), name)


@lru_cache(maxsize=256)
def _make_docs(folder: Path, manifest: Manifest) -> StoredDocs:
    """Return the documents: one object for all parts, so that ir_datasets knows they share them."""
    table = manifest.docs
    cls = make_class("docs", table.fields)
    store = Store(
        f"{folder.parent.name}/{folder.name}",
        cls,
        [make_file(folder, table)],
        lambda: [("docs", read_records(folder, table, cls))],
    )
    return StoredDocs(store, folder.name, manifest.lang)


def _make_handlers(folder: Path, kind: str, table: Table, lang: str) -> list[object]:
    """Return the handlers of a table that is not the documents'."""
    cls = make_class(kind, table.fields)
    read = partial(read_records, folder, table, cls)
    source = Source([make_file(folder, table)], stated_count=table.rows)
    if kind == "queries":
        return [Queries(read, cls, source, namespace=folder.name, lang=lang)]
    if kind == "qrels":
        return [Qrels(read, cls, source, defs=table.definitions)]
    if kind == "scoreddocs":
        read_sources = partial(read_records, folder, table, PoolSource)
        pool_sources = OtherRecords("pool_sources", read_sources, PoolSource, source)
        return [ScoredDocs(read, cls, source), pool_sources]
    return [OtherRecords(kind, read, cls, source)]


def _read_texts(folder: Path, manifest: Manifest, part: str) -> dict[str, Any]:
    """Return the texts of documentation of a part: those of its page, before the usual ones."""
    texts = {
        "pretty_name": f"{folder.name}, {part}" if part else folder.name,
        "desc": f"<p>{html.escape(manifest.description)}</p>",
        "data_access": (
            f"<p>In a folder on this machine. Licence: {html.escape(manifest.licence)}.</p>"
        ),
    }
    if manifest.page is not None:
        path = folder / manifest.page
        with explaining(path, REMEDY):
            texts |= merge_texts(path, part)
    return texts

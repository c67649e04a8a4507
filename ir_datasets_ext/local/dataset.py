"""Datasets of a collection on this machine, which follow its folder.

::

    dataset = LocalDataset("made", "mine", "100q")
    dataset.queries_iter()   # of the folder's present content
"""

from collections.abc import Iterator
from functools import lru_cache, partial
from typing import Any

from ir_datasets_ext.built_documents import StoredDocs
from ir_datasets_ext.choices import describe_unknown
from ir_datasets_ext.handlers import Documentation, ScholarlyDataset, make_datasets, make_handler
from ir_datasets_ext.local.manifest import FILE, Manifest, read_manifest
from ir_datasets_ext.local.names import folder_of
from ir_datasets_ext.local.record_files import Table
from ir_datasets_ext.local.records import PoolSource, record_class
from ir_datasets_ext.typed_records import Record

#: optional field -> its value if missing
DEFAULTS: dict[str, object] = {"score": 0.0, "sources": ()}


class LocalDataset(ScholarlyDataset):
    """A collection's part that follows its folder: after an overwrite it has the new content.

    Raises FileNotFoundError or ValueError if the folder is missing or damaged, and ValueError for
    an unknown part: at once, and at every use.
    """

    def __init__(self, kind: str, name: str, part: str | None = None) -> None:
        self._kind = kind
        self._name = name
        self._part = part or ""
        self._check_present()

    def _check_present(self) -> None:
        """Raise the errors that the class names, if the collection or its part cannot be used."""
        self._present_dataset()

    def _present_dataset(self) -> ScholarlyDataset:
        """Return the dataset of the folder's present content."""
        manifest = read_manifest(folder_of(self._kind, self._name))
        return _make_dataset(manifest, self._kind, self._part)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._present_dataset(), name)


# a manifest equals only itself, so a changed collection gets new datasets
@lru_cache(maxsize=256)
def _make_dataset(manifest: Manifest, kind: str, part: str) -> ScholarlyDataset:
    """Return the dataset of a part of a collection.

    Args:
        manifest: of the collection's folder.
        kind: of the collection, with which its id begins.
        part: its name; "" is the collection itself.

    Raises:
        ValueError: the collection has no such part; names those that it has.
    """
    if part not in manifest.parts:
        named_parts = [known_part for known_part in manifest.parts if known_part]
        owner = f"{manifest.folder}, by its {FILE}"
        raise ValueError(describe_unknown("part", part, named_parts, of=owner))

    collection_id = f"{kind}/{manifest.folder.name}"
    dataset_id = f"{collection_id}/{part}" if part else collection_id

    # the part's handlers: documents, and one or more for each of its tables
    components: list[object] = [_make_docs(manifest, collection_id)]
    for table_kind, table in manifest.parts[part].items():
        components += _make_handlers(table_kind, table, manifest)

    documentation = Documentation(lambda: manifest.texts)
    datasets_by_id = make_datasets(collection_id, documentation, {part: components})
    return datasets_by_id[dataset_id]


@lru_cache(maxsize=256)
def _make_docs(manifest: Manifest, collection_id: str) -> StoredDocs:
    """Return the documents: one object for all parts, so that ir_datasets knows they share them."""
    table = manifest.docs
    cls = record_class("docs", table.entry.fields)
    return StoredDocs(
        namespace=manifest.folder.name,
        folder=collection_id,
        sources=lambda: [table],  # the store is rebuilt if the table's file changes
        read=partial(read_records, table, cls),
        cls=cls,
        lang=manifest.layout.lang,
    )


def _make_handlers(kind: str, table: Table, manifest: Manifest) -> list[object]:
    """Return the components of a dataset for a table of that kind."""
    cls = record_class(kind, table.entry.fields)
    read = partial(read_records, table, cls)
    count = partial(table.count, read)

    answers: dict[str, Any] = {}
    if kind == "queries":
        answers = {"namespace": manifest.folder.name, "lang": manifest.layout.lang}
    elif kind == "qrels":
        definitions = table.entry.definitions
        answers = {"defs": {int(grade): meaning for grade, meaning in definitions.items()}}
    handlers = [make_handler(kind, read, cls, count=count, files=lambda: [table], **answers)]

    if kind == "scoreddocs":
        read_sources = partial(read_records, table, PoolSource)
        handlers.append(make_handler("pool_sources", read_sources, PoolSource))
    return handlers


def read_records(table: Table, cls: type[Record]) -> Iterator[Record]:
    """Return an iterator of a table's records in its order, with the fields of `cls`."""
    table_fields = list(table.entry.fields)
    if list(cls._fields) == table_fields:
        return map(cls._make, table.rows())

    # The table has the fields in another order, more of them, or without optional ones. So all
    # defaults are appended to each row, and each field is taken from its position there.
    default_fields = list(DEFAULTS)
    positions = []
    for field in cls._fields:
        if field in table_fields:
            positions.append(table_fields.index(field))
        else:
            positions.append(len(table_fields) + default_fields.index(field))

    default_values = tuple(DEFAULTS.values())
    extended_rows = (row + default_values for row in table.rows())
    return (cls._make([row[position] for position in positions]) for row in extended_rows)

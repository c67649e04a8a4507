"""Datasets of a collection on this machine, which follow its folder; and their records."""

from collections.abc import Iterator, Mapping
from functools import lru_cache, partial
from itertools import chain
from typing import Any, NamedTuple, Tuple

from ir_datasets.formats import GenericQrel, GenericScoredDoc, TrecQrel

from ir_datasets_ext.built_documents import StoredDocs
from ir_datasets_ext.choices import describe_unknown
from ir_datasets_ext.handlers import Documentation, ScholarlyDataset, make_datasets, make_handler
from ir_datasets_ext.local import folder_of
from ir_datasets_ext.local.kinds import TYPES
from ir_datasets_ext.local.manifest import FILE, Manifest, read_manifest
from ir_datasets_ext.local.record_files import Table
from ir_datasets_ext.typed_records import Record

ABSENT = {"score": 0.0, "sources": ()}  #: optional field -> its value if missing


class LocalDataset(ScholarlyDataset):
    """A collection's part that follows its folder: after an overwrite it has the new content.

    Raises FileNotFoundError or ValueError if the folder is missing or damaged, and ValueError for
    an unknown part: at once, and at every use.
    """

    def __init__(self, kind: str, name: str, part: str | None = None) -> None:
        self._place = (kind, name, part)
        self._now()

    def _now(self) -> ScholarlyDataset:
        kind, name, part = self._place
        return _dataset(read_manifest(folder_of(kind, name)), kind, part or "")

    def __getattr__(self, attr: str) -> Any:
        return getattr(self._now(), attr)


# a manifest equals only itself, so a changed collection gets new datasets
@lru_cache(maxsize=256)
def _docs(manifest: Manifest, place: str) -> StoredDocs:
    # one object for all parts, so that ir_datasets knows that they share documents
    table, name = manifest.docs, manifest.folder.name
    cls = record("docs", table.about.fields)
    return StoredDocs(
        name, place, lambda: [table], partial(records, table, cls), cls, manifest.about.lang
    )


@lru_cache(maxsize=256)
def _dataset(manifest: Manifest, kind: str, part: str) -> ScholarlyDataset:
    if part not in manifest.parts:
        known_parts = [known_part for known_part in manifest.parts if known_part]
        owner = f"{manifest.folder}, by its {FILE}"
        raise ValueError(describe_unknown("part", part, known_parts, of=owner))

    collection = f"{kind}/{manifest.folder.name}"
    more = (_handlers(of_kind, table, manifest) for of_kind, table in manifest.parts[part].items())
    components = {part: [_docs(manifest, collection), *chain.from_iterable(more)]}
    texts = Documentation(lambda: manifest.texts)
    return make_datasets(collection, texts, components)[f"{collection}/{part}".rstrip("/")]


def _handlers(kind: str, table: Table, manifest: Manifest) -> Iterator[object]:
    """Yield the components of a dataset for a table of that kind."""
    cls, about = record(kind, table.about.fields), manifest.about
    answers: dict[str, dict] = {
        "queries": {"namespace": manifest.folder.name, "lang": about.lang},
        "qrels": {"defs": {int(grade): text for grade, text in table.about.definitions.items()}},
    }
    read = partial(records, table, cls)
    count = partial(table.count, read)
    yield make_handler(kind, read, cls, count=count, **answers.get(kind, {}))
    if kind == "scoreddocs":
        yield make_handler("pool_sources", partial(records, table, PoolSource), PoolSource)


def records(table: Table, cls: type[Record]) -> Iterator:
    """Return an iterator of a table's records in its order, with the fields of `cls`."""
    names, absent = [*table.about.fields, *ABSENT], tuple(ABSENT.values())
    places = [names.index(name) for name in cls._fields]
    if places == list(range(len(table.about.fields))):
        return map(cls._make, table.rows())
    rows = (row + absent for row in table.rows())
    return (cls._make([row[place] for place in places]) for row in rows)


class PoolSource(NamedTuple):
    """A document of a query's pool, and the sources that it came from."""

    query_id: str
    doc_id: str
    sources: Tuple[str, ...]


class Rating(NamedTuple):
    """One annotator's rating of a document for a query; rating: None if missing."""

    query_id: str
    doc_id: str
    annotator: str
    rating: int | None


#: kind -> the class of its records, if it does not depend on the fields
CLASSES = {"qrels": GenericQrel, "scoreddocs": GenericScoredDoc, "ratings": Rating}


def record(kind: str, fields: Mapping[str, str]) -> type[Record]:
    """Return the class of the records of a table with `fields` (name -> type)."""
    if kind == "qrels" and "iteration" in fields:
        return TrecQrel
    return CLASSES.get(kind) or _record(kind, tuple(fields.items()))


@lru_cache(maxsize=256)
def _record(kind: str, fields: tuple[tuple[str, str], ...]) -> type[Record]:
    name = {"docs": "LocalDoc", "queries": "LocalQuery", "pairs": "LocalPair"}[kind]
    make: Any = NamedTuple  # from a list that is known only now
    cls = make(name, [(field, TYPES[of_type]) for field, of_type in fields])
    cls.__doc__ = f"One of the {kind} of a collection on this machine."
    # pickle does not find the class in a module
    cls.__reduce__ = lambda self: (_remade, (kind, fields, tuple(self)))
    if kind != "pairs":
        cls.default_text = {"docs": _text_of_doc, "queries": _text_of_query}[kind]
    return cls


def _remade(kind: str, fields: tuple[tuple[str, str], ...], values: tuple) -> Record:
    return _record(kind, fields)(*values)


def _text_of_doc(self: Record) -> str:
    """Return title and text, if present; without a text, the sentences."""
    text = getattr(self, "text", "") or " ".join(getattr(self, "sentences", ()))
    return " ".join(filter(None, (getattr(self, "title", ""), text)))


def _text_of_query(self: Record) -> str:
    """Return the query's text."""
    return self.query

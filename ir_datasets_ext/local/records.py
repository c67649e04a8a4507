"""Records of collections on this machine; their classes follow from the fields of a table.

::

    QueryRecord = record_class("queries", {"query_id": "str", "query": "str"})
    QueryRecord("1", "ants").default_text()  # "ants"
"""

from collections.abc import Mapping
from functools import lru_cache
from typing import Any, NamedTuple, Tuple

from ir_datasets.formats import GenericQrel, GenericScoredDoc, TrecQrel

from ir_datasets_ext.local.kinds import TYPES
from ir_datasets_ext.typed_records import Record


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
CLASSES: dict[str, type[Record]] = {
    "qrels": GenericQrel,
    "scoreddocs": GenericScoredDoc,
    "ratings": Rating,
}
#: kind -> the name of its records' class, if it depends on the fields
CLASS_NAMES = {"docs": "LocalDoc", "queries": "LocalQuery", "pairs": "LocalPair"}


def record_class(kind: str, fields: Mapping[str, str]) -> type[Record]:
    """Return the class of the records of a table with `fields` (name -> type)."""
    if kind == "qrels" and "iteration" in fields:
        return TrecQrel
    if kind in CLASSES:
        return CLASSES[kind]
    return _make_class(kind, tuple(fields.items()))


@lru_cache(maxsize=256)
def _make_class(kind: str, fields: tuple[tuple[str, str], ...]) -> type[Record]:
    """Return a class of named tuples; the same class for the same fields (name, type)."""
    make_named_tuple: Any = NamedTuple  # a type checker refuses fields that it cannot read here
    typed_fields = [(name, TYPES[type_name]) for name, type_name in fields]
    cls = make_named_tuple(CLASS_NAMES[kind], typed_fields)
    cls.__doc__ = f"One of the {kind} of a collection on this machine."

    def reduce(record: Record) -> tuple:
        """Tell pickle to call `_restore`, because it finds the class in no module."""
        arguments = (kind, fields, tuple(record))
        return _restore, arguments

    cls.__reduce__ = reduce
    if kind == "docs":
        cls.default_text = _join_document_text
    elif kind == "queries":
        cls.default_text = _get_query_text
    return cls


def _restore(kind: str, fields: tuple[tuple[str, str], ...], values: tuple) -> Record:
    """Return a record again; pickle calls this."""
    return _make_class(kind, fields)(*values)


def _join_document_text(self: Record) -> str:
    """Return title and text, if present; without a text, the sentences."""
    title = getattr(self, "title", "")
    text = getattr(self, "text", "")
    if not text:
        text = " ".join(getattr(self, "sentences", ()))
    return " ".join(part for part in (title, text) if part)


def _get_query_text(self: Record) -> str:
    """Return the query's text."""
    return self.query

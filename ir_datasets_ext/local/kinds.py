"""What a collection on this machine may hold: kinds of tables, their fields, their records."""

import sys
from functools import lru_cache
from keyword import iskeyword
from typing import Annotated, NamedTuple, Tuple

from ir_datasets.formats import GenericQrel, GenericScoredDoc, TrecQrel
from msgspec import Meta, defstruct

#: a field's type in a manifest -> in Python, as ir_datasets' exporters know it
TYPES = {"str": str, "int": int, "float": float, "list": Tuple[str, ...]}
MOST = sys.float_info.max
#: the same with what its values may be: 64 bits, and finite
VALUES = {
    **TYPES,
    "int": Annotated[int, Meta(ge=-(2**63), le=2**63 - 1)],
    "float": Annotated[float, Meta(ge=-MOST, le=MOST)],
}
RATING = ("rating", "int")  # the one field that may be null: a rating that is missing

#: kind -> the fields that it must have, with their types
REQUIRED = {
    "docs": {"doc_id": "str"},
    "queries": {"query_id": "str", "query": "str"},
    "scoreddocs": {"query_id": "str", "doc_id": "str"},
    "qrels": {"query_id": "str", "doc_id": "str", "relevance": "int"},
    "ratings": {"query_id": "str", "doc_id": "str", "annotator": "str", "rating": "int"},
    "pairs": {"doc_id_a": "str", "doc_id_b": "str"},
}
#: kind -> the fields that it may have besides; None: any
OPTIONAL = {
    "docs": None,
    "queries": None,
    "scoreddocs": {"score": "float", "sources": "list"},
    "qrels": {"iteration": "str"},
    "ratings": {},
    "pairs": None,
}
#: types that some fields have wherever they stand: PyTerrier and our transformers count on these
USUAL = {"title": "str", "text": "str", "sentences": "list", "labels": "list"}
#: of queries: PyTerrier's loader of texts would put the document's `text` in the query's place
REFUSED = {"queries": ("text", "qid"), "docs": ("docno",)}


def known_types(kind):
    """Return the fields of `kind` whose type is fixed, with their types."""
    return {**USUAL, **REQUIRED[kind], **(OPTIONAL[kind] or {})}


def check_fields(kind, fields, where):
    """Raise ValueError, beginning with `where`, unless `fields` (name -> type) may be `kind`'s."""
    known = known_types(kind)
    missing = [name for name in REQUIRED[kind] if name not in fields]
    if missing:
        raise ValueError(
            f"{where}: {kind} have no {', '.join(missing)}: expected the fields "
            f"{', '.join(REQUIRED[kind])}, found {', '.join(fields) or 'none'}"
        )
    for name, of_type in fields.items():
        if of_type not in TYPES or known.get(name, of_type) != of_type:
            expected = known.get(name, f"one of {', '.join(TYPES)}")
            raise ValueError(
                f"{where}: field {name} of {kind} is of type {of_type}: expected {expected}"
            )
        others, plain = OPTIONAL[kind], name.isidentifier() and not iskeyword(name)
        if others is None:
            allowed = plain and name[0] != "_" and name not in REFUSED.get(kind, ())
        else:
            allowed = name in others or name in REQUIRED[kind]
        if not allowed:
            besides = "any plain name" if others is None else ", ".join(others) or "none"
            raise ValueError(
                f"{where}: {kind} have a field {name}: expected {', '.join(REQUIRED[kind])}, and "
                f"besides {besides}. Rename it, or leave it out"
            )


class PoolSource(NamedTuple):
    """A document of a query's pool and what put it there."""

    query_id: str
    doc_id: str
    sources: Tuple[str, ...]


class Rating(NamedTuple):
    """What one annotator said of a document for a query; rating: None where it is missing."""

    query_id: str
    doc_id: str
    annotator: str
    rating: int | None


#: kind -> the class of its records, where that does not follow from the fields
CLASSES = {"qrels": GenericQrel, "scoreddocs": GenericScoredDoc, "ratings": Rating}


def record(kind, fields):
    """The class of the records of a table with `fields`, a dict from name to type."""
    if kind == "qrels" and "iteration" in fields:
        return TrecQrel
    return CLASSES.get(kind) or _record(kind, tuple(fields.items()))


def layout_of(fields):
    """The Struct of a row in the file of a table with `fields`."""
    types = [
        (name, VALUES[kind] | None if (name, kind) == RATING else VALUES[kind])
        for name, kind in fields.items()
    ]
    return defstruct("Row", types)


@lru_cache(maxsize=256)
def _record(kind, fields):
    name = {"docs": "LocalDoc", "queries": "LocalQuery", "pairs": "LocalPair"}[kind]
    cls = NamedTuple(name, [(field, TYPES[of_type]) for field, of_type in fields])
    cls.__doc__ = f"One of the {kind} of a collection on this machine."
    # made here, it has no place in a module where pickle would look for it
    cls.__reduce__ = lambda self: (_remade, (kind, fields, tuple(self)))
    if kind != "pairs":
        cls.default_text = {"docs": _text_of_doc, "queries": _text_of_query}[kind]
    return cls


def _remade(kind, fields, values):
    return _record(kind, fields)(*values)


def _text_of_doc(self):
    """Return title and text, as far as it has them; without a text, its sentences."""
    text = getattr(self, "text", "") or " ".join(getattr(self, "sentences", ()))
    return " ".join(filter(None, (getattr(self, "title", ""), text)))


def _text_of_query(self):
    """Return the query's text."""
    return self.query

"""The kinds of tables in a collection on this machine, with their fields and records."""

import sys
from collections.abc import Mapping
from functools import lru_cache
from keyword import iskeyword
from typing import Annotated, Any, NamedTuple, Tuple

from ir_datasets.formats import GenericQrel, GenericScoredDoc, TrecQrel
from msgspec import Meta, Struct, defstruct

#: a field's type in a manifest -> Python's, as ir_datasets' exporters know it
TYPES: dict[str, Any] = {"str": str, "int": int, "float": float, "list": Tuple[str, ...]}
MOST = sys.float_info.max
#: the same with the range of values: 64 bits, and finite
VALUES: dict[str, Any] = {
    **TYPES,
    "int": Annotated[int, Meta(ge=-(2**63), le=2**63 - 1)],
    "float": Annotated[float, Meta(ge=-MOST, le=MOST)],
}
RATING = ("rating", "int")  # the only field that may be null: a missing rating

#: kind -> its required fields, with their types
REQUIRED: dict[str, dict[str, str]] = {
    "docs": {"doc_id": "str"},
    "queries": {"query_id": "str", "query": "str"},
    "scoreddocs": {"query_id": "str", "doc_id": "str"},
    "qrels": {"query_id": "str", "doc_id": "str", "relevance": "int"},
    "ratings": {"query_id": "str", "doc_id": "str", "annotator": "str", "rating": "int"},
    "pairs": {"doc_id_a": "str", "doc_id_b": "str"},
}
#: kind -> its optional fields, with their types; None: any
OPTIONAL: dict[str, dict[str, str] | None] = {
    "docs": None,
    "queries": None,
    "scoreddocs": {"score": "float", "sources": "list"},
    "qrels": {"iteration": "str"},
    "ratings": {},
    "pairs": None,
}
#: fields of fixed type in any table: PyTerrier and our transformers rely on these
USUAL = {"title": "str", "text": "str", "sentences": "list", "labels": "list"}
#: fields not allowed: PyTerrier's loader of texts would replace the query's by the document's
REFUSED: dict[str, tuple[str, ...]] = {"queries": ("text", "qid"), "docs": ("docno",)}


def known_types(kind: str) -> dict[str, str]:
    """Return the fields of `kind` with a fixed type, and these types."""
    return {**USUAL, **REQUIRED[kind], **(OPTIONAL[kind] or {})}


def check_fields(kind: str, fields: Mapping[str, str], where: str) -> None:
    """Raise ValueError, beginning with `where`, unless `fields` (name -> type) are valid."""
    known = known_types(kind)
    missing = [name for name in REQUIRED[kind] if name not in fields]
    if missing:
        raise ValueError(
            f"{where}: {kind} lack {', '.join(missing)}: expected the fields "
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


def record(kind: str, fields: Mapping[str, str]) -> Any:
    """Return the class of the records of a table with `fields` (name -> type)."""
    if kind == "qrels" and "iteration" in fields:
        return TrecQrel
    return CLASSES.get(kind) or _record(kind, tuple(fields.items()))


def layout_of(fields: Mapping[str, str]) -> type[Struct]:
    """Return the Struct of a row in the file of a table with `fields`."""
    types = [
        (name, VALUES[kind] | None if (name, kind) == RATING else VALUES[kind])
        for name, kind in fields.items()
    ]
    return defstruct("Row", types)


@lru_cache(maxsize=256)
def _record(kind: str, fields: tuple[tuple[str, str], ...]) -> Any:
    name = {"docs": "LocalDoc", "queries": "LocalQuery", "pairs": "LocalPair"}[kind]
    make: Any = NamedTuple  # from a list that is known only now
    cls = make(name, [(field, TYPES[of_type]) for field, of_type in fields])
    cls.__doc__ = f"One of the {kind} of a collection on this machine."
    # pickle does not find the class in a module
    cls.__reduce__ = lambda self: (_remade, (kind, fields, tuple(self)))
    if kind != "pairs":
        cls.default_text = {"docs": _text_of_doc, "queries": _text_of_query}[kind]
    return cls


def _remade(kind: str, fields: tuple[tuple[str, str], ...], values: tuple) -> Any:
    return _record(kind, fields)(*values)


def _text_of_doc(self: Any) -> str:
    """Return title and text, if present; without a text, the sentences."""
    text = getattr(self, "text", "") or " ".join(getattr(self, "sentences", ()))
    return " ".join(filter(None, (getattr(self, "title", ""), text)))


def _text_of_query(self: Any) -> str:
    """Return the query's text."""
    return self.query

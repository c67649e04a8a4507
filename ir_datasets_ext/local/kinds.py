"""The kinds of tables in a collection on this machine: their fields, and the ids in their rows."""

import sys
from array import array
from collections.abc import Iterable, Iterator, Mapping
from keyword import iskeyword
from typing import Annotated, Any, Tuple, TypeAlias

from msgspec import Meta, Struct, defstruct

Rows: TypeAlias = Iterable  #: a data frame, or an iterable of mappings or named tuples

#: a field's type in a manifest -> Python's, as ir_datasets' exporters know it
TYPES: dict[str, object] = {"str": str, "int": int, "float": float, "list": Tuple[str, ...]}
LARGEST = sys.float_info.max
#: the same with the range of values: 64 bits, and finite
VALUES: dict[str, Any] = {
    **TYPES,
    "int": Annotated[int, Meta(ge=-(2**63), le=2**63 - 1)],
    "float": Annotated[float, Meta(ge=-LARGEST, le=LARGEST)],
}
MOST = 1 << 10  # annotators
MOST_FIELDS, LONGEST_FIELD = 256, 200  # of a table; characters of a field's name
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
    known, others = known_types(kind), OPTIONAL[kind]
    if len(fields) > MOST_FIELDS:
        raise ValueError(
            f"{where}: {kind} have {len(fields)} fields: expected {MOST_FIELDS} or less"
        )
    if missing := [name for name in REQUIRED[kind] if name not in fields]:
        raise ValueError(
            f"{where}: {kind} lack {', '.join(missing)}: expected the fields "
            f"{', '.join(REQUIRED[kind])}, found {', '.join(fields) or 'none'}"
        )
    for name, of_type in fields.items():
        if of_type not in TYPES or known.get(name, of_type) != of_type:
            expected = known.get(name, f"one of {', '.join(TYPES)}")
            raise ValueError(
                f"{where}: field {name:.80} of {kind} is of type {of_type:.80}: expected {expected}"
            )
        plain = name.isidentifier() and not iskeyword(name) and name[0] != "_"
        plain = plain and len(name) <= LONGEST_FIELD
        free = plain and name not in REFUSED.get(kind, ())
        if not (free if others is None else name in (*REQUIRED[kind], *others)):
            besides = "any plain name" if others is None else ", ".join(others) or "none"
            raise ValueError(
                f"{where}: {kind} have a field {name:.80}: expected "
                f"{', '.join(REQUIRED[kind])}, and "
                f"besides {besides}. Rename it, or leave it out"
            )


def layout_of(fields: Mapping[str, str]) -> type[Struct]:
    """Return the Struct of a row in the file of a table with `fields`."""
    types = [
        (name, VALUES[kind] | None if (name, kind) == RATING else VALUES[kind])
        for name, kind in fields.items()
    ]
    return defstruct("Row", types)


class Ids:
    """The ids of documents or queries, without duplicates, numbered in their order."""

    def __init__(self, what: str) -> None:
        self._what = what
        self.numbers: dict[str, int] = {}

    def pass_on(self, rows: Iterable[tuple]) -> Iterator[tuple]:
        """Yield `rows`, whose first value is the id; raise ValueError for a bad or duplicate id."""
        for row in rows:
            if row[0] in self.numbers:
                raise ValueError(f"duplicate {self._what} {row[0]}: expected each id once")
            if not row[0] or any(character.isspace() for character in row[0]):
                raise ValueError(
                    f"{row[0]!r} is no id of a {self._what}: expected a text without blanks, as "
                    "blanks split the lines of a TREC file"
                )
            self.numbers[row[0]] = len(self.numbers)
            yield row

    def number(self, value: str, kind: str) -> int:
        """Return the number of an id in a row of `kind`; raise ValueError if it is unknown."""
        if value not in self.numbers:
            raise ValueError(
                f"{kind} name the unknown {self._what} {value!r}: expected one of the collection's "
                f"{len(self.numbers)}. Add it to them, or leave the row out"
            )
        return self.numbers[value]


def known_pairs(kind: str, queries: Ids, docs: Ids, rows: Iterable[tuple]) -> Iterator[tuple]:
    """Yield `rows` of query and document, or of two documents; raise ValueError for unknown ids.

    At the end, raise ValueError for duplicates of query and document; in ratings, of query,
    document and annotator.
    """
    first, seen = docs if kind == "pairs" else queries, array("q")
    people: dict[str, int] = {}
    for row in rows:
        pair = first.number(row[0], kind) * len(docs.numbers) + docs.number(row[1], kind)
        person = people.setdefault(row[2], len(people)) if kind == "ratings" else 0
        if person >= MOST:
            raise ValueError(f"{kind} have more than {MOST} annotators: expected fewer")
        if kind != "pairs":
            seen.append(pair * MOST + person)
        yield row
    duplicate = _duplicate(seen)
    if duplicate is not None:
        pair, person = divmod(duplicate, MOST)
        query, doc = divmod(pair, len(docs.numbers))
        by = f" by annotator {list(people)[person]}" if people else ""
        raise ValueError(
            f"{kind} have duplicates of query {list(queries.numbers)[query]} and document "
            f"{list(docs.numbers)[doc]}{by}: expected each pair once"
        )


def _duplicate(seen: array) -> int | None:
    """Return the first number that an array has twice, or None; it takes eight bytes a row."""
    import numpy as np

    ordered = np.sort(np.frombuffer(seen, dtype="q"))
    again = np.flatnonzero(ordered[1:] == ordered[:-1])
    return int(ordered[again[0]]) if len(again) else None

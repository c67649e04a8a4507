"""The kinds of tables in a collection on this machine, and their fields.

::

    check_fields("queries", {"query_id": "str"}, "my table")  # ValueError: queries lack query
    layout_of({"query_id": "str", "query": "str"})            # a Struct with these two
"""

import sys
from collections.abc import Iterable, Mapping
from keyword import iskeyword
from typing import Annotated, Any, Tuple, TypeAlias

from msgspec import Meta, Struct, defstruct

Rows: TypeAlias = Iterable  #: a data frame, or an iterable of mappings or named tuples

#: a field's type in a manifest -> Python's, as ir_datasets' exporters know it
TYPES: dict[str, object] = {"str": str, "int": int, "float": float, "list": Tuple[str, ...]}
LARGEST_FLOAT = sys.float_info.max
#: the same with the range of values: 64 bits, and finite
VALUES: dict[str, Any] = {
    **TYPES,
    "int": Annotated[int, Meta(ge=-(2**63), le=2**63 - 1)],
    "float": Annotated[float, Meta(ge=-LARGEST_FLOAT, le=LARGEST_FLOAT)],
}
MOST_FIELDS = 256  # of a table
LONGEST_FIELD_NAME = 200  # characters
RATING = "rating"  # the only field that may be null: a missing rating

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


def fixed_types(kind: str) -> dict[str, str]:
    """Return the fields of `kind` with a fixed type, and these types."""
    return {**USUAL, **REQUIRED[kind], **(OPTIONAL[kind] or {})}


def check_fields(kind: str, fields: Mapping[str, str], where: str) -> None:
    """Raise ValueError, beginning with `where`, unless `fields` (name -> type) are valid."""
    if len(fields) > MOST_FIELDS:
        raise ValueError(
            f"{where}: {kind} have {len(fields)} fields: expected {MOST_FIELDS} or less"
        )

    missing_fields = [name for name in REQUIRED[kind] if name not in fields]
    if missing_fields:
        raise ValueError(
            f"{where}: {kind} lack {', '.join(missing_fields)}: expected the fields "
            f"{', '.join(REQUIRED[kind])}, found {', '.join(fields) or 'none'}"
        )

    for name, of_type in fields.items():
        _check_type(kind, name, of_type, where)
        _check_field_name(kind, name, where)


def layout_of(fields: Mapping[str, str]) -> type[Struct]:
    """Return the Struct of a row in the file of a table with `fields`."""
    types = []
    for name, of_type in fields.items():
        type_of_values = VALUES[of_type]
        # a rating may be missing; a field of that name with another type is a user's own
        if name == RATING and of_type == "int":
            type_of_values = type_of_values | None
        types.append((name, type_of_values))
    return defstruct("Row", types)


def _check_type(kind: str, name: str, of_type: str, where: str) -> None:
    """Raise ValueError unless a field of a table has a type that it may have.

    Args:
        kind: of the table, such as "queries".
        name: of the field.
        of_type: its type, one of TYPES. Some fields must have a certain one.
        where: the table, for the beginning of the error's message.
    """
    fixed_type = fixed_types(kind).get(name)
    is_known_type = of_type in TYPES
    is_type_of_field = fixed_type is None or of_type == fixed_type
    if not (is_known_type and is_type_of_field):
        expected = fixed_type or f"one of {', '.join(TYPES)}"
        raise ValueError(
            f"{where}: field {name:.80} of {kind} is of type {of_type:.80}: expected {expected}"
        )


def _check_field_name(kind: str, name: str, where: str) -> None:
    """Raise ValueError unless tables of `kind`, such as "queries", may have a field of this name.

    where: the table, for the beginning of the error's message.
    """
    required_fields = REQUIRED[kind]
    optional_fields = OPTIONAL[kind]
    if optional_fields is None:  # such tables take any field
        is_allowed = _is_plain_name(name) and name not in REFUSED.get(kind, ())
        further_fields = "any plain name"
    else:
        is_allowed = name in required_fields or name in optional_fields
        further_fields = ", ".join(optional_fields) or "none"

    if not is_allowed:
        raise ValueError(
            f"{where}: {kind} have a field {name:.80}: expected {', '.join(required_fields)}, and "
            f"besides {further_fields}. Rename it, or leave it out"
        )


def _is_plain_name(name: str) -> bool:
    """Return whether a named tuple may have a field of this name, and a person can read it."""
    return (
        name.isidentifier()
        and not iskeyword(name)
        and not name.startswith("_")
        and len(name) <= LONGEST_FIELD_NAME
    )

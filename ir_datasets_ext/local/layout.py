"""How a collection on this machine is laid out: its manifest, and the rows of its tables."""

import sys
from functools import lru_cache
from typing import Annotated, Any, Dict, Tuple

from msgspec import Meta, Struct, defstruct

FORMAT = 1
MOST = sys.float_info.max
Count = Annotated[int, Meta(ge=0)]
Grade = Annotated[str, Meta(pattern="^-?[0-9]{1,9}$")]
#: a field's type in a manifest -> what its values may be: 64 bits, and finite
VALUES = {
    "str": str,
    "int": Annotated[int, Meta(ge=-(2**63), le=2**63 - 1)],
    "float": Annotated[float, Meta(ge=-MOST, le=MOST)],
    "list": Tuple[str, ...],
}
RATING = ("rating", "int")  # the one field that may be null: a rating that is missing


class Entry(Struct):
    """A table in a manifest."""

    file: str
    fields: Dict[str, str]
    rows: Count | None = None
    bytes: Count | None = None
    sha256: str | None = None
    definitions: Dict[Grade, str] = {}


class Layout(Struct):
    """A manifest."""

    format: Annotated[int, Meta(ge=FORMAT, le=FORMAT)]
    description: str
    licence: str
    docs: Entry
    parts: Dict[str, Dict[str, Entry]]
    lang: str = "en"
    page: str | None = None
    page_sha256: str | None = None
    about: Dict[str, Any] = {}
    digest: str | None = None


def rows_of(fields):
    """The Struct of a row of a table with `fields`, a dict from name to type."""
    return _rows_of(tuple(fields.items()))


@lru_cache(maxsize=256)
def _rows_of(fields):
    types = [
        (name, VALUES[kind] | None if (name, kind) == RATING else VALUES[kind])
        for name, kind in fields
    ]
    return defstruct("Row", types)

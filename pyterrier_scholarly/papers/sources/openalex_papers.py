"""Papers of OpenAlex's answers, whose abstracts are lists of positions by word."""

from collections.abc import Mapping, Sequence
from numbers import Integral

import numpy as np

from ir_datasets_ext.typed_records import shortened

from ..paper_record import PaperRecord
from .field_authors import read_authors
from .field_values import (
    Fields,
    WrongField,
    clean_text,
    find_field,
    read_doi,
    read_id,
    read_text,
)
from .field_years import read_year

#: where answers put their list of papers
LIST_FIELDS = ("results",)
INVERTED_INDEX = "abstract_inverted_index"


def is_openalex(fields: Fields) -> bool:
    """Return whether a record is a work of OpenAlex."""
    return INVERTED_INDEX in fields or "authorships" in fields


def read_openalex(fields: Fields) -> PaperRecord:
    """Return the paper of a work of OpenAlex."""
    location = fields.get("primary_location")
    if not isinstance(location, Mapping):
        location = {}
    venue = location.get("source")
    if not isinstance(venue, Mapping):
        venue = {}

    # its ids are addresses: the last part names the work
    work_id = read_id(fields, ["id"]).rpartition("/")[2]
    return PaperRecord(
        paper_id=work_id,
        title=read_text(fields, ["title", "display_name"]),
        abstract=read_text(fields, ["abstract"]) or read_inverted_index(fields),
        year=read_year(fields, ["publication_year", "publication_date"]),
        doi=read_doi(fields, ["doi"]),
        authors=read_authors(fields, ["authorships"]),
        venue=read_text(venue, ["display_name"]),
        url=read_text(location, ["landing_page_url"]),
    )


def read_inverted_index(fields: Fields) -> str:
    """Return the abstract of an inverted index; "" without one."""
    name = find_field(fields, [INVERTED_INDEX])
    index = fields.get(name, {})
    if not isinstance(index, Mapping):
        raise WrongField(
            f"{name} is {shortened.repr(index)}: expected an object from words to lists of their "
            "positions"
        )

    placed_words = []
    for word, positions in index.items():
        if not isinstance(word, str) or not _are_positions(positions):
            raise WrongField(
                f"{name} has {shortened.repr(word)}: {shortened.repr(positions)}: expected a word "
                "and a list of its positions, such as [0, 7]"
            )
        placed_words += [(int(position), word) for position in positions]

    in_order = sorted(placed_words)
    return clean_text(" ".join(word for _, word in in_order), name)


def _are_positions(value: object) -> bool:
    """Return whether a value is a list of whole numbers."""
    if isinstance(value, np.ndarray):
        value = value.tolist()  # of an array without a dimension, a number
    return isinstance(value, Sequence) and all(isinstance(item, Integral) for item in value)

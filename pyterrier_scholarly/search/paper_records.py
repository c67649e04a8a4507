"""Read one paper's record: its id, title and abstract, whatever their fields are called.

    >>> read_record(1, {"id": 7, "title": "Trees", "abstract": "We prune trees."})
    Paper(docno='7', title='Trees', text='We prune trees.')

Conventions: a *record* is a dict from field to value, as it comes from its source. A value is
*missing* if it is None, NaN or a blank text. Records are numbered from 1.
"""

from collections.abc import Iterable, Mapping
from numbers import Integral
from typing import NamedTuple, TypeAlias

import numpy as np
import pandas as pd

from ir_datasets_ext.typed_records import shortened

from ..text import writable

#: fields that may hold a paper's id, title and abstract; the first that has a value counts
ID_FIELDS = (
    *("docno", "doc_id", "paper_id", "paperId", "corpus_id", "corpusId"),
    *("id", "ID", "doi", "DOI"),
)
TITLE_FIELDS = ("title", "Title", "display_name")
ABSTRACT_FIELDS = ("abstract", "Abstract", "text")
#: OpenAlex's field of an abstract: a dict from word to the word's positions
INVERTED_INDEX = "abstract_inverted_index"
#: a dict, or a named tuple as ir_datasets' documents are
Record: TypeAlias = Mapping | tuple


class Paper(NamedTuple):
    """A paper; its abstract may be "", its title too."""

    docno: str
    title: str
    text: str


def read_record(number: int, record: Record) -> Paper:
    """Return a record as a paper; one without an id is called by its number.

    Raises:
        ValueError: a value of an unexpected type; names the record's number, field and value.
    """
    fields = _read_fields(number, record)
    docno = _read_id(number, fields) or str(number)
    title = _read_text(number, fields, TITLE_FIELDS)
    abstract = _read_text(number, fields, ABSTRACT_FIELDS)
    if not abstract:
        abstract = _read_inverted_index(number, fields)
    return Paper(writable(docno), writable(title), writable(abstract))


def describe_expected_text(name: str, value: object) -> str:
    """Return what a field should be that is no text, and how to make a text of a list of texts.

    >>> describe_expected_text("abstract", ["One.", "Two."])
    'expected a text: join the sentences, " ".join(abstract)'
    """
    if isinstance(value, np.ndarray):
        value = value.tolist()  # of an array without a dimension, a single value
    if isinstance(value, (list, tuple)) and all(isinstance(item, str) for item in value):
        return f'expected a text: join the sentences, " ".join({name})'
    return "expected a text"


def _read_fields(number: int, record: Record) -> Mapping:
    """Return a record's fields; a document without an abstract gets its default text as `text`."""
    if isinstance(record, Mapping):
        return record
    if not isinstance(record, tuple) or not hasattr(record, "_asdict"):
        raise ValueError(
            f"Paper {number} is {shortened.repr(record)}: expected a dict or a document of "
            "ir_datasets."
        )

    fields = record._asdict()
    has_abstract = any(name in fields for name in (*ABSTRACT_FIELDS, INVERTED_INDEX))
    if not has_abstract and hasattr(record, "default_text"):
        fields["text"] = record.default_text()
    return fields


def _read_id(number: int, fields: Mapping) -> str:
    """Return a record's id, or "" if it is missing."""
    name = _find_field(fields, ID_FIELDS)
    value = fields.get(name, "")
    if isinstance(value, (Mapping, list, tuple, set, np.ndarray)):
        raise ValueError(
            f"Paper {number} has {name}={shortened.repr(value)}: expected a text or a number."
        )
    return str(value).strip()


def _read_text(number: int, fields: Mapping, names: Iterable[str]) -> str:
    """Return the first of the named fields with a value, one blank between words; "" without."""
    name = _find_field(fields, names)
    value = fields.get(name, "")
    if not isinstance(value, str):
        expectation = describe_expected_text(name, value)
        raise ValueError(f"Paper {number} has {name}={shortened.repr(value)}: {expectation}.")
    return " ".join(value.split())


def _read_inverted_index(number: int, fields: Mapping) -> str:
    """Return the abstract of OpenAlex's inverted index; "" without one."""
    name = _find_field(fields, [INVERTED_INDEX])
    index = fields.get(name, {})
    if not isinstance(index, Mapping):
        raise ValueError(
            f"Paper {number} has {name}={shortened.repr(index)}: expected an object from words to "
            "lists of their positions."
        )

    words_by_position = []
    for word, positions in index.items():
        if not isinstance(word, str) or not _are_positions(positions):
            raise ValueError(
                f"Paper {number} has {shortened.repr(word)}: {shortened.repr(positions)} in "
                f"{name}: expected a word and a list of its positions, such as [0, 7]."
            )
        for position in positions:
            words_by_position.append((position, word))

    words_by_position.sort()
    return " ".join(word for _, word in words_by_position)


def _are_positions(value: object) -> bool:
    """Return whether a value is a list of whole numbers."""
    if isinstance(value, np.ndarray):
        value = value.tolist()  # of an array without a dimension, a number
    return isinstance(value, (list, tuple)) and all(isinstance(item, Integral) for item in value)


def _find_field(fields: Mapping, names: Iterable[str]) -> str:
    """Return the first of the names whose value is not missing; "" if all are."""
    for name in names:
        if name in fields and not _is_missing(fields[name]):
            return name
    return ""


def _is_missing(value: object) -> bool:
    """Return whether a value is None, NaN, NaT, pandas.NA or a blank text."""
    if isinstance(value, str):
        return not value.strip()
    # of a list, pandas would say so of each item
    return pd.api.types.is_scalar(value) and bool(pd.isna(value))

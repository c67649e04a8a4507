"""Read texts, ids and DOIs of a record's fields, whichever form a source gives them.

    >>> read_text({"title": "On\\n<i>trees</i>"}, ["title"])
    'On trees'
    >>> read_doi({"doi": "https://doi.org/10.1000/ABC"}, ["doi"])
    '10.1000/abc'

Conventions: a record's *fields* are a mapping from a name to a value. Of several names, the first
whose value is not missing counts: missing are None, NaN and blank texts. A value of an unexpected
type raises `WrongField`, which names field, value and expectation.
"""

import html
import re
from collections.abc import Iterable, Mapping
from typing import TypeAlias

import numpy as np
import pandas as pd

from ir_datasets_ext.typed_records import shortened

from ...text import writable
from ..paper_record import normalise_doi

Fields: TypeAlias = Mapping

#: elements of HTML, JATS and MathML as publishers leave them in abstracts; not any "<q and r>"
MARKUP = re.compile(
    r"</?(?:(?:jats|mml):[\w-]+|p|i|b|u|a|em|strong|sub|sup|span|div|br|hr|title|sec|section|italic"
    r"|bold|abstract|inline-formula|ul|ol|li|list|list-item|scp|tt|h[1-6])(?:\s[^<>]*)?/?>",
    re.IGNORECASE,
)
#: elements that stand between sentences, not within a word
BLOCK_MARKUP = re.compile(
    r"</?(?:jats:)?(?:p|div|br|hr|title|sec|section|abstract|li|list-item|h[1-6])(?:\s[^<>]*)?/?>",
    re.IGNORECASE,
)
UNDECODED = re.compile("[\udc80-\udcff]")  # bytes that are not UTF-8, as Python keeps them


class WrongField(ValueError):
    """A field's value is not what it should be; names field, value and expectation."""


def find_field(fields: Fields, names: Iterable[str]) -> str:
    """Return the first of the names whose value is not missing; "" if all are."""
    for name in names:
        if name in fields and not is_missing(fields[name]):
            return name
    return ""


def is_missing(value: object) -> bool:
    """Return whether a value is None, NaN, NaT, pandas.NA or a blank text."""
    if isinstance(value, str):
        return not value.strip()
    # of a list, pandas would say so of each item
    return pd.api.types.is_scalar(value) and bool(pd.isna(value))


def read_text(fields: Fields, names: Iterable[str]) -> str:
    """Return a text without markup, with one blank between words; "" if it is missing."""
    name = find_field(fields, names)
    value = fields.get(name, "")
    if not isinstance(value, str):
        expectation = describe_expected_text(name, value)
        raise WrongField(f"{name} is {shortened.repr(value)}: {expectation}")
    return clean_text(value, name)


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


def clean_text(text: str, name: str) -> str:
    """Return a text without markup, with one blank between words."""
    if UNDECODED.search(text):
        raise WrongField(
            f"{name} has bytes that are not UTF-8: save the file as UTF-8, or correct them"
        )

    if "<" in text or "&" in text:
        unescaped = html.unescape(text)
        separated = BLOCK_MARKUP.sub(" ", unescaped)
        text = MARKUP.sub("", separated)
    return writable(" ".join(text.split()))


def read_id(fields: Fields, names: Iterable[str]) -> str:
    """Return an id, a text or a number, as text; "" if it is missing."""
    name = find_field(fields, names)
    value = fields.get(name, "")
    if isinstance(value, (Mapping, list, tuple, set, np.ndarray)):
        raise WrongField(f"{name} is {shortened.repr(value)}: expected a text or a number")
    if isinstance(value, float) and value.is_integer():
        value = int(value)  # a frame's column of ids of which some are missing
    return clean_text(str(value), name)


def read_doi(fields: Fields, names: Iterable[str]) -> str:
    """Return the normalised DOI; "" for a value that has none."""
    name = find_field(fields, names)
    value = fields.get(name, "")
    return normalise_doi(value) if isinstance(value, str) else ""

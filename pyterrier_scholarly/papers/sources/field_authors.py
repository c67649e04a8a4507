"""Read the authors' names of a record's fields, whichever form a source gives them.

>>> read_authors({"author": "Ada Lovelace and Bao Li"}, ["author"])
('Ada Lovelace', 'Bao Li')
>>> read_authors({"authors": [{"given": "Ada", "family": "Lovelace"}]}, ["authors"])
('Ada Lovelace',)
"""

import re
from collections.abc import Iterable, Mapping

import numpy as np

from ir_datasets_ext.typed_records import shortened

from .field_values import Fields, WrongField, clean_text, find_field, is_missing, read_text

#: fields of an author's name, of all forms of sources
AUTHOR_NAMES = ("name", "display_name", "literal", "raw_author_name")


def read_authors(fields: Fields, names: Iterable[str]) -> tuple[str, ...]:
    """Return the authors' names: of a list of texts or objects, or of one text.

    In one text, names are separated by " and " (BibTeX) or by semicolons. "and others" at the end,
    which BibTeX prints as "et al.", is nobody's name.
    """
    name = find_field(fields, names)
    value = fields.get(name, "")
    if isinstance(value, str):
        value = re.split(r"\s+and\s+|;", value)
        if value[-1].strip() == "others":
            del value[-1]
    if isinstance(value, np.ndarray):
        value = value.tolist()
    if not isinstance(value, (list, tuple)):
        raise WrongField(f"{name} is {shortened.repr(value)}: expected a list of authors")

    authors = [name_author(author, name) for author in value]
    return tuple(author for author in authors if author)


def name_author(author: object, field: str) -> str:
    """Return an author's name, of a text or an object with names; "" if it has none."""
    if is_missing(author):
        return ""
    if isinstance(author, str):
        return clean_text(author, field)
    if not isinstance(author, Mapping):
        raise WrongField(f"{field} has {shortened.repr(author)}: expected an author's name")

    if isinstance(author.get("author"), Mapping):  # OpenAlex's authorship
        return name_author(author["author"], field)
    if author.get("family"):  # CSL-JSON
        parts = [author.get("given"), author.get("non-dropping-particle"), author["family"]]
        name = " ".join(part for part in parts if isinstance(part, str))
        return clean_text(name, field)
    return read_text(author, AUTHOR_NAMES)

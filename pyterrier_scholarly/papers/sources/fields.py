"""Read a record's fields as a paper: one normalisation of texts, names, years and DOIs for all.

    >>> paper = read_fields({"T1": "On <i>trees</i>", "AU": ["Oak, Ann"]}, NAMES["RIS"])
    >>> paper.title, paper.authors
    ('On trees', ('Ann Oak',))

Conventions: a record's *fields* are a mapping from a name to a value, or to a list of values. A
format's *names* are a row of ``field_names.csv``: from our field to the names that may hold it, of
which "a.b" is b of the object a. The first value counts that says something (`text.nothing`). A
value of an unexpected type raises ValueError, which names field, value and expectation.
"""

import csv
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from numbers import Real
from pathlib import Path
from typing import NamedTuple, TypeAlias

import numpy as np
import pandas as pd

from ir_datasets_ext.typed_records import shortened

from ...text import writable
from ...text.markup import remove_markup
from ...text.nothing import means_nothing
from ..author_names import order_name, split_names
from ..paper_record import PaperRecord, Remark, UnreadRecord, normalise_doi

Fields: TypeAlias = Mapping
Names: TypeAlias = Mapping[str, Sequence[str]]

with Path(__file__).with_name("field_names.csv").open(encoding="utf-8") as table:
    #: format -> our field ("id", "title" …) -> the names that it has there, in their order
    NAMES: dict[str, Names] = {
        row.pop("format"): {
            field: names.split("; ") if names else [] for field, names in row.items()
        }
        for row in csv.DictReader(table)
    }
YEAR = re.compile(r"(?<!\d)(1[5-9]\d\d|20\d\d)(?!\d)")  # 1500 to 2099
#: names of the parts of an author's name, of all formats: given name, particle, family name
NAMES_OF_PARTS = (("given", "first"), ("non-dropping-particle",), ("family", "last"))
WHOLE_NAMES = ("name", "display_name", "literal", "raw_author_name", "author.display_name")
#: a note with such a word has the DOI of another paper
ANOTHER_PAPER = re.compile(
    r"errat|corrig|correct|comment|retract|repl(?:y|ies)|respon|supplement|dataset|related|cite"
    r"|preprint|version|translat|review of",
    re.IGNORECASE,
)


class PlacedRecord(NamedTuple):
    """A record that is not understood yet.

    place: such as "papers.json, paper 3".
    names: of its format; None if its form is known by its fields.
    """

    place: str
    content: object
    names: Names | None = None


#: what a function of a format yields
Found: TypeAlias = PlacedRecord | UnreadRecord | Remark


def place_records(kind: str, records: Iterable[object]) -> Iterator[Found]:
    """Yield records, called "paper 1" and so on; one that a service does not know is a remark."""
    for number, record in enumerate(records, 1):
        place = f"{kind} {number}"
        yield Remark(place, "null: no paper") if record is None else PlacedRecord(place, record)


def read_fields(fields: Fields, names: Names) -> PaperRecord:
    """Return the paper that a record describes."""
    for name in names["abstract"]:
        items = _list_items(fields.get(name))
        if len(items) > 1 and all(isinstance(item, str) for item in items):
            raise ValueError(
                f"{name} is {shortened.repr(fields[name])}: expected a text: join the sentences, "
                f'" ".join({name})'
            )
    return PaperRecord(
        paper_id=read_text(fields, names["id"], is_id=True),
        title=read_text(fields, names["title"]),
        abstract=read_text(fields, names["abstract"]),
        year=read_year(fields, names["year"]),
        doi=read_doi(fields, names),
        authors=read_authors(fields, names["authors"]),
        venue=read_text(fields, names["venue"]),
        url=read_text(
            fields, names["url"], clean=lambda text: writable(text.strip().replace("&amp;", "&"))
        ),
    )


def find_values(fields: Fields, names: Iterable[str]) -> Iterator[tuple[str, object]]:
    """Yield the values of fields that are not missing, with the fields' names; of a list, each."""
    for name in names:
        value: object = fields
        for part in [name] if name in fields else name.split("."):
            value = value.get(part) if isinstance(value, Mapping) else None
        for item in _list_items(value):
            if not is_missing(item):
                yield name, item


def _list_items(value: object) -> Sequence:
    if isinstance(value, np.ndarray):
        value = value.tolist()  # of an array without a dimension, a single value
    return value if isinstance(value, (list, tuple)) else [value]


def is_missing(value: object) -> bool:
    """Return whether a value is None, NaN, NaT, pandas.NA, or a text that says nothing."""
    if isinstance(value, str):
        return means_nothing(value)
    # of a list, pandas would say so of each item
    return pd.api.types.is_scalar(value) and bool(pd.isna(value))


def read_text(
    fields: Fields,
    names: Iterable[str],
    is_id: bool = False,
    clean: Callable[[str], str] = remove_markup,
) -> str:
    """Return the first text that says something, cleaned; "" without one.

    is_id: a number is a text, too.
    """
    for name, value in find_values(fields, names):
        if is_id and isinstance(value, Real):
            # a frame's column of ids of which some are missing has floats
            value = str(value).removesuffix(".0")
        if not isinstance(value, str):
            expected = "expected a text or a number" if is_id else "expected a text"
            raise ValueError(f"{name} is {shortened.repr(fields.get(name))}: {expected}")
        text = clean(value)
        if not means_nothing(text):
            return text
    return ""


def read_doi(fields: Fields, names: Names) -> str:
    """Return the first DOI that one of the fields has: DOIs, addresses, then notes."""
    for name, value in find_values(fields, [*names["doi"], *names["url"], *names["notes"]]):
        is_of_another = name in names["notes"] and ANOTHER_PAPER.search(str(value))
        doi = normalise_doi(str(value))
        if doi and not is_of_another:
            return doi
    return ""


def read_year(fields: Fields, names: Iterable[str]) -> int | None:
    """Return the first year in one of the fields, from 1500 to 2099; None without one.

    A value may be a number, a text with a year in it (``2019-05-01``, ``1 May 2019``, ``2019///``),
    a date, a list with the year first ([[2019, 5, 1]]), or a date of CSL-JSON, of Crossref.
    """
    for name in names:
        value = fields.get(name)
        if isinstance(value, Mapping):
            year = read_year(value, ("date-parts", "raw", "literal", "date-time"))
        elif isinstance(value, (list, tuple)):
            year = read_year({"first": value[0]} if value else {}, ["first"])
        else:
            whole_number = f"{value:.0f}" if isinstance(value, float) else value
            match = YEAR.search(str(getattr(value, "year", whole_number)))
            year = int(match[0]) if match else None
        if year is not None:
            return year
    return None


def read_authors(fields: Fields, names: Iterable[str]) -> tuple[str, ...]:
    """Return the authors' names as "Ann van Oak"; of a list of texts or objects, or of one text."""
    for name in names:
        value = fields.get(name)
        if is_missing(value):
            continue
        if isinstance(value, str):
            return tuple(split_names(remove_markup(value)))
        if not isinstance(value, (list, tuple, np.ndarray)):
            raise ValueError(f"{name} is {shortened.repr(value)}: expected a list of authors")
        authors = [_name_author(item, name) for item in _list_items(value)]
        if any(authors):
            return tuple(author for author in authors if author)
    return ()


def _name_author(author: object, field: str) -> str:
    """Return an author's name, of a text or an object with names; "" if it has none."""
    if is_missing(author):
        return ""
    if isinstance(author, str):
        return order_name(remove_markup(author))
    if not isinstance(author, Mapping):
        raise ValueError(f"{field} has {shortened.repr(author)}: expected an author's name")

    parts = [read_text(author, names) for names in NAMES_OF_PARTS]
    return " ".join(part for part in parts if part) or read_text(author, WHOLE_NAMES)

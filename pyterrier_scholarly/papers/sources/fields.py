"""Read a record's fields as a paper: one normalisation of texts, names, years and DOIs for all.

    >>> paper = read_record("line 1", {"T1": "On <i>trees</i>", "AU": ["Oak, Ann"]}, "RIS")
    >>> paper.title, paper.authors
    ('On trees', ('Ann Oak',))

Conventions: a record's *fields* are a mapping from a name to a value, or to a list of values. A
form's *names* are in ``field_names.yaml``: from our field to the names that may hold it, of
which "a.b" is b of the object a. The first value counts that says something (`text.nothing`). A
value of an unexpected type raises ValueError, which names field, value and expectation.
"""

import html
import operator
import re
from collections.abc import Iterable, Iterator, Mapping
from numbers import Real
from pathlib import Path
from typing import Any, TypeAlias

import msgspec
import pandas as pd
from more_itertools import always_iterable

from ...text import writable
from ...text.nothing import means_nothing
from ...typed_records import shortened
from ..paper_record import PaperRecord, Remark, UnreadRecord, normalise_doi
from .author_names import order_name, split_names

#: what a function of a form yields
Found: TypeAlias = PaperRecord | UnreadRecord | Remark

#: form -> our field ("id", "title" …) -> the names that it has there, in their order
NAMES: dict[str, dict[str, list[str]]] = msgspec.yaml.decode(
    Path(__file__).with_name("field_names.yaml").read_bytes()
)
YEAR = re.compile(r"(?<!\d)(1[5-9]\d\d|20\d\d)(?!\d)")  # 1500 to 2099
#: a note with such a word has the DOI of another paper
ANOTHER_PAPER = re.compile(
    r"(?i)"
    r"errat|corrig|correct|comment|retract|repl(?:y|ies)|respon|supplement|dataset|related|cite"
    r"|preprint|version|translat|review of"
)

#: comments, and elements of HTML and JATS that stand between sentences, not within a word; they may
#: lack their end. Attributes have values, so that "<q and r>" is none
BLOCK = re.compile(
    r"(?is)"
    r"<!\[CDATA\[|\]\]>|<!--.*?-->|</?(?:jats:)?(?:p|div|br|hr|title|sec|section|abstract|li|ul|ol"
    r"|dl|dt|dd|h[1-6]|list|list-item|blockquote|table|tr|td|th|tbody|thead|label|disp-formula)"
    r"(?:\s+[\w:.-]+\s*=\s*(?:\"[^\"]*\"|'[^']*'|[^\s<>\"']+))*\s*/?>"
)
#: elements of HTML, JATS and MathML within a sentence, with their end: "a <b> c" is an inequality
ELEMENT = re.compile(
    r"(?is)"
    r"<(?P<name>(?:jats|mml):[\w-]+|i|b|u|a|s|em|strong|sub|sup|inf|span|italic|bold|underline|scp|sc"
    r"|tt|small|big|font|strike|cite|code|q|math|inline-formula|tex-math|alternatives|xref|ext-link"
    r"|uri|named-content|monospace|styled-content"
    r"|m(?:i|n|o|row|sup|sub|subsup|frac|text|sqrt|style|over|under))"
    r"(?:\s+[\w:.-]+\s*=\s*(?:\"[^\"]*\"|'[^']*'|[^\s<>\"']+))*\s*"
    r"(?:/>|>(?P<content>.*?)</(?P=name)\s*>)"
)


def read_record(place: str, fields: Mapping, form: str) -> PaperRecord | UnreadRecord:
    """Return the paper that a record describes; else why it is none.

    place: such as "line 3", for messages. form: of NAMES.
    """
    names = NAMES[form]
    try:
        texts = {
            name: read_text(fields, names[name]) for name in ("title", "abstract", "venue", "url")
        }
        if not texts["title"] and not texts["abstract"]:
            raise ValueError("neither a title nor an abstract")
        return PaperRecord(
            paper_id=read_text(fields, names["id"], is_id=True).removeprefix(
                "https://openalex.org/"
            ),
            year=read_year(fields, names["year"]),
            doi=read_doi(fields, names),
            authors=read_authors(fields, names["authors"]),
            place=place,
            **texts,
        )
    except ValueError as error:
        return UnreadRecord(place, str(error))


def find_values(fields: Mapping, names: Iterable[str]) -> Iterator[tuple[str, Any]]:
    """Yield the values of fields that are not missing, with the fields' names; of a list, each."""
    for name in names:
        value: Any = fields
        for part in [name] if name in fields else name.split("."):
            value = value.get(part) if isinstance(value, Mapping) else None
        for item in always_iterable(value, (str, bytes, Mapping)):
            if not is_missing(item):
                yield name, item


def is_missing(value: object) -> bool:
    """Return whether a value is None, NaN, NaT, pandas.NA, or a text that says nothing."""
    if isinstance(value, str):
        return means_nothing(value)
    # of a list, pandas would say so of each item
    return pd.api.types.is_scalar(value) and bool(pd.isna(value))


def read_text(fields: Mapping, names: Iterable[str], is_id: bool = False) -> str:
    """Return the first text that says something, without markup; "" without one.

    is_id: a number is a text, too.
    """
    for name, value in find_values(fields, names):
        if is_id and isinstance(value, Real):
            # a frame's column of ids of which some are missing has floats
            value = str(value).removesuffix(".0")
        try:
            text = remove_markup(value if isinstance(value, str) else _join_words(value))
        except (AttributeError, TypeError):
            raise ValueError(
                f"{name} is {shortened.repr(fields.get(name))}: expected a text"
            ) from None
        if not means_nothing(text):
            return text
    return ""


def _join_words(index: Mapping[str, Iterable[int]]) -> str:
    """Return the text of an inverted index, which has the positions of each word."""
    words = [(operator.index(n), word) for word, positions in index.items() for n in positions]
    return " ".join(word for _, word in sorted(words))


def remove_markup(text: str) -> str:
    """Return a text without markup and entities, with one blank between words.

    >>> remove_markup("<jats:p>CO<sub>2</sub> &amp; a <b and c> d</jats:p>")
    'CO2 & a <b and c> d'
    """
    for _ in range(2):  # publishers escape twice: "&amp;lt;"
        text = re.sub(r"&#?\w+(?:;|(?!\S))", lambda entity: html.unescape(entity[0]), text)
    text = BLOCK.sub(" ", text)
    while ELEMENT.search(text):  # an element may be in another
        text = ELEMENT.sub(lambda element: element["content"] or "", text)
    return writable(" ".join(text.split()))


def read_doi(fields: Mapping, names: Mapping) -> str:
    """Return the first DOI that one of the fields has: DOIs, addresses, then notes."""
    for name, value in find_values(fields, [*names["doi"], *names["url"], *names["notes"]]):
        doi = normalise_doi(str(value))
        if doi and not (name in names["notes"] and ANOTHER_PAPER.search(str(value))):
            return doi
    return ""


def read_year(fields: Mapping, names: Iterable[str]) -> int | None:
    """Return the first year in one of the fields, from 1500 to 2099; None without one.

    A value may be a number, a text with a year in it (``2019-05-01``, ``1 May 2019``, ``2019///``),
    a date, a list with the year first ([[2019, 5, 1]]), or a date of CSL-JSON, of Crossref.
    """
    # also of lists and objects, where the year stands first
    match = YEAR.search(" ".join(str(value) for _, value in find_values(fields, names)))
    return int(match[0]) if match else None


def read_authors(fields: Mapping, names: Iterable[str]) -> tuple[str, ...]:
    """Return the authors' names as "Ann van Oak"; of a list of texts or objects, or of one text."""
    for name in names:
        authors: list[str] = []
        for _, author in find_values(fields, [name]):
            if isinstance(author, Mapping):
                authors.append(_join_parts(author))
            elif not isinstance(author, str):
                raise ValueError(f"{name} is {shortened.repr(author)}: expected an author's name")
            elif isinstance(fields.get(name), str):
                authors += split_names(remove_markup(author))
            else:
                authors.append(order_name(remove_markup(author)))
        known = tuple(author for author in authors if not means_nothing(author))
        if known:
            return known
    return ()


def _join_parts(author: Mapping) -> str:
    """Return the name of an author, of an object with its parts; "" if it has none."""
    names = NAMES["author"]
    parts = [read_text(author, names[part]) for part in ("given", "particle", "family")]
    return " ".join(filter(None, parts)) or read_text(author, names["whole"])

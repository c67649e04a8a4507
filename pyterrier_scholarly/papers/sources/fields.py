"""Read a record's fields as a paper: one normalisation of texts, names, years and DOIs for all.

    >>> names = {"title": ["TI", "T1"], "doi": ["DO", "UR"], "authors": ["AU"]}
    >>> paper = read_fields({"T1": "On <i>trees</i>", "AU": ["Oak, Ann"]}, names)
    >>> paper.title, paper.authors
    ('On trees', ('Ann Oak',))

Conventions: a record's *fields* are a mapping from a name to a value, or to a list of values. A
format's *names* are a mapping from our field to the names that may hold it. The first value counts
that says something, see `text.nothing`. A value of an unexpected type raises `WrongField`, which
names field, value and expectation.
"""

import html
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from numbers import Real
from typing import NamedTuple, TypeAlias
from urllib.parse import unquote

import numpy as np
import pandas as pd

from ir_datasets_ext.typed_records import shortened

from ...text import writable
from ...text.nothing import means_nothing
from ..paper_record import PaperRecord

Fields: TypeAlias = Mapping
#: our field ("id", "title", "abstract", "year", "doi", "notes", "authors", "venue", "url") -> names
#: that a format gives it, in their order. "a.b" is b of the object a. "notes" may have a DOI
Names: TypeAlias = Mapping[str, Sequence[str]]


class WrongField(ValueError):
    """A field's value is not what it should be; names field, value and expectation."""


class PlacedRecord(NamedTuple):
    """A record that is not understood yet.

    place: such as "papers.json, paper 3".
    names: of its format; None if its form is known by its fields.
    """

    place: str
    content: object
    names: Names | None = None


def read_fields(fields: Fields, names: Names) -> PaperRecord:
    """Return the paper that a record describes."""
    check_abstract(fields, names.get("abstract", ()))
    return PaperRecord(
        paper_id=read_text(fields, names.get("id", ()), is_id=True),
        title=read_text(fields, names.get("title", ()), is_title=True),
        abstract=read_text(fields, names.get("abstract", ())),
        year=read_year(fields, names.get("year", ())),
        doi=read_doi(fields, names),
        authors=read_authors(fields, names.get("authors", ())),
        venue=read_text(fields, names.get("venue", ())),
        url=read_address(fields, names.get("url", ())),
    )


def find_values(fields: Fields, names: Iterable[str]) -> Iterator[tuple[str, object]]:
    """Yield the values of fields that are not missing, with the fields' names; of a list, each."""
    for name in names:
        value: object = fields
        for part in [name] if name in fields else name.split("."):
            value = value.get(part) if isinstance(value, Mapping) else None
        for item in _list_items(value):
            is_blank = isinstance(item, str) and not item.strip()
            if not is_blank and not _is_absent(item):
                yield name, item


def _list_items(value: object) -> Sequence:
    if isinstance(value, np.ndarray):
        value = value.tolist()  # of an array without a dimension, a single value
    return value if isinstance(value, (list, tuple)) else [value]


def is_missing(value: object) -> bool:
    """Return whether a value is None, NaN, NaT, pandas.NA, or a text that says nothing."""
    return means_nothing(value) if isinstance(value, str) else _is_absent(value)


def _is_absent(value: object) -> bool:
    # of a list, pandas would say so of each item
    return pd.api.types.is_scalar(value) and bool(pd.isna(value))


# texts


def read_text(
    fields: Fields, names: Iterable[str], is_id: bool = False, is_title: bool = False
) -> str:
    """Return a text without markup, with one blank between words; "" if it is missing.

    is_id: a number is a text, too. is_title: "No abstract" is one.
    """
    for name, value in find_values(fields, names):
        if is_id and isinstance(value, Real):
            # a frame's column of ids of which some are missing has floats
            is_whole = isinstance(value, float) and value.is_integer()
            value = str(int(value) if is_whole else value)  # type: ignore[call-overload]
        if not isinstance(value, str):
            expected = "expected a text or a number" if is_id else "expected a text"
            raise WrongField(f"{name} is {shortened.repr(fields.get(name))}: {expected}")
        text = clean_text(value)
        if not means_nothing(text) or (is_title and "abstract" in text.casefold()):
            return text
    return ""


def check_abstract(fields: Fields, names: Iterable[str]) -> None:
    """Raise WrongField if an abstract is a list of sentences: its first would be taken alone."""
    for name in names:
        value = fields.get(name)
        items = _list_items(value)
        if len(items) > 1 and all(isinstance(item, str) for item in items):
            raise WrongField(
                f"{name} is {shortened.repr(value)}: expected a text: join the sentences, "
                f'" ".join({name})'
            )


#: elements that stand between sentences, not within a word; they may lack their partner
BLOCKS = (
    "p|div|br|hr|title|sec|section|abstract|li|ul|ol|dl|dt|dd|h[1-6]|list|list-item|blockquote"
    "|table|tr|td|th|tbody|thead|label|disp-formula"
)
INLINE = (
    "i|b|u|a|s|em|strong|sub|sup|inf|span|italic|bold|underline|scp|sc|tt|small|big|font|strike"
    "|cite|code|q|math|inline-formula|tex-math|alternatives|xref|ext-link|uri|named-content"
    "|monospace|styled-content|m(?:i|n|o|row|sup|sub|subsup|frac|text|sqrt|style|over|under)"
)
#: elements of HTML, JATS and MathML as publishers leave them; not any "<q and r>": what follows a
#: name is an attribute with a value
ELEMENT = re.compile(
    rf"<(?P<end>/?)(?P<name>(?:jats|mml):[\w-]+|{BLOCKS}|{INLINE})"
    r"(?:\s+[\w:.-]+\s*=\s*(?:\"[^\"]*\"|'[^']*'|[^\s<>\"']+))*\s*(?P<empty>/?)>",
    re.IGNORECASE,
)
BLOCK_NAME = re.compile(rf"(?:jats:)?(?:{BLOCKS})", re.IGNORECASE)


def clean_text(text: str) -> str:
    """Return a text without markup and entities, with one blank between words."""
    if "&" in text:
        text = html.unescape(html.unescape(text))  # publishers escape twice: "&amp;lt;"
    if "<" in text:
        text = re.sub(r"<!\[CDATA\[|\]\]>|<!--.*?-->", " ", text, flags=re.DOTALL)
        # an inline element has a partner; "a <b> c" is an inequality
        partners = {(match["end"], match["name"].lower()) for match in ELEMENT.finditer(text)}

        def take_out(match: re.Match[str]) -> str:
            if BLOCK_NAME.fullmatch(match["name"]):
                return " "
            has_partner = ("" if match["end"] else "/", match["name"].lower()) in partners
            return "" if has_partner or match["empty"] else match[0]

        text = ELEMENT.sub(take_out, text)
    return writable(" ".join(text.split()))


def read_address(fields: Fields, names: Iterable[str]) -> str:
    """Return an address, as it stands; "" if it is missing."""
    for name, value in find_values(fields, names):
        if not isinstance(value, str):
            raise WrongField(f"{name} is {shortened.repr(value)}: expected a text")
        if means_nothing(value):
            continue
        return writable("".join(value.split()).replace("&amp;", "&"))
    return ""


# DOIs

#: before it no digit, as in "2110.12345/v2"; behind it perhaps another DOI
DOI = re.compile(
    r"(?<![\d.])10\.\d{4,9}(?:/|%2F)[^\s\"]+?(?=[;,|]+(?:https?:|doi:|10\.\d{4})|[\s\"]|$)", re.I
)
#: what an address has behind a DOI
BEHIND_DOI = re.compile(
    r"(?:/(?:full|full-?text|e?pdf|pdfdirect|abstract|abs|html?|epub|meta|summary|references"
    r"|figures|suppl_file/.*)|\.(?:full|pdf|html?|abstract)|/|;jsessionid=.*)+$"
)
PREPRINT_VERSION = re.compile(r"^(10\.1101/[\d.]+)v\d+$")  # of bioRxiv's addresses
BRACKETS = (("(", ")"), ("[", "]"), ("{", "}"), ("<", ">"))
#: a note with such a word has the DOI of another paper
ANOTHER_PAPER = re.compile(
    r"errat|corrig|correct|comment|retract|repl(?:y|ies)|respon|supplement|dataset|related|cite"
    r"|preprint|version|translat|review of",
    re.IGNORECASE,
)


def read_doi(fields: Fields, names: Names) -> str:
    """Return the first DOI that one of the fields has: DOIs, addresses, then notes."""
    for _, value in find_values(fields, [*names.get("doi", ()), *names.get("url", ())]):
        doi = normalise_doi(value) if isinstance(value, str) else ""
        if doi:
            return doi
    for _, value in find_values(fields, names.get("notes", ())):
        if isinstance(value, str) and not ANOTHER_PAPER.search(value):
            doi = normalise_doi(value)
            if doi:
                return doi
    return ""


def normalise_doi(text: str) -> str:
    """Return the DOI in a text or an address, in lower case; "" for a text without one.

    It is decoded, and what an address adds is taken off.

    >>> normalise_doi("https://a.org/doi/pdf/10.1000/ABC%3C1%3E.pdf?download=true")
    '10.1000/abc<1>'
    """
    match = DOI.search(html.unescape(text))
    if match is None:
        return ""
    found = re.split(r"[?#]", match[0])[0]
    if "://" in text:
        found = found.split("&")[0]  # the next part of an address's query
    doi = unquote(unquote(found)).casefold()

    doi = doi.rstrip(".,;:'\"*|\\")
    for opening, closing in BRACKETS:
        while doi.endswith(closing) and doi.count(closing) > doi.count(opening):
            doi = doi.removesuffix(closing).rstrip(".,;:")
    doi = BEHIND_DOI.sub("", doi)
    return PREPRINT_VERSION.sub(r"\1", doi)


# years

YEAR = re.compile(r"(?<!\d)(1[5-9]\d\d|20\d\d)(?!\d)")  # 1500 to 2099
DATE_FIELDS = ("date-parts", "raw", "literal", "date-time")  # of a date of CSL-JSON, of Crossref


def read_year(fields: Fields, names: Iterable[str]) -> int | None:
    """Return the first year that one of the fields has, from 1500 to 2099; None without one.

    A field may be a number, a text with a year in it (``2019-05-01``, ``1 May 2019``, ``2019///``),
    or a date of CSL-JSON.
    """
    for name in names:
        year = find_year(fields.get(name))
        if year is not None:
            return year
    return None


def find_year(value: object) -> int | None:
    """Return the year in a value, from 1500 to 2099; None without one.

    The value may be a number, a text, a date, a list with the year first ([[2019, 5, 1]]), or a
    date of CSL-JSON ({"date-parts": [[2019, 5, 1]]}).
    """
    if isinstance(value, Mapping):
        return read_year(value, DATE_FIELDS)
    if isinstance(value, (list, tuple)):
        years = (find_year(item) for item in value[:2])
        return next((year for year in years if year is not None), None)

    text = str(getattr(value, "year", value))  # a date of a frame has its year
    if isinstance(value, Real) and np.isfinite(float(value)):
        text = str(int(float(value)))  # "2019" for 2019.0
    match = YEAR.search(text)
    return int(match[0]) if match else None


# names

#: names of the parts of an author's name, of all formats
FAMILY_NAMES = ("family", "last", "lastName", "family-name")
GIVEN_NAMES = ("given", "first", "firstName", "given-names")
WHOLE_NAMES = ("name", "display_name", "literal", "raw_author_name", "author.display_name")
NOBODY = re.compile(r"(?:\bet\.? al\.?|\bothers)$", re.IGNORECASE)  # at the end of a list
SUFFIX = re.compile(r"(?:Jr|Sr|II|III|IV|PhD|M\.?D)\.?", re.IGNORECASE)
INITIALS = re.compile(r"(?:[A-ZÀ-Þ]\.?[ -]?){1,4}")
FAMILY_AND_INITIALS = re.compile(r"[^\W\d_][\w'’ -]* (?:[A-ZÀ-Þ]\.?[ -]?){1,4}")
ORGANISATION = re.compile(r"\b(?:of|for|the|and|&)\b|&", re.IGNORECASE)


def read_authors(fields: Fields, names: Iterable[str]) -> tuple[str, ...]:
    """Return the authors' names as "Ann van Oak"; of a list of texts or objects, or of one text."""
    for name in names:
        value = fields.get(name)
        if isinstance(value, str):
            value = split_names(clean_text(value))
        if is_missing(value):
            continue
        if not isinstance(value, (list, tuple, np.ndarray)):
            raise WrongField(f"{name} is {shortened.repr(value)}: expected a list of authors")
        authors = [name_author(item, name) for item in _list_items(value)]
        authors = [author for author in authors if author]
        if authors:
            return tuple(authors)
    return ()


def name_author(author: object, field: str) -> str:
    """Return an author's name, of a text or an object with names; "" if it has none."""
    if is_missing(author):
        return ""
    if isinstance(author, str):
        return order_name(NOBODY.sub("", clean_text(author)).strip())
    if not isinstance(author, Mapping):
        raise WrongField(f"{field} has {shortened.repr(author)}: expected an author's name")

    family = read_text(author, FAMILY_NAMES)
    if not family:
        return read_text(author, WHOLE_NAMES)
    given = read_text(author, GIVEN_NAMES)
    particle = read_text(author, ["non-dropping-particle", "dropping-particle"])
    return " ".join(part for part in (given, particle, family) if part)


def order_name(name: str) -> str:
    """Return a person's name with the family name last.

    >>> order_name("van Oak, Ann"), order_name("Oak, Jr., Bo"), order_name("Oak A.")
    ('Ann van Oak', 'Bo Oak, Jr.', 'Oak A.')
    """
    parts = [part.strip() for part in name.split(",")]
    parts = [part for part in parts if part]
    if len(parts) not in (2, 3) or ORGANISATION.search(name):
        return name.strip(" ,")
    suffixes = [part for part in parts[1:] if SUFFIX.fullmatch(part)]
    given = [part for part in parts[1:] if part not in suffixes]
    whole_name = " ".join([*given, parts[0]])
    return ", ".join([whole_name, *suffixes])


def split_names(text: str) -> list[object]:
    """Return the names in one text, between " and ", semicolons, bars or commas.

    Commas separate names only if no name can have one: "Oak A, Elm B", or "Oak, A., Elm, B.".
    """
    if text.startswith(("['", '["')):  # a list, as pandas writes one into a cell
        return re.findall(r"(?<=['\"])[^'\"]*[^\W_][^'\"]*(?=['\"])", text)
    names = re.split(r"\s+and\s+|\s*[;|]\s*", text)
    parts = [part.strip() for part in text.split(",")]
    if len(names) > 1 or len(parts) == 1:
        return list(names)

    is_by_pairs = len(parts) > 2 and all(INITIALS.fullmatch(part) for part in parts[1::2])
    if is_by_pairs and len(parts) % 2 == 0:
        return [f"{family}, {given}" for family, given in zip(parts[::2], parts[1::2])]
    has_blanks = all(" " in part for part in parts)
    has_initials = all(FAMILY_AND_INITIALS.fullmatch(part) for part in parts)
    if has_initials or (has_blanks and len(parts) > 2):
        return list(parts)
    if has_blanks:
        return [{"name": text}]  # two persons, or one with her given names: nobody can tell
    return [text]

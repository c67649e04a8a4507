"""Records of JSON: CSL-JSON, and answers of Crossref, OpenAlex and Semantic Scholar.

A record's form is known by its fields. A record of none of these forms has plain fields, see
`tables`.
"""

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from numbers import Integral
from typing import NamedTuple

import numpy as np

from ir_datasets_ext.typed_records import Json, shortened

from ..paper_record import Remark, UnreadRecord
from .fields import Fields, Names, PlacedRecord, WrongField, is_missing
from .tables import NAMES as PLAIN
from .tables import normalise_names

#: of CSL-JSON, as Zotero and Mendeley write it, and of Crossref's REST answers
CSL: Names = {
    "id": ("citation-key", "id"),
    "title": ("title",),
    "abstract": ("abstract",),
    "year": (
        *("issued", "published-print", "published-online", "published", "original-date"),
        *("submitted", "created"),
    ),
    "doi": ("DOI", "doi"),
    "notes": ("note",),
    "authors": ("author", "editor"),
    "venue": ("container-title", "event-title", "publisher"),
    "url": ("URL", "url", "resource.primary.URL"),
}
OPENALEX: Names = {
    "id": ("id",),
    "title": ("title", "display_name"),
    "abstract": ("abstract", "abstract_inverted_index"),
    "year": ("publication_year", "publication_date"),
    "doi": ("doi", "ids.doi"),
    "authors": ("authorships",),
    "venue": ("primary_location.source.display_name", "host_venue.display_name"),
    "url": ("primary_location.landing_page_url", "open_access.oa_url"),
}
SEMANTIC_SCHOLAR: Names = {
    "id": ("paperId",),
    "title": ("title",),
    "abstract": ("abstract",),
    "year": ("year", "publicationDate"),
    "doi": ("externalIds.DOI", "doi"),
    "authors": ("authors",),
    "venue": ("venue", "journal.name", "publicationVenue.name"),
    "url": ("url", "openAccessPdf.url"),
}


class Form(NamedTuple):
    """A form of records. marks: fields that only it has. prepare: makes its fields plain."""

    marks: Sequence[str]
    names: Names
    prepare: Callable[[Fields], Fields] = dict


#: where answers put a paper, and their list of papers
WRAPPERS = ("citingPaper", "citedPaper", "message")
LIST_FIELDS = ("results", "data", "recommendedPapers", "papers", "items")


def read_json(text: str) -> Iterator[PlacedRecord | UnreadRecord | Remark]:
    """Yield the records of a JSON file, called "paper 1" and so on."""
    try:
        records = _find_list(_parse_json(text))
    except ValueError as error:
        yield UnreadRecord("", str(error))
        return
    for number, record in enumerate(records, 1):
        yield _make_record(f"paper {number}", record)


def read_json_lines(text: str) -> Iterator[PlacedRecord | UnreadRecord | Remark]:
    """Yield a record per line; blank lines are skipped."""
    for number, line in enumerate(text.split("\n"), 1):
        if not line.strip():
            continue
        try:
            yield _make_record(f"line {number}", _parse_json(line))
        except ValueError as error:
            yield UnreadRecord(f"line {number}", str(error))


def _make_record(place: str, content: Json) -> PlacedRecord | Remark:
    """Return a record; a null entry, of a paper that a service does not know, is a remark."""
    return Remark(place, "null: no paper") if content is None else PlacedRecord(place, content)


def _parse_json(text: str) -> Json:
    """Parse JSON; ValueError if it is none, or deeper than Python can read."""
    try:
        return json.loads(text)
    except json.JSONDecodeError as error:
        raise ValueError(
            f"no JSON: {error.msg} at line {error.lineno}, column {error.colno}"
        ) from None
    except RecursionError:
        raise ValueError("nested too deeply: expected records of texts") from None


def _find_list(content: Json) -> list:
    """Return the list of records in a file's content; a single record is a list of one."""
    if isinstance(content, list):
        return content
    if isinstance(content, Mapping):
        if isinstance(content.get("message"), Mapping):  # Crossref's
            return _find_list(content["message"])
        for name in LIST_FIELDS:
            if isinstance(content.get(name), list):
                return content[name]
        if {"title", "display name", "doi"} & normalise_names(content).keys():
            return [content]
    expected = f"expected a list of papers, or one under {', '.join(LIST_FIELDS)}"
    raise ValueError(f"no list of papers: {expected}")


def choose_names(fields: Fields) -> tuple[Fields, Names]:
    """Return a record's fields, prepared, and the names of its form."""
    for name in WRAPPERS:
        if isinstance(fields.get(name), Mapping):
            return choose_names(fields[name])
    for form in FORMS:
        if any(mark in fields for mark in form.marks):
            return form.prepare(fields), form.names
    return normalise_names(fields), PLAIN


def _prepare_openalex(fields: Fields) -> Fields:
    """Return a work whose id is no address, and whose abstract is a text."""
    prepared = dict(fields)
    if isinstance(fields.get("id"), str):
        prepared["id"] = fields["id"].rpartition("/")[2]
    index = fields.get("abstract_inverted_index")
    if not is_missing(index):
        prepared["abstract_inverted_index"] = _join_words(index)
    return prepared


def _join_words(index: object) -> str:
    """Return the abstract of an inverted index, an object from words to their positions."""
    if not isinstance(index, Mapping):
        raise WrongField(
            f"abstract_inverted_index is {shortened.repr(index)}: expected an object from words to "
            "lists of their positions"
        )
    placed_words: list[tuple[int, str]] = []
    for word, positions in index.items():
        items = positions.tolist() if isinstance(positions, np.ndarray) else positions
        is_list = isinstance(items, (list, tuple))
        are_positions = is_list and all(isinstance(position, Integral) for position in items)
        if not isinstance(word, str) or not are_positions:
            raise WrongField(
                f"abstract_inverted_index has {shortened.repr(word)}: {shortened.repr(positions)}: "
                "expected a word and a list of its positions, such as [0, 7]"
            )
        placed_words += [(int(position), word) for position in items]
    return " ".join(word for _, word in sorted(placed_words))


FORMS = (
    Form(("paperId", "externalIds"), SEMANTIC_SCHOLAR),
    Form(("abstract_inverted_index", "authorships"), OPENALEX, _prepare_openalex),
    Form(
        (
            *("issued", "container-title", "citation-key", "event-place", "publisher-place"),
            *("published-print", "published-online", "is-referenced-by-count"),
        ),
        CSL,
    ),
)

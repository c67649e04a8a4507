"""Records of JSON: CSL-JSON, and answers of Crossref, OpenAlex and Semantic Scholar.

A record's form is known by its fields. A record of none of these forms has plain fields, see
`tables`.
"""

import json
from collections.abc import Iterator, Mapping
from numbers import Integral

import numpy as np

from ir_datasets_ext.typed_records import Json, shortened

from ..paper_record import Remark, UnreadRecord
from .fields import NAMES, Fields, Found, Names, PlacedRecord, WrongField, is_missing
from .tables import PLAIN, normalise_names

#: fields that only records of a form have -> the format
FORMAT_OF_MARK = {
    **dict.fromkeys(("paperId", "externalIds"), "Semantic Scholar"),
    **dict.fromkeys(("abstract_inverted_index", "authorships"), "OpenAlex"),
    **dict.fromkeys(("issued", "container-title", "citation-key"), "CSL-JSON and Crossref"),
    **dict.fromkeys(("event-place", "publisher-place", "published-print"), "CSL-JSON and Crossref"),
    **dict.fromkeys(("published-online", "reference-count"), "CSL-JSON and Crossref"),
}

#: where answers put a paper, and their list of papers
WRAPPERS = ("citingPaper", "citedPaper", "message")
LIST_FIELDS = ("results", "data", "recommendedPapers", "papers", "items")


def read_json(text: str) -> Iterator[Found]:
    """Yield the records of a JSON file, called "paper 1" and so on."""
    try:
        records = _find_list(_parse_json(text))
    except ValueError as error:
        records = []
        yield UnreadRecord("", str(error))
    for number, record in enumerate(records, 1):
        yield _make_record(f"paper {number}", record)


def read_json_lines(text: str) -> Iterator[Found]:
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
    formats = [format for mark, format in FORMAT_OF_MARK.items() if mark in fields]
    if not formats:
        return normalise_names(fields), PLAIN
    if formats[0] == "OpenAlex":
        fields = _prepare_openalex(fields)
    return fields, NAMES[formats[0]]


def _prepare_openalex(fields: Fields) -> Fields:
    """Return a work whose id is no address, and whose abstract is a text."""
    index = fields.get("abstract_inverted_index")
    return {
        **fields,
        "id": str(fields.get("id") or "").rpartition("/")[2],
        "abstract_inverted_index": "" if is_missing(index) else _join_words(index),
    }


def _join_words(index: object) -> str:
    """Return the abstract of an inverted index, an object from words to their positions."""
    if not isinstance(index, Mapping):
        raise WrongField(
            f"abstract_inverted_index is {shortened.repr(index)}: expected an object from words to "
            "lists of their positions"
        )
    placed_words: list[tuple[int, str]] = []
    for word, positions in index.items():
        items = np.asarray(positions, dtype=object)
        is_list = isinstance(word, str) and items.ndim == 1
        if not is_list or not all(isinstance(position, Integral) for position in items):
            raise WrongField(
                f"abstract_inverted_index has {shortened.repr(word)}: {shortened.repr(positions)}: "
                "expected a word and a list of its positions, such as [0, 7]"
            )
        placed_words += [(int(position), word) for position in items]
    return " ".join(word for _, word in sorted(placed_words))

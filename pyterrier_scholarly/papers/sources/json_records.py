"""Records of JSON: CSL-JSON, and answers of Crossref, OpenAlex and Semantic Scholar.

A record's form is known by its fields. A record of none of these forms has plain fields, see
`tables`.
"""

import json
from collections.abc import Iterator, Mapping
from numbers import Integral

import numpy as np

from ir_datasets_ext.typed_records import Json, shortened

from ..paper_record import UnreadRecord
from .fields import NAMES, Fields, Found, Names, is_missing, place_records
from .tables import PLAIN, normalise_names

FORMATS = ("Semantic Scholar", "OpenAlex", "CSL-JSON and Crossref")
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
    yield from place_records("paper", records)


def read_json_lines(text: str) -> Iterator[Found]:
    """Yield a record per line; blank lines are skipped."""
    for number, line in enumerate(text.split("\n"), 1):
        place = f"line {number}"
        if not line.strip():
            continue
        try:
            (found,) = place_records("line", [_parse_json(line)])
            yield found._replace(place=place)
        except ValueError as error:
            yield UnreadRecord(place, str(error))


def _parse_json(text: str) -> Json:
    """Parse JSON; ValueError if it is none, or deeper than Python can read."""
    try:
        return json.loads(text)
    except ValueError as error:
        raise ValueError(f"no JSON: {error}") from None
    except RecursionError:
        raise ValueError("nested too deeply") from None


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
    for format in FORMATS:
        if not fields.keys().isdisjoint(NAMES[format]["marks"]):  # fields that only it has
            return _prepare_openalex(fields) if format == "OpenAlex" else fields, NAMES[format]
    return normalise_names(fields), PLAIN


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
        raise ValueError(
            f"abstract_inverted_index is {shortened.repr(index)}: expected an object from words to "
            "lists of their positions"
        )
    placed_words: list[tuple[int, str]] = []
    for word, positions in index.items():
        items = np.asarray(positions, dtype=object)
        is_list = isinstance(word, str) and items.ndim == 1
        if not is_list or not all(isinstance(position, Integral) for position in items):
            raise ValueError(
                f"abstract_inverted_index has {shortened.repr(word)}: {shortened.repr(positions)}: "
                "expected a word and a list of its positions, such as [0, 7]"
            )
        placed_words += [(int(position), word) for position in items]
    return " ".join(word for _, word in sorted(placed_words))

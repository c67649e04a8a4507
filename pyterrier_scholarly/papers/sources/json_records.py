"""Records of JSON: CSL-JSON, and answers of Crossref, OpenAlex and Semantic Scholar.

A record's form is known by its fields. A record of none of these forms has plain fields, see
`tables`.
"""

import json
from collections.abc import Iterable, Iterator, Mapping

from ...typed_records import Json, shortened
from ..paper_record import UnreadRecord
from .fields import NAMES, Fields, Found, Names, PlacedRecord, list_items
from .tables import PLAIN, normalise_names

FORMATS = ("Semantic Scholar", "OpenAlex", "CSL-JSON and Crossref")
WRAPPERS = ("citingPaper", "citedPaper")  #: where answers put a paper
#: where they put a list of papers, or of Crossref also one
LISTS = ("message", "results", "data", "recommendedPapers", "papers", "items")


def place_records(kind: str, records: Iterable[object]) -> Iterator[Found]:
    """Yield records, called "paper 1" and so on."""
    for number, record in enumerate(records, 1):
        yield PlacedRecord(f"{kind} {number}", record)


def read_json(text: str) -> Iterator[Found]:
    """Yield the records of a JSON file, called "paper 1" and so on."""
    try:
        records = _find_list(json.loads(text))
    except ValueError as error:
        yield UnreadRecord("", f"no JSON, or no list of papers: {error}")
    except RecursionError:
        yield UnreadRecord("", "nested too deeply")
    else:
        yield from place_records("paper", records)


def read_json_lines(text: str) -> Iterator[Found]:
    """Yield a record per line; blank lines are skipped."""
    for number, line in enumerate(text.split("\n"), 1):
        place = f"line {number}"
        if not line.strip():
            continue
        try:
            yield PlacedRecord(place, json.loads(line))
        except ValueError as error:
            yield UnreadRecord(place, f"no JSON: {error}")
        except RecursionError:
            yield UnreadRecord(place, "nested too deeply")


def _find_list(content: Json) -> list:
    """Return the list of records in a file's content; a single record is a list of one."""
    if isinstance(content, list):
        return content
    if isinstance(content, Mapping):
        for name in LISTS:
            if isinstance(content.get(name), (list, Mapping)):
                return _find_list(content[name])
        if {"title", "display name", "doi"} & normalise_names(content).keys():
            return [content]
    raise ValueError(f"expected one, or one under {', '.join(LISTS)}")


def choose_names(fields: Fields) -> tuple[Fields, Names]:
    """Return a record's fields, prepared, and the names of its form."""
    for name in WRAPPERS:
        if isinstance(fields.get(name), Mapping):
            return choose_names(fields[name])
    # a form has fields that only it has
    forms = (NAMES[form] for form in FORMATS if fields.keys() & set(NAMES[form]["marks"]))
    names = next(forms, PLAIN)
    if names is PLAIN:
        fields = normalise_names(fields)
    for name in names["abstract"]:
        if len(list_items(fields.get(name))) > 1:
            raise ValueError(
                f"{name} is {shortened.repr(fields[name])}: expected a text: join the sentences, "
                f'" ".join({name})'
            )
    return fields, names

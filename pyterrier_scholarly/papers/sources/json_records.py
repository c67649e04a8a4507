"""Records of JSON: CSL-JSON, and answers of Crossref, OpenAlex and Semantic Scholar.

A record's form is known by its fields. One of none of these forms has the fields of a table, as
dicts, rows of frames and documents of ir_datasets have, see `tables`.
"""

import json
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from ...typed_records import Json, shortened
from ..paper_record import Remark, UnreadRecord
from .fields import NAMES, Found, list_items, read_record
from .tables import normalise_names

WRAPPERS = ("citingPaper", "citedPaper")  #: where answers put a paper
#: where they put a list of papers, or of Crossref also one
LISTS = ("message", "results", "data", "recommendedPapers", "papers", "items")


def read_json(text: str) -> Iterator[Found]:
    """Yield the records of a JSON file, called "paper 1" and so on."""
    try:
        records = _find_list(json.loads(text))
    except (ValueError, RecursionError) as error:
        yield UnreadRecord("", f"no JSON, or no list of papers: {error}")
    else:
        yield from read_objects("paper", records)


def read_json_lines(text: str) -> Iterator[Found]:
    """Yield a record per line; blank lines are skipped."""
    for number, line in enumerate(text.split("\n"), 1):
        if not line.strip():
            continue
        place = f"line {number}"
        try:
            record = json.loads(line)
        except (ValueError, RecursionError) as error:
            yield UnreadRecord(place, f"no JSON: {error}")
        else:
            yield read_object(place, record)


def read_objects(kind: str, records: Iterable[object]) -> Iterator[Found]:
    """Yield records, called "paper 1" and so on."""
    for number, record in enumerate(records, 1):
        yield read_object(f"{kind} {number}", record)


def read_object(place: str, record: Any) -> Found:
    """Return a value of JSON, or a document of ir_datasets, as a paper; else why it is none."""
    if record is None:  # a paper that a service does not know
        return Remark(place, "null: no paper")
    if hasattr(record, "_asdict"):
        record = _list_fields(record)
    if not isinstance(record, Mapping):
        shown = shortened.repr(record)
        return UnreadRecord(place, f"{shown} is no paper: expected an object with a title")
    for name in WRAPPERS:
        if isinstance(record.get(name), Mapping):
            return read_object(place, record[name])

    # a form has fields that only it has
    forms = [form for form, names in NAMES.items() if record.keys() & names["marks"]]
    names = NAMES[forms[0] if forms else "table"]
    fields = record if forms else normalise_names(record)
    for name in names["abstract"]:
        if len(list_items(fields.get(name))) > 1:
            remedy = f'expected a text: join the sentences, " ".join({name})'
            return UnreadRecord(place, f"{name} is {shortened.repr(fields[name])}: {remedy}")
    return read_record(place, fields, names)


def _list_fields(document: Any) -> dict[str, object]:
    """Return the fields of a document of ir_datasets, which is a named tuple.

    A document whose type has no field for an abstract, such as one with `doc_id`, `title` and
    `body`, has its default text as abstract.
    """
    fields = document._asdict()
    if fields.keys().isdisjoint(NAMES["table"]["abstract"]) and hasattr(document, "default_text"):
        fields["text"] = document.default_text()  # a name of a table's abstract
    return fields


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

"""Records of JSON: CSL-JSON, and answers of Crossref, OpenAlex and Semantic Scholar.

A record's form is known by its fields. One of none of these forms has the fields of a table, as
dicts, rows of frames and documents of ir_datasets have, see `tables`.
"""

import json
from collections.abc import Iterable, Iterator, Mapping

from ...typed_records import Json, shortened
from ..paper_record import Remark, UnreadRecord
from .fields import NAMES, Found, find_values, read_record
from .tables import normalise_names

#: where answers put a list of papers, or of Crossref also one
LISTS = ("message", "results", "data", "recommendedPapers", "papers", "items")


def read_json(text: str) -> Iterator[Found]:
    """Yield the records of a JSON file, called "paper 1" and so on."""
    try:
        records = _find_list(json.loads(text))
    except (ValueError, RecursionError) as error:  # the latter if it is nested deeply
        yield UnreadRecord("", f"no JSON, or no list of papers: {error}")
    else:
        yield from read_objects("paper", records)


def read_json_lines(text: str) -> Iterator[Found]:
    """Yield a record per line; blank lines are skipped."""
    for number, line in enumerate(text.split("\n"), 1):
        if line.strip():
            # as a list of one: a line is a record, even if it has a list where answers have theirs
            for found in read_json(f"[{line}]"):
                yield found._replace(place=f"line {number}")


def read_objects(kind: str, records: Iterable[object]) -> Iterator[Found]:
    """Yield records, called "paper 1" and so on."""
    for number, record in enumerate(records, 1):
        yield read_object(f"{kind} {number}", record)


def read_object(place: str, record: Json) -> Found:
    """Return a value of JSON, or a document of ir_datasets, as a paper; else why it is none."""
    if record is None:  # a paper that a service does not know
        return Remark(place, "null: no paper")
    if hasattr(record, "_asdict"):  # a named tuple, as documents of ir_datasets are
        fields = record._asdict()
        # a type without a field for an abstract, such as one with a title and a body
        if hasattr(record, "default_text") and fields.keys().isdisjoint(NAMES["table"]["abstract"]):
            fields["text"] = record.default_text()
        record = fields
    if not isinstance(record, Mapping):
        return UnreadRecord(
            place, f"{shortened.repr(record)} is no paper: expected an object with a title"
        )

    for _, paper in find_values(record, ("citingPaper", "citedPaper")):  # where answers put one
        if isinstance(paper, Mapping):
            return read_object(place, paper)

    # a form has fields that only it has
    marked = (form for form, names in NAMES.items() if record.keys() & names["marks"])
    form = next(marked, "table")
    fields = normalise_names(record) if form == "table" else record
    for name in NAMES[form]["abstract"]:
        if len(list(find_values(fields, [name]))) > 1:
            return UnreadRecord(
                place,
                f"{name} is {shortened.repr(fields[name])}: expected a text: join the sentences, "
                f'" ".join({name})',
            )
    return read_record(place, fields, form)


def _find_list(content: Json) -> list:
    """Return the list of records in a file's content; a single record is a list of one."""
    if isinstance(content, Mapping):
        for name in LISTS:
            if isinstance(content.get(name), (list, Mapping)):
                return _find_list(content[name])
        if normalise_names(content).keys().isdisjoint(("title", "display name", "abstract", "doi")):
            raise ValueError(
                f"expected one, or one under {', '.join(LISTS)}; it has no title and no abstract"
            )
    return content if isinstance(content, list) else [content]

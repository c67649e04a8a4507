"""Records of a RIS file, as Zotero, EndNote and publishers write them.

A line has a tag of two characters, two blanks, a hyphen and a value; a record begins with TY and
ends with ER. A line without a tag continues the value before it.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

from ..paper_record import UnreadRecord
from .record_places import PlacedRecord, read_file_text

TAGGED_LINE = re.compile(r"([A-Z][A-Z0-9])  ?-(?: (.*)|$)")
#: our plain field -> the tags that may hold it; the first that a record has counts
TAGS_OF_FIELD = {
    "id": ("ID",),
    "title": ("TI", "T1", "CT", "BT"),
    "abstract": ("AB", "N2"),
    "year": ("PY", "Y1", "DA"),
    "doi": ("DO", "M3", "UR"),
    "authors": ("AU", "A1"),
    "venue": ("T2", "JO", "JF", "JA", "C3"),
    "url": ("UR", "L1"),
}


@dataclass
class OpenRecord:
    """A record that is being read.

    Attributes:
        line: of its TY, from 1.
        values_of_tag: of its lines so far.
        last_tag: that of its last line; "" before the first.
    """

    line: int
    values_of_tag: dict[str, list[str]] = field(default_factory=dict)
    last_tag: str = ""


def read_ris_file(path: Path) -> Iterator[PlacedRecord | UnreadRecord]:
    """Yield the records of a RIS file, placed by the line of their TY."""
    record: OpenRecord | None = None  # None between records
    for number, line in enumerate(read_file_text(path).split("\n"), 1):
        place = f"{path.name}, line {number}"
        match = TAGGED_LINE.match(line.strip("\ufeff"))
        if match is None:
            continuation = line.strip()
            if not continuation:
                continue
            if record is not None and record.last_tag:
                record.values_of_tag[record.last_tag][-1] += f" {continuation}"
            else:
                yield UnreadRecord(place, "a line outside of a record: expected TY  - ")
            continue

        tag = match[1]
        if tag == "TY":
            if record is not None:  # it has no ER, but nothing of it is missing
                yield _make_record(path, record)
            record = OpenRecord(number)
        elif record is None:
            yield UnreadRecord(place, f"{tag} outside of a record: expected TY  - ")
        elif tag == "ER":
            yield _make_record(path, record)
            record = None
        else:
            value = (match[2] or "").strip()
            record.values_of_tag.setdefault(tag, []).append(value)
            record.last_tag = tag

    if record is not None:
        yield UnreadRecord(
            f"{path.name}, line {record.line}",
            "the record has no end (ER  - ): the file is truncated",
        )


def _make_record(path: Path, record: OpenRecord) -> PlacedRecord:
    """Return a record with plain fields."""
    fields: dict[str, object] = {}
    for name, tags in TAGS_OF_FIELD.items():
        values: list[str] = []
        for tag in tags:
            values += [value for value in record.values_of_tag.get(tag, []) if value]

        if name == "authors":
            fields[name] = values
        elif name == "doi":
            # some write it into M3, or only as an address
            dois = [value for value in values if "10." in value]
            fields[name] = dois[0] if dois else ""
        elif values:
            fields[name] = values[0]
    return PlacedRecord(f"{path.name}, line {record.line}", fields)

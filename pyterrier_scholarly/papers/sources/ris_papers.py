"""Records of a RIS file, as Zotero, EndNote and publishers write them.

A line has a tag of two characters, two blanks, a hyphen and a value; a record begins with TY and
ends with ER. A line without a tag continues the value before it.
"""

import re
from collections.abc import Iterator
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


def read_ris_file(path: Path) -> Iterator[PlacedRecord | UnreadRecord]:
    """Yield the records of a RIS file, placed by the line of their TY."""
    values_of_tag: dict[str, list[str]] = {}
    first_line = 0  # of the record that is being read; 0 between records
    last_tag = ""

    for number, line in enumerate(read_file_text(path).split("\n"), 1):
        match = TAGGED_LINE.match(line.strip("\ufeff"))
        if match is None:
            if first_line and last_tag and line.strip():
                values_of_tag[last_tag][-1] += f" {line.strip()}"
            elif line.strip():
                yield UnreadRecord(
                    f"{path.name}, line {number}", "a line outside of a record: expected TY  - "
                )
            continue

        tag = match[1]
        if tag == "TY":
            if first_line:  # the record before it has no ER, but nothing of it is missing
                yield _make_record(path, first_line, values_of_tag)
            values_of_tag = {}
            first_line = number
            last_tag = ""
        elif not first_line:
            reason = f"{tag} outside of a record: expected TY  - "
            yield UnreadRecord(f"{path.name}, line {number}", reason)
        elif tag == "ER":
            yield _make_record(path, first_line, values_of_tag)
            first_line = 0
        else:
            values_of_tag.setdefault(tag, []).append((match[2] or "").strip())
            last_tag = tag

    if first_line:
        yield UnreadRecord(
            f"{path.name}, line {first_line}",
            "the record has no end (ER  - ): the file is truncated",
        )


def _make_record(path: Path, line: int, values_of_tag: dict[str, list[str]]) -> PlacedRecord:
    """Return a record with plain fields."""
    fields: dict[str, object] = {}
    for name, tags in TAGS_OF_FIELD.items():
        values: list[str] = []
        for tag in tags:
            values += [value for value in values_of_tag.get(tag, []) if value]

        if name == "authors":
            fields[name] = values
        elif name == "doi":
            # some write it into M3, or only as an address
            dois = [value for value in values if "10." in value]
            fields[name] = dois[0] if dois else ""
        elif values:
            fields[name] = values[0]
    return PlacedRecord(f"{path.name}, line {line}", fields)

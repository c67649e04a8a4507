"""Records of a RIS file, as Zotero, EndNote, publishers and programs for reviews write it.

A line has a tag of two characters, two blanks, a hyphen and a value; a line without a tag belongs
to the value above. A record ends at ER, or where the next one begins: at a second TY, or without TY
at a second title behind a blank line. TY may stand in the middle. Other lines are skipped.
"""

import re
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from ...text.nothing import means_nothing
from ..paper_record import Remark, UnreadRecord
from .fields import NAMES, Found, PlacedRecord

TITLES, ABSTRACTS = NAMES["RIS"]["title"], NAMES["RIS"]["abstract"]
PAPER_TAGS = {*TITLES, *ABSTRACTS}
TAGGED_LINE = re.compile(r"([A-Z][A-Z0-9])  -(?!-)(.*)")


class Line(NamedTuple):
    """A tag with its value; without a tag, a line that belongs to no record.

    number: of its line, from 1.
    is_first: whether it begins a paragraph, behind a blank line.
    """

    number: int
    tag: str
    value: str
    is_first: bool


def read_ris(text: str) -> Iterator[Found]:
    """Yield the records of a RIS file, by their first line, and a remark on skipped lines."""
    lines = _read_lines(text)
    has_ends = any(line.tag == "ER" for line in lines)
    skipped: list[Line] = []
    for record in _split_records(lines):
        place = f"line {record[0].number}"
        values: dict[str, list[str]] = {}
        for line in record:
            if not means_nothing(line.value) or line.tag == "TY":
                values.setdefault(line.tag, []).append(line.value)

        if values.keys().isdisjoint({"TY", *PAPER_TAGS}):
            skipped += record
        elif has_ends and record[-1] is lines[-1] and lines[-1].tag != "ER":
            yield UnreadRecord(place, "the record has no end (ER  - ): the file is truncated")
        else:
            # a second abstract is a translation or a notice
            values |= {tag: values[tag][:1] for tag in ABSTRACTS if tag in values}
            yield PlacedRecord(place, values, NAMES["RIS"])

    skipped = [line for line in skipped if line.tag != "ER"]
    if skipped:
        first = skipped[0].value[:60]
        reason = f"{len(skipped)} lines outside of records are skipped, the first: {first!r}"
        yield Remark(f"line {skipped[0].number}", reason)


def _read_lines(text: str) -> list[Line]:
    """Return the lines with a tag, each with the lines that continue it, and those of no record."""
    lines: list[Line] = []
    is_first = True
    for number, content in enumerate(text.split("\n"), 1):
        content = content.rstrip()
        match = TAGGED_LINE.match(content)
        if match:
            lines.append(Line(number, match[1], match[2].strip(), is_first))
        elif content and lines and lines[-1].tag not in ("ER", ""):
            lines[-1] = lines[-1]._replace(value=f"{lines[-1].value} {content.strip()}".strip())
        elif content:
            lines.append(Line(number, "", content, is_first))
        is_first = not content
    return lines


def _split_records(lines: Sequence[Line]) -> Iterator[list[Line]]:
    """Yield the lines of each record; a line of no record alone."""
    record: list[Line] = []
    seen: set[str] = set()  # tags of the record so far
    for line in lines:
        # a TY without a blank line before it may stand in the middle
        is_next_type = line.tag == "TY" and (line.is_first or "TY" in seen or not seen & PAPER_TAGS)
        is_next_title = line.tag in seen & {*TITLES} and line.is_first and "TY" not in seen
        is_closed = "ER" in seen or "" in (line.tag, *seen)
        if record and (is_next_type or is_next_title or is_closed):
            yield record
            record, seen = [], set()
        record.append(line)
        seen.add(line.tag)
    if record:
        yield record

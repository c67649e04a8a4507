"""Records of a RIS file, as Zotero, EndNote, publishers and programs for reviews write it.

A line has a tag of two characters, two blanks, a hyphen and a value; a line without a tag belongs
to the value above. A record ends at ER, or where the next one begins: at its TY, or without one, at
a second title behind a blank line. TY may stand in the middle. Lines between records are skipped.
"""

import re
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from ...text.nothing import means_nothing
from ..paper_record import Remark, UnreadRecord
from .fields import Names, PlacedRecord

NAMES: Names = {
    "id": ("ID",),
    "title": ("TI", "T1", "CT", "BT"),
    "abstract": ("AB", "N2"),
    "year": ("PY", "Y1", "DA", "YR"),
    "doi": ("DO", "DI", "M3"),
    "notes": ("N1", "AN", "ID"),
    "authors": ("AU", "A1"),
    "venue": ("T2", "JO", "JF", "JA", "J2", "C3"),
    "url": ("UR", "L1", "L2", "L3", "LK"),
}
#: tags of which no line between records has one
PAPER_TAGS = {*NAMES["title"], *NAMES["abstract"]}
TAGGED_LINE = re.compile(r"([A-Z][A-Z0-9])  -(?!-)(.*)")


class Line(NamedTuple):
    """A tag with its value; without a tag, a line that belongs to no record.

    number: of its line, from 1.
    is_behind_blank: whether the line before it is blank.
    """

    number: int
    tag: str
    value: str
    is_behind_blank: bool = False


def read_ris(text: str) -> Iterator[PlacedRecord | UnreadRecord | Remark]:
    """Yield the records of a RIS file, by their first line, and a remark on skipped lines."""
    skipped: list[Line] = []
    has_ends = re.search(r"^ER  -", text, re.MULTILINE) is not None
    for record in _split_records(_read_lines(text)):
        tags = {line.tag for line in record}
        first, last = record[0], record[-1]
        if PAPER_TAGS.isdisjoint(tags) and "TY" not in tags:
            skipped += [line for line in record if line.tag != "ER"]
        elif has_ends and last.tag == "":  # the mark of the file's end
            yield UnreadRecord(
                f"line {first.number}", "the record has no end (ER  - ): the file is truncated"
            )
        else:
            yield PlacedRecord(f"line {first.number}", _collect_values(record), NAMES)

    if skipped:
        first = skipped[0]
        yield Remark(
            f"line {first.number}",
            f"{len(skipped)} lines outside of records are skipped, the first: "
            f"{f'{first.tag} {first.value}'.strip()[:60]!r}",
        )


def _read_lines(text: str) -> list[Line]:
    """Return the lines with a tag, each with the lines that continue it, and those of no record."""
    lines: list[Line] = []
    is_behind_blank = False
    for number, content in enumerate(text.split("\n"), 1):
        match = TAGGED_LINE.match(content.strip("\ufeff"))
        if match is not None:
            lines.append(Line(number, match[1], match[2].strip(), is_behind_blank))
        elif content.strip():
            is_between_records = not lines or lines[-1].tag in ("ER", "")
            if is_between_records:
                lines.append(Line(number, "", content.strip()))
            else:
                value = f"{lines[-1].value} {content.strip()}".strip()
                lines[-1] = lines[-1]._replace(value=value)
        is_behind_blank = not content.strip()
    return lines


def _split_records(lines: Sequence[Line]) -> Iterator[list[Line]]:
    """Yield the lines of each record; a line of no record alone, without a tag.

    A record that ends with the file and not with ER has a line without a tag at its end.
    """
    record: list[Line] = []
    tags: set[str] = set()  # of the record so far
    for position, line in enumerate(lines):
        if line.tag == "":
            yield [line]
            continue

        if line.tag == "TY" and record and not _is_in_the_middle(tags, lines, position):
            yield record
            record, tags = [], set()
        elif line.tag in ("TI", "T1") and line.tag in tags and "TY" not in tags:
            starts = [number for number, earlier in enumerate(record) if earlier.is_behind_blank]
            if line.is_behind_blank or starts:
                start = len(record) if line.is_behind_blank else starts[-1]
                yield record[:start]
                record = record[start:]
                tags = {earlier.tag for earlier in record}
        record.append(line)
        tags.add(line.tag)
        if line.tag == "ER":
            yield record
            record, tags = [], set()
    if record:
        yield [*record, Line(record[-1].number, "", "")]


def _is_in_the_middle(earlier_tags: set[str], lines: Sequence[Line], position: int) -> bool:
    """Return whether a record's TY stands behind some of its tags: the rest has no second title."""
    later_tags: set[str] = set()
    for number in range(position + 1, len(lines)):
        if lines[number].tag in ("TY", "ER"):
            break
        later_tags.add(lines[number].tag)
    has_paper = not PAPER_TAGS.isdisjoint(earlier_tags)
    return has_paper and "TY" not in earlier_tags and not PAPER_TAGS & earlier_tags & later_tags


def _collect_values(record: Sequence[Line]) -> dict[str, list[str]]:
    """Return the values of each tag that say something; of abstracts, the first alone."""
    values_of_tag: dict[str, list[str]] = {}
    for line in record:
        if not means_nothing(line.value):
            values_of_tag.setdefault(line.tag, []).append(line.value)
    for tag in NAMES["abstract"]:
        if tag in values_of_tag:
            values_of_tag[tag] = values_of_tag[tag][:1]  # the next is a translation or a notice
    return values_of_tag

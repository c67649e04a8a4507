"""Records of a RIS file, as Zotero, EndNote, publishers and programs for reviews write it.

A line has a tag of two characters, two blanks, a hyphen and a value; a line without a tag belongs
to the value above. A record ends at ER, or where the next one begins: at a second TY, or without TY
at a second title behind a blank line. TY may stand in the middle. Other lines are skipped.
"""

import re
from collections.abc import Iterator, Mapping
from itertools import chain

from ..paper_record import Remark, UnreadRecord
from .fields import NAMES, Found, read_record

TITLES = {*NAMES["RIS"]["title"]}
PAPER_TAGS = {"TY", *TITLES, *NAMES["RIS"]["abstract"]}
#: a tag, and the lines up to the next
FIELD = re.compile(r"(?m)^([A-Z][A-Z0-9])  -(?!-)(.*(?:\n(?![A-Z][A-Z0-9]  -(?!-)).*)*)")


def read_ris(text: str) -> Iterator[Found]:
    """Yield the records of a RIS file, by their first line, and a remark on skipped lines."""
    skipped: list[tuple[int, str]] = []
    values: dict[str, list[str]] = {}
    start = line_number = 0
    is_first = True  # of a paragraph, behind a blank line
    # what stands above the first record is skipped, as behind an end; no tag is behind the last
    for tag, value in [*FIELD.findall(f"ER  -\n{text}"), ("", "")]:
        if _begins_record(tag, values, is_first):
            if values.keys().isdisjoint(PAPER_TAGS):
                skipped += [(start, line) for line in chain.from_iterable(values.values())]
            elif not tag and "ER" not in values and "\nER  -" in text:
                yield UnreadRecord(
                    f"line {start}", "the record has no end (ER  - ): the file is truncated"
                )
            else:
                yield read_record(f"line {start}", values, "RIS")
            values = {}
            start = line_number

        lines = value.split("\n")
        if tag == "ER":
            values["ER"] = []
            skipped += enumerate(lines[1:], line_number + 1)
        else:
            values.setdefault(tag, []).append(" ".join(value.split()))
        line_number += len(lines)
        is_first = "\n" in value[len(value.rstrip()) :]

    skipped = [item for item in skipped if item[1].strip()]
    if skipped:
        number, line = min(skipped)
        yield Remark(
            f"line {number}",
            f"{len(skipped)} lines outside of records are skipped, the first: {line[:60]!r}",
        )


def _begins_record(tag: str, values: Mapping[str, object], is_first: bool) -> bool:
    """Return whether a tag, or the end of the file, begins a record behind these values.

    is_first: a blank line is above it.
    """
    if not tag or "ER" in values:
        return True
    if tag == "TY":  # else it stands in the middle
        return is_first or "TY" in values or values.keys().isdisjoint(PAPER_TAGS)
    return tag in TITLES and tag in values and is_first and "TY" not in values

"""Records of a RIS file, as Zotero, EndNote, publishers and programs for reviews write it.

A line has a tag of two characters, two blanks, a hyphen and a value; a line without a tag belongs
to the value above. A record ends at ER, or where the next one begins: at a second TY, or without TY
at a second title behind a blank line. TY may stand in the middle. Other lines are skipped.
"""

import re
from collections.abc import Iterator
from itertools import chain

from ..paper_record import Remark, UnreadRecord
from .fields import NAMES, Found, PlacedRecord

TITLES = {*NAMES["RIS"]["title"]}
PAPER_TAGS = {*TITLES, *NAMES["RIS"]["abstract"]}
TAGGED_LINE = re.compile(r"([A-Z][A-Z0-9])  -(?!-)(.*)")
STRAY = ""  # the tag of a line that is of no record


def read_ris(text: str) -> Iterator[Found]:
    """Yield the records of a RIS file, by their first line, and a remark on skipped lines."""
    records = list(_split_records(text))
    has_ends = any("ER" in values for _, values in records)
    skipped: list[str] = []
    first_skipped = ""
    for place, values in records:
        if values.keys().isdisjoint({"TY", *PAPER_TAGS}):
            values.pop("ER", None)
            first_skipped = first_skipped or place
            skipped += chain.from_iterable(values.values())
        elif has_ends and "ER" not in values and values is records[-1][1]:
            yield UnreadRecord(place, "the record has no end (ER  - ): the file is truncated")
        else:
            yield PlacedRecord(place, values, NAMES["RIS"])

    if skipped:
        reason = f"{len(skipped)} lines outside of records are skipped, the first: "
        yield Remark(first_skipped, f"{reason}{skipped[0][:60]!r}")


def _split_records(text: str) -> Iterator[tuple[str, dict[str, list[str]]]]:
    """Yield the place of each record, and its values by their tags."""
    values: dict[str, list[str]] = {}
    place, tag = "", STRAY
    is_first = True  # of a paragraph, behind a blank line
    for number, line in enumerate(text.split("\n"), 1):
        match = TAGGED_LINE.match(line)
        tag, value = match.groups() if match else (tag, line)
        value = value.strip()
        if match is None and tag != STRAY:
            values[tag][-1] = f"{values[tag][-1]} {value}".strip()
        elif match or value:
            has_type = "TY" in values
            # a TY without a blank line before it may stand in the middle
            is_next_type = tag == "TY" and (is_first or has_type or not values.keys() & PAPER_TAGS)
            is_next_title = tag in values.keys() & TITLES and is_first and not has_type
            is_behind_stray = match and STRAY in values
            if values and (is_next_type or is_next_title or is_behind_stray):
                yield place, values
                values = {}
            place = place if values else f"line {number}"
            values.setdefault(tag, []).append(value)
            if tag == "ER":
                yield place, values
                values, tag = {}, STRAY
        is_first = not line.strip()
    if values:
        yield place, values

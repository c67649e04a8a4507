"""Records of a file of JSON lines: one a line."""

from collections.abc import Iterator
from pathlib import Path

from ..paper_record import UnreadRecord
from .record_places import PlacedRecord, parse_json, read_file_text


def read_json_lines_file(path: Path) -> Iterator[PlacedRecord | UnreadRecord]:
    """Yield a record per line; blank lines are skipped."""
    for number, line in enumerate(read_file_text(path).split("\n"), 1):
        if not line.strip():
            continue

        place = f"{path.name}, line {number}"
        try:
            yield PlacedRecord(place, parse_json(line))
        except ValueError as error:
            yield UnreadRecord(place, str(error))

"""Records of a CSV file with a header; commas, semicolons or tabs separate its cells."""

import csv
from collections.abc import Iterator, Sequence
from pathlib import Path

from ..paper_record import UnreadRecord
from .plain_papers import ABSTRACT_NAMES, TITLE_NAMES
from .record_places import PlacedRecord, read_file_text

SEPARATORS = (",", ";", "\t")
LARGEST_CELL = 2**24  # characters; Python's own limit is 131,072


def read_csv_file(path: Path) -> Iterator[PlacedRecord | UnreadRecord]:
    """Yield a record per row, placed by the line on which the row begins."""
    csv.field_size_limit(LARGEST_CELL)
    lines = read_file_text(path).splitlines(keepends=True)
    separator = _choose_separator(lines)
    rows = csv.reader(lines, delimiter=separator, strict=True)

    header = next(rows, [])
    if not _has_paper_columns(header):
        found = ", ".join(header) or "nothing"
        yield UnreadRecord(
            f"{path.name}, line 1", f"no header with a title or an abstract: found {found:.200}"
        )
        return

    while True:
        # read before the row itself, which may have several lines
        place = f"{path.name}, line {rows.line_num + 1}"
        try:
            cells = next(rows)
        except StopIteration:
            return
        except csv.Error as error:  # a quote that is not closed: the rest cannot be divided
            yield UnreadRecord(place, f"damaged quotes: {error}")
            return

        is_blank = not any(cells)
        if is_blank:
            continue
        if len(cells) != len(header):
            yield UnreadRecord(place, f"{len(cells)} cells: expected {len(header)}, as the header")
        else:
            yield PlacedRecord(place, dict(zip(header, cells)))


def _choose_separator(lines: Sequence[str]) -> str:
    """Return which of SEPARATORS is most frequent in the first line, the header."""
    header_line = lines[0] if lines else ""
    return max(SEPARATORS, key=header_line.count)


def _has_paper_columns(header: Sequence[str]) -> bool:
    """Return whether a header names a column of titles or of abstracts."""
    column_names = {name.strip().lower() for name in header}
    return not column_names.isdisjoint([*TITLE_NAMES, *ABSTRACT_NAMES])

"""Rows of tables: CSV and TSV files with a header, frames, dicts with plain fields.

Column names are those that people and services use; upper and lower case, blanks, dots and
underscores are the same. `csv` reads row by row, so that a stray quote costs its row alone.
"""

import csv
import re
from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

from ..paper_record import Remark, UnreadRecord
from .fields import NAMES, Found, Names, PlacedRecord

SERVICES = ("plain", "Scopus", "Web of Science", "PubMed", "Embase", "Dimensions")
#: of people, Zotero, Mendeley, Rayyan and ir_datasets, and of each service's CSV
PLAIN: Names = {
    field: [name for service in SERVICES for name in NAMES[service][field]]
    for field in NAMES["plain"]
}
SEPARATORS = (",", ";", "\t", "|")
LARGEST_CELL = 2**24  # characters; Python's own limit is 131,072
MOST_LINES_ABOVE = 30  # a header
MOST_LINES_OF_ROW = 500  # that quotes may join


class Row(NamedTuple):
    """Cells of a table. end: the index of the line behind them."""

    cells: list[str]
    end: int


def normalise_names(fields: Mapping) -> dict[str, object]:
    """Return fields by their names as PLAIN has them; a column without a name is no field."""
    by_name: dict[str, object] = {}
    for name, value in fields.items():
        by_name.setdefault(_normalise_name(name), value)
    by_name.pop("", None)
    return by_name


def _normalise_name(name: object) -> str:
    """Return a name in lower case, with one blank between its words."""
    words = re.findall(r"[^\W_]+", str(name or "").casefold())
    # pandas calls columns without a name so when it has read them
    return "" if words[:1] == ["unnamed"] else " ".join(words)


def read_table(text: str) -> Iterator[Found]:
    """Yield a record per row of a CSV file, placed by the line on which the row begins."""
    csv.field_size_limit(LARGEST_CELL)
    lines = [f"{line}\n" for line in text.split("\n")]
    separator, (names, position) = _find_header(lines)
    if not names:
        found = text.strip()[:200].split("\n")[0] or "nothing"
        yield UnreadRecord("line 1", f"no header with a title or an abstract: found {found}")
        return

    while position < len(lines):
        row = _read_row(lines, position, separator)
        place = f"line {position + 1}"
        if not any(cell.strip() for cell in row.cells or lines[position]):
            position = row.end
        elif cells := _fit(row, names):
            yield PlacedRecord(place, normalise_names(dict(zip(names, cells))), PLAIN)
            position = row.end
        else:
            end = row.end if row.cells else position + MOST_LINES_OF_ROW
            following = range(position + 1, min(end, len(lines)))
            good = (n for n in following if _fit(_read_row(lines, n, separator), names))
            end = next(good, row.end)
            yield from _read_damaged(lines[position:end], place, separator, names)
            position = end


def _find_header(lines: Sequence[str]) -> tuple[str, Row]:
    """Return the separator and the header: the row with most known names; no cells without one."""
    known_names = {name for names in PLAIN.values() for name in names}
    best = (",", Row([], 0))
    most_known = 0
    for position in range(min(len(lines), MOST_LINES_ABOVE)):
        for separator in SEPARATORS:
            row = _read_row(lines, position, separator)
            names = {_normalise_name(cell) for cell in row.cells} & known_names
            has_paper = names & {*PLAIN["title"], *PLAIN["abstract"]}
            if has_paper and len(names) > most_known:
                most_known = len(names)
                best = (separator, row)
    return best


def _read_row(lines: Sequence[str], position: int, separator: str) -> Row:
    """Return the row that begins on a line; without cells if it is blank, or its quotes damaged."""
    contents = lines[position : position + MOST_LINES_OF_ROW]
    reader = csv.reader(contents, delimiter=separator, strict=True)
    try:
        return Row(next(reader), position + reader.line_num)
    except csv.Error:
        return Row([], position + 1)


def _fit(row: Row, names: Sequence[str]) -> list[str]:
    """Return as many cells as the header has; none if the row has others."""
    width = len(names)
    is_fitting = len(row.cells) >= width and not any(cell.strip() for cell in row.cells[width:])
    return row.cells[:width] if is_fitting else []


def _read_damaged(
    lines: Sequence[str], place: str, separator: str, names: Sequence[str]
) -> Iterator[Found]:
    """Yield a bad row with a remark if its cells can be told; else that it is lost."""
    content = "".join(lines).rstrip("\n")
    cells = content.split(separator)
    if '"' not in content:
        yield UnreadRecord(place, f"{len(cells)} cells: expected {len(names)}, as the header")
    elif len(cells) == len(names) and len(lines) == 1:
        yield Remark(place, "quotes within a cell: read as they stand")
        yield PlacedRecord(place, normalise_names(dict(zip(names, cells))), PLAIN)
    else:
        yield UnreadRecord(place, f"damaged quotes in lines: {len(lines)}; the row is lost")

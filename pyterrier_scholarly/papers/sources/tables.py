"""Rows of tables: CSV and TSV files with a header, frames, dicts with plain fields.

Column names are those that people and services use; upper and lower case, blanks, dots and
underscores are the same. `csv` reads row by row, so that a stray quote costs its row alone.
"""

import csv
import re
from collections.abc import Iterator, Mapping, Sequence

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


def normalise_names(fields: Mapping) -> dict[str, object]:
    """Return fields by their names as PLAIN has them; a column without a name is no field.

    Names are in lower case, with one blank between their words.
    """
    by_name: dict[str, object] = {}
    for name, value in fields.items():
        words = re.findall(r"[^\W_]+", str(name or "").casefold())
        # pandas calls columns without a name so when it has read them
        if words and words[0] != "unnamed":
            by_name.setdefault(" ".join(words), value)
    return by_name


def read_table(text: str) -> Iterator[Found]:
    """Yield a record per row of a CSV file, placed by the line on which the row begins."""
    csv.field_size_limit(LARGEST_CELL)
    lines = [f"{line}\n" for line in text.split("\n")]
    separator, names, position = _find_header(lines)
    if not names:
        found = text.strip()[:200].split("\n")[0] or "nothing"
        yield UnreadRecord("line 1", f"no header with a title or an abstract: found {found}")
        return

    while position < len(lines):
        start = position
        place = f"line {start + 1}"
        cells, position = _read_row(lines, start, separator)
        if not "".join(cells or lines[start]).strip():
            continue
        if not _fits(cells, names):
            # the next row begins at the next line that is one by itself
            last = position if cells else min(start + MOST_LINES_OF_ROW, len(lines))
            following = range(start + 1, last)
            good = (n for n in following if _fits(_read_row(lines, n, separator)[0], names))
            position = next(good, position)
            damaged = "".join(lines[start:position]).rstrip("\n")
            cells = damaged.split(separator)
            if '"' not in damaged:
                reason = f"{len(cells)} cells: expected {len(names)}, as the header"
                yield UnreadRecord(place, reason)
                continue
            if len(cells) != len(names) or position > start + 1:
                reason = f"damaged quotes in lines: {position - start}; the row is lost"
                yield UnreadRecord(place, reason)
                continue
            yield Remark(place, "quotes within a cell: read as they stand")
        yield PlacedRecord(place, normalise_names(dict(zip(names, cells))), PLAIN)


def _find_header(lines: Sequence[str]) -> tuple[str, list[str], int]:
    """Return the separator, the header, and the index of the line behind it.

    It is the row with most known names; no names if none has a title or an abstract.
    """
    known_names = {name for names in PLAIN.values() for name in names}
    best: tuple[str, list[str], int] = (",", [], 0)
    most_known = 0
    for position in range(min(len(lines), MOST_LINES_ABOVE)):
        for separator in SEPARATORS:
            cells, end = _read_row(lines, position, separator)
            names = normalise_names(dict.fromkeys(cells)).keys() & known_names
            if names & {*PLAIN["title"], *PLAIN["abstract"]} and len(names) > most_known:
                most_known = len(names)
                best = (separator, cells, end)
    return best


def _read_row(lines: Sequence[str], start: int, separator: str) -> tuple[list[str], int]:
    """Return the cells of the row that begins on a line, and the index of the line behind it.

    There are no cells if the line is blank, or quotes are damaged.
    """
    contents = lines[start : start + MOST_LINES_OF_ROW]
    reader = csv.reader(contents, delimiter=separator, strict=True)
    try:
        return next(reader), start + reader.line_num
    except csv.Error:
        return [], start + 1


def _fits(cells: Sequence[str], names: Sequence[str]) -> bool:
    """Return whether a row has as many cells as the header; what is blank behind them is none."""
    more = "".join(cells[len(names) :])
    return len(cells) >= len(names) and not more.strip()

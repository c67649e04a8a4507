"""Rows of tables: CSV and TSV files with a header, frames, dicts with plain fields.

Column names are those that people and services use; upper and lower case, blanks, dots and
underscores are the same. `csv` reads row by row, so that a stray quote costs its row alone.
"""

import csv
import re
from collections.abc import Iterator, Mapping, Sequence
from itertools import chain
from typing import NamedTuple

from ..paper_record import Remark, UnreadRecord
from .fields import Names, PlacedRecord

#: of people, Zotero, Mendeley, Rayyan and ir_datasets, and of each service's CSV
NAMES_OF_SERVICE: Mapping[str, Names] = {
    "plain": {
        "id": (
            *("docno", "doc id", "paper id", "paperid", "corpus id", "corpusid", "id", "key"),
            "record id",
        ),
        "title": ("title", "display name", "document title", "item title"),
        "abstract": ("abstract", "abstract note", "abstractnote", "text", "summary"),
        "year": ("year", "publication year", "date", "published", "published year"),
        "doi": ("doi", "item doi", "digital object identifier"),
        "notes": ("notes", "note", "extra"),
        "authors": ("authors", "author", "creators", "author s"),
        "venue": (
            *("venue", "journal", "journaltitle", "booktitle", "publication title"),
            *("container title", "conference"),
        ),
        "url": ("url", "link", "links", "urls"),
    },
    "Scopus": {
        "id": ("eid",),
        "authors": ("author full names",),
        "venue": ("source title", "conference name"),
    },
    "Web of Science": {
        "id": ("ut unique wos id", "ut", "accession number"),
        "title": ("article title", "ti"),
        "abstract": ("ab",),
        "year": ("py", "publication date"),
        "doi": ("di", "doi link"),
        "authors": ("af", "au"),
        "venue": ("so", "journal title"),
    },
    "PubMed": {"id": ("pmid",), "year": ("create date",), "venue": ("journal book",)},
    "Embase": {
        "id": ("embase accession id", "pui", "medline pmid"),
        "title": ("original title",),
        "abstract": ("original abstract",),
        "authors": ("author names",),
        "url": ("full text link", "embase link"),
    },
    "Dimensions": {
        "id": ("publication id",),
        "year": ("pubyear", "date published"),
        "authors": ("authors raw affiliation",),
        "venue": ("anthology title", "source title anthology title"),
        "url": ("dimensions url", "source linkout", "external url", "pdf link"),
    },
}


def _join_names() -> dict[str, tuple[str, ...]]:
    """Return the names of all services, in their order."""
    joined: dict[str, tuple[str, ...]] = {}
    for names in NAMES_OF_SERVICE.values():
        for field, own_names in names.items():
            joined[field] = (*joined.get(field, ()), *own_names)
    return joined


NAMES: Names = _join_names()
SEPARATORS = (",", ";", "\t", "|")
LARGEST_CELL = 2**24  # characters; Python's own limit is 131,072
MOST_LINES_ABOVE = 30  # a header
MOST_LINES_OF_ROW = 500  # that quotes may join


class Row(NamedTuple):
    """Cells of a table. end: the index of the line behind them."""

    cells: list[str]
    end: int


def normalise_names(fields: Mapping) -> dict[str, object]:
    """Return fields by their names as NAMES has them; a column without a name is no field."""
    by_name: dict[str, object] = {}
    for name, value in fields.items():
        by_name.setdefault(_normalise_name(name), value)
    by_name.pop("", None)
    return by_name


def _normalise_name(name: object) -> str:
    """Return a name in lower case, with one blank between its words."""
    words = re.findall(r"\w+", str(name or "").replace("_", " ").casefold())
    normalised = " ".join(words)
    # pandas calls columns without a name so when it has read them
    return "" if re.fullmatch(r"unnamed \d+|nan", normalised) else normalised


def read_table(text: str) -> Iterator[PlacedRecord | UnreadRecord | Remark]:
    """Yield a record per row of a CSV file, placed by the line on which the row begins."""
    csv.field_size_limit(LARGEST_CELL)
    lines = text.split("\n")
    separator, header = _find_header(lines)
    if not header.cells:
        found = next((line for line in lines if line.strip()), "nothing")
        yield UnreadRecord("line 1", f"no header with a title or an abstract: found {found:.200}")
        return

    names = header.cells
    if _has_row_names(lines, header, separator):
        names = ["", *names]
    position = header.end
    while position < len(lines):
        place = f"line {position + 1}"
        if not lines[position].strip():
            position += 1
            continue

        row = _read_row(lines, position, separator)
        cells = _fit(row, len(names))
        if cells:
            yield _make_record(place, names, cells)
            position = row.end
        elif row.cells and not any(cell.strip() for cell in row.cells):
            position = row.end
        else:
            end = _find_next_row(lines, position, row, separator, len(names))
            yield from _read_damaged(lines[position:end], place, separator, names)
            position = end


def _make_record(place: str, names: Sequence[str], cells: Sequence[str]) -> PlacedRecord:
    """Return a row as a record; of two columns of a name, the first counts."""
    fields = dict(zip(reversed(names), reversed(cells)))
    return PlacedRecord(place, normalise_names(fields), NAMES)


def _find_header(lines: Sequence[str]) -> tuple[str, Row]:
    """Return the separator and the header: the row with most known names; no cells without one."""
    separators: Sequence[str] = SEPARATORS
    stated = re.match(r"sep=(.)\s*$", lines[0])  # of Excel
    if stated is not None:
        separators = [stated[1]]

    known_names = set(chain.from_iterable(NAMES.values()))
    best = (separators[0], Row([], 0))
    most_known = 0
    for position in range(min(len(lines), MOST_LINES_ABOVE)):
        for separator in separators:
            row = _read_row(lines, position, separator)
            names = {_normalise_name(cell) for cell in row.cells}
            has_paper = not names.isdisjoint([*NAMES["title"], *NAMES["abstract"]])
            if has_paper and len(names & known_names) > most_known:
                most_known = len(names & known_names)
                best = (separator, row)
    return best


def _has_row_names(lines: Sequence[str], header: Row, separator: str) -> bool:
    """Return whether each row has one cell more than the header, as R writes its row names."""
    rows = []
    for position in range(header.end, min(len(lines), header.end + MOST_LINES_ABOVE)):
        if lines[position].strip():
            rows.append(_read_row(lines, position, separator))
    return bool(rows) and all(len(row.cells) == len(header.cells) + 1 for row in rows)


def _read_row(lines: Sequence[str], position: int, separator: str, **dialect: str | bool) -> Row:
    """Return the row that begins on a line; without cells if its quotes are damaged."""
    end = min(len(lines), position + MOST_LINES_OF_ROW)
    contents = (f"{lines[number]}\n" for number in range(position, end))
    reader = csv.reader(contents, delimiter=separator, strict=True, **dialect)  # type: ignore[arg-type]
    try:
        return Row(next(reader), position + reader.line_num)
    except csv.Error:
        return Row([], position + 1)


def _fit(row: Row, width: int) -> list[str]:
    """Return as many cells as the header has; none if the row has others."""
    is_longer_by_blanks = not any(cell.strip() for cell in row.cells[width:])
    return row.cells[:width] if len(row.cells) >= width and is_longer_by_blanks else []


def _find_next_row(
    lines: Sequence[str], position: int, row: Row, separator: str, width: int
) -> int:
    """Return the line at which the next good row begins, behind a bad one at `position`."""
    last = row.end if row.cells else min(len(lines), position + MOST_LINES_OF_ROW)
    for following in range(position + 1, last):
        if lines[following].strip() and _fit(_read_row(lines, following, separator), width):
            return following
    return row.end


def _read_damaged(
    lines: Sequence[str], place: str, separator: str, names: Sequence[str]
) -> Iterator[PlacedRecord | UnreadRecord | Remark]:
    """Yield a bad row with a remark if its cells can be told; else that it is lost."""
    escaped = _read_row(lines, 0, separator, escapechar="\\", doublequote=False)
    cells = _fit(escaped, len(names))
    has_escapes = any('\\"' in line for line in lines)
    if has_escapes and cells and escaped.end == len(lines):
        yield _make_record(place, names, cells)
        return

    has_quotes = any('"' in line for line in lines)
    cells = _fit(Row(lines[0].split(separator), 1), len(names))
    if has_quotes and cells and len(lines) == 1:
        yield Remark(place, "quotes within a cell: read as they stand")
        # a quote without a partner is none of the text
        cells = [cell.strip().strip('"') if cell.count('"') % 2 else cell for cell in cells]
        yield _make_record(place, names, cells)
        return

    found_count = len(lines[0].split(separator))
    reason = f"{found_count} cells: expected {len(names)}, as the header"
    if has_quotes:
        last = f" to {int(place.split()[-1]) + len(lines) - 1}" if len(lines) > 1 else ""
        reason = f"damaged quotes: the row{f' up to line{last[3:]}' if last else ''} is lost"
    yield UnreadRecord(place, reason)

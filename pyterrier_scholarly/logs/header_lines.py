"""Find how the lines of CSV and TSV files are divided, by their first lines.

    header = read_header(["log.csv"], LogForm.CSV, LogColumns(), engine)
    print(header.positions.user, header.width)

`separated_fields` divides all lines accordingly.
"""

import csv
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

from .log_columns import Column, LogColumns, choose_columns
from .log_engine import Engine
from .log_files import SEPARATORS, File, LogForm

SAMPLE_SIZE = 1000  # lines


class FieldPositions(NamedTuple):
    """Where the user, the time and the document are in a line, from 0."""

    user: int
    time: int
    doc: int


@dataclass(frozen=True)
class Header:
    """How a line of CSV or TSV is divided.

    Attributes:
        columns: of user, time and document: names, or positions if there is no header line.
        positions: of these in a line.
        width: the number of fields of a line.
        line: the header line, dropped wherever it occurs; None if there is none.
    """

    columns: LogColumns
    positions: FieldPositions
    width: int
    line: str | None


def read_header(files: Sequence[File], form: LogForm, wanted: LogColumns, engine: Engine) -> Header:
    """Return how the lines of text files are divided into fields, and which fields are wanted.

    The first line is a header line, unless all wanted columns are positions. Without one, a line
    has as many fields as most of the first lines of the first file that is not empty.

    Raises:
        ValueError: columns are missing, or the files begin with different header lines.
    """
    wanted_positions = _read_positions(wanted)
    if wanted_positions is not None:
        width = _count_usual_fields(sample_lines(files, engine), form)
        least_width = 1 + max(wanted_positions)
        return Header(wanted, wanted_positions, max(width, least_width), line=None)

    openings: list[_Opening] = []
    for file in files:
        for line in engine.first_lines(file, 1):  # none of an empty file
            openings.append(_Opening(file, line))

    if not openings:  # all files are empty, so any positions will do
        return Header(wanted, FieldPositions(0, 1, 2), width=3, line=None)

    header_line = openings[0].line
    names = [name.strip() for name in _split_line(header_line, form)]
    columns = choose_columns(names, wanted)
    _check_same_header(openings, columns, form)
    positions = _find_positions(names, columns)
    return Header(columns, positions, width=len(names), line=header_line)


def sample_lines(files: Sequence[File], engine: Engine) -> list[str]:
    """Return the first thousand lines of the first file that is not empty."""
    for file in files:
        lines = engine.first_lines(file, SAMPLE_SIZE)
        if lines:
            return lines
    return []


class _Opening(NamedTuple):
    """The first line of a file."""

    file: File
    line: str


def _read_positions(wanted: LogColumns) -> FieldPositions | None:
    """Return the wanted columns if all are positions, else None."""
    user, time, doc = wanted.user, wanted.time, wanted.doc
    if isinstance(user, int) and isinstance(time, int) and isinstance(doc, int):
        return FieldPositions(user, time, doc)
    return None


def _count_usual_fields(lines: Sequence[str], form: LogForm) -> int:
    """Return the number of fields that most lines have; 0 without lines."""
    widths = Counter(len(_split_line(line, form)) for line in lines)
    # sorted, so that the smaller of two equally frequent widths wins
    return max(sorted(widths), key=widths.__getitem__, default=0)


def _find_positions(names: Sequence[str], columns: LogColumns) -> FieldPositions:
    """Return where the columns are among the names of a header line."""
    position_of_column: dict[Column, int] = {name: names.index(name) for name in names}
    return FieldPositions(
        user=position_of_column[columns.user],
        time=position_of_column[columns.time],
        doc=position_of_column[columns.doc],
    )


def _check_same_header(openings: Sequence[_Opening], columns: LogColumns, form: LogForm) -> None:
    """Raise ValueError if a later file begins with another header line than the first file.

    A first line that lacks one of the columns is no header line: that file begins with a download.
    """
    first = openings[0]
    for opening in openings:
        if opening.line == first.line:
            continue

        fields = {field.strip() for field in _split_line(opening.line, form)}
        is_header = fields.issuperset([columns.user, columns.time, columns.doc])
        if is_header:
            raise ValueError(
                f"{opening.file} begins with other columns than {first.file}: {opening.line!r}, "
                f"expected {first.line!r}. "
                "Mine only files with the same columns together, or rewrite them alike."
            )


def _split_line(line: str, form: LogForm) -> list[str]:
    """Return the fields of one line."""
    rows = csv.reader([line], delimiter=SEPARATORS[form])
    return next(rows, [])

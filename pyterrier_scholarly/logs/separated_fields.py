"""Fields of CSV and TSV lines, split by Ibis.

    header = read_header(["log.csv"], LogForm.CSV, LogColumns(), engine)
    fields = split_fields(engine.lines(["log.csv"]), LogForm.CSV, header)

Each line stands for itself: a broken line is marked with its reason and costs no other line.
"""

import csv
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

from .log_columns import Column, LogColumns, choose_columns
from .log_engine import Engine, ibis
from .log_files import SEPARATORS, File, LogForm
from .log_lines import BROKEN_UTF8
from .mining_codes import Reason

SAMPLE_SIZE = 1000  # lines
QUOTED_FIELD = '"[^"]*(?:""[^"]*)*"'


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


class _Opening(NamedTuple):
    """The first line of a file."""

    file: File
    line: str


def read_header(files: Sequence[File], form: LogForm, wanted: LogColumns, engine: Engine) -> Header:
    """Return how the files' lines are divided, by their first lines.

    If all wanted columns are positions, there is no header line. A line then has as many fields as
    most of the first lines of the first file that is not empty.

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


def split_fields(lines: ibis.Table, form: LogForm, header: Header) -> ibis.Table:
    """Split a table of `line` into the columns `user`, `time`, `doc` and `broken` (a `Reason`).

    A quoted field begins and ends with a quotation mark, and doubles those inside. Other fields
    have none.
    """
    splitter = _LineSplitter(lines.line, SEPARATORS[form], header.width)
    return lines.select(
        broken=splitter.find_reason(header.line),
        user=splitter.field(header.positions.user),
        time=splitter.field(header.positions.time),
        doc=splitter.field(header.positions.doc),
    )


class _LineSplitter:
    """Expressions of a column of lines; lines without quotation marks take a faster way.

    Args:
        line: the column.
        separator: of fields.
        width: the number of fields that a line should have.
    """

    def __init__(self, line: ibis.Value, separator: str, width: int) -> None:
        self.line = line
        self.separator = separator
        self.width = width

        # regular expressions
        self._plain_field = f'[^"{separator}]*'
        self._any_field = f"(?:{QUOTED_FIELD}|{self._plain_field})"

        self._has_quotes = line.contains('"')
        # padded, so that no engine fails where a short line lacks a field
        padding = separator * width
        self._plain_fields = (line + padding).split(separator)

    def find_reason(self, header_line: str | None) -> ibis.Value:
        """Return the reason why a line is broken, or `Reason.KEPT`."""
        is_header = ibis.literal(False) if header_line is None else self.line == header_line
        next_fields = f"(?:{self.separator}{self._any_field})"
        is_well_quoted = self.line.re_search(f"^{self._any_field}{next_fields}*\\z")
        is_complete = self.line.re_search(f"^{self._any_field}{next_fields}{{{self.width - 1}}}\\z")
        padded_width = 2 * self.width  # a complete line and its padding
        has_wrong_width = ibis.ifelse(
            self._has_quotes, ~is_complete, self._plain_fields.length() != padded_width
        )

        reason = ibis.cases(
            (self.line.contains(BROKEN_UTF8), Reason.ENCODING.value),
            (is_header, Reason.HEADER.value),
            (self._has_quotes & ~is_well_quoted, Reason.QUOTATION.value),
            (has_wrong_width, Reason.FIELDS.value),
            else_=Reason.KEPT.value,
        )
        return reason.cast("int8")

    def field(self, position: int) -> ibis.Value:
        """Return the field at a position, from 0."""
        fields_before = f"(?:{self._any_field}{self.separator}){{{position}}}"
        pattern = f"^{fields_before}({QUOTED_FIELD}|{self._plain_field})"
        quoted_field = _unquote(self.line.re_extract(pattern, 1))
        return ibis.ifelse(self._has_quotes, quoted_field, self._plain_fields[position])


def _unquote(field: ibis.Value) -> ibis.Value:
    """Remove the quotation marks around a field, and halve those inside."""
    inner = field.substr(1, field.length() - 2).replace('""', '"')
    return ibis.ifelse(field.startswith('"'), inner, field)

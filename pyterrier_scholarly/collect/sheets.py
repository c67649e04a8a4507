"""Tables that people fill in: one way to write them, and to read them back with checks.

sheet = Sheet(keys=("qid",), shown=("query",), filled={"grade": {"1": "good", "0": "bad"}})
sheet.write(queries, "sheet.csv")
# a person fills in the column `grade`
sheet.read("sheet.csv", queries)  # a frame of `qid` and `grade`
"""

import csv
import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import NamedTuple

import pandas as pd

from ir_datasets_ext.store import new_file

from .. import frames
from ..arguments import FilePath, check_arguments, check_fields

#: what a spreadsheet would run as a formula, also behind apostrophes: see `_escape_formula`
FORMULA = re.compile(r"'*[=+\-@\t\r]")

MOST_NAMED_EMPTY_ROWS = 2  # one by one in an error; of more, their number

Row = dict[str, str]  # the cells of a row, by column
Key = tuple[str, ...]  # a row's texts in the columns `Sheet.keys`
FindOptional = Callable[[Row], Iterable[str]]


def _require_all(row: Row) -> tuple[str, ...]:
    """Return the columns that may be empty in a row: none. The default of `Sheet.read`."""
    return ()


@dataclass(frozen=True)
class Sheet:
    """Describe a table for people: a CSV file in UTF-8, which spreadsheets can read and write.

    Its first lines begin with ``#``: the instructions, then the values that each column may hold.
    A spreadsheet would run a cell that begins with ``= + - @`` or a tab: it gets an apostrophe in
    front, which reading removes.

    Args:
        keys: columns whose texts together identify a row.
        shown: further columns for people to read.
        filled: dict from a column that people fill in to its allowed values and their meanings, or
            to None for any text.
        instructions: lines of text.
        unchanged: dict from a column of `shown` that people may not edit to what to do instead.
    """

    keys: tuple[str, ...]
    shown: tuple[str, ...]
    filled: dict[str, dict[str, str] | None] = field(hash=False)
    instructions: tuple[str, ...] = ()
    unchanged: dict[str, str] = field(default_factory=dict, hash=False)

    def __post_init__(self) -> None:
        check_fields(self)

    @property
    def top(self) -> list[str]:
        """The lines above the table: the instructions and the allowed values."""
        lines = list(self.instructions)
        for column, allowed in self.filled.items():
            if allowed is None:
                continue
            for value, meaning in allowed.items():
                lines.append(f"{column} {value}: {meaning}")
        return [f"# {line}" for line in lines]

    @check_arguments
    def write(self, rows: pd.DataFrame, path: FilePath, overwrite: bool = False) -> Path:
        """Write the frame `rows` (columns `keys` and `shown`) and empty columns to a file.

        Args:
            rows: the frame.
            path: of the file.
            overwrite: whether to replace an existing file, with all that people filled in.

        Raises:
            FileExistsError: `path` exists, and `overwrite` is False.
            ValueError: a duplicate row, or a key that is no text (a number would come back as one).
        """
        path = Path(path)
        rows = frames.check(rows, "Sheet.write", [*self.keys, *self.shown], keys=self.keys)
        if path.exists() and not overwrite:
            raise FileExistsError(
                f"{str(path)!r} exists: move it away, or pass another path, or pass overwrite=True "
                "to replace it with all that people filled in."
            )

        header = [*self.keys, *self.shown, *self.filled]
        empty_columns = dict.fromkeys(self.filled, "")
        table = rows.assign(**empty_columns)[header]
        with new_file(path, encoding="utf-8-sig", newline="") as file:
            writer = csv.writer(file)
            for line in self.top:
                writer.writerow([_escape_formula(line)])
            writer.writerow([_escape_formula(column) for column in header])
            for cells in table.itertuples(index=False, name=None):
                writer.writerow([_escape_formula(cell) for cell in cells])
        return path

    @check_arguments
    def read(
        self, path: FilePath, rows: pd.DataFrame, optional: FindOptional = _require_all
    ) -> pd.DataFrame:
        """Read a filled-in file; its rows and columns may be in any order.

        Args:
            path: the file. Columns that people added are ignored.
            rows: the frame that was written.
            optional: function from a row (a dict of texts) to its columns that may be empty.
                Columns for any text always may.

        Returns:
            Frame of `keys` and `filled`, texts without outer blanks, in the order of `rows`.

        Raises:
            ValueError: a missing column; a missing, unknown or duplicate row; a changed text; a
                value that is not allowed; a file that is not UTF-8. Names rows by number and key.
        """
        needed = [*self.keys, *self.unchanged]
        rows = frames.check(rows, "Sheet.read", needed, keys=self.keys)
        written_rows: dict[Key, Row] = {}
        for row in rows[needed].to_dict("records"):
            written_rows[self._key_of(row)] = row

        filled_rows: dict[Key, Row] = {}
        faults = []
        for number, row in self._read_rows(path):
            key = self._key_of(row)
            if key in filled_rows:
                problem = "duplicate row"
            elif key not in written_rows:
                problem = "unknown row"
            else:
                problem = self._find_fault(row, written_rows[key], optional)
            if problem:
                message = f"row {number} ({' '.join(key)}): {problem}"
                faults.append(_RowFault(message, is_of_empty_row=self._is_empty(row)))
            filled_rows[key] = row

        messages = _summarise_faults(faults, row_count=len(filled_rows))
        missing_keys = [key for key in written_rows if key not in filled_rows]
        messages += [f"no row for {' '.join(key)}" for key in missing_keys]
        if messages:
            raise ValueError(
                f"{path} is not filled in as expected; {frames.some(messages)}. Correct these rows."
            )

        in_order = [filled_rows[key] for key in written_rows]
        return pd.DataFrame(in_order, columns=[*self.keys, *self.filled], dtype=object)

    def _key_of(self, row: Row) -> Key:
        return tuple(row[column].strip() for column in self.keys)

    def _is_empty(self, row: Row) -> bool:
        """Return whether nobody has filled in anything in a row."""
        return not any(row[column] for column in self.filled)

    def _find_fault(self, row: Row, written_row: Row, optional: FindOptional) -> str:
        """Return what people did wrong in a row that they filled in; "" if nothing.

        Args:
            row: the row as it came back.
            written_row: the same row as it was written.
            optional: function from a row to its columns that may be empty.
        """
        # `unchanged` has the columns that people may not edit
        for column, remedy in self.unchanged.items():
            # blanks do not count, because spreadsheets change line breaks
            words = row[column].split()
            written_words = written_row[column].split()
            if words != written_words:
                return f"the {column} was changed: {remedy}"

        # `filled` has the columns that people fill in
        for column, allowed_values in self.filled.items():
            value = row[column]
            if not allowed_values:  # the column takes any text
                continue
            if value in allowed_values:
                continue
            if value == "" and column in optional(row):
                continue
            return f"{column} {value!r}, expected one of {', '.join(allowed_values)}"
        return ""

    def _read_rows(self, path: FilePath) -> list["NumberedRow"]:
        """Read the rows of the table, without the explanations above it, which begin with #."""
        lines = _read_lines(path)
        while lines and lines[0].cells[0].startswith("#"):
            del lines[0]

        header = lines[0].cells if lines else []
        self._check_header(header, path)
        columns_of_choices = [column for column, allowed in self.filled.items() if allowed]

        blanks = [""] * len(header)  # a spreadsheet may leave out empty cells at a row's end
        rows = []
        for number, cells in lines[1:]:
            row = dict(zip(header, cells + blanks))
            for column in columns_of_choices:
                # spreadsheets save whole numbers as 1.0 in a column with gaps
                row[column] = row[column].removesuffix(".0")
            rows.append(NumberedRow(number, row))
        return rows

    def _check_header(self, header: Sequence[str], path: FilePath) -> None:
        needed = (*self.keys, *self.unchanged, *self.filled)
        missing = [column for column in needed if column not in header]
        if missing:
            raise ValueError(
                f"{path} has no column {', '.join(missing)}: expected {', '.join(needed)}, "
                f"separated by commas; its first line is {','.join(header)!r:.200}. Save it as CSV "
                "with all its columns, or write it again."
            )


class _RowFault(NamedTuple):
    """What is wrong with a row, and whether nobody has filled in anything in it."""

    message: str
    is_of_empty_row: bool


def _summarise_faults(faults: Sequence[_RowFault], row_count: int) -> list[str]:
    """Return the messages of faults; many empty rows get one message, after the others.

    row_count: the number of rows that were read.
    """
    empty_row_messages = [fault.message for fault in faults if fault.is_of_empty_row]
    if len(empty_row_messages) <= MOST_NAMED_EMPTY_ROWS:
        return [fault.message for fault in faults]

    summary = (
        f"{len(empty_row_messages)} of {row_count} rows are empty, the first is "
        f"{empty_row_messages[0]}"
    )
    other_messages = [fault.message for fault in faults if not fault.is_of_empty_row]
    return [*other_messages, summary]


class NumberedLine(NamedTuple):
    """The cells of a line, and its number as a spreadsheet counts."""

    number: int
    cells: list[str]


class NumberedRow(NamedTuple):
    """A row of the table, and the number of its line as a spreadsheet counts."""

    number: int
    row: Row


def _read_lines(path: FilePath) -> list[NumberedLine]:
    """Read the lines of a file that have text."""
    try:
        with open(path, encoding="utf-8-sig", newline="") as file:
            lines = list(csv.reader(file))
    except UnicodeDecodeError:
        raise ValueError(f'{path} is no longer UTF-8: save it as "CSV UTF-8".') from None

    numbered_lines = []
    for number, cells in enumerate(lines, 1):
        if any(cells):
            plain_cells = [_unescape_formula(cell) for cell in cells]
            numbered_lines.append(NumberedLine(number, plain_cells))
    return numbered_lines


def _escape_formula(value: object) -> str:
    """Put an apostrophe before what a spreadsheet would run, and before such an apostrophe."""
    text = str(value)
    return f"'{text}" if FORMULA.match(text) else text


def _unescape_formula(cell: str) -> str:
    """Undo `_escape_formula`, and strip blanks."""
    is_escaped = cell.startswith("'") and FORMULA.match(cell) is not None
    text = cell[1:] if is_escaped else cell
    return text.strip()

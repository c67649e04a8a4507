"""Tables that people fill in: one way to write them, and to read them back with checks.

sheet = Sheet(keys=("qid",), shown=("query",), filled={"grade": {"1": "good", "0": "bad"}})
sheet.write(queries, "sheet.csv")
# a person fills in the column `grade`
sheet.read("sheet.csv", queries)  # a frame of `qid` and `grade`
"""

import csv
import io
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NamedTuple

import pandas as pd

from ir_datasets_ext.atomic import new_file

from .. import frames
from ..arguments import FilePath, check_arguments, check_fields
from ..text import decode_bytes

#: what a spreadsheet would run as a formula, also behind apostrophes: see `_escape`
FORMULA = re.compile(r"'*[=+\-@\t\r]")
#: an id that a spreadsheet would run, or take for a number, a date or a truth value, also behind
#: apostrophes. A whole number of at most 11 digits stays one.
CHANGED_ID = re.compile(
    r"""'*(?!(0|[1-9]\d{0,10})$)(
    [^\w']                                         # =1, -5, (5), $5
    | \d[\d\s.,:/+%-]*$                            # 007, 2401.00010, 10/12, 12:30
    | \d[\d.,]*e[+-]?\d+$                          # 1E5
    | \d{1,4}[ ./-]?[^\W\d_]{1,9}([ ./-]?\d*)$      # 12-Dec, 1 May 2020, 3 PM
    | [^\W\d_]{3,9}[ ./-]?\d+$                     # MAR1, Mai-2020
    | (true|false)$
    )""",
    re.IGNORECASE | re.VERBOSE,
)
DELIMITERS = (",", ";", "\t")  # the last two of European spreadsheets, and of "Unicode text"

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
    A spreadsheet would run a cell that begins with ``= + - @`` or a tab, and would take an id like
    007, 1E5 or 10/12 for a number or a date: they get an apostrophe in front, which reading
    removes. Files that a spreadsheet saved are read with commas, semicolons or tabs, in UTF-8 or
    UTF-16. Rows whose ids it changed nevertheless are recognised by their texts.

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
                writer.writerow([_escape(line, FORMULA)])
            writer.writerow([_escape(column, FORMULA) for column in header])
            patterns = [self._pattern_of(column) for column in header]
            for cells in table.itertuples(index=False, name=None):
                writer.writerow(list(map(_escape, cells, patterns)))
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
                value that is not allowed; a file in another encoding. Names rows by number and key.
        """
        needed = [*self.keys, *self.unchanged]
        rows = frames.check(rows, "Sheet.read", needed, keys=self.keys)
        written_rows: dict[Key, Row] = {}
        for row in rows[needed].to_dict("records"):
            written_rows[self._key_of(row)] = row

        read_rows = self._read_rows(path)
        self._restore_keys([row for _, row in read_rows], rows)

        filled_rows: dict[Key, Row] = {}
        faults = []
        for number, row in read_rows:
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
            remedy = "Correct these rows."
            if missing_keys:
                remedy += (
                    " If a spreadsheet took ids for numbers or dates (1E5 for 100000), write the "
                    "sheet again, and copy what was filled in."
                )
            raise ValueError(
                f"{path} is not filled in as expected; {frames.some(messages)}. {remedy}"
            )

        in_order = [filled_rows[key] for key in written_rows]
        return pd.DataFrame(in_order, columns=[*self.keys, *self.filled], dtype=object)

    def _key_of(self, row: Mapping[Any, Any]) -> Key:
        return tuple(row[column].strip() for column in self.keys)

    def _pattern_of(self, column: str) -> re.Pattern:
        """Return the pattern of a column's texts that a spreadsheet would not leave alone."""
        return CHANGED_ID if column in self.keys else FORMULA

    def _restore_keys(self, read_rows: Sequence[Row], written: pd.DataFrame) -> None:
        """Give rows with unknown ids those of the missing row that has their texts.

        This is for ids that a spreadsheet changes; another one is a mistake. Of several rows with
        the same texts, the first that was read is the first that was written.
        """
        if not read_rows:
            return
        no_texts = {*self.keys, *self.filled}
        columns_read = set(read_rows[0])
        text_columns = [name for name in written.columns if name in columns_read - no_texts]

        def join_texts(row: Mapping[Any, Any]) -> tuple[str, ...]:
            # blanks do not count, because spreadsheets change line breaks
            return tuple(" ".join(str(row[column]).split()) for column in text_columns)

        read_keys = {self._key_of(row) for row in read_rows}
        written_keys = set()
        missing_keys: dict[tuple[str, ...], list[Key]] = {}  # by texts
        for row in written.to_dict("records"):
            key = self._key_of(row)
            written_keys.add(key)
            is_changed = key not in read_keys and any(map(CHANGED_ID.match, key))
            if is_changed and any(join_texts(row)):
                missing_keys.setdefault(join_texts(row), []).append(key)

        for row in read_rows:
            keys_of_texts = missing_keys.get(join_texts(row), [])
            if keys_of_texts and self._key_of(row) not in written_keys:
                row.update(zip(self.keys, keys_of_texts.pop(0)))

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

    def _read_rows(self, path: FilePath) -> list[tuple[int, Row]]:
        """Read the rows of the table, each with its number as a spreadsheet counts."""
        needed = (*self.keys, *self.unchanged, *self.filled)
        (_, header_cells), *lines = _read_table(path, needed)
        header = [_unescape(cell, FORMULA) for cell in header_cells]
        patterns = [self._pattern_of(column) for column in header]
        columns_of_choices = [column for column, allowed in self.filled.items() if allowed]

        blanks = [""] * len(header)  # a spreadsheet may leave out empty cells at a row's end
        rows = []
        for number, cells in lines:
            row = dict(zip(header, map(_unescape, cells + blanks, patterns)))
            for column in columns_of_choices:
                # spreadsheets save whole numbers as 1.0, or 1,0, in a column with gaps
                row[column] = re.sub(r"[.,]0$", "", row[column])
            rows.append((number, row))
        return rows


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


def _read_table(path: FilePath, needed: Sequence[str]) -> list[tuple[int, list[str]]]:
    """Read the header of a file, and the lines below it that have text: numbers and cells.

    The header is the line that has the needed columns, whatever stands above it. The delimiter is
    the one by which there is such a line.
    """
    text, guessed_encoding = decode_bytes(Path(path).read_bytes())
    is_no_text = "\0" in text or "\ufffd" in text  # such as a spreadsheet itself, or half a file
    if guessed_encoding or is_no_text:
        raise ValueError(f'{path} is no longer UTF-8: save it as "CSV UTF-8".')
    for delimiter in DELIMITERS:
        lines: list[tuple[int, list[str]]] = []
        has_header = False
        rows = csv.reader(io.StringIO(text, newline=""), delimiter=delimiter)
        for number, cells in enumerate(rows, 1):
            names = [_unescape(cell, FORMULA) for cell in cells]
            has_header = has_header or set(needed) <= set(names)
            if has_header and any(cells):
                lines.append((number, cells))
        if lines:
            return lines

    lines_of_table = [line for line in text.splitlines() if not line.startswith(("#", '"#'))]
    first_line = lines_of_table[0] if lines_of_table else ""
    missing = [column for column in needed if column not in re.split("[,;\t]", first_line)]
    raise ValueError(
        f"{path} has no column {', '.join(missing)}: expected {', '.join(needed)}, separated by "
        f"commas, semicolons or tabs; its first line is {first_line!r:.200}. Save it as CSV with "
        "all its columns, or write it again."
    )


def _escape(value: object, pattern: re.Pattern) -> str:
    """Put an apostrophe before what a spreadsheet would change, and before such an apostrophe."""
    text = str(value)
    return f"'{text}" if pattern.match(text) else text


def _unescape(cell: str, pattern: re.Pattern) -> str:
    """Undo `_escape`, and strip blanks."""
    is_escaped = cell.startswith("'") and pattern.match(cell) is not None
    text = cell[1:] if is_escaped else cell
    return text.strip()

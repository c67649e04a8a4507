"""Tables that people fill in: one way to write them, and to read them back with checks."""

import csv
import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path

import pandas as pd

from ir_datasets_ext.store import new_file

from .. import frames
from ..arguments import FilePath, check_arguments, check_fields

#: what a spreadsheet would run as a formula, and what `_safe` makes of it; `_plain` undoes that
FORMULA = re.compile(r"'*[=+\-@\t\r]")
Row = dict[str, str]
MayBeEmpty = Callable[[Row], Iterable[str]]


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
        values = [
            f"{column} {value}: {meaning}"
            for column, allowed in self.filled.items()
            for value, meaning in (allowed or {}).items()
        ]
        return [f"# {line}" for line in (*self.instructions, *values)]

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
        columns = [*self.keys, *self.shown, *self.filled]
        cells = rows.assign(**dict.fromkeys(self.filled, ""))[columns]
        lines = [*zip(self.top), columns, *cells.itertuples(index=False, name=None)]
        with new_file(path, encoding="utf-8-sig", newline="") as file:
            csv.writer(file).writerows(map(_safe, line) for line in lines)
        return path

    @check_arguments
    def read(
        self, path: FilePath, rows: pd.DataFrame, optional: MayBeEmpty = lambda row: ()
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
        written = {self._key(row): row for row in rows[needed].to_dict("records")}
        filled: dict[tuple[str, ...], Row] = {}
        faults = []
        for number, row in self._rows(path):
            key = self._key(row)
            if fault := self._fault(row, written.get(key), key in filled, optional):
                faults.append(f"row {number} ({' '.join(key)}): {fault}")
            filled[key] = row
        faults += [f"no row for {' '.join(key)}" for key in written if key not in filled]
        if faults:
            raise ValueError(
                f"{path} is not filled in as expected; {frames.some(faults)}. Correct these rows."
            )
        return pd.DataFrame(
            map(filled.get, written), columns=[*self.keys, *self.filled], dtype=object
        )

    def _rows(self, path: FilePath) -> Iterator[tuple[int, Row]]:
        """Yield the number of each row, as a spreadsheet counts, and its cells by column."""
        try:
            with open(path, encoding="utf-8-sig", newline="") as file:
                numbered = list(enumerate(csv.reader(file), 1))
        except UnicodeDecodeError:
            raise ValueError(f'{path} is no longer UTF-8: save it as "CSV UTF-8".') from None
        lines = [(number, [*map(_plain, cells)]) for number, cells in numbered if any(cells)]
        while lines and lines[0][1][0].startswith("#"):
            lines.pop(0)
        header = lines[0][1] if lines else []
        needed = (*self.keys, *self.unchanged, *self.filled)
        missing = [name for name in needed if name not in header]
        if missing:
            raise ValueError(
                f"{path} has no column {', '.join(missing)}: expected {', '.join(needed)}, "
                f"separated by commas; its first line is {','.join(header)!r:.200}. Save it as CSV "
                "with all its columns, or write it again."
            )
        for number, cells in lines[1:]:
            row = dict(zip(header, cells + [""] * len(header)))
            # spreadsheets save whole numbers as 1.0 in a column with gaps
            values = {name: row[name].removesuffix(".0") for name, ok in self.filled.items() if ok}
            yield number, row | values

    def _key(self, row: Row) -> tuple[str, ...]:
        return tuple(row[name].strip() for name in self.keys)

    def _fault(self, row: Row, written: Row | None, duplicate: bool, optional: MayBeEmpty) -> str:
        """Say what is wrong with a row; "" if nothing is."""
        if written is None or duplicate:
            return "duplicate row" if duplicate else "unknown row"
        for column, remedy in self.unchanged.items():
            if row[column].split() != written[column].split():
                return f"the {column} was changed: {remedy}"
        for column, allowed in self.filled.items():
            may_be_empty = not row[column] and column in optional(row)
            if allowed and row[column] not in allowed and not may_be_empty:
                return f"{column} {row[column]!r}, expected one of {', '.join(allowed)}"
        return ""


def _safe(value: object) -> str:
    return ("'" if FORMULA.match(str(value)) else "") + str(value)


def _plain(cell: str) -> str:
    return (cell[1:] if cell.startswith("'") and FORMULA.match(cell) else cell).strip()

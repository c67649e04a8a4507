"""Tables that people fill in: one way to write them, and to read them back with checks."""

import csv
from dataclasses import dataclass, field
from pathlib import Path

import pandas as pd

from ir_datasets_ext.store import new_file

from .. import frames
from ._cells import plain, rows_of, safe

COMMENT = "#"


@dataclass(frozen=True)
class Sheet:
    """A kind of table for people: a CSV file in UTF-8, as spreadsheets read and write it.

    Its first lines begin with ``#``: the instructions, then what each column may hold. A cell that
    a spreadsheet would take for a formula (it begins with ``= + - @`` or a tab) is written with an
    apostrophe before it, which is taken off when the file is read.

    Args:
        keys: columns whose texts together name a row.
        shown: further columns for people to read.
        filled: from a column that people fill in to the values that it may hold, with their
            meanings; None for any text.
        instructions: lines of text.
        unchanged: from a column of `shown` that must come back as written to what to do instead.
    """

    keys: tuple
    shown: tuple
    filled: dict = field(hash=False)
    instructions: tuple = ()
    unchanged: dict = field(default_factory=dict, hash=False)

    @property
    def columns(self):
        """All columns, in the order of the file."""
        return [*self.keys, *self.shown, *self.filled]

    @property
    def top(self):
        """The lines above the table: the instructions and what each column may hold."""
        values = [
            f"{column} {value}: {meaning}"
            for column, allowed in self.filled.items()
            for value, meaning in (allowed or {}).items()
        ]
        return [f"{COMMENT} {line}" for line in (*self.instructions, *values)]

    def write(self, rows, path):
        """Write the frame `rows` (columns `keys` and `shown`) with empty columns to fill in.

        Returns:
            Path of the new file.

        Raises:
            FileExistsError: `path` exists: what people have filled in is never overwritten.
            ValueError: a row twice, or a key that is no text (a number would not come back).
        """
        path = Path(path)
        rows = frames.check(rows, "Sheet.write", [*self.keys, *self.shown], keys=self.keys)
        if path.exists():
            raise FileExistsError(f"{path} exists: move it away, or give another path.")
        empty = [""] * len(self.filled)
        with new_file(path, encoding="utf-8-sig", newline="") as file:
            table = csv.writer(file)
            table.writerows([line] for line in self.top)
            table.writerow(map(safe, self.columns))
            for row in rows[[*self.keys, *self.shown]].itertuples(index=False):
                table.writerow([*map(safe, row), *empty])
        return path

    def read(self, path, rows, optional=lambda row: ()):
        """Read a file that is filled in; its rows and columns may be in any order.

        Args:
            path: of the file; columns that people added are left out.
            rows: the frame that was written.
            optional: function of a row (a dict of texts) that gives the columns which may be empty.
                Those of any text always may.

        Returns:
            Frame of `keys` and `filled`, texts without outer blanks, in the order of `rows`.

        Raises:
            ValueError: a column is missing; a row is missing, unknown, or there twice; a text was
                changed; a value is not allowed; names the rows by number and key. A file that is
                no longer UTF-8.
        """
        path, keys = Path(path), list(self.keys)
        rows = frames.check(rows, "Sheet.read", [*keys, *self.unchanged], keys=keys)
        written = {
            _key(row, keys): row for row in rows[[*keys, *self.unchanged]].to_dict("records")
        }
        found, faults = {}, []
        for number, row in self._rows(path):
            key = _key(row, keys)
            fault = self._fault(row, written.get(key), key in found, optional)
            if fault:
                faults.append(f"row {number} ({' '.join(key)}): {fault}")
            found[key] = row
        without = [" ".join(key) for key in written if key not in found]
        if without:
            faults.append(f"no row for {frames.some(without)}")
        if faults:
            told = frames.some(faults)
            raise ValueError(f"{path} is not filled in as expected; {told}. Correct it.")
        columns = [*keys, *self.filled]
        return pd.DataFrame([found[key] for key in written], columns=columns, dtype=object)

    def _rows(self, path):
        """Yield each row's number, as a spreadsheet counts, and its cells by column."""
        lines = rows_of(path)
        body = [
            (number, [plain(cell).strip() for cell in line])
            for number, line in enumerate(lines, 1)
            if any(line)
        ]
        while body and body[0][1][0].startswith(COMMENT):
            body.pop(0)
        header = body[0][1] if body else []
        needed = [*self.keys, *self.unchanged, *self.filled]
        missing = [name for name in needed if name not in header]
        if missing:
            raise ValueError(
                f"{path} has no column {', '.join(missing)}: expected {', '.join(self.columns)}, "
                f"separated by commas; its first line is {','.join(header)!r:.200}. Save it as CSV "
                "with all its columns, or write it again."
            )
        for number, cells in body[1:]:
            cells += [""] * (len(header) - len(cells))
            row = dict(zip(header, cells))
            # a table with gaps, saved as numbers
            graded = {name: row[name].removesuffix(".0") for name, ok in self.filled.items() if ok}
            yield number, row | graded

    def _fault(self, row, written, twice, optional) -> str:
        """What is wrong with a row, or ""."""
        if written is None or twice:
            return "there twice" if twice else "not among the rows that were written"
        for column, remedy in self.unchanged.items():
            if row[column].split() != written[column].split():
                return f"the {column} was changed: {remedy}"
        for column, values in self.filled.items():
            empty_is_fine = not row[column] and column in optional(row)
            if values and row[column] not in values and not empty_is_fine:
                return f"{column} {row[column]!r}, expected one of {', '.join(values)}"
        return ""


def _key(row, keys):
    return tuple(row[name].strip() for name in keys)

"""Tables of records in a file: read and written row by row, in one of two forms.

JSON lines (``.jsonl``: UTF-8, an object per line) is for tables that people read, edit and compare.
Parquet (``.parquet``) is for millions of rows, in a tenth of the space. Neither runs code when it
is read, and many other programs write both.

::

    write_table(path, {"query_id": "str", "query": "str"}, [("1", "ants")])
    list(table.rows())  # of a `Table` that names the file: [("1", "ants")]
"""

import json
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import IO, Annotated, Dict

from msgspec import Meta, Struct
from msgspec.structs import astuple

from ir_datasets_ext.local.kinds import layout_of
from ir_datasets_ext.store import new_file
from ir_datasets_ext.store.file_measures import verify_file
from ir_datasets_ext.store.origin import Origin
from ir_datasets_ext.typed_records import read_lines, read_parquet

FORMS = ("jsonl", "parquet")  # also the suffixes of the files' names
ROWS_AT_ONCE = 1 << 15  # rows of Parquet in memory
Count = Annotated[int, Meta(ge=0)]
Grade = Annotated[str, Meta(pattern="^-?[0-9]{1,9}$")]


class Entry(Struct):
    """A table in a manifest."""

    file: str  # its path in the collection's folder
    fields: Dict[str, str]  # name -> type, a key of `local.kinds.TYPES`
    rows: Count | None = None  # how many; None if unknown, as for the next two
    bytes: Count | None = None
    sha256: str | None = None
    definitions: Dict[Grade, str] = {}  # of qrels: grade -> meaning


@dataclass(frozen=True)
class Table(Origin):
    """A file of records.

    name: of the file.
    file: its path.
    entry: of the manifest; its `fields` are in the order of the records.
    remedy: what to do if the file is damaged.
    """

    name: str
    file: Path
    entry: Entry
    remedy: str

    def place(self) -> Path:
        """Return where the file belongs."""
        return self.file

    def path(self) -> Path:
        """Return the file's path; raise Damaged if it differs from the manifest's entry.

        The hash is computed once per process, until the file changes.
        """
        expected = {"bytes": self.entry.bytes, "sha256": self.entry.sha256}
        verify_file(self.file, expected, self.remedy)
        return self.file

    def count(self, read_rows: Callable[[], Iterable]) -> int:
        """Return the number of rows in the manifest; if it is missing, count `read_rows()`."""
        if self.entry.rows is not None:
            return self.entry.rows
        return sum(1 for _ in read_rows())

    def rows(self) -> Iterator[tuple]:
        """Yield the records as tuples, with tuples for lists; raise ValueError for a bad one."""
        layout = layout_of(self.entry.fields)
        path = self.path()
        if path.suffix == ".parquet":
            yield from map(astuple, read_parquet(path, layout, self.remedy, ROWS_AT_ONCE))
            return

        with path.open("rb") as lines:
            yield from map(astuple, read_lines(path, lines, layout, self.remedy))


def write_table(path: Path, fields: Mapping[str, str], rows: Iterable[tuple]) -> int:
    """Write `rows`, tuples of plain Python; return their number.

    The path's suffix decides on the form. Equal rows give equal bytes. The file is on the disk when
    this returns.
    """
    with new_file(path, "wb") as file:
        if path.suffix == ".parquet":
            return _write_parquet(file, fields, rows)
        return _write_lines(file, fields, rows)


def _write_lines(file: IO[bytes], fields: Mapping[str, str], rows: Iterable[tuple]) -> int:
    """Write a JSON object per row; return their number."""
    row_count = 0
    for row in rows:
        values_by_field = dict(zip(fields, row))
        line = json.dumps(values_by_field, ensure_ascii=False, separators=(",", ":"))
        file.write(line.encode() + b"\n")
        row_count += 1
    return row_count


def _write_parquet(file: IO[bytes], fields: Mapping[str, str], rows: Iterable[tuple]) -> int:
    """Write the rows as Parquet, some at once; return their number."""
    import pyarrow.parquet

    arrow_types = {
        "str": pyarrow.string(),
        "int": pyarrow.int64(),
        "float": pyarrow.float64(),
        "list": pyarrow.list_(pyarrow.string()),
    }
    schema = pyarrow.schema([(name, arrow_types[of_type]) for name, of_type in fields.items()])
    remaining_rows = iter(rows)
    row_count = 0
    with pyarrow.parquet.ParquetWriter(file, schema) as writer:
        block = list(islice(remaining_rows, ROWS_AT_ONCE))
        while block:
            columns = {}
            for position, name in enumerate(fields):
                columns[name] = [row[position] for row in block]
            writer.write_table(pyarrow.table(columns, schema))
            row_count += len(block)
            block = list(islice(remaining_rows, ROWS_AT_ONCE))
    return row_count

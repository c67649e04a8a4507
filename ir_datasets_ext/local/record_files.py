"""Tables of records in a file: read and written row by row, in one of two forms.

JSON lines (``.jsonl``: UTF-8, an object per line) is for tables that people read, edit and compare.
Parquet (``.parquet``) is for millions of rows, in a tenth of the space. Neither runs code when it
is read, and many other programs write both.
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
from ir_datasets_ext.store.folders import verify_file
from ir_datasets_ext.store.origin import Origin
from ir_datasets_ext.typed_records import read_lines, read_parquet

FORMS = ("jsonl", "parquet")
MEASURED = ("bytes", "sha256")  # measures of a file
BLOCK = 1 << 15  # rows of Parquet in memory at once
Count = Annotated[int, Meta(ge=0)]
Grade = Annotated[str, Meta(pattern="^-?[0-9]{1,9}$")]


class Entry(Struct):
    """A table in a manifest; fields: name -> type, a key of `local.kinds.TYPES`."""

    file: str
    fields: Dict[str, str]
    rows: Count | None = None
    bytes: Count | None = None
    sha256: str | None = None
    definitions: Dict[Grade, str] = {}


@dataclass(frozen=True)
class Table(Origin):
    """A file of records.

    about: its entry in the manifest; `fields` are in the order of the records.
    remedy: what to do if the file is damaged.
    """

    name: str
    file: Path
    about: Entry
    remedy: str

    def place(self) -> Path:
        """Return where the file belongs."""
        return self.file

    def path(self) -> Path:
        """Return the file's path; raise Damaged if it differs from the manifest's entry.

        The hash is computed once per process, until the file changes.
        """
        verify_file(self.file, {name: getattr(self.about, name) for name in MEASURED}, self.remedy)
        return self.file

    def count(self, rows: Callable[[], Iterable]) -> int:
        """Return the number of rows in the manifest; if it is missing, count `rows()`."""
        return sum(1 for _ in rows()) if self.about.rows is None else self.about.rows

    def rows(self) -> Iterator[tuple]:
        """Yield the records as tuples, with tuples for lists; raise ValueError for a bad one."""
        layout, path = layout_of(self.about.fields), self.path()
        if path.suffix == ".parquet":
            yield from map(astuple, read_parquet(path, layout, self.remedy, BLOCK))
        else:
            with path.open("rb") as lines:
                yield from map(astuple, read_lines(path, lines, layout, self.remedy))


def write_table(path: Path, fields: Mapping[str, str], rows: Iterable[tuple]) -> int:
    """Write `rows`, tuples of plain Python; return their number.

    The path's suffix decides on the form. Equal rows give equal bytes. The file is on the disk when
    this returns.
    """
    write = _write_parquet if path.suffix == ".parquet" else _write_lines
    with new_file(path, "wb") as file:
        return write(file, fields, rows)


def _write_lines(file: IO[bytes], fields: Mapping[str, str], rows: Iterable[tuple]) -> int:
    count = 0
    for row in rows:
        line = json.dumps(dict(zip(fields, row)), ensure_ascii=False, separators=(",", ":"))
        file.write(line.encode() + b"\n")
        count += 1
    return count


def _write_parquet(file: IO[bytes], fields: Mapping[str, str], rows: Iterable[tuple]) -> int:
    import pyarrow.parquet

    types = {
        "str": pyarrow.string(),
        "int": pyarrow.int64(),
        "float": pyarrow.float64(),
        "list": pyarrow.list_(pyarrow.string()),
    }
    schema = pyarrow.schema([(name, types[kind]) for name, kind in fields.items()])
    rows, count = iter(rows), 0
    with pyarrow.parquet.ParquetWriter(file, schema) as writer:
        while block := list(islice(rows, BLOCK)):
            writer.write_table(pyarrow.table(dict(zip(fields, zip(*block))), schema))
            count += len(block)
    return count

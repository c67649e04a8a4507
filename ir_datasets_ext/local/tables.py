"""Tables of plain records in a file: read and written row by row, in either of two forms.

JSON lines (``.jsonl``: UTF-8, an object per line) is the form of what people read, edit and
compare; Parquet (``.parquet``) that of millions of rows, in a tenth of the space. Neither can run
code when it is read, and many other programs write both.
"""

import json
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import Annotated, Dict

from msgspec import Meta, Struct
from msgspec.structs import astuple

from ir_datasets_ext.local.kinds import layout_of
from ir_datasets_ext.records import read_lines, read_parquet
from ir_datasets_ext.store import new_file
from ir_datasets_ext.store.folders import verify

FORMS = ("jsonl", "parquet")
MEASURED = ("bytes", "sha256")  # of a file
BLOCK = 1 << 15  # rows of Parquet that are in memory at once
Count = Annotated[int, Meta(ge=0)]
Grade = Annotated[str, Meta(pattern="^-?[0-9]{1,9}$")]


class Entry(Struct):
    """A table in a manifest."""

    file: str
    fields: Dict[str, str]
    rows: Count | None = None
    bytes: Count | None = None
    sha256: str | None = None
    definitions: Dict[Grade, str] = {}


@dataclass(frozen=True)
class Table:
    """A file of records, which `store.built` takes as a source.

    fields: name -> type (a key of `local.kinds.TYPES`), in the order of the records.
    about: what the manifest says of it.
    remedy: what to do where the file is damaged.
    """

    file: Path
    fields: Dict[str, str]
    about: Entry
    remedy: str

    @property
    def name(self):
        """The file's name."""
        return self.file.name

    def path(self):
        """Return the file's path; an error if the file is not what the manifest says.

        The hash is computed once per process, until the file changes.
        """
        verify(self.file, {name: getattr(self.about, name) for name in MEASURED}, self.remedy)
        return self.file

    place = path

    def present(self):
        """Return whether the file is there."""
        return self.file.is_file()

    def check(self):
        """Return "": `path` has checked it."""
        return ""

    def count(self, rows):
        """Return how many `rows()` yields: as the manifest has it, else counted."""
        return sum(1 for _ in rows()) if self.about.rows is None else self.about.rows

    def rows(self):
        """Yield the records as tuples, with tuples for lists; ValueError names a bad one."""
        layout, path = layout_of(self.fields), self.path()
        if path.suffix == ".parquet":
            yield from map(astuple, read_parquet(path, layout, self.remedy, BLOCK))
        else:
            with path.open("rb") as lines:
                yield from map(astuple, read_lines(path, lines, layout, self.remedy))


def write_table(path, fields, rows):
    """Write `rows`, an iterable of tuples in plain Python, and return how many there were.

    The form follows from the path's suffix; equal rows give equal bytes. What is written is on the
    disk when this returns.
    """
    write = _write_parquet if path.suffix == ".parquet" else _write_lines
    with new_file(path, "wb") as file:
        return write(file, fields, rows)


def _write_lines(file, fields, rows):
    names, count = list(fields), 0
    for row in rows:
        line = json.dumps(dict(zip(names, row)), ensure_ascii=False, separators=(",", ":"))
        file.write(line.encode() + b"\n")
        count += 1
    return count


def _write_parquet(file, fields, rows):
    import pyarrow
    import pyarrow.parquet

    types = {"str": pyarrow.string(), "int": pyarrow.int64(), "float": pyarrow.float64()}
    types["list"] = pyarrow.list_(pyarrow.string())
    schema = pyarrow.schema([(name, types[kind]) for name, kind in fields.items()])
    rows, count = iter(rows), 0
    with pyarrow.parquet.ParquetWriter(file, schema) as writer:
        while block := list(islice(rows, BLOCK)):
            columns = [pyarrow.array(column, of) for column, of in zip(zip(*block), schema.types)]
            writer.write_table(pyarrow.Table.from_arrays(columns, schema=schema))
            count += len(block)
    return count

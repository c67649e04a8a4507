"""Logs on DuckDB, within this process, and a folder for what does not fit in memory."""

import re
from contextlib import contextmanager
from pathlib import Path

import pyarrow as pa
from ibis.expr import datatypes

from ir_datasets_ext.store.files import (
    collection_folder,
    ensure_writable,
    sweep,
    temporary,
    writing,
)

from ._ibis import Engine, ibis
from .lines import LINE, first_lines, line_batches

PARQUET = re.compile("parquet|snappy|zstd|gzip|thrift|decompress", re.I)
REMEDY = "Make room there, say another folder with spill=, or more memory with memory=."


class DuckDB(Engine):
    """An engine, see `engines`."""

    def __init__(self, connection, own=False, spill=None):
        super().__init__(connection)
        self._failed, self._files, self._spill = None, [], spill and str(spill)
        if own:
            self.callback(connection.disconnect)

    def first_lines(self, file, count):
        """The first lines of a file that are not blank, `count` of them at most."""
        return first_lines(_here(file), count)

    def lines(self, files, through=None, schema=LINE):
        """A table of the column `line`, or of what `through` makes of its batches; once only."""
        batches = line_batches([_here(file) for file in files])
        batches = through(batches) if through else batches

        def read():
            try:
                yield from batches
            except ValueError as error:
                self._failed = error  # DuckDB makes an error of its own of it
                raise

        return self.arrow(pa.RecordBatchReader.from_batches(schema, read()))

    def parquet(self, files):
        """A table of what Parquet files have."""
        self._files += map(str, files)
        return self.connection.read_parquet([_plain(file) for file in files])

    def arrow(self, table):
        """A table of what an Arrow table has, or a reader, this once only."""
        name = ibis.util.gen_name("arrow")
        self.connection.con.register(name, table)
        self.callback(self.connection.con.unregister, name)
        return self.connection.table(name)

    def microseconds(self, column):
        """Timestamps as microseconds since 1970 in UTC."""
        if not column.type().is_timestamp():
            column = column.cast("timestamp('UTC')")

        # what Ibis makes of a difference of timestamps is right, too, and sixty times as slow
        @ibis.udf.scalar.builtin(signature=((column.type(),), datatypes.int64))
        def epoch_us(time): ...

        return epoch_us(column)

    def keep(self, table):
        """Compute `table` now; the same rows, to be asked many times."""
        name = ibis.util.gen_name("kept")
        kept = self.connection.create_table(name, table, temp=True)
        # what Ibis calls a release of a cached table fails with some versions of sqlglot
        self.callback(self.connection.raw_sql, f'DROP TABLE "{name}"')
        return kept

    def explained(self, error):
        """What was wrong where DuckDB raised `error`, with log or disk: another error, or None."""
        if self._failed or not type(error).__module__.endswith("duckdb"):
            return self._failed
        said, kind = str(error).partition("LINE 1:")[0].strip(), type(error).__name__
        full = {"OutOfMemoryException": "", "IOException": self._spill}.get(kind)
        if self._spill and full is not None and full in said:
            return OSError(
                f"mining stopped: {said.splitlines()[0]} It had {self._spill} for what does not "
                f"fit in memory. {REMEDY}"
            )
        # what its reader of Parquet has no class for is a plain Error
        of_log = kind == "Error" or PARQUET.search(said) or any(own in said for own in self._files)
        if not self._files or not of_log:
            return None
        return ValueError(
            f"{', '.join(self._files[:3])}: a Parquet file of the log is damaged, or is none "
            f"({said}). Copy or download it again, or say its form."
        )


def _plain(file):
    """A file as DuckDB takes it, with nothing in its name that is a pattern."""
    text = str(file)
    return text if "://" in text else re.sub(r"([\[*?])", r"[\1]", text)


def _here(file):
    if "://" in str(file):
        raise ValueError(
            f"{file}: on DuckDB, text files must be on this machine. Copy it, read it into "
            "an Ibis table, or use backend='pyspark'."
        )
    return file


@contextmanager
def spill_folder(given=None):
    """Yield a new folder below `given`, or below ir_datasets' home; it is removed in the end.

    What a process that was killed has left there is removed by the next one.

    Raises OSError with the remedy where nothing can be written, or the disk is full.
    """
    above = Path(given) if given else collection_folder("download-log") / ".spill"
    ensure_writable(above, REMEDY)
    sweep(above)
    with temporary(above / "mining", folder=True) as new, writing(above, REMEDY):
        yield new

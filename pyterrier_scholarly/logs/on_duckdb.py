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

    def __init__(self, connection, own=False):
        super().__init__(connection)
        self._failed, self._files = None, []
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
        """What was wrong with the log where DuckDB raised `error`: a ValueError, or None."""
        if self._failed or not self._files or not type(error).__module__.endswith("duckdb"):
            return self._failed
        said = str(error).partition("LINE 1:")[0].strip()
        plain = type(error).__name__ == "Error"  # what its reader of Parquet has no class for
        if not (plain or PARQUET.search(said) or any(file in said for file in self._files)):
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
    with temporary(above / "mining", folder=True) as new, writing(above, REMEDY), _full_disks(new):
        yield new


@contextmanager
def _full_disks(folder):
    """Raise OSError where DuckDB says in words of its own that it could not write there.

    What it says of other files, such as the log's, is passed on.
    """
    try:
        yield
    except Exception as error:
        said = str(error)
        kinds = {"OutOfMemoryException": True, "IOException": str(folder) in said}
        of_duckdb = type(error).__module__ in ("duckdb", "_duckdb")
        if not (of_duckdb and kinds.get(type(error).__name__)):
            raise
        raise OSError(
            f"mining stopped: {said.splitlines()[0]} It had {folder} for what does not fit in "
            f"memory. {REMEDY}"
        ) from error

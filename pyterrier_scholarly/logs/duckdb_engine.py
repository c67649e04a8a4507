"""Mine logs on DuckDB: within this process, with a folder for what does not fit in memory.

    connection = ibis.duckdb.connect()
    with DuckDBEngine(connection) as engine:
        table = engine.parquet(["downloads.parquet"])

Text files are read by Python, Parquet files by DuckDB.
"""

import re
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING
from uuid import uuid4

import pyarrow as pa
from ir_datasets.util import home_path

from ir_datasets_ext.atomic import ensure_writable, explain_write_errors, locked, remove

from .log_engine import Engine, ParseBatches, ibis
from .log_files import File, is_remote
from .log_lines import read_blocks, read_first_lines, split_lines

if TYPE_CHECKING:
    from ibis.backends import duckdb

LINE_SCHEMA = pa.schema([("line", pa.string())])
BLOCK = 1 << 23  # bytes of a text file that are read at once
LOCKED = "spill"  # in a folder to spill to, while its process is alive
MOST_NAMED_FILES = 3  # that an error names
SPILL_REMEDY = "Make room there, pass another folder as spill=, or more memory as memory=."

#: words by which errors of DuckDB's Parquet reader are recognised
PARQUET_WORDS = re.compile("parquet|snappy|zstd|gzip|thrift|decompress", re.I)


class DuckDBEngine(Engine):
    """An engine on DuckDB.

    Args:
        connection: of Ibis.
        is_ours: whether to disconnect it at the end.
        spill: the folder that the connection spills to, which errors about a full disk name.
    """

    def __init__(
        self, connection: "duckdb.Backend", is_ours: bool = False, spill: File | None = None
    ) -> None:
        super().__init__(connection)
        self._spill = str(spill) if spill else None
        self._parquet_files: list[str] = []
        self._read_error: ValueError | None = None
        if is_ours:
            self.callback(connection.disconnect)

    def first_lines(self, file: File, count: int) -> list[str]:
        """Return the first lines of a file that are not blank, at most `count`."""
        return read_first_lines(_require_local(file), count)

    def raw_lines(self, files: Sequence[File]) -> ibis.Table:
        """Return a table of `line` as it stands in the files; it can be read only once.

        Python reads the lines. DuckDB's own reader of CSV guesses line ends and needs the length
        of the longest line; it stops at a malformed quotation, or loses the reason.
        """
        paths = [_require_local(file) for file in files]
        return self._stream(_read_batches(paths), LINE_SCHEMA)

    def parse_lines(
        self, files: Sequence[File], parse: ParseBatches, schema: pa.Schema
    ) -> ibis.Table:
        """Return a table of what `parse` makes of the raw lines; it can be read only once."""
        paths = [_require_local(file) for file in files]
        return self._stream(parse(_read_batches(paths)), schema)

    def parquet(self, files: Sequence[File]) -> ibis.Table:
        """Return a table of Parquet files."""
        names = [str(file) for file in files]
        self._parquet_files.extend(names)
        return self.connection.read_parquet([_escape_pattern(name) for name in names])

    def arrow(self, table: pa.Table) -> ibis.Table:
        """Return a table of an Arrow table."""
        return self._register(table)

    def microseconds(self, column: ibis.Value) -> ibis.Value:
        """Convert timestamps to microseconds since 1970 in UTC."""
        if not column.type().is_timestamp():
            column = column.cast("timestamp('UTC')")

        # Ibis's difference of timestamps gives the same, sixty times as slowly
        @ibis.udf.scalar.builtin(signature=((column.type(),), ibis.dtype("int64")))
        def epoch_us(time: object) -> object: ...

        return epoch_us(column)

    def keep(self, table: ibis.Table) -> ibis.Table:
        """Compute `table` once, for several queries."""
        name = ibis.util.gen_name("kept")
        kept = self.connection.create_table(name, table, temp=True)
        # Ibis's own release of a cached table fails with some versions of sqlglot
        self.callback(self.connection.raw_sql, f'DROP TABLE "{name}"')
        return kept

    def explain(self, error: BaseException) -> Exception | None:
        """Return an error that says what is wrong with log or disk; None if that is unknown.

        error: what mining raised, which may name nothing but DuckDB's query.
        """
        if self._read_error is not None:  # the reader's own error, which DuckDB replaced
            return self._read_error
        is_of_duckdb = type(error).__module__.endswith("duckdb")
        if not is_of_duckdb:
            return None

        # DuckDB's message, without the query that follows it
        message = str(error).partition("LINE 1:")[0].strip()
        if self._is_about_room(error, message):
            return OSError(
                f"mining stopped: {message.splitlines()[0]} The folder for what does not fit in "
                f"memory is {self._spill}. {SPILL_REMEDY}"
            )
        if self._is_about_parquet(error, message):
            return ValueError(
                f"{', '.join(self._parquet_files[:MOST_NAMED_FILES])}: a Parquet file of the log "
                f"is damaged, or has another form ({message}). Copy or download it again, or give "
                "it the suffix of its form."
            )
        return None

    def _is_about_room(self, error: BaseException, message: str) -> bool:
        """Return whether memory is used up, or the folder to spill to cannot be written."""
        if self._spill is None:
            return False

        error_name = type(error).__name__
        if error_name == "OutOfMemoryException":
            return True
        return error_name == "IOException" and self._spill in message

    def _is_about_parquet(self, error: BaseException, message: str) -> bool:
        """Return whether a Parquet file of the log cannot be read."""
        if not self._parquet_files:
            return False
        if type(error).__name__ == "Error":  # some errors of the reader have no class of their own
            return True
        names_file = any(file in message for file in self._parquet_files)
        return names_file or PARQUET_WORDS.search(message) is not None

    def _stream(self, batches: Iterator[pa.RecordBatch], schema: pa.Schema) -> ibis.Table:
        """Return a table of batches, which can be read only once."""
        remembering = self._remember_error(batches)
        return self._register(pa.RecordBatchReader.from_batches(schema, remembering))

    def _remember_error(self, batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        """Pass batches on; an error is stored for `explain`: DuckDB replaces it by its own."""
        try:
            yield from batches
        except ValueError as error:
            self._read_error = error
            raise

    def _register(self, source: pa.Table | pa.RecordBatchReader) -> ibis.Table:
        """Register an Arrow table or reader under a new name, until the engine is closed."""
        name = ibis.util.gen_name("arrow")
        self.connection.con.register(name, source)
        self.callback(self.connection.con.unregister, name)
        return self.connection.table(name)


@contextmanager
def make_spill_folder(parent: str | Path | None = None) -> Iterator[Path]:
    """Yield a new folder below `parent`, or below ir_datasets' home; it is removed at the end.

    Folders that killed processes left there are removed. Raises OSError with the remedy if the
    folder is not writable or the disk is full.
    """
    spill_parent = Path(parent) if parent else home_path() / "download-log" / ".spill"
    ensure_writable(spill_parent, SPILL_REMEDY)

    for folder in spill_parent.glob(".mining.*.tmp/"):
        with locked(folder / LOCKED, wait=False) as is_abandoned:
            if is_abandoned:
                remove(folder)

    folder = spill_parent / f".mining.{uuid4().hex[:12]}.tmp"
    try:
        with locked(folder / LOCKED), explain_write_errors(spill_parent, SPILL_REMEDY):
            yield folder
    finally:
        remove(folder)


def _read_batches(paths: Sequence[Path]) -> Iterator[pa.RecordBatch]:
    """Yield the files' lines as batches of LINE_SCHEMA."""
    for path in paths:
        for block in read_blocks(path, BLOCK):
            lines = pa.array(split_lines(block), pa.string())
            yield pa.record_batch([lines], LINE_SCHEMA)


def _escape_pattern(name: str) -> str:
    """Escape what DuckDB would take for a pattern."""
    if is_remote(name):
        return name
    return re.sub(r"([\[*?])", r"[\1]", name)


def _require_local(file: File) -> Path:
    """Return the path of a file on this machine; ValueError for an address."""
    if is_remote(file):
        raise ValueError(
            f"{file}: on DuckDB, text files must be on this machine. Copy it, read it into "
            "an Ibis table, or use backend='pyspark'."
        )
    return Path(file)

"""DuckDB and Apache Spark, as engines that read logs; see `engines`. Everything else is Ibis."""

import re
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import pyarrow as pa

try:
    import ibis
except ImportError as error:
    raise ImportError('Mining logs needs Ibis: pip install "pyterrier-scholarly[logs]"') from error

from .engines import REMEDY, Connection
from .log_files import File, blocks, damaged, first_lines, lines_of

if TYPE_CHECKING:
    from ibis.backends import duckdb, pyspark
    from pyspark.sql import DataFrame

LINE = pa.schema([("line", pa.string())])
PARQUET = re.compile("parquet|snappy|zstd|gzip|thrift|decompress", re.I)

PARTITION = 1 << 22  # bytes of a log per task of a stage: smaller tasks are mostly planning
SHUFFLE = "spark.sql.shuffle.partitions"
UNREAD = re.compile(r"FAILED_READ_FILE\S* .*? reading file (\S+[.]gz)[.]\s")

Through = Callable[[Iterable[pa.RecordBatch]], Iterator[pa.RecordBatch]]


class DuckDB(Connection):
    """An engine within this process, with a folder for what does not fit in memory."""

    def __init__(
        self, connection: "duckdb.Backend", owned: bool = False, spill: File | None = None
    ) -> None:
        super().__init__(connection)
        self._error: ValueError | None = None
        self._files: list[str] = []
        self._spill = str(spill) if spill else None
        if owned:
            self.callback(connection.disconnect)

    def first_lines(self, file: File, count: int) -> list[str]:
        """Return the first lines of a file that are not blank, at most `count`."""
        return first_lines(_local(file), count)

    def lines(
        self, files: Iterable[File], through: Through | None = None, schema: pa.Schema = LINE
    ) -> ibis.Table:
        """Return a table of `line`, or of `through`'s batches; it can be read only once.

        Python reads the lines. DuckDB's own reader of CSV guesses line ends and needs the length
        of the longest line; it stops at a malformed quotation, or loses the reason.
        """
        batches = (
            pa.record_batch([pa.array(lines_of(block), pa.string())], LINE)
            for file in [_local(file) for file in files]
            for block in blocks(file, 1 << 23)  # bytes at once
        )

        def read() -> Iterator[pa.RecordBatch]:
            try:
                yield from (through or iter)(batches)
            except ValueError as error:
                self._error = error  # DuckDB replaces it by an error of its own
                raise

        return self.arrow(pa.RecordBatchReader.from_batches(schema, read()))

    def parquet(self, files: Iterable[File]) -> ibis.Table:
        """Return a table of Parquet files."""
        texts = list(map(str, files))
        self._files += texts
        return self.connection.read_parquet(list(map(_escaped, texts)))

    def arrow(self, table: pa.Table | pa.RecordBatchReader) -> ibis.Table:
        """Return a table of an Arrow table, or of a reader (which can be read only once)."""
        name = ibis.util.gen_name("arrow")
        self.connection.con.register(name, table)
        self.callback(self.connection.con.unregister, name)
        return self.connection.table(name)

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

    def explained(self, error: BaseException) -> Exception | None:
        """Return an error that says what is wrong with log or disk, or None."""
        if self._error or not type(error).__module__.endswith("duckdb"):
            return self._error
        message, kind = str(error).partition("LINE 1:")[0].strip(), type(error).__name__
        full = {"OutOfMemoryException": "", "IOException": self._spill}.get(kind)
        if self._spill and full is not None and full in message:
            return OSError(
                f"mining stopped: {message.splitlines()[0]} The folder for what does not fit in "
                f"memory is {self._spill}. {REMEDY}"
            )
        # some errors of its Parquet reader have no class of their own
        of_log = kind == "Error" or PARQUET.search(message)
        if not self._files or not (of_log or any(file in message for file in self._files)):
            return None
        return ValueError(
            f"{', '.join(self._files[:3])}: a Parquet file of the log is damaged, or has another "
            f"form ({message}). Copy or download it again, or pass its form as form=."
        )


def _escaped(file: str) -> str:
    """Escape what DuckDB would take for a pattern."""
    return file if "://" in file else re.sub(r"([\[*?])", r"[\1]", file)


def _local(file: File) -> Path:
    if "://" in str(file):
        raise ValueError(
            f"{file}: on DuckDB, text files must be on this machine. Copy it, read it into "
            "an Ibis table, or use backend='pyspark'."
        )
    return Path(file)


class Spark(Connection):
    """An engine on a Spark session, for logs too large for one machine."""

    def __init__(self, connection: "pyspark.Backend") -> None:
        super().__init__(connection)
        self._session = connection._session
        self._shuffle = self._session.conf.get(SHUFFLE)
        self.callback(self._session.conf.set, SHUFFLE, self._shuffle)

    def first_lines(self, file: File, count: int) -> list[str]:
        """Return the first lines of a file that are not blank, at most `count`."""
        if "://" not in str(file):
            return first_lines(Path(file), count)
        rows = self._session.read.text(str(file), lineSep="\n").head(count)
        return [row.value.rstrip("\r").lstrip("\ufeff") for row in rows if row.value.strip()]

    def lines(
        self, files: Iterable[File], through: Through | None = None, schema: object = None
    ) -> ibis.Table:
        """Return a table of `line`, or of `through`'s batches."""
        from pyspark.sql import functions as f

        value = f.col("value")
        # Spark passes invalid UTF-8 on: marked as Python's decoder does
        line = f.when(f.is_valid_utf8(value), value).otherwise(f.lit("\ufffd")).alias("line")
        frame = self._session.read.text(self._places(files), lineSep="\n").select(line)
        fields = "user string, time string, doc string, broken tinyint"
        return self._table(frame.mapInArrow(through, fields) if through else frame)

    def parquet(self, files: Iterable[File]) -> ibis.Table:
        """Return a table of Parquet files."""
        return self._table(self._session.read.parquet(*self._places(files)))

    def arrow(self, table: pa.Table) -> ibis.Table:
        """Return a table of an Arrow table."""
        return self._table(self._session.createDataFrame(table))

    def microseconds(self, column: ibis.Value) -> ibis.Value:
        """Convert timestamps to microseconds since 1970 in UTC."""
        return column.delta(ibis.timestamp("1970-01-01T00:00:00Z"), unit="microsecond")

    def keep(self, table: ibis.Table) -> ibis.Table:
        """Compute `table` once, for several queries."""
        return self.enter_context(table.cache())

    def explained(self, error: BaseException) -> ValueError | None:
        """Return an error that says what is wrong with the log, or None."""
        unread = UNREAD.search(str(error))
        return damaged(unread[1], "Spark cannot read it") if unread else None

    def _places(self, files: Iterable[File]) -> list[str]:
        """Return URLs without patterns, and limit the tasks of a stage by the size of local files.

        A small log takes one task; the session's setting is the maximum.
        """
        files = list(files)
        local = [Path(file) for file in files if "://" not in str(file)]
        if len(local) == len(files):
            size = sum(file.stat().st_size * (8 if file.suffix == ".gz" else 1) for file in local)
            self._session.conf.set(SHUFFLE, str(min(int(self._shuffle), size // PARTITION + 1)))
        return [str(file) if "://" in str(file) else _url(Path(file)) for file in files]

    def _table(self, frame: "DataFrame") -> ibis.Table:
        name = ibis.util.gen_name("log")
        frame.createOrReplaceTempView(name)
        self.callback(self._session.catalog.dropTempView, name)
        return self.connection.table(name)


def _url(file: Path) -> str:
    return "file://" + re.sub(r"([\[\]{}*?\\])", r"\\\1", str(file.resolve()))


Engine = DuckDB | Spark

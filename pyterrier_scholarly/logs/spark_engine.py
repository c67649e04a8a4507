"""Mine logs on Apache Spark, for logs too large for one machine.

    connection = ibis.pyspark.connect(start_spark("this example"))
    with SparkEngine(connection) as engine:
        table = engine.parquet(["downloads.parquet"])

All files are read by Spark's workers.
"""

import re
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import pyarrow as pa

from .log_engine import Engine, ParseBatches, ibis
from .log_files import File, is_remote
from .log_lines import BROKEN_UTF8, BYTE_ORDER_MARK, describe_damage, read_first_lines

if TYPE_CHECKING:
    from ibis.backends import pyspark
    from pyspark.sql import DataFrame

TASKS_SETTING = "spark.sql.shuffle.partitions"  # the number of tasks of a stage
BYTES_PER_TASK = 1 << 22  # of a log: smaller tasks are mostly planning
GZIP_FACTOR = 8  # by which text grows when it is unpacked
SPARK_TYPES = {pa.string(): "string", pa.int8(): "tinyint"}

#: Spark's error for a file that cannot be unpacked
UNREAD_FILE = re.compile(r"FAILED_READ_FILE\S* .*? reading file (\S+[.]gz)[.]\s")


class SparkEngine(Engine):
    """An engine on a Spark session, which stays open; its number of tasks is restored."""

    def __init__(self, connection: "pyspark.Backend") -> None:
        """Use the connection's Spark session until the engine is closed."""
        super().__init__(connection)
        self._session = connection._session

        # an engine lowers the session's number of tasks for small logs; on closing, it is restored
        self._most_tasks = self._session.conf.get(TASKS_SETTING)
        restore_setting = self._session.conf.set
        self.callback(restore_setting, TASKS_SETTING, self._most_tasks)

    def first_lines(self, file: File, count: int) -> list[str]:
        """Return the first lines of a file that are not blank, at most `count`."""
        if not is_remote(file):
            return read_first_lines(Path(file), count)

        rows = self._session.read.text(str(file), lineSep="\n").head(count)
        lines = [row.value for row in rows if row.value.strip()]
        return [line.rstrip("\r").lstrip(BYTE_ORDER_MARK) for line in lines]

    def raw_lines(self, files: Sequence[File]) -> ibis.Table:
        """Return a table of `line` as it stands in the files."""
        return self._name_table(self._read_lines(files))

    def parse_lines(
        self, files: Sequence[File], parse: ParseBatches, schema: pa.Schema
    ) -> ibis.Table:
        """Return a table of what `parse` makes of the raw lines, on Spark's workers."""
        fields = [f"{field.name} {SPARK_TYPES[field.type]}" for field in schema]
        parsed = self._read_lines(files).mapInArrow(parse, ", ".join(fields))
        return self._name_table(parsed)

    def parquet(self, files: Sequence[File]) -> ibis.Table:
        """Return a table of Parquet files."""
        self._limit_tasks(files)
        return self._name_table(self._session.read.parquet(*_list_urls(files)))

    def arrow(self, table: pa.Table) -> ibis.Table:
        """Return a table of an Arrow table."""
        return self._name_table(self._session.createDataFrame(table))

    def microseconds(self, column: ibis.Value) -> ibis.Value:
        """Convert timestamps to microseconds since 1970 in UTC."""
        return column.delta(ibis.timestamp("1970-01-01T00:00:00Z"), unit="microsecond")

    def keep(self, table: ibis.Table) -> ibis.Table:
        """Compute `table` once, for several queries."""
        return self.enter_context(table.cache())

    def explain(self, error: BaseException) -> ValueError | None:
        """Return an error that says what is wrong with the log, or None."""
        unread_file = UNREAD_FILE.search(str(error))
        if unread_file is None:
            return None
        return describe_damage(unread_file[1], "Spark cannot read it")

    def _read_lines(self, files: Sequence[File]) -> "DataFrame":
        """Return a frame of `line`; invalid UTF-8 is marked as Python's decoder does."""
        from pyspark.sql import functions

        self._limit_tasks(files)
        texts = self._session.read.text(_list_urls(files), lineSep="\n")

        value = functions.col("value")
        broken = functions.lit(BROKEN_UTF8)  # Spark itself passes the bytes on
        line = functions.when(functions.is_valid_utf8(value), value).otherwise(broken)
        return texts.select(line.alias("line"))

    def _limit_tasks(self, files: Sequence[File]) -> None:
        """Limit the tasks of a stage by the size of the files, if all are local.

        A small log takes one task; the session's setting is the maximum.
        """
        if any(is_remote(file) for file in files):
            return

        size = sum(_estimate_size(Path(file)) for file in files)
        tasks = size // BYTES_PER_TASK + 1
        most_tasks = int(self._most_tasks)
        self._session.conf.set(TASKS_SETTING, str(min(most_tasks, tasks)))

    def _name_table(self, frame: "DataFrame") -> ibis.Table:
        """Give a frame a name, until the engine is closed, and return it as Ibis's table."""
        name = ibis.util.gen_name("log")
        frame.createOrReplaceTempView(name)
        self.callback(self._session.catalog.dropTempView, name)
        return self.connection.table(name)


def _estimate_size(file: Path) -> int:
    """Return the bytes of a file; of a gzipped one about those of its content."""
    size = file.stat().st_size
    if file.suffix == ".gz":
        return GZIP_FACTOR * size
    return size


def _list_urls(files: Sequence[File]) -> list[str]:
    """Return the files' addresses, without anything that Spark would take for a pattern."""
    return [str(file) if is_remote(file) else _escape_url(Path(file)) for file in files]


def _escape_url(file: Path) -> str:
    """Return a local file's address, with its pattern characters escaped."""
    return "file://" + re.sub(r"([\[\]{}*?\\])", r"\\\1", str(file.resolve()))

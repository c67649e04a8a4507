"""Logs on Apache Spark."""

import re

from ._ibis import Engine, ibis
from .lines import damaged, first_lines

PARTITION = 1 << 22  # bytes of a log for each task of a stage: smaller ones are all planning
SHUFFLE = "spark.sql.shuffle.partitions"
UNREAD = re.compile(r"FAILED_READ_FILE\S* .*? reading file (\S+[.]gz)[.]\s")
FIELDS = "user string, time string, doc string, broken tinyint"


class Spark(Engine):
    """An engine, see `engines`."""

    def __init__(self, connection):
        super().__init__(connection)
        self._session = connection._session
        self._shuffle = self._session.conf.get(SHUFFLE)
        self.callback(self._session.conf.set, SHUFFLE, self._shuffle)

    def first_lines(self, file, count):
        """The first lines of a file that are not blank, `count` of them at most."""
        if "://" not in str(file):
            return first_lines(file, count)
        rows = self._session.read.text(str(file), lineSep="\n").head(count)
        return [row.value.rstrip("\r").lstrip("\ufeff") for row in rows if row.value.strip()]

    def lines(self, files, through=None, schema=None):
        """A table of the column `line`, or of what `through` makes of its batches."""
        from pyspark.sql import functions as f

        value = f.col("value")
        # bytes that are no UTF-8 pass through Spark as they are: marked as Python's decoding does
        line = f.when(f.is_valid_utf8(value), value).otherwise(f.lit("\ufffd")).alias("line")
        frame = self._session.read.text(self._places(files), lineSep="\n").select(line)
        return self._table(frame.mapInArrow(through, FIELDS) if through else frame)

    def parquet(self, files):
        """A table of what Parquet files have."""
        return self._table(self._session.read.parquet(*self._places(files)))

    def arrow(self, table):
        """A table of what an Arrow table has."""
        return self._table(self._session.createDataFrame(table))

    def microseconds(self, column):
        """Timestamps as microseconds since 1970 in UTC."""
        return column.delta(ibis.timestamp("1970-01-01T00:00:00Z"), unit="microsecond")

    def keep(self, table):
        """Compute `table` once; the same rows, to be asked many times."""
        return self.enter_context(table.cache())

    def explained(self, error):
        """What was wrong with the log where Spark raised `error`: a ValueError, or None."""
        found = UNREAD.search(str(error))
        return found and damaged(found[1], "Spark cannot read it")

    def _places(self, files):
        """Files as Spark takes them: URLs, with nothing in them that is a pattern.

        Stages get no more tasks than these files are large, nor than the session has.
        """
        here = [file for file in files if "://" not in str(file)]
        if len(here) == len(files):
            size = sum(file.stat().st_size * (8 if file.suffix == ".gz" else 1) for file in here)
            self._session.conf.set(SHUFFLE, str(min(int(self._shuffle), size // PARTITION + 1)))
        return [_place(file) if file in here else str(file) for file in files]

    def _table(self, frame):
        name = ibis.util.gen_name("log")
        frame.createOrReplaceTempView(name)
        self.callback(self._session.catalog.dropTempView, name)
        return self.connection.table(name)


def _place(file):
    return "file://" + re.sub(r"([\[\]{}*?\\])", r"\\\1", str(file.resolve()))

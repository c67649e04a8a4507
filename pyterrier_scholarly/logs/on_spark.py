"""Logs on Apache Spark."""

import re

from .lines import damaged, first_lines

PARTITION = 1 << 22  # bytes of a log for each task of a stage: smaller ones are all planning
SHUFFLE = "spark.sql.shuffle.partitions"
UNREAD = re.compile(r"FAILED_READ_FILE\S* .*? reading file (\S+[.]gz)[.]\s")


class Spark:
    """An engine, see `engines`."""

    def __init__(self, connection):
        self.connection = connection
        self._kept, self._views = [], []
        self._shuffle = self._session.conf.get(SHUFFLE)

    def expect(self, files):
        """Have no more tasks in a stage than the log is large, nor than the session has."""
        if any("://" in str(file) for file in files):
            return
        size = sum(file.stat().st_size * (8 if file.suffix == ".gz" else 1) for file in files)
        self._session.conf.set(SHUFFLE, str(min(int(self._shuffle), size // PARTITION + 1)))

    def first_lines(self, file, count):
        """The first lines of a file that are not blank, `count` of them at most."""
        if "://" not in str(file):
            return first_lines(file, count)
        rows = self._session.read.text(str(file), lineSep="\n").head(count)
        return [row.value.rstrip("\r").lstrip("\ufeff") for row in rows if row.value.strip()]

    def lines(self, files, through=None):
        """A table of the column `line`, or of what `through` makes of its batches."""
        from pyspark.sql import functions as f

        value = f.col("value")
        # bytes that are no UTF-8 pass through Spark as they are: marked as Python's decoding does
        line = f.when(f.is_valid_utf8(value), value).otherwise(f.lit("\ufffd")).alias("line")
        frame = self._session.read.text([_place(file) for file in files], lineSep="\n").select(line)
        if through:
            frame = frame.mapInArrow(
                through, "user string, time string, doc string, broken tinyint"
            )
        return self._table(frame)

    def parquet(self, files):
        """A table of what Parquet files have."""
        return self._table(self._session.read.parquet(*(_place(file) for file in files)))

    def arrow(self, table):
        """A table of what an Arrow table has."""
        return self._table(self._session.createDataFrame(table))

    def microseconds(self, column):
        """Timestamps as microseconds since 1970 in UTC."""
        import ibis

        return column.delta(ibis.timestamp("1970-01-01T00:00:00Z"), unit="microsecond")

    def explained(self, error):
        """What was wrong with the log where Spark raised `error`: a ValueError, or None."""
        found = UNREAD.search(str(error))
        return found and damaged(found[1], "Spark cannot read it")

    @property
    def _session(self):
        return self.connection._session

    def _table(self, frame):
        import ibis

        name = ibis.util.gen_name("log")
        frame.createOrReplaceTempView(name)
        self._views.append(name)
        return self.connection.table(name)

    def keep(self, table):
        """Compute `table` once, when it is first asked; the same rows, to be asked many times."""
        kept = table.cache()
        self._kept.append(kept)
        return kept

    def close(self):
        """Let go of what was kept; the session goes on."""
        self._session.conf.set(SHUFFLE, self._shuffle)
        for kept in self._kept:
            kept.release()
        for name in self._views:
            self._session.catalog.dropTempView(name)


def _place(file):
    """A file as Spark takes it: a URL, with nothing in it that is a pattern."""
    text = str(file)
    if "://" in text:
        return text
    return "file://" + re.sub(r"([\[\]{}*?\\])", r"\\\1", str(file.resolve()))

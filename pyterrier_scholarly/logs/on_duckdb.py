"""Logs on DuckDB, within this process."""

import re

from .lines import first_lines, line_batches

PARQUET = re.compile("parquet|snappy|zstd|gzip|thrift|decompress", re.I)


class DuckDB:
    """An engine, see `engines`."""

    def __init__(self, connection, own=False):
        self.connection, self.own = connection, own
        self._kept, self._read, self._failed, self._files = [], [], None, []

    def expect(self, files):
        """Nothing is to be done for a log of any size."""

    def first_lines(self, file, count):
        """The first lines of a file that are not blank, `count` of them at most."""
        return first_lines(_here(file), count)

    def lines(self, files, through=None):
        """A table of the column `line`, or of what `through` makes of its batches; once only."""
        import pyarrow as pa

        batches = line_batches([_here(file) for file in files])
        batches = through(batches) if through else batches
        first = next(batches)  # there is always one; it has the schema

        def rest():
            yield first
            try:
                yield from batches
            except ValueError as error:
                self._failed = error  # DuckDB makes an error of its own of it
                raise

        return self.arrow(pa.RecordBatchReader.from_batches(first.schema, rest()))

    def parquet(self, files):
        """A table of what Parquet files have."""
        self._files += map(str, files)
        return self.connection.read_parquet([_plain(file) for file in files])

    def arrow(self, table):
        """A table of what an Arrow table has, or a reader, this once only."""
        import ibis

        name = ibis.util.gen_name("arrow")
        self.connection.con.register(name, table)
        self._read.append(name)
        return self.connection.table(name)

    def microseconds(self, column):
        """Timestamps as microseconds since 1970 in UTC."""
        import ibis
        from ibis.expr import datatypes

        if not column.type().is_timestamp():
            column = column.cast("timestamp('UTC')")

        # what Ibis makes of a difference of timestamps is right, too, and sixty times as slow
        @ibis.udf.scalar.builtin(signature=((column.type(),), datatypes.int64))
        def epoch_us(time): ...

        return epoch_us(column)

    def keep(self, table):
        """Compute `table` now; the same rows, to be asked many times."""
        import ibis

        name = ibis.util.gen_name("kept")
        kept = self.connection.create_table(name, table, temp=True)
        self._kept.append(name)
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

    def close(self):
        """Let go of what was kept, and of the connection if it is ours."""
        if self.own:
            self.connection.disconnect()
            return
        for name in self._kept:
            self.connection.raw_sql(f'DROP TABLE "{name}"')
        for name in self._read:
            self.connection.con.unregister(name)


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

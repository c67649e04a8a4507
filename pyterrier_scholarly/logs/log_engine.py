"""What logs are mined on: an engine reads and caches in its own way, everything else is Ibis.

    with open_engine("downloads.csv", backend="duckdb") as engine:  # in `engine_choice`
        lines = engine.lines(["downloads.csv"])
        kept = engine.keep(lines.distinct())
        print(count_rows(kept))

The engines are `DuckDBEngine` and `SparkEngine`. Other modules take `ibis` from here, so that its
absence is one clear error.
"""

from abc import abstractmethod
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import ExitStack
from types import TracebackType
from typing import TypeAlias

import pyarrow as pa

from .log_files import File
from .log_lines import BYTE_ORDER_MARK

try:
    import ibis
except ImportError as error:
    raise ImportError('Mining logs needs Ibis: pip install "pyterrier-scholarly[logs]"') from error

#: from batches of `line` to batches of fields
ParseBatches: TypeAlias = Callable[[Iterable[pa.RecordBatch]], Iterator[pa.RecordBatch]]


class Engine(ExitStack):
    """A connection of Ibis that logs are mined on; a context.

    Closing it drops the tables that were cached and registered. An error inside a `with` block is
    replaced by the one that `explain` returns, if any.
    """

    def __init__(self, connection: ibis.BaseBackend) -> None:
        super().__init__()
        self.connection = connection

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        super().__exit__(kind, error, trace)
        if error is None:
            return

        explanation = self.explain(error)
        if explanation is not None:
            raise explanation from error

    @abstractmethod
    def explain(self, error: BaseException) -> Exception | None:
        """Return an error that says what is wrong with log or disk, or None.

        Called with the error that ends a `with` block.
        """

    @abstractmethod
    def first_lines(self, file: File, count: int) -> list[str]:
        """Return the first lines of a file that are not blank, at most `count`."""

    def lines(self, files: Sequence[File]) -> ibis.Table:
        """Return a table of `line`, without byte order marks, carriage returns and blank lines.

        It can be read only once.
        """
        return _clean_lines(self.raw_lines(files))

    @abstractmethod
    def raw_lines(self, files: Sequence[File]) -> ibis.Table:
        """Return a table of `line` as it stands in the files; it can be read only once."""

    @abstractmethod
    def parse_lines(
        self, files: Sequence[File], parse: ParseBatches, schema: pa.Schema
    ) -> ibis.Table:
        """Return a table of what a Python function makes of the raw lines; it can be read once.

        Args:
            parse: gets batches of `line`, and yields batches of `schema`.
            schema: fields of type string or int8.
        """

    @abstractmethod
    def parquet(self, files: Sequence[File]) -> ibis.Table:
        """Return a table of Parquet files."""

    @abstractmethod
    def arrow(self, table: pa.Table) -> ibis.Table:
        """Return a table of an Arrow table."""

    @abstractmethod
    def microseconds(self, column: ibis.Value) -> ibis.Value:
        """Convert timestamps to microseconds since 1970 in UTC."""

    @abstractmethod
    def keep(self, table: ibis.Table) -> ibis.Table:
        """Compute `table` once, for several queries."""


def _clean_lines(lines: ibis.Table) -> ibis.Table:
    """Remove byte order marks, carriage returns and blank lines."""
    line = lines.line
    line = ibis.ifelse(line.startswith(BYTE_ORDER_MARK), line.substr(1), line)
    line = ibis.ifelse(line.endswith("\r"), line.substr(0, line.length() - 1), line)

    cleaned = lines.select(line=line)
    return cleaned.filter(cleaned.line.strip() != "")


def count_rows(table: ibis.Table) -> int:
    """Compute a table's number of rows."""
    return table.count().to_pyarrow().as_py()

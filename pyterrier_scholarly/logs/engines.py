"""The engines that logs are mined on: they read and cache in their own ways, all else is Ibis.

Conventions: an engine has `first_lines(file, count)`; `lines(files, through, schema)`,
`parquet(files)` and `arrow(table)`, which return Ibis tables; `microseconds(column)` of timestamps;
`keep(table)`, which computes a table once; and `explained(error)`, which returns an error that says
what is wrong with log or disk. It is a context, or is closed by `close()`.
"""

import os
import re
import sys
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, ExitStack, contextmanager, nullcontext
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING

from ir_datasets_ext.store.atomic_files import ensure_writable, temporary_beside
from ir_datasets_ext.store.write_errors import collection_folder, explain_write_errors

if TYPE_CHECKING:
    from ibis.backends import BaseBackend
    from pyspark.sql import SparkSession

    from .backends import Engine

REMEDY = "Make room there, pass another folder as spill=, or more memory as memory=."
MEMORY = re.compile(r"(?=[0-9.]*[1-9])[0-9]{0,9}[.]?[0-9]{1,9} *([kmgt]i?b|%)", re.I)  # not 0


class Connection(ExitStack):
    """A connection of Ibis that logs are mined on.

    Closing it drops the tables that were cached and registered. An error inside a `with` block is
    replaced by the one that `explained` returns, if any.
    """

    explained: Callable[[BaseException], Exception | None]

    def __init__(self, connection: "BaseBackend") -> None:
        super().__init__()
        self.connection = connection

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        super().__exit__(kind, error, trace)
        if error is not None and (explanation := self.explained(error)):
            raise explanation from error


def engine_of(
    backend: object = "duckdb", memory: object = None, spill: str | Path | None = None
) -> "Engine":
    """Return the engine that `backend` names.

    Args:
        backend: "duckdb"; "pyspark", for this process's Spark session (a new local one if there is
            none); or an Ibis connection to either, which stays open and configured as it is.
        memory: most memory for the data of our own DuckDB, such as "700MB"; about 150 MB for
            everything else are added.
        spill: folder for what does not fit.

    Raises:
        ValueError: another backend, limits for a backend other than "duckdb", or a malformed
            `memory`.
        ImportError: the extra `logs` or `spark` is not installed.
    """
    from .backends import DuckDB, Spark, ibis

    if (memory is not None or spill) and backend != "duckdb":
        raise ValueError(
            f"memory={memory!r}, spill={spill!r} are for backend='duckdb'; configure the session "
            f"or connection itself for {backend!r}."
        )
    if memory is not None and not MEMORY.fullmatch(str(memory).strip()):
        raise ValueError(
            f"memory={memory!r} is no amount of memory: expected a number above 0 with its unit, "
            "as in '700MB', '2GB' or '50%'."
        )
    if backend == "duckdb":
        limits = {"memory_limit": memory, "temp_directory": spill}
        limits = {name: str(value) for name, value in limits.items() if value}
        connection = ibis.duckdb.connect(preserve_insertion_order=False, **limits)
        connection.raw_sql("SET enable_progress_bar = false")  # on in notebooks, between ours
        return DuckDB(connection, owned=True, spill=spill)
    if backend == "pyspark":
        backend = ibis.pyspark.connect(spark_session("backend='pyspark'"))
    name = getattr(backend, "name", None)
    if name in ("duckdb", "pyspark") and hasattr(backend, "to_pyarrow"):
        return DuckDB(backend) if name == "duckdb" else Spark(backend)
    raise ValueError(
        f"{backend!r} is no backend: expected 'duckdb', 'pyspark', or an Ibis connection to one of "
        "them (ibis.duckdb.connect(), ibis.pyspark.connect(session))."
    )


@contextmanager
def open_engine(
    log: object, backend: object = "duckdb", memory: object = None, spill: str | Path | None = None
) -> "Iterator[Engine]":
    """Yield the engine for a log, or for a table its own; our DuckDB gets a spill folder.

    Args:
        log, backend, memory, spill: see `mine_log`.
    """
    if hasattr(log, "get_backend") and backend == "duckdb":
        backend = log.get_backend()
    folder: AbstractContextManager[str | Path | None] = (
        spill_folder(spill) if backend == "duckdb" else nullcontext(spill)
    )
    with folder as spill, engine_of(backend, memory, spill) as engine:
        yield engine


@contextmanager
def spill_folder(parent: str | Path | None = None) -> Iterator[Path]:
    """Yield a new folder below `parent`, or below ir_datasets' home; it is removed at the end.

    Folders that killed processes left there are removed. Raises OSError with the remedy if the
    folder is not writable or the disk is full.
    """
    above = Path(parent) if parent else collection_folder("download-log") / ".spill"
    ensure_writable(above, REMEDY)
    with (
        temporary_beside(above / "mining", folder=True) as new,
        explain_write_errors(above, REMEDY),
    ):
        yield new


def spark_session(needed_by: str) -> "SparkSession":
    """Return this process's SparkSession, or start a local one.

    Raises:
        ImportError: the extra `spark` is not installed.
    """
    # the interpreter of Spark's workers; the user's setting stays
    os.environ.setdefault("PYSPARK_PYTHON", sys.executable)
    try:
        from pyspark.sql import SparkSession
    except ImportError as error:
        raise ImportError(f'{needed_by} needs pip install "pyterrier-scholarly[spark]"') from error
    return SparkSession.builder.getOrCreate()

"""Choose the engine that a log is mined on.

    with open_engine("downloads.csv", memory="700MB") as engine:
        ...

An Ibis connection of the user's is an engine, too.
"""

import re
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from ..spark_sessions import start_spark
from .duckdb_engine import DuckDBEngine, make_spill_folder
from .log_engine import Engine, ibis
from .spark_engine import SparkEngine

#: a number above 0 and its unit
MEMORY_AMOUNT = re.compile(r"(?=[0-9.]*[1-9])[0-9]{0,9}[.]?[0-9]{1,9} *([kmgt]i?b|%)", re.I)


@contextmanager
def open_engine(
    log: object, backend: object = "duckdb", memory: object = None, spill: str | Path | None = None
) -> Iterator[Engine]:
    """Yield the engine to mine a log on; close it when the block ends.

    A table is mined on the connection that it belongs to, unless another backend is chosen.

    Args:
        log, backend, memory, spill: see `mine_log`.
    """
    if hasattr(log, "get_backend") and backend == "duckdb":  # a table, and the default backend
        backend = log.get_backend()

    if backend == "duckdb":  # our own, which needs a folder for what does not fit into memory
        with make_spill_folder(spill) as folder, choose_engine(backend, memory, folder) as engine:
            yield engine
    else:
        with choose_engine(backend, memory, spill) as engine:
            yield engine


def choose_engine(
    backend: object = "duckdb", memory: object = None, spill: str | Path | None = None
) -> Engine:
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
    has_limits = memory is not None or bool(spill)
    if has_limits and backend != "duckdb":
        raise ValueError(
            f"memory={memory!r}, spill={spill!r} are for backend='duckdb'; configure the session "
            f"or connection itself for {backend!r}."
        )
    if memory is not None and not MEMORY_AMOUNT.fullmatch(str(memory).strip()):
        raise ValueError(
            f"memory={memory!r} is no amount of memory: expected a number above 0 with its unit, "
            "as in '700MB', '2GB' or '50%'."
        )

    if backend == "duckdb":
        return _start_duckdb(memory, spill)
    if backend == "pyspark":
        session = start_spark("backend='pyspark'")
        return SparkEngine(ibis.pyspark.connect(session))
    return _take_connection(backend)


def _start_duckdb(memory: object, spill: str | Path | None) -> DuckDBEngine:
    """Return an engine on a DuckDB of our own, with limits if they are not None."""
    limits: dict[str, str] = {}
    if memory is not None:
        limits["memory_limit"] = str(memory)
    if spill:
        limits["temp_directory"] = str(spill)

    connection = ibis.duckdb.connect(preserve_insertion_order=False, **limits)
    connection.raw_sql("SET enable_progress_bar = false")  # on in notebooks, between ours
    return DuckDBEngine(connection, is_ours=True, spill=spill)


def _take_connection(backend: object) -> Engine:
    """Return an engine on the user's Ibis connection; ValueError if `backend` is none."""
    is_connection = hasattr(backend, "to_pyarrow")
    backend_name = getattr(backend, "name", None)
    if is_connection and backend_name == "duckdb":
        return DuckDBEngine(backend)
    if is_connection and backend_name == "pyspark":
        return SparkEngine(backend)

    raise ValueError(
        f"{backend!r} is no backend: expected 'duckdb', 'pyspark', or an Ibis connection to one of "
        "them (ibis.duckdb.connect(), ibis.pyspark.connect(session))."
    )

"""The engines that logs are mined on: how they read and keep differs, nothing else does.

Conventions: an engine has `first_lines(file, count)`; `lines(files, through, schema)`,
`parquet(files)` and `arrow(table)`, which give Ibis tables; `microseconds(column)` of timestamps;
`keep(table)`, which computes a table once, to be asked several times; and `explained(error)`, which
says of an error of the engine what is wrong with log or disk. It is a context, or is closed by
`close()`. Everything between is Ibis, written once.
"""

import os
import re
import sys
from contextlib import contextmanager, nullcontext

MEMORY = re.compile(r"([0-9]{0,9}[.]?[0-9]{1,9}) *([kmgt]i?b|%)", re.I)


def engine_of(backend="duckdb", memory=None, spill=None):
    """The engine that `backend` names.

    Args:
        backend: "duckdb"; "pyspark", for the Spark session of this process (a local one where there
            is none); or an Ibis connection to either, which stays open and as it is set up.
        memory: most memory that our own DuckDB takes for data, such as "700MB"; about 150 MB for
            everything else come on top.
        spill: folder to which it writes what does not fit.

    Raises:
        ValueError: another backend, limits for one that is not ours to limit, or a `memory` that
            is no size.
        ImportError: the extra `logs` or `spark` is not installed.
    """
    from ._ibis import ibis
    from .on_duckdb import DuckDB
    from .on_spark import Spark

    if (memory is not None or spill) and backend != "duckdb":
        raise ValueError(
            f"memory={memory!r}, spill={spill!r} are for backend='duckdb'; set up the session or "
            f"connection itself for {backend!r}."
        )
    size = MEMORY.fullmatch(str(memory).strip())
    if memory is not None and not (size and float(size[1])):
        raise ValueError(
            f"memory={memory!r} is no amount of memory: expected a number above 0 with its unit, "
            "as in '700MB', '2GB' or '50%'."
        )
    if backend == "duckdb":
        limits = {"memory_limit": memory, "temp_directory": spill and str(spill)}
        limits = {name: value for name, value in limits.items() if value}
        connection = ibis.duckdb.connect(preserve_insertion_order=False, **limits)
        return DuckDB(connection, own=True, spill=spill)
    if backend == "pyspark":
        backend = ibis.pyspark.connect(spark_session("backend='pyspark'"))
    engines = {"duckdb": DuckDB, "pyspark": Spark}
    if getattr(backend, "name", None) in engines and hasattr(backend, "to_pyarrow"):
        return engines[backend.name](backend)
    raise ValueError(
        f"{backend!r} is no backend: expected 'duckdb', 'pyspark', or an Ibis connection to one of "
        "them (ibis.duckdb.connect(), ibis.pyspark.connect(session))."
    )


@contextmanager
def open_engine(log, backend="duckdb", memory=None, spill=None):
    """The engine for a log, which may be a table of its own; for our DuckDB, with a spill folder.

    Args:
        log, backend, memory, spill: see `mine_log`.
    """
    from .on_duckdb import spill_folder

    if hasattr(log, "get_backend") and backend == "duckdb":
        backend = log.get_backend()
    folder = spill_folder(spill) if backend == "duckdb" else nullcontext(spill)
    with folder as spill, engine_of(backend, memory, spill) as engine:
        yield engine


def spark_session(needed_by):
    """The SparkSession of this process, a local one where there is none.

    Raises:
        ImportError: the extra `spark` is not installed.
    """
    # the interpreter of Spark's workers; what the user has set stays
    os.environ.setdefault("PYSPARK_PYTHON", sys.executable)
    try:
        from pyspark.sql import SparkSession
    except ImportError as error:
        raise ImportError(f'{needed_by} needs pip install "pyterrier-scholarly[spark]"') from error
    return SparkSession.builder.getOrCreate()

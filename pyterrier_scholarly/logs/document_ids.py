"""The documents that a log is restricted to, as a table of their ids.

    kept_ids = read_ids("ids.txt", engine)

Ids are texts; the table has one column, `only`.
"""

from collections.abc import Iterable, Iterator
from itertools import islice
from numbers import Integral
from pathlib import Path
from typing import TypeAlias

import pyarrow as pa

from .log_engine import Engine, count_rows, ibis
from .log_files import File, is_remote

Ids: TypeAlias = File | Iterable[str | int]

IDS_AT_ONCE = 1 << 16  # as Python's objects in memory


def read_ids(ids: Ids, engine: Engine) -> ibis.Table:
    """Return the distinct ids of a set of documents, as a table of texts, `only`.

    ids: path of a text file with an id per line (also gzipped), or an iterable of ids.

    Raises:
        FileNotFoundError: the file is missing.
        ValueError: an id is neither text nor whole number, or there is no id.
    """
    if isinstance(ids, (str, Path)):
        table = _read_file(ids, engine)
    else:
        table = engine.arrow(_collect_ids(ids))

    distinct_ids = engine.keep(table.select(only=table.only.strip()).distinct())
    if count_rows(distinct_ids) == 0:
        raise ValueError(
            f"only={ids!r} has no document id: expected at least one. Leave `only` out to keep "
            "all documents."
        )
    return distinct_ids


def _read_file(file: File, engine: Engine) -> ibis.Table:
    """Return a text file's lines as a table of `only`."""
    if not is_remote(file) and not Path(file).is_file():
        raise FileNotFoundError(
            f"only={str(file)!r} is no file: expected one with a document id per line. Pass "
            f"ids as a list, [{str(file)!r}]."
        )

    engine.first_lines(file, 1)  # refuses a file whose line ends are not understood
    return engine.lines([file]).rename(only="line")


def _collect_ids(ids: Iterable[str | int]) -> pa.Table:
    """Return ids as an Arrow table of `only`; only some at a time are Python's objects."""
    if hasattr(ids, "columns") or not hasattr(ids, "__iter__"):
        raise ValueError(
            f"only={ids!r}: expected document ids in a list, set or Series, or the path of a file "
            "with one per line. Of a table, pass the column of ids."
        )

    texts = _convert_ids(ids)
    arrays: list[pa.Array] = []
    while True:
        array = pa.array(islice(texts, IDS_AT_ONCE), pa.string())
        if len(array) == 0:
            break
        arrays.append(array)
    return pa.table({"only": pa.chunked_array(arrays, pa.string())})


def _convert_ids(ids: Iterable[str | int]) -> Iterator[str]:
    """Yield the ids as texts; ValueError for one that is neither text nor whole number."""
    for doc_id in ids:
        is_whole_number = isinstance(doc_id, Integral) and not isinstance(doc_id, bool)
        if not isinstance(doc_id, str) and not is_whole_number:
            raise ValueError(
                f"only has the document id {doc_id!r}, of type {type(doc_id).__name__}: expected "
                "texts or whole numbers. Drop it, or write it as the log does."
            )
        yield str(doc_id)

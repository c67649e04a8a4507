"""A log restricted to a set of documents."""

from itertools import islice
from numbers import Integral
from pathlib import Path

import pyarrow as pa

from ._ibis import ibis
from .fields import cleaned
from .outcomes import KEPT, OTHER

BLOCK = 1 << 16  # ids at a time: a stream of them is never a list


def ids_of(only, engine):
    """The different ids of a set of documents, as a table of the texts `only`; see `mine_log`.

    Args:
        only: path of a text file with an id a line (also gzipped), or an iterable of ids.
        engine: see `engines`.

    Raises:
        FileNotFoundError: there is no such file.
        ValueError: an id is neither a text nor a whole number, or there is none.
    """
    if isinstance(only, (str, Path)):
        if "://" not in str(only) and not Path(only).is_file():
            raise FileNotFoundError(
                f"only={str(only)!r} is no file: expected one with a document id per line. Pass "
                f"ids as a list, [{str(only)!r}]."
            )
        file = only if "://" in str(only) else Path(only)
        ids = cleaned(engine.lines([file])).rename(only="line")
    else:
        ids = engine.arrow(_arrow(only))
    ids = engine.keep(ids.select(only=ids.only.strip()).distinct())
    if not ids.count().to_pyarrow().as_py():
        raise ValueError(
            f"only={only!r} has no document id: expected at least one. Leave `only` out to keep "
            "all documents."
        )
    return ids


def restricted(rows, ids):
    """`rows`, see `read_rows`, with the reason OTHER where the document is not among `ids`."""
    found = rows.left_join(ids, rows.doc.cast("string") == ids.only)
    other = (found.reason == KEPT) & found.only.isnull()
    reason = ibis.ifelse(other, ibis.literal(OTHER, "int8"), found.reason)
    return found.select("user", "time", "doc", reason=reason)


def _arrow(only):
    if hasattr(only, "columns") or not hasattr(only, "__iter__"):
        raise ValueError(
            f"only={only!r}: expected document ids in a list, set or Series, or the path of a file "
            "with one per line. Of a table, pass the column of ids."
        )
    ids, blocks = iter(only), []
    while block := [_text(one) for one in islice(ids, BLOCK)]:
        blocks.append(pa.array(block, pa.string()))
    return pa.table({"only": pa.chunked_array(blocks, pa.string())})


def _text(one):
    if isinstance(one, str) or (isinstance(one, Integral) and not isinstance(one, bool)):
        return str(one)
    raise ValueError(
        f"only has the document id {one!r}, of type {type(one).__name__}: expected texts or whole "
        "numbers. Drop it, or write it as the log does."
    )

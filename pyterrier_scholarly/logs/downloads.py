"""Rows of a log: user, time, document, and the reason why a line is dropped."""

from collections.abc import Iterable, Mapping
from functools import partial
from itertools import islice
from numbers import Integral
from pathlib import Path
from typing import TypeAlias

import pyarrow as pa

from . import fields, log_files, mining_summary, times
from .backends import Engine, ibis

#: Python's blanks: in an id they would split a line of a TREC file
BLANKS = "[\t-\r\x1c- \x85\xa0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000]"

Log: TypeAlias = log_files.File | Iterable[log_files.File] | ibis.Table
Ids: TypeAlias = log_files.File | Iterable[str | int]


def read_rows(
    log: Log,
    engine: Engine,
    given: Mapping[str, log_files.Column],
    form: str | None = None,
    time_form: str = "auto",
    since: int | None = None,
    until: int | None = None,
    only: ibis.Table | None = None,
) -> tuple[ibis.Table, Mapping[str, log_files.Column]]:
    """Return a table with a row per line that is not blank, and the log's columns by name or place.

    The table has `user` and `doc` (texts without blanks around them, or whole numbers), `time`
    (microseconds, see `times`) and `reason` (a code of `summary.REASONS`; KEPT for a download).

    Args:
        log: path or paths (see `files.files_of`), or an Ibis table of the engine's connection.
        given: dict from ``"user"``, ``"time"``, ``"doc"`` to a column's name, a place, or None.
        form: one of `files.FORMS`; None: by the files' names.
        time_form: one of `files.TIME_FORMS`.
        since, until: `times.instant`s, or None.
        only: table of the documents to keep, see `ids_of`; None: all.
    """
    raw, columns, rereadable = _raw(log, engine, given, form)
    user, doc, time = _id(raw.user, "user"), _id(raw.doc, "doc"), _stripped(raw.time)
    instants = times.microseconds(time, time_form, engine)
    raw = raw.select("broken", user=user, doc=doc, time=instants, time_text=time)
    rows = raw.select("user", "time", "doc", reason=_reason(raw, since, until).cast("int8"))
    rows = rows if only is None else _restricted(rows, only)
    # lines can be read only once, and are slow to parse
    return (rows if rereadable else engine.keep(rows)), columns


def _raw(
    log: Log, engine: Engine, given: Mapping[str, log_files.Column], form: str | None
) -> tuple[ibis.Table, Mapping[str, log_files.Column], bool]:
    """Return (table of user, time, doc and broken; its columns; whether it can be read again)."""
    if isinstance(log, ibis.Table):
        table = log
    else:
        paths = log_files.files_of(log)
        form = log_files.form_of(paths, form)
        if form == "jsonl":
            names = log_files.json_names(paths, given, engine.first_lines)
            through = partial(fields.json_fields, [str(name) for name in names.values()])
            return engine.lines(paths, through, fields.SCHEMA), names, False
        if form != "parquet":
            header = fields.header_of(paths, form, given, engine.first_lines)
            lines = fields.cleaned(engine.lines(paths))
            return (
                fields.separated(lines, log_files.SEPARATORS[form], *header[1:]),
                header[0],
                False,
            )
        table = engine.parquet(paths)
    columns = log_files.columns_of(table.columns, given)
    return (
        table.select(**columns).mutate(broken=ibis.literal(mining_summary.KEPT, "int8")),
        columns,
        True,
    )


def _stripped(column: ibis.Value) -> ibis.Value:
    return column.strip().nullif("") if column.type().is_string() else column


def _id(column: ibis.Value, what: str) -> ibis.Value:
    if column.type().is_string() or column.type().is_integer():
        return _stripped(column)
    raise ValueError(
        f"the {what} is of type {column.type()}: expected texts or whole numbers. Cast the column, "
        f"or name another one with {what}=."
    )


def _reason(raw: ibis.Table, since: int | None, until: int | None) -> ibis.Value:
    never = ibis.literal(False)
    return ibis.cases(
        (raw.broken != mining_summary.KEPT, raw.broken),
        (raw.user.isnull(), mining_summary.NO_USER),
        (raw.doc.isnull(), mining_summary.NO_DOCUMENT),
        (raw.doc.re_search(BLANKS) if raw.doc.type().is_string() else never, mining_summary.BLANK),
        (raw.time_text.isnull(), mining_summary.NO_TIME),
        (raw.time.isnull(), mining_summary.BAD_TIME),
        (raw.time < since if since is not None else never, mining_summary.EARLY),
        (raw.time > until if until is not None else never, mining_summary.LATE),
        else_=mining_summary.KEPT,
    )


def ids_of(only: Ids, engine: Engine) -> ibis.Table:
    """Return the distinct ids of a set of documents, as a table of the texts `only`.

    only: path of a text file with an id per line (also gzipped), or an iterable of ids.

    Raises:
        FileNotFoundError: the file is missing.
        ValueError: an id is neither text nor whole number, or there is no id.
    """
    if isinstance(only, (str, Path)):
        if "://" not in str(only) and not Path(only).is_file():
            raise FileNotFoundError(
                f"only={str(only)!r} is no file: expected one with a document id per line. Pass "
                f"ids as a list, [{str(only)!r}]."
            )
        engine.first_lines(only, 1)  # refuses a file whose line ends are not understood
        ids = fields.cleaned(engine.lines([only])).rename(only="line")
    else:
        ids = engine.arrow(_arrow(only))
    ids = engine.keep(ids.select(only=ids.only.strip()).distinct())
    if not ids.count().to_pyarrow().as_py():
        raise ValueError(
            f"only={only!r} has no document id: expected at least one. Leave `only` out to keep "
            "all documents."
        )
    return ids


def _restricted(rows: ibis.Table, ids: ibis.Table) -> ibis.Table:
    """Set the reason OTHER where the document is not among `ids`."""
    joined = rows.left_join(ids, rows.doc.cast("string") == ids.only)
    other = (joined.reason == mining_summary.KEPT) & joined.only.isnull()
    reason = ibis.ifelse(other, ibis.literal(mining_summary.OTHER, "int8"), joined.reason)
    return joined.select("user", "time", "doc", reason=reason)


def _arrow(only: Iterable[str | int]) -> pa.Table:
    if hasattr(only, "columns") or not hasattr(only, "__iter__"):
        raise ValueError(
            f"only={only!r}: expected document ids in a list, set or Series, or the path of a file "
            "with one per line. Of a table, pass the column of ids."
        )
    ids, blocks = iter(only), []
    while block := [_text(doc_id) for doc_id in islice(ids, 1 << 16)]:  # never a whole list
        blocks.append(pa.array(block, pa.string()))
    return pa.table({"only": pa.chunked_array(blocks, pa.string())})


def _text(doc_id: object) -> str:
    if isinstance(doc_id, str) or (isinstance(doc_id, Integral) and not isinstance(doc_id, bool)):
        return str(doc_id)
    raise ValueError(
        f"only has the document id {doc_id!r}, of type {type(doc_id).__name__}: expected texts or "
        "whole numbers. Drop it, or write it as the log does."
    )

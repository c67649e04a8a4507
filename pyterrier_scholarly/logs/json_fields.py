"""Fields of JSON lines, read by one Python function on every engine.

    parse = partial(parse_batches, LogColumns("user", "time", "doc"))
    fields = engine.parse_lines(["log.jsonl"], parse, FIELDS_SCHEMA)

Python parses, because the engines disagree on JSON: DuckDB accepts NaN and rewrites 1.58e9.
"""

import json
from collections.abc import Iterable, Iterator
from typing import NamedTuple

import pyarrow as pa

from .log_columns import LogColumns
from .log_lines import BROKEN_UTF8, BYTE_ORDER_MARK
from .mining_codes import Reason

FIELDS_SCHEMA = pa.schema(
    [
        ("user", pa.string()),
        ("time", pa.string()),
        ("doc", pa.string()),
        ("form_reason", pa.int8()),  # a Reason, KEPT if the line is well-formed
    ]
)


class _Fields(NamedTuple):
    """The fields of a line, None if they are missing, or neither text nor number."""

    user: str | None
    time: str | None
    doc: str | None
    form_reason: Reason


def parse_batches(
    columns: LogColumns, batches: Iterable[pa.RecordBatch]
) -> Iterator[pa.RecordBatch]:
    """Yield the fields of each batch of JSON lines as a batch of FIELDS_SCHEMA.

    Blank lines are skipped. Numbers stay as written.

    Args:
        columns: the names of the fields in the JSON objects.
        batches: with a column `line`.
    """
    for batch in batches:
        lines = batch["line"].to_pylist()
        rows = [_parse_line(line, columns) for line in lines if line.strip()]
        arrays = [
            pa.array([row.user for row in rows], pa.string()),
            pa.array([row.time for row in rows], pa.string()),
            pa.array([row.doc for row in rows], pa.string()),
            pa.array([row.form_reason.value for row in rows], pa.int8()),
        ]
        yield pa.record_batch(arrays, FIELDS_SCHEMA)


def _parse_line(line: str, columns: LogColumns) -> _Fields:
    """Return the fields of one line, or the reason why it is broken."""
    if BROKEN_UTF8 in line:
        return _Fields(None, None, None, Reason.ENCODING)

    try:
        row = _parse_object(line)
        user = _text_or_none(row.get(columns.user))
        time = _text_or_none(row.get(columns.time))
        doc = _text_or_none(row.get(columns.doc))
    except (ValueError, RecursionError):
        return _Fields(None, None, None, Reason.JSON)

    return _Fields(user, time, doc, Reason.KEPT)


def _parse_object(line: str) -> dict:
    """Return a line's JSON object, with its numbers as texts; ValueError if it is none."""
    row = json.loads(
        line.lstrip(BYTE_ORDER_MARK),
        parse_int=str,
        parse_float=str,
        parse_constant=int,  # which raises for NaN
    )
    if not isinstance(row, dict):
        raise ValueError("the line is no JSON object")
    return row


def _text_or_none(value: object) -> str | None:
    """Return a text, or None for another value; ValueError for half a surrogate pair."""
    if not isinstance(value, str):
        return None
    value.encode()  # raises for half a surrogate pair, which Arrow cannot hold
    return value

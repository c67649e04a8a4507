"""Rows of a log: user, time, document, and the reason why a line is dropped.

    rows = read_rows("downloads.csv", engine, Reading(time_form="iso")).table
    downloads = rows.filter(rows.reason == Reason.KEPT.value)

Every line that is not blank is a row, also a broken one.
"""

from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass, field
from functools import partial
from typing import NamedTuple, TypeAlias

from ..text.nothing import MEANS_NOTHING
from .header_lines import read_header, sample_lines
from .json_fields import FIELDS_SCHEMA, parse_batches
from .log_columns import LogColumns, choose_columns, choose_json_columns
from .log_engine import Engine, ibis
from .log_files import File, LogForm, list_files, recognise_form
from .mining_codes import Reason
from .separated_fields import split_fields
from .times import convert_times

#: in which databases and programs put what stands for no value
WRAPPINGS = ("{}", "{}.", "({})", "[{}]", "<{}>", '"{}"', "'{}'")
#: what is no id, in lower case: NULL, NA, - and the like
NO_IDS = [wrapping.format(text) for text in MEANS_NOTHING for wrapping in WRAPPINGS]
#: Python's blanks: in an id they would split a line of a TREC file
BLANKS = "[\t-\r\x1c- \x85\xa0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000]"

Log: TypeAlias = File | Iterable[File] | ibis.Table


@dataclass(frozen=True)
class Reading:
    """How a log is read.

    Attributes:
        columns: of user, time and document; None for those to be recognised.
        time_form: one of `instants.TIME_FORMS`.
        since, until: instants outside of which rows are dropped, or None.
    """

    columns: LogColumns = field(default_factory=LogColumns)
    time_form: str = "auto"
    since: int | None = None
    until: int | None = None


USUAL_READING = Reading()  # columns by their names, times of any form, no limits


class LogRows(NamedTuple):
    """The rows of a log.

    Attributes:
        table: a row per line that is not blank: `user` and `doc` (texts without blanks around them,
            or whole numbers), `time` (microseconds, see `times`) and `reason` (a `Reason`).
        columns: of the log, by name or position.
    """

    table: ibis.Table
    columns: LogColumns


class _RawRows(NamedTuple):
    """What a log's lines hold, before it is checked.

    Attributes:
        table: `user`, `time` and `doc` as they are stored, and `form_reason`: the `Reason` why a
            line is broken, or `Reason.KEPT`.
        columns: of the log, by name or position.
        is_rereadable: whether the table can be read more than once.
    """

    table: ibis.Table
    columns: LogColumns
    is_rereadable: bool


def read_rows(
    log: Log, engine: Engine, reading: Reading = USUAL_READING, kept_ids: ibis.Table | None = None
) -> LogRows:
    """Return a log's downloads, each with the reason to drop it, or `Reason.KEPT`.

    Args:
        log: path or paths (see `list_files`), or an Ibis table of the engine's connection.
        reading: columns, form of times, limits.
        kept_ids: table of the documents to keep, see `read_ids`; None: all.
    """
    raw = _read_raw(log, engine, reading.columns)

    time_text = _strip(raw.table.time)
    cleaned = raw.table.select(
        "form_reason",
        user=_strip_id(raw.table.user, "user"),
        doc=_strip_id(raw.table.doc, "doc"),
        time=convert_times(time_text, reading.time_form, engine),
        time_text=time_text,
    )

    reason = _find_reason(cleaned, reading)
    rows = cleaned.select("user", "time", "doc", reason=reason)
    if kept_ids is not None:
        rows = _drop_other_documents(rows, kept_ids)

    # parsed lines cannot be read twice on every engine, and to parse them again would be slow
    if not raw.is_rereadable:
        rows = engine.keep(rows)
    return LogRows(rows, raw.columns)


def _read_raw(log: Log, engine: Engine, wanted: LogColumns) -> _RawRows:
    """Return what the lines of a log hold."""
    if isinstance(log, ibis.Table):
        return _read_table(log, wanted)

    files = list_files(log)
    form = recognise_form(files)
    if form is LogForm.PARQUET:
        return _read_table(engine.parquet(files), wanted)
    if form is LogForm.JSONL:
        return _read_json(files, engine, wanted)
    return _read_separated(files, form, engine, wanted)


def _read_table(table: ibis.Table, wanted: LogColumns) -> _RawRows:
    """Return the columns of a table that hold user, time and document, as `_RawRows`.

    A table has no broken lines, so that the `form_reason` of each row is `Reason.KEPT`.
    """
    columns = choose_columns(table.columns, wanted)
    rows = table.select(**asdict(columns))
    rows = rows.mutate(form_reason=ibis.literal(Reason.KEPT.value, "int8"))
    return _RawRows(rows, columns, is_rereadable=True)


def _read_json(files: Sequence[File], engine: Engine, wanted: LogColumns) -> _RawRows:
    """Return the fields of JSON lines."""
    columns = choose_json_columns(sample_lines(files, engine), wanted)
    parse = partial(parse_batches, columns)
    rows = engine.parse_lines(files, parse, FIELDS_SCHEMA)
    return _RawRows(rows, columns, is_rereadable=False)


def _read_separated(
    files: Sequence[File], form: LogForm, engine: Engine, wanted: LogColumns
) -> _RawRows:
    """Return the fields of CSV or TSV lines."""
    header = read_header(files, form, wanted, engine)
    rows = split_fields(engine.lines(files), form, header)
    return _RawRows(rows, header.columns, is_rereadable=False)


def _strip_id(column: ibis.Value, role: str) -> ibis.Value:
    """Remove blanks around ids; what stands for no value (NULL, NA, -) becomes null.

    Raises ValueError for a column of neither texts nor whole numbers.
    """
    kind = column.type()
    if not kind.is_string() and not kind.is_integer():
        raise ValueError(
            f"the {role} is of type {kind}: expected texts or whole numbers. Cast the column, or "
            f"name another one with {role}=."
        )
    if not kind.is_string():
        return column
    stripped = column.strip()
    is_no_id = stripped.lower().isin(NO_IDS)
    return ibis.ifelse(is_no_id, ibis.null("string"), stripped)


def _strip(column: ibis.Value) -> ibis.Value:
    """Remove blanks around texts; what is left empty becomes null."""
    if not column.type().is_string():
        return column
    return column.strip().nullif("")


def _find_reason(rows: ibis.Table, reading: Reading) -> ibis.Value:
    """Return the first reason why a row is dropped, or `Reason.KEPT`.

    rows: `form_reason` (the `Reason` why the line is broken, or KEPT), `user`, `doc`, `time`
        (microseconds; null if not understood) and `time_text` (as it was written).
    """
    never = ibis.literal(False)
    is_broken = rows.form_reason != Reason.KEPT.value
    has_blank = rows.doc.re_search(BLANKS) if rows.doc.type().is_string() else never
    is_early = never if reading.since is None else rows.time < reading.since
    is_late = never if reading.until is None else rows.time > reading.until

    reason = ibis.cases(
        (is_broken, rows.form_reason),
        (rows.user.isnull(), Reason.NO_USER.value),
        (rows.doc.isnull(), Reason.NO_DOCUMENT.value),
        (has_blank, Reason.BLANK.value),
        (rows.time_text.isnull(), Reason.NO_TIME.value),
        (rows.time.isnull(), Reason.BAD_TIME.value),
        (is_early, Reason.EARLY.value),
        (is_late, Reason.LATE.value),
        else_=Reason.KEPT.value,
    )
    return reason.cast("int8")


def _drop_other_documents(rows: ibis.Table, kept_ids: ibis.Table) -> ibis.Table:
    """Give downloads of other documents than `kept_ids` a reason to drop them.

    A download that is dropped for another reason keeps that one.

    kept_ids: table of `only`, the ids of the documents.
    """
    # a download of another document has no partner, so its `only` is null
    is_same_document = rows.doc.cast("string") == kept_ids.only
    joined = rows.left_join(kept_ids, is_same_document)
    is_other_document = joined.only.isnull()

    is_kept_so_far = joined.reason == Reason.KEPT.value
    other_document = ibis.literal(Reason.OTHER_DOCUMENT.value, "int8")
    reason = ibis.ifelse(is_kept_so_far & is_other_document, other_document, joined.reason)
    return joined.select("user", "time", "doc", reason=reason)

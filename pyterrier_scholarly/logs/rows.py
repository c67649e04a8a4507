"""The rows of a log, whatever it is made of: user, time, document, and why a line is none."""

from datetime import datetime, timedelta, timezone
from functools import partial

from . import forms, outcomes, times
from ._ibis import ibis
from .fields import SCHEMA, cleaned, json_fields, separated
from .restriction import restricted

#: what Python takes for a blank: in an id it would split the lines of a TREC file
BLANKS = "[\t-\r\x1c- \x85\xa0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000]"


def read_rows(log, engine, given, form=None, time_form="auto", since=None, until=None, only=None):
    """A table with a row for each line that is not blank, or each row of a table.

    Columns: `user` and `doc` (texts without blanks around them, or whole numbers), `time`
    (microseconds, see `times`) and `reason` (a code of `outcomes`: KEPT, or why it is no row).

    Args:
        log: path or paths (see `forms.files_of`), or an Ibis table of the engine's connection.
        engine: see `engines`.
        given: dict of ``"user"``, ``"time"``, ``"doc"`` to a column's name, a place, or None.
        form: one of `forms.FORMS`; None: by the files' names.
        time_form: one of `choices.TIME_FORMS`.
        since, until: `instant`s, or None.
        only: table of the documents to keep, see `restriction.ids_of`; None: all.

    Returns:
        (table, columns): the latter a dict from ``"user"`` and so on to a name or place.
    """
    times.check_form(time_form)
    raw, columns, again = _raw(log, engine, given, form)
    user, doc, time = _identity(raw.user, "user"), _identity(raw.doc, "doc"), _stripped(raw.time)
    raw = raw.select(
        "broken", user=user, doc=doc, time=times.microseconds(time, time_form, engine), said=time
    )
    rows = raw.select("user", "time", "doc", reason=_reason(raw, since, until).cast("int8"))
    rows = rows if only is None else restricted(rows, only)
    # lines are gone through once, and dear to take apart
    return (rows if again else engine.keep(rows)), columns


def instant(time):
    """Microseconds since 1970 of a datetime or an ISO text, in UTC where there is no offset."""
    try:
        text = isinstance(time, str)
        moment = datetime.fromisoformat(time.replace("Z", "+00:00")) if text else time
        moment = moment if moment.tzinfo else moment.replace(tzinfo=timezone.utc)
    except (ValueError, AttributeError):
        raise ValueError(
            f"{time!r} is no time: expected a datetime, or a text like 2020-03-08T02:30:00+01:00."
        ) from None
    since = moment - datetime(1970, 1, 1, tzinfo=timezone.utc)
    return since // timedelta(microseconds=1)


def _raw(log, engine, given, form):
    """(Table of user, time, doc, broken; which columns these are; whether it can be read again)."""
    if isinstance(log, ibis.Table):
        return *_of_table(log, given), True
    files = forms.files_of(log)
    form = forms.form_of(files, form)
    if form == "parquet":
        return *_of_table(engine.parquet(files), given), True
    if form == "jsonl":
        names = forms.json_names(files, given, engine.first_lines)
        through = partial(json_fields, list(names.values()))
        return engine.lines(files, through, SCHEMA), names, False
    columns, places, width, header = forms.header_of(files, form, given, engine.first_lines)
    lines = cleaned(engine.lines(files))
    return separated(lines, forms.SEPARATORS[form], places, width, header), columns, False


def _of_table(table, given):
    columns = forms.columns_of(table.columns, given)
    values = {what: table[name] for what, name in columns.items()}
    return table.select(**values, broken=ibis.literal(outcomes.KEPT, "int8")), columns


def _stripped(column):
    return column.strip().nullif("") if column.type().is_string() else column


def _identity(column, what):
    if column.type().is_string() or column.type().is_integer():
        return _stripped(column)
    raise ValueError(
        f"the {what} is of type {column.type()}: expected texts or whole numbers; cast the column, "
        "or say which one it is."
    )


def _reason(raw, since, until):
    never = ibis.literal(False)
    return ibis.cases(
        (raw.broken != outcomes.KEPT, raw.broken),
        (raw.user.isnull(), outcomes.NO_USER),
        (raw.doc.isnull(), outcomes.NO_DOCUMENT),
        (raw.doc.re_search(BLANKS) if raw.doc.type().is_string() else never, outcomes.BLANK),
        (raw.said.isnull(), outcomes.NO_TIME),
        (raw.time.isnull(), outcomes.BAD_TIME),
        (raw.time < since if since is not None else never, outcomes.EARLY),
        (raw.time > until if until is not None else never, outcomes.LATE),
        else_=outcomes.KEPT,
    )

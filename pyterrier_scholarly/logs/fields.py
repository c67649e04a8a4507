"""Fields of a log's lines: CSV and TSV by Ibis, JSON by one function on every engine, and times.

Each line stands for itself: a broken line is marked with its reason and costs no other line.

Times become microseconds since 1970 in UTC, the same on every engine and machine. Accepted texts:

- ISO 8601 with date and time of day (``2020-03-08T02:30:00.25+05:30``). A blank may replace the T.
  Seconds, fraction and offset are optional; without an offset the time is UTC.
- Seconds or milliseconds since 1970, with or without a fraction. A number of 9 or 10 digits before
  the point (1973 to 2286) is in seconds, of 12 or 13 in milliseconds. If the form is given, a
  number from 0, of at most 11 or 14 digits before the point, has that form.

All else is malformed: dates alone, times of day alone, other notations. Fractions are truncated to
microseconds.
"""

import json
from collections.abc import Iterable, Iterator, Sequence
from typing import NoReturn

import pyarrow as pa

from .backends import Engine, ibis
from .files import SECOND, TIME_FORMS

REASONS = (
    "kept", "header line", "not UTF-8", "quotation mark", "number of fields", "not a JSON object",
    "no user", "no document", "blank in a document id", "no time", "time not understood",
    "time before `since`", "time after `until`", "document not in `only`",
)  # fmt: skip
"""Why a line is dropped, by its code."""
(
    KEPT, HEADER, ENCODING, QUOTATION, FIELDS, JSON, NO_USER, NO_DOCUMENT, BLANK, NO_TIME,
    BAD_TIME, EARLY, LATE, OTHER,
) = range(len(REASONS))  # fmt: skip

TEXTS = ("user", "time", "doc")
SCHEMA = pa.schema([*((name, pa.string()) for name in TEXTS), ("broken", pa.int8())])
_QUOTED = '"[^"]*(?:""[^"]*)*"'

MICROSECONDS = {"second": SECOND, "millisecond": SECOND // 1_000}
DAY = 86_400 * SECOND
_HOUR, _MINUTE = "([01][0-9]|2[0-3])", "[0-5][0-9]"
ISO = (
    "^[1-9][0-9]{3}-[0-9]{2}-[0-9]{2}[T ]"
    f"{_HOUR}:{_MINUTE}(:{_MINUTE}([.,][0-9]{{1,9}})?)?(Z|[+-]{_HOUR}(:?{_MINUTE})?)?\\z"
)
FRACTION = "([.][0-9]+)?\\z"  # $ would accept a line separator at the end on some engines
#: form -> (smallest and largest number of digits before the point) of seconds and milliseconds
DIGITS = {
    "auto": {"second": (9, 10), "millisecond": (12, 13)},
    "iso": {},
    "seconds": {"second": (1, 11)},
    "milliseconds": {"millisecond": (1, 14)},
}


def separated(
    lines: ibis.Table, separator: str, places: Sequence[int], width: int, header: str | None
) -> ibis.Table:
    """Split lines of CSV or TSV into the columns `user`, `time`, `doc` and `broken`.

    A quoted field begins and ends with a quotation mark, and doubles those inside. Other fields
    have none.

    Args:
        lines: a table with the column `line`.
        separator: a comma or a tab.
        places: where the user, the time and the document are, from 0.
        width: the number of fields.
        header: the header line, dropped wherever it occurs; None if there is none.
    """
    line = lines.line
    plain = f'[^"{separator}]*'
    field = f"(?:{_QUOTED}|{plain})"
    quoted = line.contains('"')
    # padded, so that no engine fails where a short line lacks a field
    bare = (line + separator * width).split(separator)
    well_quoted = line.re_search(f"^{field}(?:{separator}{field})*\\z")
    complete = line.re_search(f"^{field}(?:{separator}{field}){{{width - 1}}}\\z")
    broken = ibis.cases(
        (line.contains("\ufffd"), ENCODING),
        (line == header if header else ibis.literal(False), HEADER),
        (quoted & ~well_quoted, QUOTATION),
        (ibis.ifelse(quoted, ~complete, bare.length() != 2 * width), FIELDS),
        else_=KEPT,
    )

    def at(place: int) -> ibis.Value:
        before = f"^(?:{field}{separator}){{{place}}}({_QUOTED}|{plain})"
        return ibis.ifelse(quoted, _unquoted(line.re_extract(before, 1)), bare[place])

    return lines.select(
        broken=broken.cast("int8"), **{name: at(place) for name, place in zip(TEXTS, places)}
    )


def _unquoted(field: ibis.Value) -> ibis.Value:
    inner = field.substr(1, field.length() - 2).replace('""', '"')
    return ibis.ifelse(field.startswith('"'), inner, field)


def cleaned(lines: ibis.Table) -> ibis.Table:
    """Remove byte order marks, carriage returns and blank lines."""
    line = lines.line
    line = ibis.ifelse(line.startswith("\ufeff"), line.substr(1), line)
    line = ibis.ifelse(line.endswith("\r"), line.substr(0, line.length() - 1), line)
    lines = lines.select(line=line)
    return lines.filter(lines.line.strip() != "")


def json_fields(
    names: Sequence[str], batches: Iterable[pa.RecordBatch]
) -> Iterator[pa.RecordBatch]:
    """Yield batches of SCHEMA for batches of `line`; `names` are of user, time and document.

    Python parses on every engine, because the engines disagree on JSON: DuckDB accepts NaN and
    rewrites 1.58e9. A field is null if it is missing, or neither text nor number. Numbers stay as
    written. Blank lines are skipped.
    """
    for batch in batches:
        rows = [_fields(names, line) for line in batch["line"].to_pylist() if line.strip()]
        columns = zip(SCHEMA.types, zip(*rows) if rows else [()] * 4)
        yield pa.record_batch([pa.array(column, kind) for kind, column in columns], SCHEMA)


def _fields(names: Sequence[str], line: str) -> tuple[str | int | None, ...]:
    """Return user, time, document and the reason code of one line."""
    if "\ufffd" in line:
        return None, None, None, ENCODING
    try:
        row = json.loads(
            line.lstrip("\ufeff"), parse_int=str, parse_float=str, parse_constant=_refuse
        )
        values = [row.get(name) if isinstance(row, dict) else _refuse(row) for name in names]
        values = [value if isinstance(value, str) else None for value in values]
        "".join(filter(None, values)).encode()  # fails for half a surrogate pair
    except (ValueError, RecursionError):
        return None, None, None, JSON
    return *values, KEPT


def _refuse(value: object) -> NoReturn:
    raise ValueError(value)


def check_form(form: str) -> None:
    """Raise ValueError unless `form` is one of TIME_FORMS."""
    if form not in TIME_FORMS:
        raise ValueError(f"{form!r} is no form of times: expected one of {', '.join(TIME_FORMS)}.")


def microseconds(column: ibis.Value, form: str, engine: Engine) -> ibis.Value:
    """Convert texts, numbers or timestamps to int64 microseconds; null where malformed.

    Timestamps without a time zone are UTC.

    Raises:
        ValueError: a column of another type.
    """
    kind = column.type()
    # Ibis does not know DuckDB's timestamps of nanoseconds with a zone
    if kind.is_timestamp() or "TIMESTAMP" in str(kind):
        return engine.microseconds(column)
    if kind.is_string():
        return _of_text(column, form)
    if kind.is_integer() or kind.is_floating():
        return _of_number(column, form)
    raise ValueError(
        f"Times of type {kind} in column {column.get_name()!r}: expected timestamps, texts (ISO "
        "8601), or numbers of seconds or milliseconds."
    )


def _of_number(column: ibis.Value, form: str) -> ibis.Value:
    branches, whole = [], column.type().is_integer()
    for unit, (fewest, most) in DIGITS[form].items():
        fits = (column >= (0 if fewest == 1 else 10 ** (fewest - 1))) & (column < 10**most)
        value = (column.cast("int64") if whole else column) * MICROSECONDS[unit]
        # the same arithmetic rounds floats to whole microseconds on every engine
        branches.append((fits, (value if whole else (value + 0.5).floor()).cast("int64")))
    return ibis.cases(*branches) if branches else ibis.null("int64")


def _of_text(text: ibis.Value, form: str) -> ibis.Value:
    branches = [(text.re_search(ISO), _of_iso(text))] if form in ("auto", "iso") else []
    for unit, (fewest, most) in DIGITS[form].items():
        fits = text.re_search(f"^[0-9]{{{fewest},{most}}}{FRACTION}")
        whole = text.re_extract("^[0-9]+", 0).try_cast("int64") * MICROSECONDS[unit]
        branches.append((fits, whole + _fraction(text, len(str(MICROSECONDS[unit])) - 1)))
    return ibis.cases(*branches)


def _of_iso(text: ibis.Value) -> ibis.Value:
    """Convert a text that ISO matches; null for a day that does not exist."""
    day = text.substr(0, 10).try_cast("date").delta(ibis.date("1970-01-01"), unit="day")
    clock = _two_digits(text, 11) * 3600 + _two_digits(text, 14) * 60
    clock += ibis.ifelse(text.substr(16, 1) == ":", _two_digits(text, 17), 0)
    rest = text.substr(16)
    signed = rest.re_extract("[+-][0-9:]+\\z", 0)
    minutes = signed.replace(":", "").substr(3, 2)
    seconds = ibis.ifelse(minutes == "", 0, _two_digits(minutes, 0) * 60)
    offset = _two_digits(signed, 1) * 3600 + seconds
    offset = ibis.cases(
        (signed.startswith("+"), offset), (signed.startswith("-"), -offset), else_=0
    )
    return day * DAY + (clock - offset) * SECOND + _fraction(rest, 6)


def _two_digits(text: ibis.Value, start: int) -> ibis.Value:
    return text.substr(start, 2).try_cast("int64")


def _fraction(text: ibis.Value, places: int) -> ibis.Value:
    """Return the digits behind the point as a number with that many decimal places."""
    digits = text.re_extract("[.,]([0-9]+)", 1)
    return (digits + "0" * places).substr(0, places).try_cast("int64")

"""Times of a log as microseconds since 1970 in UTC, the same on every engine and machine.

Accepted texts:

- ISO 8601 with date and time of day (``2020-03-08T02:30:00.25+05:30``). A blank may replace the T.
  Seconds, fraction and offset are optional; without an offset the time is UTC.
- Seconds or milliseconds since 1970, with or without a fraction. A number of 9 or 10 digits before
  the point (1973 to 2286) is in seconds, of 12 or 13 in milliseconds. If the form is given, a
  number from 0, of at most 11 or 14 digits before the point, has that form.

All else is malformed: dates alone, times of day alone, other notations. Fractions are truncated to
microseconds.
"""

from datetime import datetime, timedelta, timezone

from .backends import Engine, ibis
from .log_files import SECOND, TIME_FORMS

MICROSECONDS = {"second": SECOND, "millisecond": SECOND // 1_000}
HOUR, MINUTE = "([01][0-9]|2[0-3])", "[0-5][0-9]"
ISO = (
    "^[1-9][0-9]{3}-[0-9]{2}-[0-9]{2}[T ]"
    f"{HOUR}:{MINUTE}(:{MINUTE}([.,][0-9]{{1,9}})?)?(Z|[+-]{HOUR}(:?{MINUTE})?)?\\z"
)
FRACTION = "([.][0-9]+)?\\z"  # $ would accept a line separator at the end on some engines
#: form -> (smallest and largest number of digits before the point) of seconds and milliseconds
DIGITS = {
    "auto": {"second": (9, 10), "millisecond": (12, 13)},
    "iso": {},
    "seconds": {"second": (1, 11)},
    "milliseconds": {"millisecond": (1, 14)},
}


def instant(time: str | datetime) -> int:
    """Return microseconds since 1970 of a datetime or ISO text; UTC if it has no offset."""
    try:
        if isinstance(time, str):
            time = datetime.fromisoformat(time.replace("Z", "+00:00"))
        moment = time if time.tzinfo else time.replace(tzinfo=timezone.utc)
    except (ValueError, AttributeError):
        raise ValueError(
            f"{time!r} is no time: expected a datetime, or a text like 2020-03-08T02:30:00+01:00."
        ) from None
    return (moment - datetime(1970, 1, 1, tzinfo=timezone.utc)) // timedelta(microseconds=1)


def microseconds(column: ibis.Value, form: str, engine: Engine) -> ibis.Value:
    """Convert texts, numbers or timestamps to int64 microseconds; null where malformed.

    Timestamps without a time zone are UTC.

    Raises:
        ValueError: a form outside TIME_FORMS, or a column of another type.
    """
    if form not in TIME_FORMS:
        raise ValueError(f"{form!r} is no form of times: expected one of {', '.join(TIME_FORMS)}.")
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
    offset = ibis.ifelse(minutes == "", 0, _two_digits(minutes, 0) * 60)
    offset += _two_digits(signed, 1) * 3600
    offset = ibis.cases(
        (signed.startswith("+"), offset), (signed.startswith("-"), -offset), else_=0
    )
    return (day * 86_400 + clock - offset) * SECOND + _fraction(rest, 6)


def _two_digits(text: ibis.Value, start: int) -> ibis.Value:
    return text.substr(start, 2).try_cast("int64")


def _fraction(text: ibis.Value, places: int) -> ibis.Value:
    """Return the digits behind the point as a number with that many decimal places."""
    digits = text.re_extract("[.,]([0-9]+)", 1) + "0" * places
    return digits.substr(0, places).try_cast("int64")

"""Times of a log as microseconds since 1970 in UTC, the same on every engine and machine.

Accepted are, in texts, ISO 8601 with date and time of day (``2020-03-08T02:30:00.25+05:30``; a
blank in the place of T; seconds, fraction and offset may be missing, and without an offset it is
UTC) and epoch seconds or milliseconds (with or without a fraction). Which of the two a number is
follows from its size: 9 or 10 digits before the point are seconds (from 1973 to 2286), 12 or 13
milliseconds. Where the form is given, numbers from 0, of up to 11 or 14 digits before the point,
are of that form. Everything else is malformed: dates alone, times of day alone, other notations.
Fractions are cut after microseconds.
"""

from ._ibis import ibis
from .choices import SECOND, TIME_FORMS

MICROSECONDS = {"second": SECOND, "millisecond": SECOND // 1_000}
DAY = 86_400 * SECOND

_HOUR, _MINUTE = "([01][0-9]|2[0-3])", "[0-5][0-9]"
ISO = (
    "^[1-9][0-9]{3}-[0-9]{2}-[0-9]{2}[T ]"
    f"{_HOUR}:{_MINUTE}(:{_MINUTE}([.,][0-9]{{1,9}})?)?(Z|[+-]{_HOUR}(:?{_MINUTE})?)?\\z"
)
FRACTION = "([.][0-9]+)?\\z"  # $ would let some engines pass a line separator behind it
#: form -> (smallest and largest number of digits before the point) of seconds and milliseconds
DIGITS = {
    "auto": {"second": (9, 10), "millisecond": (12, 13)},
    "iso": {},
    "seconds": {"second": (1, 11)},
    "milliseconds": {"millisecond": (1, 14)},
}


def check_form(form):
    """Raise ValueError for a form of time that is not in TIME_FORMS."""
    if form not in TIME_FORMS:
        raise ValueError(f"{form!r} is no form of times: expected one of {', '.join(TIME_FORMS)}.")


def microseconds(column, form, engine):
    """An int64 column out of one of texts, numbers or timestamps; null where malformed.

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


def _of_number(column, form):
    branches = []
    for unit, (least, most) in DIGITS[form].items():
        fits = (column >= (0 if least == 1 else 10 ** (least - 1))) & (column < 10**most)
        value = column.cast("int64") if column.type().is_integer() else column
        value = value * MICROSECONDS[unit]
        # floats are cut to whole microseconds by the same arithmetic everywhere
        value = value if column.type().is_integer() else (value + 0.5).floor()
        branches.append((fits, value.cast("int64")))
    return ibis.cases(*branches) if branches else ibis.null("int64")


def _of_text(text, form):
    branches = [(text.re_search(ISO), _of_iso(text))] if form in ("auto", "iso") else []
    for unit, (least, most) in DIGITS[form].items():
        fits = text.re_search(f"^[0-9]{{{least},{most}}}{FRACTION}")
        whole = text.re_extract("^[0-9]+", 0).try_cast("int64") * MICROSECONDS[unit]
        places = len(str(MICROSECONDS[unit])) - 1
        branches.append((fits, whole + _fraction(text, places)))
    return ibis.cases(*branches)


def _of_iso(text):
    """Of a text that ISO fits; null for a day that does not exist."""
    day = text.substr(0, 10).try_cast("date").delta(ibis.date("1970-01-01"), unit="day")
    clock = _number(text, 11) * 3600 + _number(text, 14) * 60
    clock += ibis.ifelse(text.substr(16, 1) == ":", _number(text, 17), 0)
    rest = text.substr(16)
    signed = rest.re_extract("[+-][0-9:]+\\z", 0)
    minutes = signed.replace(":", "").substr(3, 2)
    offset = _number(signed, 1) * 3600 + ibis.ifelse(minutes == "", 0, _number(minutes, 0) * 60)
    offset = ibis.cases(
        (signed.startswith("+"), offset), (signed.startswith("-"), -offset), else_=0
    )
    return day * DAY + (clock - offset) * SECOND + _fraction(rest, 6)


def _number(text, start):
    return text.substr(start, 2).try_cast("int64")


def _fraction(text, places):
    """What stands behind the point, in units of the last of `places` digits."""
    digits = text.re_extract("[.,]([0-9]+)", 1)
    return (digits + "0" * places).substr(0, places).try_cast("int64")

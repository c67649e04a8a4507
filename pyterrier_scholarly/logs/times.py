"""Times of a log as microseconds since 1970 in UTC, the same on every engine and machine.

    time = convert_times(table.time, "auto", engine)

Accepted texts:

- ISO 8601 with date and time of day (``2020-03-08T02:30:00.25+05:30``). A blank may replace the T.
  Seconds, fraction and offset are optional; without an offset the time is UTC.
- Seconds or milliseconds since 1970, with or without a fraction. A number of 9 or 10 digits before
  the point (1973 to 2286) is in seconds, of 12 or 13 in milliseconds. If the form is given, a
  number from 0, of at most 11 or 14 digits before the point, has that form.

All else is malformed: dates alone, times of day alone, other notations. Fractions are truncated to
microseconds.
"""

from typing import NamedTuple

from .instants import SECOND, TIME_FORMS
from .log_engine import Engine, ibis

MILLISECOND = SECOND // 1_000
SECONDS_PER_DAY = 86_400

# regular expressions; \z, because $ accepts a line separator at the end on some engines
HOURS = "([01][0-9]|2[0-3])"
MINUTES = "[0-5][0-9]"
ISO_TIME = (
    "^[1-9][0-9]{3}-[0-9]{2}-[0-9]{2}[T ]"
    f"{HOURS}:{MINUTES}(:{MINUTES}([.,][0-9]{{1,9}})?)?(Z|[+-]{HOURS}(:?{MINUTES})?)?\\z"
)
FRACTION = "([.][0-9]+)?\\z"


class NumberRule(NamedTuple):
    """Which numbers are times.

    Attributes:
        fewest_digits, most_digits: before the point.
        unit: of the number, in microseconds.
        decimals: of the unit, as far as microseconds reach.
    """

    fewest_digits: int
    most_digits: int
    unit: int
    decimals: int


#: form of times -> the numbers that have it
NUMBER_RULES = {
    "auto": [NumberRule(9, 10, SECOND, 6), NumberRule(12, 13, MILLISECOND, 3)],
    "iso": [],
    "seconds": [NumberRule(1, 11, SECOND, 6)],
    "milliseconds": [NumberRule(1, 14, MILLISECOND, 3)],
}


def convert_times(column: ibis.Value, form: str, engine: Engine) -> ibis.Value:
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
        return _convert_texts(column, form)
    if kind.is_integer():
        return _convert_integers(column, form)
    if kind.is_floating():
        return _convert_floats(column, form)

    raise ValueError(
        f"Times of type {kind} in column {column.get_name()!r}: expected timestamps, texts (ISO "
        "8601), or numbers of seconds or milliseconds."
    )


def _convert_integers(column: ibis.Value, form: str) -> ibis.Value:
    """Convert whole numbers to microseconds; null where a number is no time of this form.

    form: a key of NUMBER_RULES.
    """
    # smaller types, such as int32, have no room for microseconds
    wide_column = column.cast("int64")
    branches = []  # pairs of a condition and a value: the first condition that holds decides
    for rule in NUMBER_RULES[form]:
        microseconds = wide_column * rule.unit
        branches.append((_has_digits(column, rule), microseconds))
    return _choose(branches)


def _convert_floats(column: ibis.Value, form: str) -> ibis.Value:
    """Convert floats to microseconds; null where a number is no time of this form.

    form: a key of NUMBER_RULES.
    """
    branches = []  # pairs of a condition and a value: the first condition that holds decides
    for rule in NUMBER_RULES[form]:
        # `round` differs between engines, this arithmetic does not
        microseconds = (column * rule.unit + 0.5).floor()
        branches.append((_has_digits(column, rule), microseconds.cast("int64")))
    return _choose(branches)


def _has_digits(column: ibis.Value, rule: NumberRule) -> ibis.Value:
    """Return whether a number has as many digits as the rule says."""
    smallest = 0 if rule.fewest_digits == 1 else 10 ** (rule.fewest_digits - 1)
    return (column >= smallest) & (column < 10**rule.most_digits)


def _convert_texts(text: ibis.Value, form: str) -> ibis.Value:
    """Convert texts to microseconds; null where a text is no time of this form."""
    branches = []  # pairs of a condition and a value: the first condition that holds decides
    if form in ("auto", "iso"):
        branches.append((text.re_search(ISO_TIME), _convert_iso(text)))

    for rule in NUMBER_RULES[form]:
        digits = f"[0-9]{{{rule.fewest_digits},{rule.most_digits}}}"  # such as [0-9]{10,10}
        is_number = text.re_search(f"^{digits}{FRACTION}")
        whole_number = text.re_extract("^[0-9]+", 0).try_cast("int64")
        microseconds = whole_number * rule.unit + _read_decimals(text, rule.decimals)
        branches.append((is_number, microseconds))
    return _choose(branches)


def _choose(branches: list[tuple[ibis.Value, ibis.Value]]) -> ibis.Value:
    """Return the value of the first condition that holds; null if none does."""
    if not branches:
        return ibis.null("int64")
    return ibis.cases(*branches)


def _convert_iso(text: ibis.Value) -> ibis.Value:
    """Return microseconds since 1970 of a text that ISO_TIME matches; null for an impossible day.

    Positions in ``2020-03-08T02:30:00.25+05:30``: the hours are at 11, the minutes at 14; at 16 is
    the colon before the seconds, or else the offset or the end.
    """
    day = text.substr(0, 10).try_cast("date").delta(ibis.date("1970-01-01"), unit="day")
    after_minutes = text.substr(16)

    hours = _read_two_digits(text, 11)
    minutes = _read_two_digits(text, 14)
    has_seconds = text.substr(16, 1) == ":"
    seconds = ibis.ifelse(has_seconds, _read_two_digits(text, 17), 0)
    second_of_day = hours * 3600 + minutes * 60 + seconds

    offset = _read_offset(after_minutes)
    fraction = _read_decimals(after_minutes, 6)
    return (day * SECONDS_PER_DAY + second_of_day - offset) * SECOND + fraction


def _read_offset(text: ibis.Value) -> ibis.Value:
    """Return the seconds of an offset such as +05:30, -0330 or -01 at the end of a text, else 0."""
    signed = text.re_extract("[+-][0-9:]+\\z", 0)
    hours = _read_two_digits(signed, 1)
    minute_digits = signed.replace(":", "").substr(3, 2)
    minutes = ibis.ifelse(minute_digits == "", 0, _read_two_digits(minute_digits, 0))

    seconds = hours * 3600 + minutes * 60
    return ibis.cases(
        (signed.startswith("+"), seconds), (signed.startswith("-"), -seconds), else_=0
    )


def _read_two_digits(text: ibis.Value, start: int) -> ibis.Value:
    """Return the number at a position of a text."""
    return text.substr(start, 2).try_cast("int64")


def _read_decimals(text: ibis.Value, count: int) -> ibis.Value:
    """Return the first digits behind the point as a whole number; missing digits are 0."""
    digits = text.re_extract("[.,]([0-9]+)", 1) + "0" * count
    return digits.substr(0, count).try_cast("int64")

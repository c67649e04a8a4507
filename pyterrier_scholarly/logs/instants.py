"""Instants as microseconds since 1970 in UTC, and the forms in which a log may write them.

>>> parse_instant("1970-01-01T01:00:00.5+01:00")
500000
"""

from datetime import UTC, datetime, timedelta

SECOND = 1_000_000  # microseconds
HOUR = 3600 * SECOND

TIME_FORMS = ("auto", "iso", "seconds", "milliseconds")  #: what `mine_log` takes as `time_form`

EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


def parse_instant(time: str | datetime) -> int:
    """Return microseconds since 1970 of a datetime or ISO text; UTC if it has no offset.

    Raises:
        ValueError: `time` is neither.
    """
    try:
        moment = _parse_datetime(time)
    except (ValueError, AttributeError):
        raise ValueError(
            f"{time!r} is no time: expected a datetime, or a text like 2020-03-08T02:30:00+01:00."
        ) from None

    return (moment - EPOCH) // timedelta(microseconds=1)


def _parse_datetime(time: str | datetime) -> datetime:
    """Return a datetime with an offset; ValueError or AttributeError if `time` is no time."""
    if isinstance(time, str):
        time = datetime.fromisoformat(time)

    if time.tzinfo is None:
        return time.replace(tzinfo=UTC)
    return time

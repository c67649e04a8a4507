"""Which texts and numbers are accepted as times, and their microseconds in UTC."""

from datetime import UTC, datetime, timedelta, timezone

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from pyterrier_scholarly.logs.times import convert_times

UTC = UTC
INDIA = timezone(timedelta(hours=5, minutes=30))
NEWFOUNDLAND = timezone(-timedelta(hours=3, minutes=30))
ACCEPTED = {
    "2020-02-29T12:00:00Z": datetime(2020, 2, 29, 12, tzinfo=UTC),
    "2020-02-29 12:00": datetime(2020, 2, 29, 12, tzinfo=UTC),
    "2020-03-08T02:30:00.25+05:30": datetime(2020, 3, 8, 2, 30, 0, 250_000, INDIA),
    "2020-03-08 02:30:00,123456789+0530": datetime(2020, 3, 8, 2, 30, 0, 123_456, INDIA),
    "2020-12-31T23:59:59.9-03:30": datetime(2020, 12, 31, 23, 59, 59, 900_000, NEWFOUNDLAND),
    "1969-12-31T23:00-01": datetime(1970, 1, 1, tzinfo=UTC),
    "1583634780": datetime(2020, 3, 8, 2, 33, tzinfo=UTC),
    "1583634780.000001": datetime(2020, 3, 8, 2, 33, 0, 1, tzinfo=UTC),
    "1583634780250": datetime(2020, 3, 8, 2, 33, 0, 250_000, tzinfo=UTC),
    "1583634780250.5": datetime(2020, 3, 8, 2, 33, 0, 250_500, tzinfo=UTC),
}
MALFORMED = [
    "12:00", "2020", "20200308", "2020-03-08", "2020-02-30T00:00:00Z", "2021-02-29 00:00",
    "2020-13-01T00:00", "2020-00-10T00:00", "2020-01-01T24:00:00", "2020-01-01T23:60:00",
    "2020-01-01T23:59:60", "2020-01-01T12", "2020-01-01T12:00:00 Z", "2020-01-01T12:00:00+5:30",
    "2020-01-01T12:00:00+05:60", "2020-01-01T12:00:00.", "20200101T120000Z", "08/03/2020 02:30",
    "Mar 8 2020", "0000-01-01T00:00", "15836347802", "1583634780250000", "-1583634780",
    "1.58363478e9", "158363478o", "１５８３６３４７８０", "2020-01-01T12:00\u2028", "nan", "now",
]  # fmt: skip
EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


@pytest.fixture
def parsed(tmp_path, duckdb):
    """Convert a column of values on DuckDB."""
    return lambda values, form="auto": parsed_by(duckdb, tmp_path / "times.parquet", values, form)


def parsed_by(engine, path, values, form="auto"):
    """Convert a column of these values in Parquet on an engine."""
    pq.write_table(pa.table({"place": range(len(values)), "value": values}), path)
    table = engine.parquet([path])
    found = table.select("place", time=convert_times(table.value, form, engine))
    return found.order_by("place").to_pyarrow()["time"].to_pylist()


def test_accepted_texts(parsed):
    """Each form gives the instant that Python's datetime has for it."""
    expected = [(moment - EPOCH) // timedelta(microseconds=1) for moment in ACCEPTED.values()]
    assert parsed(list(ACCEPTED)) == expected


def test_all_else_is_malformed(parsed):
    """Nothing is guessed: bare times, dates, other notations and impossible days are null."""
    assert parsed(MALFORMED) == [None] * len(MALFORMED)


def test_a_form_that_is_given_takes_numbers_of_any_size(parsed):
    """`seconds` and `milliseconds` mean the number itself; the other forms are malformed then."""
    texts = ["0", "7.5", "1583634780", "2020-01-01T12:00", "x"]
    assert parsed(texts, "seconds") == [0, 7_500_000, 1583634780 * 10**6, None, None]
    assert parsed(texts, "milliseconds") == [0, 7_500, 1583634780 * 10**3, None, None]
    assert parsed(texts, "iso")[2:] == [None, 1577880000 * 10**6, None]


def test_columns_of_numbers(parsed):
    """Integers and floats go by the rule of texts: by their size, or by the form given."""
    whole = [1583634780, 1583634780250, 12, None, -1583634780, 15836347802]
    second, milli = 1583634780 * 10**6, 1583634780250 * 10**3
    assert parsed(whole) == [second, milli, None, None, None, None]
    assert parsed(whole, "seconds")[2] == 12 * 10**6
    assert parsed(whole, "iso") == [None] * 6
    broken = [1583634780.4, float("nan"), float("inf"), -1.0]
    assert parsed(broken) == [second + 400_000, None, None, None]


@pytest.mark.parametrize("kind", ["us", "ns", "ms", "s"])
def test_columns_of_timestamps(parsed, kind):
    """Timestamps keep their instant; without a zone they are UTC."""
    moment = datetime(2020, 3, 8, 2, 30, tzinfo=INDIA)
    for zone in ("UTC", "Asia/Kolkata", None):
        naive = moment if zone else moment.astimezone(UTC).replace(tzinfo=None)
        column = pa.array([naive, None], pa.timestamp(kind, zone))
        assert parsed(column) == [(moment - EPOCH) // timedelta(microseconds=1), None]


def test_other_columns_and_forms_are_refused(parsed):
    """A column of dates raises; an unknown form raises an error with the known ones."""
    with pytest.raises(ValueError, match=r"type date .* expected timestamps"):
        parsed(pa.array([datetime(2020, 3, 8).date()]))
    with pytest.raises(ValueError, match=r"'unix' is no form of times: .*seconds"):
        parsed(["1583634780"], "unix")

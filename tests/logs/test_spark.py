"""Spark and DuckDB agree row by row, in a session with another time zone than UTC."""

from datetime import UTC, datetime

import pytest

from pyterrier_scholarly.logs import mine_log, synthetic_log
from pyterrier_scholarly.logs.downloads import Reading, read_rows
from pyterrier_scholarly.logs.engine_choice import choose_engine
from pyterrier_scholarly.logs.log_mining import mine_downloads
from pyterrier_scholarly.logs.mining_choices import Choices

from . import malformed
from .conftest import SMALL
from .test_rows import LIMITS
from .test_times import ACCEPTED, MALFORMED, parsed_by

pytestmark = [pytest.mark.slow, pytest.mark.java]
TABLES = ("documents", "similar", "random", "queries", "judged", "others", "pairs")


def test_a_log_is_mined_alike(log, duckdb, spark, tmp_path):
    """Counts, samples, queries and judgements are equal, and in the same order."""
    log.write(tmp_path / "a log [1].parquet")  # what Spark would take for a pattern
    path = str(tmp_path / "a log [1].parquet")
    one, other = (mine_downloads(path, engine, SMALL, all_pairs=True) for engine in (duckdb, spark))
    assert one.summary.outcomes == log.outcomes
    assert_alike(one, other)


@pytest.mark.parametrize("form", [list, "ids.txt"])
def test_a_log_is_restricted_alike(log, duckdb, spark, tmp_path, form):
    """A list and a file of ids, one of them unknown, restrict a log equally on both engines."""
    log.write(tmp_path / "log.csv")
    only = [*log.ids[:40], "elsewhere"]
    if form == "ids.txt":
        (tmp_path / form).write_text("\n".join(only))
        only = tmp_path / form
    path, choices = (
        str(tmp_path / "log.csv"),
        Choices(pairs=50, queries=5, successors=5, relevant=3),
    )
    one, other = (
        mine_downloads(path, engine, choices, only=only, all_pairs=True)
        for engine in (duckdb, spark)
    )
    assert 0 < one.summary.dropped["document not in `only`"] < len(log.doc)
    assert_alike(one, other)


def assert_alike(one, other):
    """Summaries are equal, and tables row by row; none is empty."""
    assert one.summary == other.summary
    for name in TABLES:
        assert getattr(one, name).to_pylist() == getattr(other, name).to_pylist(), name
        assert getattr(one, name).num_rows > 0


@pytest.mark.parametrize("form", malformed.LINES)
def test_a_malformed_log_is_read_alike(spark, tmp_path, form):
    """Spark keeps and drops the same lines as DuckDB, for the same reasons."""
    rows, _ = read_rows(malformed.write(tmp_path, form), spark, Reading(**LIMITS))
    assert malformed.found(rows) == malformed.expected(form)


def test_times_are_read_alike(duckdb, spark, tmp_path):
    """Accepted, malformed, and in Parquet with a zone and without, across a change of clocks."""
    moments = [datetime(2020, 3, 8, hour, 30, 0, 1) for hour in range(1, 9)]
    aware = [moment.replace(tzinfo=UTC) for moment in moments]
    for values in ([*ACCEPTED, *MALFORMED], [1583634780.4, 12.0, None], moments, aware):
        found = [parsed_by(e, tmp_path / "times.parquet", values) for e in (duckdb, spark)]
        assert found[0] == found[1]


def test_a_truncated_log_is_an_error(session, home, tmp_path):
    """The error names the truncated file, as on DuckDB."""
    synthetic_log(60, 4, 40, 20_000, seed=3).write(tmp_path / "log.csv.gz")
    whole = (tmp_path / "log.csv.gz").read_bytes()
    (tmp_path / "log.csv.gz").write_bytes(whole[:-1000])
    with pytest.raises(ValueError, match=r"log\.csv\.gz is a damaged or truncated"):
        mine_log(tmp_path / "log.csv.gz", "ours", backend="pyspark", verbose=False)


def test_stages_have_as_many_tasks_as_the_log_is_large(session, tmp_path):
    """A small log gets one task, a large one at most the session's number, which is restored."""
    name, before = "spark.sql.shuffle.partitions", session.conf.get("spark.sql.shuffle.partitions")
    session.conf.set(name, "200")
    try:
        engine, found = choose_engine("pyspark"), []
        for size in (0, 10, 10 << 20, 10 << 30):  # the last files have a size, and no content
            with (tmp_path / "log.csv").open("wb") as file:
                file.truncate(size)
            engine.lines([tmp_path / "log.csv"])
            found.append(int(session.conf.get(name)))
        engine.close()
        assert found[:2] == [1, 1] and 1 < found[2] < 10 and found[3] == 200
        assert session.conf.get(name) == "200"
    finally:
        session.conf.set(name, before)


def test_it_is_the_session_that_is_there(session, spark):
    """`backend="pyspark"` takes the running session, and leaves it running."""
    session.range(3).createOrReplaceTempView("ours")  # which no other session has
    assert spark.connection.table("ours").count().execute() == 3
    session.catalog.dropTempView("ours")
    spark.close()
    assert session.range(3).count() == 3

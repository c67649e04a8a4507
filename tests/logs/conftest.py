"""What tests of logs share: engines, and a synthetic log in every form."""

import os
import sys

import pytest

from pyterrier_scholarly.logs.choices import Choices
from pyterrier_scholarly.logs.engines import engine_of
from pyterrier_scholarly.logs.mining import mined
from pyterrier_scholarly.logs.synthetic import synthetic_log

pytest.importorskip("ibis")

SMALL = Choices(pairs=200, queries=5, successors=8, relevant=3, seed=9)


@pytest.fixture
def duckdb():
    """An engine on DuckDB."""
    engine = engine_of()
    yield engine
    engine.close()


@pytest.fixture(scope="session")
def session():
    """The one Spark session of all tests; in another time zone than UTC, which must not matter."""
    pytest.importorskip("pyspark")
    from pyspark.sql import SparkSession

    os.environ.setdefault("PYSPARK_PYTHON", sys.executable)
    settings = {
        "spark.ui.enabled": "false",
        "spark.driver.bindAddress": "127.0.0.1",
        "spark.driver.host": "127.0.0.1",
        "spark.sql.session.timeZone": "America/New_York",
        # hardly any data: most of the time would go to compiling and to planning
        "spark.sql.shuffle.partitions": "2",
        "spark.sql.adaptive.enabled": "false",
        "spark.sql.codegen.wholeStage": "false",
        "spark.sql.codegen.factoryMode": "NO_CODEGEN",
    }
    builder = SparkSession.builder.master("local[2]")
    for name, value in settings.items():
        builder = builder.config(name, value)
    try:
        made = builder.getOrCreate()
    except Exception as error:  # no Java, as some machines have it
        pytest.skip(f"Spark does not start: {error}")
    made.sparkContext.setLogLevel("OFF")
    yield made
    made.stop()


@pytest.fixture
def spark(session):
    """An engine on Spark."""
    engine = engine_of("pyspark")
    yield engine
    engine.close()


@pytest.fixture(scope="session")
def log():
    """A small log of everything that a synthetic log has."""
    return synthetic_log(60, 4, 40, 400, jumps=0.2, robots=2, robot_downloads=50, seed=3)


@pytest.fixture
def mine(duckdb):
    """Mine a log on DuckDB."""
    return lambda log, choices=SMALL, **more: mined(str(log), duckdb, choices, **more)

"""Shared by the tests of logs: engines, and a small synthetic log."""

import pytest

from pyterrier_scholarly.logs.engine_choice import choose_engine
from pyterrier_scholarly.logs.log_mining import mine_downloads
from pyterrier_scholarly.logs.mining_choices import Choices
from pyterrier_scholarly.logs.synthetic import synthetic_log

pytest.importorskip("ibis")

SMALL = Choices(pairs=200, queries=5, successors=8, relevant=3, seed=9)


@pytest.fixture
def duckdb():
    """An engine on DuckDB."""
    with choose_engine() as engine:
        yield engine


@pytest.fixture
def spark(session):
    """An engine on Spark."""
    with choose_engine("pyspark") as engine:
        yield engine


@pytest.fixture(scope="session")
def log():
    """A small log with sessions, clock jumps and robots."""
    return synthetic_log(60, 4, 40, 400, jumps=0.2, robots=2, robot_downloads=50, seed=3)


@pytest.fixture
def file(log, tmp_path):
    """The small log as a file."""
    log.write(tmp_path / "log.csv")
    return tmp_path / "log.csv"


@pytest.fixture
def home(tmp_path, monkeypatch):
    """The folder of mined collections, in a home of ir_datasets for one test."""
    monkeypatch.setenv("IR_DATASETS_HOME", str(tmp_path / "home"))
    return tmp_path / "home" / "download-log"


@pytest.fixture
def mine(duckdb):
    """Mine a log on DuckDB."""
    return lambda log, choices=SMALL, **more: mine_downloads(str(log), duckdb, choices, **more)

"""Shared by the tests of shards: the toy encoder's module, here and on workers."""

import importlib.util
import sys
from pathlib import Path

import pytest

TOY = Path(__file__).with_name("toy.py")


@pytest.fixture(scope="session")
def toy():
    """The module `toy`."""
    spec = importlib.util.spec_from_file_location("toy", TOY)
    sys.modules["toy"] = module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    yield module
    del sys.modules["toy"]


@pytest.fixture(scope="session")
def workers(session, toy):
    """A Spark session whose workers know `toy`."""
    session.sparkContext.addPyFile(str(TOY))
    return session


@pytest.fixture
def loads(tmp_path):
    """A folder in which the toy encoder records each load of its model."""
    folder = tmp_path / "loads"
    folder.mkdir()
    return folder

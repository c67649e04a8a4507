"""Fixtures for all tests: the real data, and a home for ir_datasets that holds it."""

import os
import shutil
from pathlib import Path

import pytest

DATA = Path(os.environ.get("SCHOLARLY_DATA") or Path(__file__).parents[2] / "shared" / "data")


@pytest.fixture(scope="session", autouse=True)
def _scratch_home(tmp_path_factory):
    """Keep the embedded collection's store out of the user's own home."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("IR_DATASETS_HOME", str(tmp_path_factory.mktemp("scratch-home")))
        yield


@pytest.fixture(scope="session")
def data():
    """The folder of real data; the test is skipped without it, or fails where it is required."""
    if not DATA.is_dir():
        reason = f"no real data in {DATA}: set SCHOLARLY_DATA to the folder that has csfcube/"
        if os.environ.get("SCHOLARLY_REQUIRE_DATA") == "1":
            pytest.fail(reason)
        pytest.skip(reason)
    return DATA


@pytest.fixture(scope="session")
def _csfcube_files(data, tmp_path_factory):
    home = tmp_path_factory.mktemp("home")
    (home / "csfcube").mkdir()
    for file in (data / "csfcube").iterdir():
        if file.is_file():
            shutil.copyfile(file, home / "csfcube" / file.name)
    return home


@pytest.fixture
def csfcube_home(_csfcube_files, monkeypatch):
    """A scratch home of ir_datasets with copies of CSFCube's real files, shared by all tests."""
    monkeypatch.setenv("IR_DATASETS_HOME", str(_csfcube_files))
    return _csfcube_files


@pytest.fixture(scope="session")
def _real_files(data, tmp_path_factory):
    home = tmp_path_factory.mktemp("real-home")
    for collection in ("csfcube", "doris-mae", "litsearch"):
        shutil.copytree(data / collection, home / collection)
    return home


@pytest.fixture
def real_home(_real_files, monkeypatch):
    """A scratch home of ir_datasets with copies of all real files, shared by all tests."""
    monkeypatch.setenv("IR_DATASETS_HOME", str(_real_files))
    return _real_files


@pytest.fixture(scope="session")
def _litsearch_files(data, tmp_path_factory):
    home = tmp_path_factory.mktemp("home")
    for file in (data / "litsearch").glob("*/*.parquet"):
        copy = home / file.relative_to(data)
        copy.parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(file, copy)
    return home


@pytest.fixture
def litsearch_home(_litsearch_files, monkeypatch):
    """A scratch home of ir_datasets with copies of LitSearch's files at hand, for all tests."""
    monkeypatch.setenv("IR_DATASETS_HOME", str(_litsearch_files))
    return _litsearch_files

"""A cache of embeddings and sentences of its own for each test."""

import pytest


@pytest.fixture(autouse=True)
def cache_folder(tmp_path_factory, monkeypatch):
    """An empty folder, which $SCHOLARLY_CACHE names."""
    folder = tmp_path_factory.mktemp("cache")
    monkeypatch.setenv("SCHOLARLY_CACHE", str(folder))
    return folder

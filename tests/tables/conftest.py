"""A step that counts its runs, and a small table."""

import pytest

from pyterrier_scholarly.tables import reproduce

from .stepping import ByLength


@pytest.fixture
def step(tmp_path):
    """Makes steps that leave a trace in a file of their name."""

    def make(name="step", **settings):
        return ByLength(str(tmp_path / f"{name}.log"), **settings)

    return make


@pytest.fixture(scope="session")
def table():
    """The embedded collection's table with two systems, one under a name full of markup."""
    hostile = '<b>"tf" & \\idf_{}</b> %$#~^'
    return reproduce("scholarly-mini", {hostile: "fabs_tfidf", "fabs_bm25": "fabs_bm25"})

"""A comparison of two systems over the embedded collection, in a home of its own."""

import pytest

from pyterrier_scholarly import LSA, compare

MINI = "scholarly-mini/all"


@pytest.fixture(scope="session")
def mini_home(tmp_path_factory):
    """A home of ir_datasets for this package's tests."""
    return tmp_path_factory.mktemp("home")


@pytest.fixture(autouse=True)
def _mini(mini_home, monkeypatch):
    monkeypatch.setenv("IR_DATASETS_HOME", str(mini_home))


@pytest.fixture(scope="session")
def compared(mini_home):
    """The sum of parts against words in common."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("IR_DATASETS_HOME", str(mini_home))
        encoder = LSA(MINI)
        return compare("one_encoding", "fabs_bm25", MINI, encoder=encoder, verbose=False)


@pytest.fixture(scope="session")
def path(compared, tmp_path_factory):
    """The file of its page, with the scores of two papers explained."""
    return compared.to_html(tmp_path_factory.mktemp("page") / "compare.html", explained=2)

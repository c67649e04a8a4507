"""Test that the page "Fidelity" agrees with the checks."""

import ast
from collections import Counter
from dataclasses import replace
from pathlib import Path

import pytest

from pyterrier_scholarly import published
from pyterrier_scholarly.evaluation import printed_tables

from .checks import Outcome
from .entries import COLLECTIONS, _checked, entries
from .page import PATH, page
from .statements import STATEMENTS

ROOT = Path(__file__).parents[2]
pytestmark = pytest.mark.filterwarnings("ignore::UserWarning")


@pytest.fixture(scope="module")
def found(data, _real_files):
    """Return all entries, with every check on the real data."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("IR_DATASETS_HOME", str(_real_files))
        return entries(data)


@pytest.mark.slow
def test_the_page_is_what_the_checks_give(found):
    """The page is up to date; ``python -m tests.fidelity`` writes it. Read it before you commit."""
    assert PATH.read_text(encoding="utf-8") == page(found)


@pytest.mark.slow
def test_each_row_of_each_printed_table_has_one_entry(found):
    """Every row of systems and of descriptive tables has an entry."""
    expected = Counter()
    for collection in COLLECTIONS:
        rows = published(collection)[["table", "system"]].drop_duplicates()
        expected.update((collection, *row) for row in rows.itertuples(index=False))
    systems = Counter((one.collection, one.table, one.row) for one in found)
    assert {row: systems[row] for row in expected} == dict.fromkeys(expected, 1)
    described = {"litsearch": ("1", "2", "2.5", "9", "14"), "doris-mae": ("9", "10"), "rhsa": "3"}
    for collection, numbers in described.items():
        for number in numbers:
            rows = [one for one in found if (one.collection, one.table) == (collection, number)]
            assert len(rows) == len(printed_tables(collection)[number])


WRONG = Outcome("c", "3", "row", "equal", "run", "command", (("R@5", "67.3", "67.4"),))


@pytest.mark.parametrize("outcome", [WRONG, replace(WRONG, cells=())])
def test_a_figure_that_differs_makes_no_page(outcome):
    """A failed check, and a check without cells, raise."""
    with pytest.raises(ValueError, match="differ"):
        _checked(outcome)


def test_the_tests_of_the_statements_are_there():
    """Each statement names an existing test function, or a reason."""
    assert [one.text for one in STATEMENTS if bool(one.test) == bool(one.why)] == []
    for path, _, name in (one.test.partition("::") for one in STATEMENTS if one.test):
        tree = ast.parse(ROOT.joinpath(path).read_text(encoding="utf-8"))
        assert name in [node.name for node in tree.body if isinstance(node, ast.FunctionDef)], path

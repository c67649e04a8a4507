"""Test that the page "Fidelity" agrees with the checks."""

import ast
from collections import Counter
from dataclasses import replace
from pathlib import Path

import pyterrier as pt
import pytest

from pyterrier_scholarly import published, systems
from pyterrier_scholarly.evaluation import printed_tables

from .checks import Outcome
from .entries import COLLECTIONS, _checked, entries
from .page import PATH, page
from .statements import STATEMENTS
from .statuses import CLIENT, UNLOADED, UNPUBLISHED, UNREAD

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


def rows(found, table, name, collection="doris-mae"):
    """Return the entries of a table's rows that begin with a name."""
    place = collection, table
    return [e for e in found if (e.collection, e.table) == place and e.row.startswith(name)]


@pytest.mark.slow
def test_what_a_row_needs_is_what_its_system_loads(found, real_home):
    """An API is no weights, an adapter is named, and a row that raises does not "run"."""
    clients = [e.row for e in found if e.status == CLIENT]
    assert set(clients) == {e.row for e in found if e.row.startswith(("GPT-4o", "ada-002"))}
    for table in ("11", "13", "14", "15"):
        (entry,) = rows(found, table, "SPECTER-v2")
        assert "allenai/specter2_base with the adapter allenai/specter2" in entry.detail
    rocketqa = [e for table in ("11", "12", "13", "14", "15") for e in rows(found, table, "Rocket")]
    assert [(entry.status, "PaddlePaddle" in entry.detail) for entry in rocketqa] == [
        (UNLOADED, True)
    ] * 5
    topics = pt.get_dataset("irds:doris-mae/dev").get_topics("query").head(1)
    for key in ("rocketqa_v2", "rocketqa_v2_sentences"):
        with pytest.raises(ValueError, match="PaddlePaddle"):
            systems("doris-mae")[key](topics)


@pytest.mark.slow
def test_commands_name_the_dataset_that_they_need(found):
    """Random rows, and the lower halves of tables 9 and 10, each over its own queries."""
    random = {
        "11": "doris-mae",
        "12": "doris-mae",
        "13": "doris-mae/aspect-queries",
        "14": "doris-mae/test",
        "15": "doris-mae/subqueries-2",
    }
    for table, dataset in random.items():
        (entry,) = rows(found, table, "random")
        assert entry.detail == f'``random_baseline("{dataset}")``'
    for table, name in (("9", "relevant"), ("10", "scores")):
        halves = rows(found, table, "Sub-query")
        assert {e.detail for e in halves} == {f'``statistics("doris-mae/subqueries-2")["{name}"]``'}
        assert len(halves) == len(rows(found, table, "Query")) == 6


@pytest.mark.slow
def test_what_nobody_can_compute_or_has_read_is_told(found):
    """Whose a paper is, is not in LitSearch's release; four tables of CSFCube were not read."""
    for name in ("ACL", "ICLR", "common"):
        (entry,) = rows(found, "2.5", name, "litsearch")
        assert (entry.status, "does not say" in entry.detail) == (UNPUBLISHED, True)
    unread = [(e.collection, e.table) for e in found if e.status == UNREAD]
    assert unread == [("csfcube", number) for number in ("1", "2", "3", "F")]
    correlations = [e.detail for e in rows(found, "3", "tf-idf", "rhsa")]
    assert len(correlations) == 2 and not any("unrounded" in text for text in correlations)


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

"""Rows of a paper's table for models of one's own."""

import shutil

import pytest

from pyterrier_scholarly import LSA, Pool, reproduce, systems
from pyterrier_scholarly.tables.rows import choose_own_keys
from pyterrier_scholarly.tables.shape import find_shape

MINI = "scholarly-mini/method"


@pytest.mark.torch
def test_two_models_at_once(tiny, tmp_path):
    """Each has its rows, and what was run shows the folders' names without their paths."""
    mine = shutil.copytree(tiny("bert"), tmp_path / "mine")
    table = reproduce(
        MINI,
        ["fabs_tfidf"],
        models={"ours": mine, "theirs": tiny("cross")},
        resamples=10,
        cache=tmp_path / "kept",
    )
    names = ["fabs_tfidf", "ours", "ours_sentences", "theirs"]
    assert table.frame["name"].tolist() == names
    assert table.systems["system"].tolist() == names
    run = table.systems.set_index("system")["model"]
    assert run["ours"].startswith("SentenceTransformer('mine@")
    assert run["theirs"].startswith("CrossEncoder('cross")
    page = table.to_html(tmp_path / "table.html").read_text()
    assert "mine@" in page
    assert str(tmp_path.parent) not in page
    assert "one embedding of each paper&#39;s title and abstract" in page.replace("'", "&#39;")


def test_chosen_rows_of_a_model():
    """Keys among the systems are the only rows of their model, under the names given."""
    models = {"ours": LSA(MINI)}
    table = reproduce(MINI, {"by sentence": "ours_sentences"}, models=models, resamples=10)
    assert table.frame["name"].tolist() == ["by sentence"]


@pytest.mark.parametrize(
    ("collection", "table", "keys"),
    [
        ("csfcube", None, ["ours", "ours_sentences", "pairs"]),
        ("doris-mae", 11, ["ours", "pairs"]),
        ("doris-mae", 12, ["ours_sentences", "pairs_sentences"]),
        ("doris-mae", 13, ["ours", "ours_sentences", "pairs_sentences"]),
        ("litsearch", 3, ["ours", "pairs"]),
        ("litsearch", 5, ["ours_full", "pairs_full"]),
    ],
)
def test_each_table_takes_its_forms(real_home, collection, table, keys):
    """DORIS-MAE's table 11 is on whole texts, 12 on sentences, 13 on both (pairs on sentences).

    LitSearch's table 5 is on full texts.
    """
    models = {"ours": LSA(MINI), "pairs": ("cross-encoder", "any")}
    named = systems(collection, models=models)
    assert list(choose_own_keys(named, find_shape(collection, table), [])) == keys


@pytest.mark.parametrize(
    ("systems", "models", "said"),
    [
        ({"ours": Pool(MINI)}, {"ours": LSA(MINI)}, "another row is called 'ours'"),
        ([], {"specter": LSA(MINI)}, "under names of your own"),
        ([], {" ": LSA(MINI)}, "cannot be written"),
    ],
)
def test_names_that_cannot_be(systems, models, said):
    """A name of another row, and one that only replaces a model, raise before any run."""
    with pytest.raises(ValueError, match=said):
        reproduce(MINI, systems, models=models)

"""Published figures beside an experiment's own."""

import pandas as pd
import pytest

from pyterrier_scholarly import beside, by_subset, published


@pytest.fixture
def printed():
    """Rows in the shape of `published`."""
    rows = [
        ("BM25", "", "R@5", 0.25, "3"),
        ("BM25", "", "R@20", 0.5, "3"),
        ("BM25", "", "R@5", 0.2, "5"),
        ("GTR", "", "nDCG@10", 0.75, "8"),
    ]
    return pd.DataFrame(rows, columns=["name", "subset", "measure", "value", "table"])


def test_rows_are_joined_by_measure_and_marked(printed):
    """Published rows first, each table's apart; what only one side has is NaN or left out."""
    own = pd.DataFrame({"name": ["mine"], "AP": [0.4], "R@5": [0.3]})
    both = beside(own, printed)
    assert list(both) == ["name", "source", "table", "subset", "R@5", "AP"]
    assert both.drop(columns="AP").to_numpy().tolist() == [
        ["BM25", "published", "3", "", 0.25],
        ["BM25", "published", "5", "", 0.2],
        ["mine", "this run", "", "", 0.3],
    ]
    assert both["AP"].isna().tolist() == [True, True, False]


def test_a_measure_may_be_written_in_any_way(printed):
    """trec_eval's names and ours for the same measure meet in the experiment's column."""
    own = pd.DataFrame({"name": ["mine"], "recall_5": [0.3], "ndcg_cut_10": [0.4], "mrt": [9]})
    both = beside(own, printed).set_index("name")
    assert both.loc["GTR", "ndcg_cut_10"] == 0.75 and both.loc["mine", "mrt"] == 9
    assert both["recall_5"].dropna().tolist() == [0.25, 0.2, 0.3]


def test_means_with_a_row_per_measure_do_too(printed):
    """What `fold_mean` and `bootstrap` give; systems in their order, measures in the papers'."""
    own = pd.DataFrame(
        {"name": ["b", "b", "a", "a"], "measure": ["R@20", "R@5"] * 2, "value": [1, 2, 3, 4]}
    )
    both = beside(own, printed)
    assert list(both)[4:] == ["R@5", "R@20"]
    assert both["name"].tolist() == ["BM25", "BM25", "b", "a"]
    assert both[["R@5", "R@20"]].iloc[-2:].to_numpy().tolist() == [[2, 1], [4, 3]]


def test_subsets_stand_beside_the_published_ones():
    """`by_subset` over facets, beside CSFCube's printed facets."""
    perquery = pd.DataFrame(
        {"name": "mine", "qid": ["1", "2"], "measure": "NDCG%20", "value": [0.25, 0.75]}
    )
    means = by_subset(perquery, {"background": ["1"], "method": ["2"]})
    both = beside(means, published("csfcube"))
    found = both.set_index(["name", "subset"])["NDCG%20"]
    assert found["mine", "method"] == 0.75 and found["SciFACE", "method"] == 0.4906
    assert both["source"].tolist() == ["published"] * (len(both) - 2) + ["this run"] * 2


def test_nothing_in_common_is_an_error(printed):
    """It names the measures of both sides."""
    own = pd.DataFrame({"name": ["mine"], "P@1": [0.3]})
    with pytest.raises(
        ValueError, match=r"the experiment has P@1, published are R@5, R@20, nDCG@10"
    ):
        beside(own, printed)


def test_two_systems_of_one_name_are_refused(printed):
    """Two figures of one name for one measure are an error."""
    own = pd.DataFrame({"name": ["a", "a"], "measure": "R@5", "value": [1, 2]})
    with pytest.raises(ValueError, match="duplicate"):
        beside(own, printed)

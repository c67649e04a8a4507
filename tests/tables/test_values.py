"""Figures over a column's queries, from derivations."""

import math

import ir_measures
import pandas as pd
import pyterrier as pt
import pytest

from pyterrier_scholarly import by_subset, fold_mean, systems
from pyterrier_scholarly.tables.column_figures import compute_figures
from pyterrier_scholarly.tables.table_columns import Column


def values(name, by_query, **more):
    """Per-query values of a system."""
    frame = pd.DataFrame({"qid": list(by_query), "value": list(by_query.values())})
    evaluated = {"answered": True, "was_run": False, "judged": "all", "part": ""}
    return frame.assign(name=name, measure="R@5", **{**evaluated, **more})


def figures(*frames, parts=("ab", "cd"), baseline="x"):
    """Figures of one column, by name."""
    column = Column("sub", "R@5", "R@5", tuple(map(frozenset, parts)), 7)
    perquery = pd.concat(frames, ignore_index=True)
    return compute_figures([column], perquery, baseline, 50, 0).set_index("name")


X = values("x", {"a": 0.0, "b": 1.0, "c": 1.0, "d": 1.0, "e": 0.0})
Y = values("y", {"a": 1.0, "b": 1.0, "c": 1.0, "d": math.nan, "e": 0.0})


def test_the_mean_of_the_parts_means():
    """(1/2 + 1) / 2 for x; a NaN does not count, so y has (1 + 1) / 2; e is not of the column."""
    found = figures(X, Y)
    assert found["value"].to_dict() == {"x": 0.75, "y": 1.0}
    assert figures(X, Y, parts=["abcd"])["value"].to_dict() == {"x": 3 / 4, "y": 1.0}
    assert found["queries"].to_dict() == {"x": 4, "y": 4}
    assert set(found["of"]) == {7}


def test_differences_are_over_the_queries_of_both():
    """Y - x is 1, 0, 0 over a, b and c; the baseline is not tested against itself."""
    found = figures(X, Y)
    assert found.loc["y", ["difference", "better", "worse"]].tolist() == [1 / 3, 1, 0]
    assert found.loc["y", "p"] == pytest.approx(0.42265, abs=1e-5)  # t = 1, two degrees of freedom
    assert math.isnan(found.loc["x", "p"])


def test_a_query_without_results_counts_as_zero():
    """The figure stays, with the value 0 of that query, and says how many queries are answered."""
    values_of_y = Y.assign(answered=Y["qid"] != "a", value=[0.0, 1.0, 1.0, math.nan, 0.0])
    found = figures(X, values_of_y)
    assert found.loc["y", ["value", "queries", "answered"]].tolist() == [(0.5 + 1) / 2, 4, 3]
    assert found.loc["x", "answered"] == 4


def test_a_column_that_results_answer_nowhere_is_empty():
    """Passed results have no figure there, as a baseline neither; a system that was run has 0."""
    nowhere = X.assign(answered=False, value=0.0)
    alone = figures(nowhere, Y)
    assert list(alone.index) == ["y"]
    assert math.isnan(alone.loc["y", "difference"])
    assert figures(nowhere.assign(was_run=True), Y)["value"].to_dict() == {"x": 0.0, "y": 1.0}


def test_other_judgements_are_not_compared():
    """Systems under different judgements have no difference to each other."""
    found = figures(X, Y.assign(judged="present"))
    assert found["value"].to_dict() == {"x": 0.75, "y": 1.0}
    assert math.isnan(found.loc["y", "difference"])


def test_facets_have_the_collections_own_figures():
    """Figures equal those of `fold_mean` and `by_subset` on every facet and measure."""
    from pyterrier_scholarly.tables.table_shapes import find_shape

    shape = find_shape("scholarly-mini")
    dataset = pt.get_dataset("irds:scholarly-mini/all")
    named = {"tfidf": systems(dataset)["fabs_tfidf"], "bm25": systems(dataset)["fabs_bm25"]}
    measures = list(dict.fromkeys(column.measure for column in shape.columns))
    measures = [ir_measures.parse_measure(measure) for measure in measures]
    topics, qrels = dataset.get_topics("query"), dataset.get_qrels()
    perquery = pt.Experiment(named, topics, qrels, measures, perquery=True)
    told = perquery.assign(answered=True, was_run=True, judged="all", part="")
    found = compute_figures(shape.columns, told, "tfidf", 10, 0)
    official = pd.concat(
        [fold_mean(perquery, dataset).assign(subset="all"), by_subset(perquery, dataset)]
    ).query("split == 'test'")
    keys = ["name", "subset", "measure"]
    both = found.merge(official, on=keys)
    assert len(both) == len(found) == 2 * 4 * 6
    assert both["value_x"].to_numpy() == pytest.approx(both["value_y"].to_numpy(), abs=1e-15)

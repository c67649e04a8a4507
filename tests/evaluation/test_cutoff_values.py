"""Frames behind the figures of cut-offs and of queries."""

import pandas as pd
import pyterrier as pt
import pytest
from ir_measures import R

from pyterrier_scholarly import NDCG, systems
from pyterrier_scholarly.evaluation import by_cutoff, by_query

ALL = "scholarly-mini/all"


@pytest.fixture(scope="module")
def runs():
    """Two systems' results."""
    topics = pt.get_dataset(f"irds:{ALL}").get_topics("query")
    named = systems(ALL)
    return {key: named[key](topics) for key in ("fabs_tfidf", "fabs_bm25")}


def test_values_are_those_of_experiments(runs):
    """Each point is the mean of `pt.Experiment` at its cut-off, over all and over each facet."""
    curves = by_cutoff(runs, ALL, NDCG, [10, 20], by="facet", resamples=200)
    dataset = pt.get_dataset(f"irds:{ALL}")
    perquery = pt.Experiment(
        list(runs.values()),
        dataset.get_topics("query"),
        dataset.get_qrels(),
        [NDCG % 10, NDCG % 20],
        names=list(runs),
        perquery=True,
    )
    assert len(curves) == 2 * 2 * 4
    for curve in curves.itertuples():
        rows = perquery.query("name == @curve.name and measure == @curve.measure")
        if curve.subset != "all":
            rows = rows[rows["qid"].str.endswith(curve.subset)]
        assert curve.value == pytest.approx(rows["value"].mean())
        assert curve.queries == len(rows)
        assert curve.low <= curve.value <= curve.high
    assert curves["subset"].unique().tolist() == ["all", "background", "method", "result"]
    assert curves.query("subset == 'all'")["name"].unique().tolist() == list(runs)
    assert curves["cutoff"].tolist()[:2] == [10, 20]


def test_measures_at_ranks(runs):
    """A measure without percent is cut at ranks; one without any cut-off is refused."""
    curves = by_cutoff(runs, ALL, R, [1, 5], resamples=5)
    assert curves["measure"].unique().tolist() == ["R@1", "R@5"]
    with pytest.raises(ValueError, match="Unknown measure 'infAP"):
        by_cutoff(runs, ALL, "infAP")
    with pytest.raises(ValueError, match="percents, 0: expected numbers above 0"):
        by_cutoff(runs, ALL, R, [0])  # else the process would die
    with pytest.raises(ValueError, match="expected the results of one system"):
        by_cutoff({}, ALL)
    elsewhere = {"elsewhere": runs["fabs_tfidf"].assign(qid="x" + runs["fabs_tfidf"]["qid"])}
    with pytest.raises(ValueError, match=r"elsewhere has no query of scholarly-mini/all"):
        by_cutoff(elsewhere, ALL)


def test_each_query_has_its_group():
    """A row for each system and query; NaN is left out."""
    values = [0.1, 0.2, float("nan")]
    qids = ["102_method", "102_result", "104_background"]
    perquery = pd.DataFrame({"name": "a", "qid": qids, "measure": "M", "value": values})
    perquery = perquery.assign(measure="NDCG%20")
    known = pd.DataFrame(pt.get_dataset(f"irds:{ALL}").irds_ref().queries_iter())["query_id"]
    perquery["qid"] = known.tolist()[:3]
    rows = by_query(perquery, ALL, by="facet")
    assert sorted(rows["value"]) == [0.1, 0.2]
    assert all(row.qid.endswith(row.subset) for row in rows.itertuples())
    assert by_query(perquery, ALL)["subset"].tolist() == ["all", "all"]
    with pytest.raises(ValueError, match="The values are of no query of scholarly-mini/all"):
        by_query(perquery.assign(qid=["x", "y", "z"]), ALL)

"""Figures that pages tell of traps, computed again."""

import pyterrier as pt
import pytest

from pyterrier_scholarly import fold_mean, statistics, systems
from pyterrier_scholarly.evaluation import read_run


def rank(dataset, *keys):
    """Run systems for a dataset's queries: topics and a dict from a key to a run."""
    topics = dataset.get_topics("query")
    named = systems(dataset, verbose=False)
    return topics, {key: named[key](topics) for key in keys}


@pytest.mark.slow
def test_other_discounts_and_gains_of_csfcube(csfcube_home):
    """``csfcube.rst``: by how much NDCG%20 over all facets rises and falls, in points."""
    dataset = pt.get_dataset("irds:csfcube/all")
    topics, runs = rank(dataset, "fabs_bm25", "fabs_tfidf")
    measures = ["NDCG%20", "NDCG(discount='log2')%20", "NDCG(gain='exp2-1')%20"]
    perquery = pt.Experiment(runs, topics, dataset.get_qrels(), measures, perquery=True)
    test = fold_mean(perquery, dataset).query("split == 'test'")
    means = 100 * test.pivot(index="name", columns="measure", values="value")
    changes = means[measures[1:]].sub(means["NDCG%20"], axis=0).round(1)
    assert changes.loc["fabs_bm25"].tolist() == [0.4, -4.1]
    assert changes.loc["fabs_tfidf"].tolist() == [0.8, -4.1]


def test_precision_at_grade_1_and_at_grade_2(csfcube_home):
    """``evaluating.rst``: fabs_bm25 on method."""
    dataset = pt.get_dataset("irds:csfcube/method")
    topics, runs = rank(dataset, "fabs_bm25")
    row = pt.Experiment(runs, topics, dataset.get_qrels(), ["P@20", "P(rel=2)@20"]).iloc[0]
    assert (round(row["P@20"], 3), round(row["P(rel=2)@20"], 3)) == (0.368, 0.115)


def test_csfcubes_pairs(csfcube_home):
    """``csfcube.rst``: two of 6,244 pairs are of a paper with itself, and no qrels."""
    pools = statistics("csfcube")["pools"]
    qrels = pt.get_dataset("irds:csfcube/all").get_qrels()
    assert (pools["candidates"].sum(), len(qrels)) == (6244, 6242)


def test_trecs_measures_on_doris_mae(real_home):
    """``doris_mae.rst``: map is nearly 1, as nearly every pooled abstract has a total above 0."""
    dataset = pt.get_dataset("irds:doris-mae/dev")
    qrels = dataset.get_qrels()
    assert round(100 * (qrels["label"] >= 1).mean()) == 97
    topics, runs = rank(dataset, "bm25")
    row = pt.Experiment(runs, topics, qrels, ["map", "DorisAP"]).iloc[0]
    assert (round(row["map"], 2), round(row["DorisAP"], 2)) == (0.98, 0.28)


def test_measures_of_pools_on_litsearch_warn(data, real_home):
    """``litsearch.rst``: it has neither pools nor judged papers that are not relevant."""
    dataset = pt.get_dataset("irds:litsearch")
    run = read_run(data("litsearch", "runs", "gritlm-7b.title_abstract.trec.gz"), "litsearch")
    topics, qrels = dataset.get_topics("query"), dataset.get_qrels()
    with pytest.warns(UserWarning, match="NDCG%20: for 596 of 597 queries") as said:
        row = pt.Experiment({"GritLM": run}, topics, qrels, ["NDCG%20", "rHSA"]).iloc[0]
    assert any("rHSA: no judged document in the run is irrelevant" in str(w.message) for w in said)
    assert row["NDCG%20"] < 0.01 and row["rHSA"] == 0


@pytest.mark.parametrize("name", ["scholarly-mini/all", "csfcube/method", "litsearch", "doris-mae"])
def test_topics_have_a_column_query(real_home, name, capsys):
    """``collections.rst``: whatever PyTerrier prints."""
    topics = pt.get_dataset(f"irds:{name}").get_topics()
    assert {"qid", "query"} < set(topics.columns) and topics.columns.is_unique
    assert "multiple query fields" in capsys.readouterr().out

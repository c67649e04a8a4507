"""Systems after a pool method's papers left the pool."""

import json
import math

import pandas as pd
import pytest

from pyterrier_scholarly import read_ranked_pools
from pyterrier_scholarly.evaluation import leave_one_out

METHODS = ["abs_cbow200", "abs_tfidf", "abs_tfidfcbow200", "specter"]
METHODS += ["title_cbow200", "title_tfidf", "title_tfidfcbow200"]


def ndcg20(grades):
    """NDCG%20 of a ranked pool's grades: linear gain, no discount at ranks 1 and 2."""
    k = int(0.2 * len(grades))
    gained, ideal = (
        sum(grade / max(1, math.log2(rank)) for rank, grade in enumerate(ranked[:k], 1))
        for ranked in (grades, sorted(grades, reverse=True))
    )
    return gained / ideal


@pytest.mark.parametrize("facet", ["background", "result"])
def test_specter_without_a_methods_papers(data, csfcube_home, facet):
    """By brute force over the release's own files, for each of the seven methods and the pool."""
    folder = data("csfcube")
    name = f"test-pid2pool-csfcube-specter-{facet}-ranked.json"
    ranked = json.loads((folder / "sample_ranked_pools" / name).read_text())
    judged = json.loads((folder / f"test-pid2anns-csfcube-{facet}.json").read_text())
    pools = json.loads((folder / "test-pid2pool-csfcube.json").read_text())
    splits = json.loads((folder / "evaluation_splits.json").read_text())[facet]
    run = read_ranked_pools(folder / "sample_ranked_pools" / name)
    found = leave_one_out({"SPECTER": run}, f"csfcube/{facet}", ["NDCG%20"])
    values = found.set_index("left_out")["value"]
    assert list(values.index) == ["", *METHODS]
    for method in ["", *METHODS]:
        means = []
        for fold in ("fold1_test", "fold2_test"):
            of_queries = []
            for qid in (one.rpartition("_")[0] if "_" in one else one for one in splits[fold]):
                grade = dict(zip(judged[qid]["cands"], judged[qid]["relevance_adju"]))
                alone = {
                    doc
                    for doc, of in zip(pools[qid]["cands"], pools[qid]["cand_source"])
                    if set(of) == {method}
                }
                docs = [doc for doc, _ in ranked[qid] if doc not in alone]
                of_queries.append(ndcg20([grade[doc] for doc in docs]))
            means.append(sum(of_queries) / len(of_queries))
        assert values[method] == pytest.approx(sum(means) / 2, abs=1e-12)
    changes = found.set_index("left_out")["change"]
    assert changes.to_dict() == (values - values[""]).to_dict() and changes[""] == 0


@pytest.fixture
def made(tmp_path, monkeypatch):
    """A collection of one query: two relevant papers, one of them of method b alone."""
    from pyterrier_scholarly.collect import write_collection

    monkeypatch.setenv("IR_DATASETS_HOME", str(tmp_path))
    pool = pd.DataFrame(
        {"qid": "q", "docno": list("wxyz"), "sources": [["a"], ["b"], ["a", "b"], ["cited", "b"]]}
    )
    write_collection(
        "left",
        [{"doc_id": name} for name in "wxyz"],
        [{"query_id": "q", "query": "?"}],
        pool,
        pool.drop(columns="sources").assign(label=[0, 1, 0, 1]),
        description="D",
        licence="CC0-1.0",
    )
    return "made/left"


@pytest.mark.parametrize("rerank, without_b", [(True, 1 / 2), (False, 1 / 3)])
def test_papers_that_leave(made, rerank, without_b):
    """X leaves with b: z, cited, is at rank 2 of what is left, or at rank 3 behind an unjudged x.

    Cited papers never leave.
    """
    run = pd.DataFrame({"qid": "q", "docno": list("wxzy"), "score": [4.0, 3.0, 2.0, 1.0]})
    found = leave_one_out({"s": run}, made, ["RR"], rerank=rerank).set_index("left_out")
    assert found["removed"].to_dict() == {"": 0, "a": 1, "b": 1}
    assert found.loc["", "value"] == 1 / 2  # x
    assert found.loc["a", "value"] == (1 if rerank else 1 / 2)
    assert found.loc["b", "value"] == pytest.approx(without_b)
    assert found.loc["b", "change"] == pytest.approx(without_b - 1 / 2)

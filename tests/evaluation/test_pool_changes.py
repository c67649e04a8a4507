"""How figures and rankings move with the pool."""

import json

import pandas as pd
import pytest

from pyterrier_scholarly import official_measures
from pyterrier_scholarly.datasets import irds
from pyterrier_scholarly.evaluation import pool_sensitivity

NAMES = ["recall@5", "recall@20", "r_precision", "ndcg@0.1", "ndcg_exp@0.1", "mrr@10", "map"]


@pytest.fixture
def published(data, real_home):
    """The six published rankings, the judgements and the pools of the dev queries."""
    runs = {}
    for path in sorted(data("doris-mae", "rankings").glob("*.json")):
        ranked = json.loads(path.read_text()).items()
        rows = [(qid, str(docno), -n) for qid, docnos in ranked for n, docno in enumerate(docnos)]
        runs[path.stem] = pd.DataFrame(rows, columns=["qid", "docno", "score"])
    dataset = irds("doris-mae/dev")
    columns = ["qid", "docno", "label", "iteration"]
    qrels = pd.DataFrame(dataset.qrels_iter()).set_axis(columns, axis=1)
    pool = pd.DataFrame(dataset.scoreddocs_iter()).iloc[:, :2].set_axis(["qid", "docno"], axis=1)
    return runs, qrels, pool


def test_the_whole_pool_has_the_authors_figures(published, data):
    """42 figures of their own code; the pool against itself: no change, τ of 1."""
    runs, qrels, pool = published
    found = pool_sensitivity(runs, qrels, {"a": pool, "b": pool}, official_measures("doris-mae"))
    computed = json.loads(data("doris-mae", "reference-metrics.json").read_text())
    table = pd.DataFrame(computed).T[NAMES] / 100
    own = found.figures.query("pool == 'a'")
    for name, rows in own.groupby("name"):
        assert rows["value"].tolist() == pytest.approx(table.loc[name].tolist(), abs=1e-6)
    for measure, rows in own.groupby("measure"):
        order = table.set_axis([str(m) for m in official_measures("doris-mae")], axis=1)[measure]
        assert rows.sort_values("rank")["name"].tolist() == order.sort_values()[::-1].index.tolist()
    assert (found.figures["change"] == 0).all()
    assert found.rankings["tau"].tolist() == pytest.approx([1] * 14)
    assert found.pools["relative"].tolist() == [0, 0] and found.pools["better"].tolist() == [0, 0]


def test_a_part_of_the_pool_by_brute_force(published):
    """R@5 of every system over the first half of each pool, by plain sets; tf-idf lacks nothing."""
    runs, qrels, pool = published
    halves = pool.groupby("qid").head(10).groupby("qid")["docno"].agg(set).to_dict()
    rows = [(qid, docno) for qid, docnos in halves.items() for docno in docnos]
    half = pd.DataFrame(rows, columns=["qid", "docno"])
    found = pool_sensitivity(runs, qrels, {"whole": pool, "half": half}, ["DorisR@5"])
    size = qrels["iteration"].astype(int)
    judged = qrels[(qrels["label"] >= size) & (size > 0)].groupby("qid")["docno"].agg(set)
    relevant = {qid: docnos & halves[qid] for qid, docnos in judged.items() if docnos & halves[qid]}
    whole, part = (rows.set_index("name") for _, rows in found.figures.groupby("pool", sort=False))
    for name, run in runs.items():
        ranked = run.sort_values("score", ascending=False).groupby("qid")["docno"].agg(list)
        shares = [
            len(docnos & set([d for d in ranked[qid] if d in halves[qid]][:5])) / len(docnos)
            for qid, docnos in relevant.items()
        ]
        assert part.loc[name, "value"] == pytest.approx(sum(shares) / len(shares))
        assert part.loc[name, "change"] == part.loc[name, "value"] - whole.loc[name, "value"]
    values = whole["value"], part["value"]
    pairs = [(a, b) for a in runs for b in runs if a < b]
    signs = [pd.Series([v[a] - v[b] for v in values]).pipe(lambda d: d[0] * d[1]) for a, b in pairs]
    assert all(signs)  # no ties, so τ is concordant less discordant pairs
    tau = sum(1 if sign > 0 else -1 for sign in signs) / len(pairs)
    assert found.rankings["tau"].tolist() == pytest.approx([1, tau])


def test_another_pool_by_hand():
    """Best 4 and 2 against 2 and 4: -1/2 and +1; a third query without a best is left out."""
    rows = [
        ("1", "a", 4),
        ("1", "x", 2),
        ("2", "b", 2),
        ("2", "y", 4),
        ("3", "c", 0),
        ("3", "z", 1),
    ]
    qrels = pd.DataFrame(rows, columns=["qid", "docno", "label"])
    first = qrels[qrels["docno"].isin(list("abc"))][["qid", "docno"]]
    other = pd.DataFrame({"qid": ["1", "2", "3", "3"], "docno": ["x", "y", "z", "u"]})
    run = first.assign(score=1.0)
    found = pool_sensitivity({"s": run}, qrels, {"first": first, "other": other}, ["P@1"])
    assert found.pools.to_numpy().tolist()[1] == ["other", 4, 1, 0.25, 0.5, 1.0]
    assert found.figures["missing"].tolist() == [0, 4]
    assert found.rankings["tau"].isna().all()  # one system has no order


def test_a_share_is_drawn_of_each_query():
    """Half of four candidates is two, the same with an equal seed."""
    pool = pd.DataFrame({"qid": list("11112222"), "docno": list("abcdabcd")})
    qrels, run = pool.assign(label=1), pool.assign(score=range(8))
    pools = {"whole": pool, "half": 0.5}
    found = [pool_sensitivity({"s": run}, qrels, pools, ["R@1"], seed=3) for _ in range(2)]
    assert found[0].pools["candidates"].tolist() == [8, 4]
    assert found[0].figures["value"].tolist() == [0.25, 0.5]  # one of four, one of two
    assert found[0].figures.equals(found[1].figures)


@pytest.mark.parametrize("pools", [{"a": 0.5}, {"a": pd.DataFrame(), "b": 1.0}])
def test_a_share_needs_a_pool_to_draw_from(pools):
    """The first pool must be a frame, and a share must be below 1."""
    pools = {
        k: v if isinstance(v, float) else pd.DataFrame({"qid": [], "docno": []})
        for k, v in pools.items()
    }
    qrels = pd.DataFrame({"qid": ["1"], "docno": ["a"], "label": [1]})
    with pytest.raises(ValueError, match="expected a frame of qid and docno, or"):
        pool_sensitivity({"s": qrels.assign(score=1)}, qrels, pools, ["P@1"])
    with pytest.raises(ValueError, match=r"runs=\{\}: expected the results of one system"):
        pool_sensitivity({}, qrels, {"a": qrels}, ["P@1"])

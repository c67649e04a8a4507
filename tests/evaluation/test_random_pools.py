"""The random baseline, against expectations that have a formula."""

import ir_datasets
import pandas as pd
import pytest

from pyterrier_scholarly import published
from pyterrier_scholarly.evaluation import random_baseline


def judged(pools):
    """A frame of ``{query: relevances of its documents}``."""
    rows = [(q, f"d{n}", int(r)) for q, labels in pools.items() for n, r in enumerate(labels)]
    return pd.DataFrame(rows, columns=["qid", "docno", "label"])


@pytest.mark.slow
def test_expected_precision_recall_and_reciprocal_rank():
    """Two of five relevant: P@2 is 2/5, R@3 is 3/5, and for RR each rank is weighed by its chance.

    The first relevant one stands at ranks 1 to 4 in 4, 3, 2, 1 of the ten possible pairs of ranks.
    """
    found = random_baseline(judged({"q": "01010"}), ["P@2", "R@3", "RR"], trials=4000)
    reciprocal = 4 / 10 + 3 / 10 / 2 + 2 / 10 / 3 + 1 / 10 / 4
    assert found["value"].tolist() == pytest.approx([2 / 5, 3 / 5, reciprocal], abs=0.02)
    assert found[["name", "measure"]].to_numpy().tolist() == [
        ["random", m] for m in ("P@2", "R@3", "RR")
    ]


@pytest.mark.slow
def test_the_spread_over_trials():
    """One relevant of two: P@1 is 0 or 1, so its standard deviation is 1/2."""
    found = random_baseline(judged({"q": "01"}), ["P@1"], trials=4000)
    assert found["std"].item() == pytest.approx(1 / 2, abs=0.01)


@pytest.mark.slow
def test_queries_that_do_not_count_are_left_out():
    """DORIS-MAE's recall of five among ten is 1/2 for q1; q2 has no relevant abstract."""
    qrels = judged({"q1": "9999900000", "q2": "0000000000"}).assign(iteration="9")
    found = random_baseline(qrels, ["DorisR@5"], trials=1000)
    assert found["value"].item() == pytest.approx(1 / 2, abs=0.02)


@pytest.mark.slow
def test_a_dataset_brings_its_pools():
    """The expected P@1 of a shuffled pool is the share of relevant candidates, query by query."""
    dataset = ir_datasets.load("scholarly-mini/method")
    qrels = pd.DataFrame(dataset.qrels_iter())
    share = (qrels["relevance"] >= 2).groupby(qrels["query_id"]).mean().mean()
    found = random_baseline("irds:scholarly-mini/method", ["P(rel=2)@1"], trials=2000)
    assert found["value"].item() == pytest.approx(share, abs=0.02)


def test_it_is_seeded():
    """The same figures again, and others with another seed."""
    first, again, other = (
        random_baseline(judged({"q": "010010"}), ["RR"], trials=20, seed=seed)["value"].item()
        for seed in (1, 1, 2)
    )
    assert first == again != other


def test_what_has_no_pools_is_refused():
    """A collection without candidates and zero trials are errors."""
    with pytest.raises(ValueError, match="no candidate pools with judgements"):
        random_baseline("scholarly-mini", ["RR"])
    with pytest.raises(ValueError, match="trials=0"):
        random_baseline(judged({"q": "01"}), ["RR"], trials=0)
    with pytest.raises(ValueError, match="frame of judgements has no official measures: pass"):
        random_baseline(judged({"q": "01"}))


def test_a_dataset_brings_its_measures():
    """Without measures, a dataset's own are computed, in the order of its paper's tables."""
    found = random_baseline("scholarly-mini/method", trials=5)
    labels = ["PLastRel(rel=2)", "P(rel=2)@20", "R(rel=2)@20", "NDCG%20", "NDCG%100"]
    assert found["measure"].tolist() == labels
    again = random_baseline("scholarly-mini/method", labels, trials=5)
    assert found["value"].tolist() == again["value"].tolist()


@pytest.mark.slow
def test_doris_maes_random_rows_have_a_command(real_home):
    """``random_baseline("doris-mae")`` has table 11's measures; of n candidates, R@5 expects 5/n.

    The pools at hand are parts of forty of the hundred queries' pools, so no figure is the printed
    one.
    """
    found = random_baseline("doris-mae", trials=300).set_index("measure")["value"]
    printed = published("doris-mae").query("table == '11' and name == 'random'")
    assert found.index.tolist() == printed["measure"].tolist()

    dataset = ir_datasets.load("doris-mae")
    candidates = pd.DataFrame(dataset.scoreddocs_iter())["query_id"].value_counts()
    judgements = pd.DataFrame(dataset.qrels_iter())
    needed = judgements["iteration"].astype(int)
    relevant = judgements[(needed > 0) & (judgements["relevance"] >= needed)]
    expected = (5 / candidates[relevant["query_id"].unique()]).mean()
    assert found["DorisR@5"] == pytest.approx(expected, abs=0.005)

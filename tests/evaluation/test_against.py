"""Systems against a baseline."""

import ir_datasets
import pandas as pd
import pyterrier as pt
import pytest

from ir_datasets_ext.facets import split
from pyterrier_scholarly import against_baseline, by_subset, fold_mean, paired_t
from pyterrier_scholarly.collect import write_collection
from pyterrier_scholarly.stats import correct_pvalues

ALL = "scholarly-mini/all"
QIDS = [query.query_id for query in ir_datasets.load(ALL).queries_iter()]


def rows(name, values):
    """Per-query values of a system."""
    columns = {"name": name, "qid": QIDS, "measure": "M", "value": values}
    return pd.DataFrame(columns)


@pytest.fixture
def perquery():
    """A baseline with 0 everywhere; a system with 0, 1, 2, … but -1 for the last query."""
    return pd.concat(
        [rows("base", 0.0), rows("new", [*map(float, range(len(QIDS) - 1)), -1.0])]
    ).reset_index(drop=True)


def test_values_are_the_official_ones(perquery):
    """Over all facets and in each: the test figures of `fold_mean` and `by_subset`."""
    found = against_baseline(perquery, ALL, "base").query("name == 'new'")
    found = found.set_index("subset")["value"]
    (everything,) = fold_mean(perquery, ALL).query("name == 'new' and split == 'test'")["value"]
    facets = by_subset(perquery, ALL).query("name == 'new' and split == 'test'")
    assert found["all"] == everything
    assert found[1:].to_dict() == facets.set_index("subset")["value"].to_dict()


def test_a_missing_p_value_is_warned_of(perquery):
    """A system that is better by 1 at every query, over all queries and in each facet."""
    shifted = pd.concat([rows("base", 0.5), rows("shifted", 1.5)])
    said = f"No p-value for shifted M all .all {len(QIDS)} differences are 1., shifted M backgr"
    with pytest.warns(UserWarning, match=said):
        found = against_baseline(shifted, ALL, "base", correction="holm")
    assert found["p"].isna().all()


def test_the_baseline_is_not_tested_against_itself(perquery):
    """No difference, no p-value."""
    found = against_baseline(perquery, ALL, "base").query("name == 'base'")
    assert set(found["subset"]) == {split(qid)[1] for qid in QIDS} | {"all"}
    assert (found["difference"] == 0).all()
    assert found["p"].isna().all()


def test_further_columns_change_nothing(perquery):
    """Such as those of `unjudged_effects`, whose names tables use, too."""
    further = perquery.assign(judged_share=0.5, condensed="", answered=True, judgements=1)
    expected = against_baseline(perquery, ALL, "base")
    pd.testing.assert_frame_equal(against_baseline(further, ALL, "base"), expected)
    pd.testing.assert_frame_equal(fold_mean(further, ALL), fold_mean(perquery, ALL))


def test_an_unknown_baseline(perquery):
    """The error names the present systems."""
    with pytest.raises(ValueError, match=r"Unknown baseline 'old'. Choose one of: base, new"):
        against_baseline(perquery, ALL, "old")


def test_several_baselines_and_a_correction(perquery):
    """Each system is compared with each baseline; the p-values are corrected together."""
    third = perquery[perquery["name"] == "new"].assign(name="third")
    third = third.assign(value=third["value"] ** 2)
    both = pd.concat([perquery, third], ignore_index=True)
    found = against_baseline(both, ALL, ["base", "new"])
    for baseline in ("base", "new"):
        alone = against_baseline(both, ALL, baseline)
        rows = found[found["baseline"] == baseline].drop(columns="baseline")
        keys = ["name", "subset"]
        expected = alone.sort_values(keys).reset_index(drop=True)
        pd.testing.assert_frame_equal(rows.sort_values(keys).reset_index(drop=True), expected)

    corrected = against_baseline(both, ALL, ["base", "new"], correction="holm")
    assert corrected["p"].dropna().tolist() == correct_pvalues(found["p"].dropna()).tolist()
    counts = found[["better", "equal", "worse"]].sum(axis=1)
    assert (counts == found["queries"]).all()
    with pytest.raises(ValueError, match=r"Unknown baseline 'old'"):
        against_baseline(both, ALL, ["base", "old"])
    with pytest.raises(ValueError, match="expected the names of one system or more"):
        against_baseline(both, ALL, [])


METHOD = [query.query_id for query in ir_datasets.load("scholarly-mini/method").queries_iter()]


def method_rows(name, values):
    """Per-query values of a system on the facet method, whose query ids are papers."""
    return pd.DataFrame({"name": name, "qid": METHOD, "measure": "M", "value": values})


def test_a_single_facet_with_folds():
    """Its only subset is all of it; the value is the mean of the two folds' test means."""
    values = [float(number) for number in range(len(METHOD))]
    both = pd.concat([method_rows("base", 0.0), method_rows("new", values)], ignore_index=True)
    found = against_baseline(both, "scholarly-mini/method", "base").set_index("name")
    official = fold_mean(both, "scholarly-mini/method").query("split == 'test'").set_index("name")
    assert found["subset"].tolist() == ["all", "all"]
    assert found["value"].to_dict() == official["value"].to_dict()
    assert found.loc["new", "difference"] == pytest.approx(sum(values) / len(values))


@pytest.fixture
def own(tmp_path, monkeypatch):
    """A collection of one's own: four queries of two kinds, without folds."""
    monkeypatch.setenv("IR_DATASETS_HOME", str(tmp_path))
    kinds = zip("abcd", ("short", "short", "long", "long"))
    queries = [{"query_id": qid, "query": "?", "kind": kind} for qid, kind in kinds]
    qrels = [{"query_id": qid, "doc_id": "x", "relevance": 1} for qid in "abcd"]
    docs = [{"doc_id": "x", "text": "?"}]
    about = {"description": "D", "licence": "CC0"}
    write_collection("kinds", docs, queries=queries, qrels=qrels, **about)
    return "made/kinds"


def kinds_rows(name, *values):
    """Per-query values on that collection."""
    return pd.DataFrame({"name": name, "qid": list("abcd"), "measure": "M", "value": values})


def test_a_collection_without_folds(own):
    """Values are means over the queries, with the tests of a paired comparison."""
    both = pd.concat([kinds_rows("base", 0, 0, 1, 1), kinds_rows("new", 1, 0, 1, 0)])
    both = both.astype({"value": float}).reset_index(drop=True)
    found = against_baseline(both, own, "base").set_index("name")
    assert found["subset"].tolist() == ["all", "all"]
    assert found["value"].to_dict() == {"base": 0.5, "new": 0.5}
    assert found.loc["new", ["difference", "better", "worse", "queries"]].tolist() == [0, 1, 1, 4]
    assert found.loc["new", "p"] == paired_t([1.0, 0, 1, 0], [0.0, 0, 1, 1]).pvalue


def test_groups_of_queries(own):
    """By a field: a row for each group, which cover all queries together."""
    both = pd.concat([kinds_rows("base", 0, 0, 1, 1), kinds_rows("new", 1, 0, 1, 0)])
    found = against_baseline(both.astype({"value": float}), own, "base", by="kind")
    new = found.query("name == 'new'").set_index("subset")
    assert new["value"].to_dict() == {"all": 0.5, "long": 0.5, "short": 0.5}
    assert new["difference"].to_dict() == {"all": 0, "long": -0.5, "short": 0.5}
    assert new["queries"].to_dict() == {"all": 4, "long": 2, "short": 2}
    with pytest.raises(ValueError, match=r"Unknown field 'knd' .* Did you mean 'kind'"):
        against_baseline(both, own, "base", by="knd")


def test_groups_beside_folds(perquery):
    """All queries keep the folds' figure; groups by another field than facets are plain means."""
    found = against_baseline(perquery, ALL, "base", by="paper_type").query("name == 'new'")
    plain = by_subset(perquery, ALL, by="paper_type").query("name == 'new'")
    (everything,) = fold_mean(perquery, ALL).query("name == 'new' and split == 'test'")["value"]
    values = found.set_index("subset")["value"].to_dict()
    assert values.pop("all") == everything
    assert values == plain.set_index("subset")["value"].to_dict()


def test_a_group_is_never_taken_for_all_queries(own):
    """A group that is called "all" has another name, and does not change the mean over all."""
    values = kinds_rows("base", 0.0, 0.0, 1.0, 1.0)
    first = values["qid"].iloc[0]
    found = against_baseline(
        values, own, "base", by=lambda query: "all" if query.query_id == first else "rest"
    )
    assert found[["subset", "value"]].to_numpy().tolist() == [
        ["all", 0.5],
        ["all (a group)", 0.0],
        ["rest", pytest.approx(2 / 3)],
    ]


def test_a_missing_query_without_folds(own):
    """A system without a query that others have is an error; so are queries of nowhere."""
    whole = kinds_rows("base", 0.0, 0.0, 1.0, 1.0)
    part = whole.assign(name="new").head(3)
    with pytest.raises(ValueError, match="'new' has no M for 1 of the 4 queries"):
        against_baseline(pd.concat([whole, part]), own, "base")
    with pytest.raises(ValueError, match="of no query of made/kinds: they are of zz"):
        against_baseline(whole.head(1).assign(qid="zz"), own, "base")


def test_doris_mae_against_a_baseline(real_home):
    """The values are those of the experiment's averages, over the forty queries at hand."""
    dataset = pt.get_dataset("irds:doris-mae/dev")
    topics, qrels, pool = dataset.get_topics("query"), dataset.get_qrels(), dataset.get_results()
    runs = {
        name: pool.assign(score=sign * pool["docno"].astype(float))
        for name, sign in {"up": 1, "down": -1}.items()
    }
    measures = ["DorisR@20", "DorisNDCG%10"]
    perquery, averages = (
        pt.Experiment(runs, topics, qrels, measures, perquery=each) for each in (True, False)
    )
    found = against_baseline(perquery, dataset, "up").set_index(["name", "measure"])["value"]
    expected = averages.set_index("name")[measures].stack()
    assert found.to_dict() == pytest.approx(expected.to_dict(), abs=1e-12)

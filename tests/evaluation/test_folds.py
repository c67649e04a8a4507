"""Means over folds, facets and subsets."""

import ir_datasets
import pandas as pd
import pyterrier as pt
import pytest

from pyterrier_scholarly import by_subset, fold_mean, folds
from pyterrier_scholarly.evaluation import queries_by

ALL = "scholarly-mini/all"


def queries(subset):
    """Query ids of a subset of the embedded collection."""
    return [q.query_id for q in ir_datasets.load(f"{ALL}/{subset}").queries_iter()]


def perquery(values, name="system", measure="M"):
    """A frame as `pt.Experiment(perquery=True)` gives it."""
    return pd.DataFrame(
        [[name, qid, measure, value] for qid, value in values.items()],
        columns=["name", "qid", "measure", "value"],
    )


@pytest.fixture
def rows():
    """Values 1, 2, 3, … in the order of fold 1's test part, then of fold 2's."""
    ids = queries("fold1/test") + queries("fold2/test")
    return perquery({qid: float(i) for i, qid in enumerate(ids, 1)})


def test_test_is_the_mean_of_two_means(rows):
    """Folds of m and n queries with values 1..m and m+1..m+n: the mean of the two middles."""
    m, n = len(queries("fold1/test")), len(queries("fold2/test"))
    means = fold_mean(rows, f"irds:{ALL}").set_index("split")["value"]
    assert means["test"] == pytest.approx(((1 + m) / 2 + (m + 1 + m + n) / 2) / 2)
    assert means["dev"] == pytest.approx((m + 1 + m + n) / 2)  # dev of fold 1 is test of fold 2


def test_a_row_per_system_measure_and_split(rows):
    """Systems and measures keep the experiment's order."""
    table = pd.concat([rows.assign(name=n, measure=m) for n in "ba" for m in "NM"])
    means = fold_mean(table, ALL)
    assert list(means) == ["name", "measure", "split", "value"]
    expected = [[n, m, s] for n in "ba" for m in "NM" for s in ("dev", "test")]
    assert means[["name", "measure", "split"]].to_numpy().tolist() == expected


def test_a_missing_query_is_named(rows):
    """A query of a split missing from the rows is an error that names it."""
    gone = queries("fold1/dev")[2]
    with pytest.raises(ValueError, match=gone):
        fold_mean(rows[rows["qid"] != gone], ALL)


def test_values_of_other_queries_are_named(rows):
    """The error names queries of both sides: the dataset may be the wrong one."""
    said = r"'system' has no M for 5 of the 5 queries: 1\d+.* Its values are of 1\d+_.* pass the "
    with pytest.raises(ValueError, match=said):
        by_subset(rows, "scholarly-mini/method", by="facet")


def test_named_subsets_are_plain_means():
    """Any dict of query ids: the mean over each."""
    means = by_subset(perquery({"1": 1.0, "2": 2.0, "3": 6.0}), {"x": ["1", "2"], "y": ["3"]})
    assert means[["subset", "value"]].to_numpy().tolist() == [["x", 1.5], ["y", 6.0]]


@pytest.mark.parametrize(
    ("subsets", "said"),
    [
        ({}, r"subsets=\{\}: expected a dict"),
        ({"x": ["1"], "y": []}, "subsets: y without queries. Leave them out"),
    ],
)
def test_a_subset_without_queries_is_refused(subsets, said):
    """It has no mean, and a frame without its row would say nothing of it."""
    with pytest.raises(ValueError, match=said):
        by_subset(perquery({"1": 1.0}), subsets)


def test_two_systems_of_one_name_are_refused(rows):
    """Two systems with one name are an error."""
    with pytest.raises(ValueError, match="distinct `names`"):
        fold_mean(pd.concat([rows, rows]), ALL)


def test_a_collection_without_folds_is_told(rows):
    """A dataset without folds is an error."""
    with pytest.raises(ValueError, match="no folds"):
        fold_mean(rows, f"{ALL}/fold1/dev")


def test_facets_of_all_equal_the_facets_themselves(rows):
    """`by_subset` on `all` gives what `fold_mean` gives on each facet's own dataset."""
    means = by_subset(rows, ALL)
    assert list(means) == ["name", "measure", "subset", "split", "value"]
    for facet, part in pt.scholarly.evaluation.from_all(rows).items():
        own = fold_mean(part, f"scholarly-mini/{facet}")
        ours = means[means["subset"] == facet].drop(columns="subset").reset_index(drop=True)
        pd.testing.assert_frame_equal(ours, own)


def test_subsets_by_a_field_of_the_queries(rows):
    """Each query counts in the group of its own field; 1 to 16 in all, whatever the groups."""
    types = {q.query_id: q.paper_type for q in ir_datasets.load(ALL).queries_iter()}
    values = rows.set_index("qid")["value"]
    found = by_subset(rows, ALL, by="paper_type")
    assert list(found) == ["name", "measure", "subset", "value"]
    expected = {
        kind: values[[q for q in types if types[q] == kind]].mean() for kind in types.values()
    }
    assert dict(zip(found["subset"], found["value"])) == pytest.approx(expected)
    assert len(expected) > 1
    (whole,) = by_subset(rows, f"irds:{ALL}", by=lambda query: "any")["value"]
    assert whole == (1 + 16) / 2
    with pytest.raises(
        ValueError, match=r"Unknown field 'kind' of the queries of .*: query_id, .*paper_year"
    ):
        by_subset(rows, ALL, by="kind")


def test_folds_are_the_test_parts():
    """`pt.KFoldGridSearch` gets every query once, each fold's test part in turn."""
    parts = folds(ALL)
    assert [part["qid"].tolist() for part in parts] == [
        queries("fold1/test"),
        queries("fold2/test"),
    ]
    assert parts[0]["query"].str.len().min() > 0


def test_grid_search_over_the_folds():
    """A setting that is best everywhere is chosen in both folds, and all queries are answered."""
    dataset = pt.get_dataset(f"irds:{ALL}")
    best = dataset.get_qrels().rename(columns={"label": "score"})

    class Signed(pt.Transformer):
        sign = -1

        def transform(self, topics):
            run = topics.merge(best, on="qid")
            return pt.model.add_ranks(run.assign(score=self.sign * run["score"]))

    system = Signed()
    qrels = dataset.get_qrels()
    grid = {system: {"sign": [-1, 1]}}
    run, settings = pt.KFoldGridSearch(system, grid, folds(ALL), qrels, "NDCG%20")
    assert [setting[0][2] for setting in settings] == [1, 1]
    assert set(run["qid"]) == set(qrels["qid"])


def test_averages_are_refused():
    """The error names the argument that gives the rows of single queries."""
    averages = pd.DataFrame({"name": ["a"], "NDCG%20": [0.5]})
    with pytest.raises(pt.validate.InputValidationError, match="perquery=True"):
        fold_mean(averages, "scholarly-mini/all")


def test_litsearchs_questions_by_source(litsearch_home):
    """Table 2's sources: 351 questions from inline citations, 246 by authors; fields work too."""
    values = {query.query_id: 1.0 for query in ir_datasets.load("litsearch").queries_iter()}
    inline = [query.query_id for query in ir_datasets.load("litsearch/inline").queries_iter()]
    values |= dict.fromkeys(inline, 0.25)
    found = by_subset(perquery(values), "litsearch", by="source")
    assert found[["subset", "value"]].to_numpy().tolist() == [["author", 1.0], ["inline", 0.25]]
    groups = queries_by("litsearch", "source")
    assert {name: len(ids) for name, ids in groups.items()} == {"author": 246, "inline": 351}
    assert sorted(groups["inline"]) == sorted(inline)
    assert {*queries_by("litsearch", "specificity")} == {"broad", "specific"}
    assert {*queries_by("litsearch", "quality")} == {1, 2}
    with pytest.raises(ValueError, match=r"Did you mean 'source'.*query_set, .*source\."):
        queries_by("litsearch", "sources")

"""Groups and figures, against plain loops over drawn values."""

from math import isnan, nan
from statistics import fmean

import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pyterrier_scholarly.evaluation.figures import average, compare, describe
from pyterrier_scholarly.evaluation.groups import (
    group_facets,
    group_queries,
    make_groups,
    queries_by,
    read_folds,
)
from pyterrier_scholarly.stats import paired_t

ALL = "scholarly-mini/all"
QUERIES = [f"q{number}" for number in range(8)]
#: the parts of two subsets: two folds, and one part with some queries of both
PARTS = {("halves", "1"): QUERIES[:3], ("halves", "2"): QUERIES[3:], ("one", ""): QUERIES[2:6]}
GROUPS = pd.DataFrame(
    [(subset, part, qid) for (subset, part), qids in PARTS.items() for qid in qids],
    columns=["subset", "part", "qid"],
)

figures_of_queries = st.lists(
    st.sampled_from([0.0, 0.25, 0.5, 1.0, nan]), min_size=len(QUERIES), max_size=len(QUERIES)
)
drawn_values = st.dictionaries(st.sampled_from("ab"), figures_of_queries, min_size=2)


def make_values(values_by_name):
    """A frame as of `pt.Experiment(…, perquery=True)`."""
    rows = [
        (name, qid, "M", value)
        for name, values in values_by_name.items()
        for qid, value in zip(QUERIES, values, strict=True)
    ]
    return pd.DataFrame(rows, columns=["name", "qid", "measure", "value"])


def find_value(figures, name, subset, column="value"):
    """A system's figure in a subset."""
    (value,) = figures.query("name == @name and subset == @subset")[column]
    return value


@settings(max_examples=50, deadline=None)
@given(drawn_values)
def test_a_figure_is_the_mean_of_its_parts_means(values_by_name):
    """A NaN does not count; a part of nothing but NaN has no mean, and neither has its subset."""
    figures = describe(make_values(values_by_name), GROUPS, resamples=20)
    for name, values in values_by_name.items():
        value_of = dict(zip(QUERIES, values, strict=True))
        means = {"halves": [], "one": []}
        counts = {"halves": 0, "one": 0}
        for (subset, _), qids in PARTS.items():
            counted = [value_of[qid] for qid in qids if not isnan(value_of[qid])]
            means[subset].append(fmean(counted) if counted else nan)
            counts[subset] += len(counted)
        for subset, means_of_parts in means.items():
            expected = pytest.approx(fmean(means_of_parts), nan_ok=True)
            assert find_value(figures, name, subset) == expected
            assert find_value(figures, name, subset, "queries") == counts[subset]
    assert (figures["evaluated"] == figures["subset"].map({"halves": 8, "one": 4})).all()


@settings(max_examples=50, deadline=None)
@given(drawn_values)
def test_a_test_is_over_the_queries_of_both(values_by_name):
    """Whatever the parts; a NaN of either leaves the query out."""
    values = make_values(values_by_name)
    tests = compare(average(values, GROUPS), values, GROUPS, ["a"])
    for subset in ("halves", "one"):
        is_inside = [qid in GROUPS["qid"][GROUPS["subset"] == subset].tolist() for qid in QUERIES]
        pairs = [
            (other, own)
            for other, own, inside in zip(values_by_name["b"], values_by_name["a"], is_inside)
            if inside and not isnan(other - own)
        ]
        gains = [other - own for other, own in pairs]
        counts = [sum(gain > 0 for gain in gains), gains.count(0), sum(gain < 0 for gain in gains)]
        columns = ("better", "equal", "worse")
        assert [find_value(tests, "b", subset, column) for column in columns] == counts
        assert find_value(tests, "b", subset, "difference") == pytest.approx(
            fmean(gains) if gains else nan, nan_ok=True
        )
        expected = paired_t([other for other, _ in pairs], [own for _, own in pairs]).pvalue
        assert find_value(tests, "b", subset, "p") == pytest.approx(expected, nan_ok=True)


def test_results_of_some_subsets_have_figures_there_alone():
    """What a user passes may be of one facet; a system that was run counts as 0 elsewhere."""
    values = make_values({"run": [0.0] * 8, "passed": [0.5] * 8})
    is_answered = (values["name"] == "passed") & values["qid"].isin(["q0", "q1"])
    values = values.assign(answered=is_answered, was_run=values["name"] == "run")
    figures = describe(values, GROUPS, resamples=2)
    found = figures[["name", "subset"]].to_numpy().tolist()
    assert found == [["run", "halves"], ["passed", "halves"], ["run", "one"]]


def test_systems_under_other_judgements_are_not_tested():
    """A difference might be one of the judgements."""
    values = make_values({"a": [0.0] * 8, "b": [0.5] * 8, "c": [1.0] * 8})
    values = values.assign(judgements=values["name"].map({"a": "all", "b": "all", "c": "present"}))
    tests = compare(average(values, GROUPS), values, GROUPS, ["a"])
    assert set(tests["name"]) == {"a", "b"}


def test_another_column_is_averaged_alike():
    """As tables do with condensed figures."""
    values = make_values({"a": [0.5] * 8}).assign(condensed=0.25)
    assert average(values, GROUPS)["condensed"].tolist() == [0.25, 0.25]


def test_groups_of_a_collection_with_folds():
    """All queries and facets have the test folds as parts; other groups have one part."""
    test = read_folds(ALL).query("split == 'test'")
    groups = group_queries(ALL)
    everything = groups[groups["subset"] == "all"]
    assert sorted(everything[["part", "qid"]].to_numpy().tolist()) == (
        sorted(test[["part", "qid"]].to_numpy().tolist())
    )
    assert groups["subset"].unique().tolist() == ["all", *queries_by(ALL, "facet")]
    method = group_facets(ALL, ["method"])
    assert set(method["qid"]) == set(queries_by(ALL, "facet")["method"])
    assert set(method["part"]) == {"fold1/test", "fold2/test"}
    by_type = group_queries(ALL, "paper_type")
    assert set(by_type["part"][by_type["subset"] != "all"]) == {""}


def test_a_query_counts_once_in_a_group():
    """However often its id is listed."""
    assert make_groups({"x": ["1", "1", "2"]})["qid"].tolist() == ["1", "2"]

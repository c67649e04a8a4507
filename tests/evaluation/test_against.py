"""Systems against a baseline."""

import ir_datasets
import pandas as pd
import pytest

from ir_datasets_ext.facets import split
from pyterrier_scholarly import against_baseline, by_subset, fold_mean, paired_t

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


def test_differences_and_counts_are_over_queries(perquery):
    """0 is no change, -1 is worse, the others are better; the mean is that of 0, …, n-2, -1."""
    n = len(QIDS)
    found = against_baseline(perquery, ALL, "base").query("name == 'new' and subset == 'all'")
    (row,) = found.to_dict("records")
    assert (row["better"], row["worse"]) == (n - 2, 1)
    assert row["difference"] == pytest.approx(((n - 1) * (n - 2) / 2 - 1) / n)
    assert row["low"] < row["difference"] < row["high"]
    values = perquery[perquery["name"] == "new"]["value"]
    assert row["p"] == paired_t(values, [0.0] * n).pvalue


def test_facets_count_their_own_queries(perquery):
    """The facets' numbers of better and worse queries sum to those of all."""
    found = against_baseline(perquery, ALL, "base").query("name == 'new'").set_index("subset")
    facets = {split(qid)[1] for qid in QIDS}
    assert set(found.index) == facets | {"all"}
    for column in ("better", "worse"):
        assert found.loc[sorted(facets), column].sum() == found.loc["all", column]


def test_the_baseline_is_not_tested_against_itself(perquery):
    """No difference, no p-value."""
    found = against_baseline(perquery, ALL, "base").query("name == 'base'")
    assert set(found["subset"]) == {split(qid)[1] for qid in QIDS} | {"all"}
    assert (found["difference"] == 0).all()
    assert found["p"].isna().all()


def test_an_unknown_baseline(perquery):
    """The error names the present systems."""
    with pytest.raises(ValueError, match=r"Unknown baseline 'old'. Choose one of: base, new"):
        against_baseline(perquery, ALL, "old")

"""Correlation of two measures over systems."""

import ir_measures
import numpy as np
import pandas as pd
import pyterrier as pt
import pytest

from pyterrier_scholarly import correlate, published


def printed(table):
    """A table of the paper as it stands there, a row per system."""
    figures = published("rhsa")
    rows = figures[figures["table"] == table]
    return rows.pivot(index="system", columns="label", values="value").reset_index()


#: Krstovski et al. 2016, Table 3, but for tf-idf's ρ: it prints 1.00, though two MAPs are equal
TABLE_3 = [
    ("1", "rHSA(100q)", 0.97, 0.949),
    ("1", "rHSA(1M)", 0.98, 0.949),
    ("2", "rHSA(100q)", 0.99, 0.95),
    ("2", "rHSA(1M)", 0.97, 0.88),
]


@pytest.mark.parametrize(("table", "label", "linear", "rank"), TABLE_3)
def test_the_papers_tables_have_its_coefficients(table, label, linear, rank):
    """R and ρ over the four tf-idf and the nine LDA systems, from the printed figures."""
    found = correlate(printed(table), "MAP(100q)", label)
    assert found["coefficient"].tolist() == ["R", "ρ"]
    assert found["systems"].tolist() == [len(printed(table))] * 2
    assert found["value"][0] == pytest.approx(linear, abs=0.005)
    assert found["value"][1] == pytest.approx(rank, abs=0.005)


def test_four_systems_say_little():
    """R = 0.97 of tf-idf goes with an interval of 0.07 to 0.999."""
    interval = correlate(printed("1"), "MAP(100q)", "rHSA(100q)").loc[0, ["low", "high"]]
    assert interval.tolist() == pytest.approx([0.07, 0.999], abs=0.005)


def test_fewer_systems_have_no_interval():
    """Three systems have coefficients alone; a NaN takes its system out."""
    table = printed("1")
    three = correlate(table[:3], "MAP(100q)", "rHSA(1M)")
    assert set(three["coefficient"]) == {"R", "ρ"}
    assert three["value"].notna().all() and three[["low", "high"]].isna().all(axis=None)
    table.loc[3, "rHSA(1M)"] = np.nan
    pd.testing.assert_frame_equal(correlate(table, "MAP(100q)", "rHSA(1M)"), three)


def test_measures_are_found_however_written():
    """In the averages of an experiment, as objects or strings."""
    qrels = pd.DataFrame({"qid": ["q"] * 6, "docno": list("abcdef"), "label": [1, 0, 1, 0, 1, 0]})
    topics = pd.DataFrame({"qid": ["q"], "query": ["words"]})
    random = np.random.default_rng(0)
    runs = [qrels[["qid", "docno"]].assign(score=random.random(6)) for _ in range(5)]
    table = pt.Experiment(runs, topics, qrels, ["map", "P_2"])
    found = correlate(table, "AP", ir_measures.P @ 2)
    assert found["value"][0] == pytest.approx(np.corrcoef(table["map"], table["P_2"])[0, 1])


def test_wrong_arguments_are_told():
    """A measure that is not there, and a confidence that is none."""
    with pytest.raises(ValueError, match="not among the measures"):
        correlate(printed("1"), "MAP(100q)", "rHSA")
    with pytest.raises(ValueError, match="confidence=95"):
        correlate(printed("1"), "MAP(100q)", "rHSA(1M)", confidence=95)

"""Correlation of two measures over systems."""

import ir_measures
import numpy as np
import pandas as pd
import pyterrier as pt
import pytest

from pyterrier_scholarly import correlate, published
from pyterrier_scholarly.evaluation import printed_tables


def printed(table):
    """A table of the paper as it stands there, a row per system."""
    figures = published("rhsa")
    rows = figures[figures["table"] == table]
    return rows.pivot(index="name", columns="label", values="value").reset_index()


@pytest.mark.parametrize("row", printed_tables("rhsa")["3"].to_dict("records"), ids=str)
def test_the_papers_tables_have_its_coefficients(row):
    """R and ρ of tables 1 and 2 are table 3's, but for tf-idf's ρ: two of its MAPs are equal."""
    tfidf = row["Doc. Sim. Model Type"] == "tf-idf"
    systems = printed("1" if tfidf else "2")
    found = correlate(systems, "MAP(100q)", f"rHSA({row['Collection']})")
    assert found["coefficient"].tolist() == ["R", "ρ"]
    assert found["systems"].tolist() == [len(systems)] * 2
    assert found["value"][0] == pytest.approx(row["R"], abs=0.005)
    # ranks 1, 2, 3.5, 3.5 against 1, 2, 3, 4: covariance 4.5, variances 4.5 and 5
    assert found["value"][1] == pytest.approx(0.9**0.5 if tfidf else row["ρ"], abs=0.005)
    assert row["ρ"] == 1.00 or not tfidf


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
    with pytest.raises(ValueError, match="Unknown measure 'rHSA' of the experiment"):
        correlate(printed("1"), "MAP(100q)", "rHSA")
    with pytest.raises(ValueError, match="confidence=95"):
        correlate(printed("1"), "MAP(100q)", "rHSA(1M)", confidence=95)

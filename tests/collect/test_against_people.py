"""A judge's labels beside people's."""

import shutil
from pathlib import Path

import pandas as pd
import pytest
from scipy.stats import spearmanr
from sklearn.metrics import accuracy_score, precision_recall_fscore_support

from pyterrier_scholarly.collect import against_people

PEOPLE = {"p1": [2, 1, 0, 0, 2, 1], "p2": [2, 1, 1, 0, 0, 1], "p3": [1, 2, 0, 0, 1, 0]}
MAJORITY = [2, 1, 0, 0, 1, 1]  # of the fifth pair all three differ


def labels(grades, qids="aabbcc"):
    """Return a frame like that of `judge`."""
    docnos = [str(number) for number in range(len(grades))]
    return pd.DataFrame({"qid": list(qids)[: len(grades)], "docno": docnos, "label": grades})


def by_sklearn(grades, reference):
    """Compute precision, recall, f1, spearman and percent with scikit-learn and scipy."""
    macro = precision_recall_fscore_support(reference, grades, average="macro", zero_division=0)
    return [*macro[:3], spearmanr(reference, grades).statistic, accuracy_score(reference, grades)]


def test_figures_are_scikit_learns():
    """Over all pairs together, the majority of the three as the truth."""
    judge = [2, 0, 0, 1, 1, 2]
    people = {name: labels(grades) for name, grades in PEOPLE.items()}
    found = against_people({"gpt": labels(judge)}, people).set_index("annotator")
    assert found.index.tolist() == ["gpt", "p1", "p2", "p3"]
    for name, grades in {"gpt": judge, **PEOPLE}.items():
        expected = by_sklearn(grades, MAJORITY)
        assert found.loc[name].tolist()[1:] == pytest.approx(expected)
    assert set(found["pairs"]) == {6}


def test_pairs_that_people_did_not_judge():
    """Pairs that people or the judge did not label are left out."""
    people = {name: labels(grades) for name, grades in PEOPLE.items()}
    judged = labels([2, 1, 0, 2, 2, 2, 2], "aabbccc")[2:]
    row = against_people(judged, people).iloc[0]
    assert (row["annotator"], row["pairs"]) == ("judge", 4)
    assert row.tolist()[2:] == pytest.approx(by_sklearn([0, 2, 2, 2], MAJORITY[2:]))


@pytest.mark.filterwarnings("ignore:.*was not compared", "ignore:.*pairs of Test_set")
def test_doris_maes_test_set(tmp_path, monkeypatch):
    """Of made-up records in the release's layout (its list is empty here): the released scores."""
    import pyterrier as pt

    small = Path(__file__).parents[1] / "ir_datasets_ext" / "doris-mae-small.json"
    (tmp_path / "doris-mae").mkdir()
    shutil.copyfile(small, tmp_path / "doris-mae" / "DORIS-MAE_dataset_v1.json")
    monkeypatch.setenv("IR_DATASETS_HOME", str(tmp_path))
    monkeypatch.setenv("HTTPS_PROXY", "http://127.0.0.1:9")  # nobody answers for Zenodo
    released = pt.get_dataset("irds:doris-mae/aspects").get_qrels()
    found = against_people({"gpt-3.5": released}, "doris-mae/human").set_index("annotator")
    # (10, 7), (16, 9), (10, 5): people 2 2 1, 0 1 0, 2 0 1, majority 2, 0, 1; released 2, 2, 1
    assert set(found["pairs"]) == {3}
    assert found["percent"].to_dict() == pytest.approx(
        {"gpt-3.5": 2 / 3, "annotator-1": 2 / 3, "annotator-2": 1 / 3, "annotator-3": 2 / 3}
    )
    assert found.loc["gpt-3.5", "f1"] == pytest.approx((0 + 1 + 2 / 3) / 3)

"""Released replies, read by both parsers, beside the scores that were released with them."""

import json
from pathlib import Path

import pandas as pd
import pyterrier as pt
import pytest

from pyterrier_scholarly.collect import agreement, reread_replies, single_ratings
from pyterrier_scholarly.protocols import JudgingPrompt

SMALL = Path(__file__).parents[1] / "ir_datasets_ext" / "doris-mae-small.json"
pytestmark = pytest.mark.filterwarnings("ignore:.*was not compared", "ignore:.*pairs of Test_set")

#: replies to the file's first annotations, by hand: the release's rule (scores 2, 1, 2, 0, 1, 1)
REPLIES = (
    "The abstract answers it. I CONCUR.",  # 2, 2
    "It can be adapted. I DISPUTE.",  # 1, 1
    "CONCUR, not merely AGREE",  # none, 1: a person gave the 2
    "It would be wrong to DISAGREE. My final selection: AGREE",  # 0, 1
    "I disagree.",  # none, none
    "",
)


@pytest.fixture
def release(tmp_path, monkeypatch):
    """Write the made-up file with these replies into a home of its own."""

    def write(replies):
        content = json.loads(SMALL.read_text())
        for annotation, reply in zip(content["Annotation"], replies):
            annotation["gpt_response"] = reply
        (tmp_path / "doris-mae").mkdir(exist_ok=True)
        path = tmp_path / "doris-mae" / "DORIS-MAE_dataset_v1.json"
        path.write_text(json.dumps(content))

    monkeypatch.setenv("IR_DATASETS_HOME", str(tmp_path))
    monkeypatch.setenv("HTTPS_PROXY", "http://127.0.0.1:9")  # nobody answers for Zenodo
    return write


def test_both_parsers_beside_the_scores(release):
    """Five of nineteen have a reply; the rule reads three, all equal; the end four, two equal."""
    release(REPLIES)
    found = reread_replies("doris-mae/dev")
    assert found.frame[["qid", "docno", "label"]].to_numpy().tolist() == [
        ["10", "7", 2],
        ["11", "7", 1],
        ["12", "7", 2],
        ["13", "7", 0],
        ["14", "7", 1],
    ]
    assert found.frame["released"].fillna(-1).tolist() == [2, 1, -1, 0, -1]
    assert found.frame["last"].fillna(-1).tolist() == [2, 1, 1, 1, -1]
    assert found.table.to_numpy().tolist() == [
        ["released", 19, 5, 3, 3, 3 / 5],
        ["last", 19, 5, 4, 2, 2 / 5],
    ]
    assert "0.6000" in str(found) and "0.4000" in str(found)


def test_labels_of_ones_own(release):
    """A prompt's own grades."""
    release(["YES", "NO", "YES"])
    prompt = JudgingPrompt("me", "{aspect} {abstract}", {"YES": 2, "NO": 1})
    assert reread_replies(preset=prompt).table["equal"].tolist() == [3, 3]


def test_a_file_without_replies(release):
    """Without replies nothing is read, and shares are NaN."""
    release([])
    table = reread_replies().table
    assert table[["annotations", "replies", "read"]].to_numpy().tolist() == [[19, 0, 0]] * 2
    assert table["share"].isna().all()


def test_the_judge_against_people(release):
    """As on the page "making": 2, 1, 2 beside the majority's 2, 1, 0, of which two are equal.

    Precision by grade: 0 of 0, 1 of 1, 1 of 2; recall: 0 of 1, 1 of 1, 1 of 1.
    """
    release([])
    people = single_ratings("doris-mae/human")
    majority = people[people["annotator"] == "reference"]
    judged = (
        pt.get_dataset("irds:doris-mae/aspects").get_qrels().rename(columns={"label": "rating"})
    )
    judge = majority[["qid", "docno"]].merge(judged[["qid", "docno", "rating"]])
    ratings = pd.concat([majority, judge.assign(annotator="judge")])
    pooled = agreement(ratings, reference="reference").table.query("over == 'pooled'").iloc[-1]
    assert pooled[["pairs", "percent"]].tolist() == [3, 2 / 3]
    assert pooled[["precision", "recall"]].tolist() == pytest.approx([1.5 / 3, 2 / 3])


def test_other_collections_have_no_replies():
    """The error names a dataset with replies."""
    with pytest.raises(ValueError, match=r"scholarly-mini has no annotations .* pass doris-mae"):
        reread_replies("scholarly-mini")

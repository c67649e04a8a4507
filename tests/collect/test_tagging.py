"""Errors of systems, tagged by a reader."""

import csv

import ir_datasets
import pandas as pd
import pyterrier as pt
import pytest

from pyterrier_scholarly.collect import (
    disagreement_rows,
    error_counts,
    error_rows,
    read_errors,
    write_errors,
)
from pyterrier_scholarly.protocols import ERROR_TYPES

DATASET = "scholarly-mini/all"


@pytest.fixture
def runs():
    """Two systems over two queries: all candidates, in the pool's order and in the other one."""
    load = ir_datasets.load(DATASET)
    wanted = [query.query_id for query in load.queries_iter()][:2]
    pool = [row[:2] for row in load.scoreddocs_iter() if row.query_id in wanted]
    up = pd.DataFrame(pool, columns=["qid", "docno"])
    up["score"] = range(len(up))
    return {"up": up, "down": up.assign(score=-up["score"])}


def test_first_results_and_missed_papers(runs):
    """The first k by score, then the best-graded relevant ones below them, with their ranks."""
    rows = error_rows(runs, DATASET, k=3, missed=2)
    grades = {
        (row.query_id, row.doc_id): row.relevance for row in ir_datasets.load(DATASET).qrels_iter()
    }
    for (name, qid), part in rows.groupby(["name", "qid"]):
        run = runs[name].query("qid == @qid").sort_values("score", ascending=False)
        docs = run["docno"].tolist()
        assert part["docno"].tolist()[:3] == docs[:3]
        assert [docs[rank] for rank in part["rank"]] == part["docno"].tolist()
        missed = sorted(grades.get((qid, doc), 0) for doc in docs[3:])[::-1]
        missed = [grade for grade in missed if grade >= 2][:2]
        assert part["label"].tolist()[3:] == [str(grade) for grade in missed]
    assert len(rows) > 12 and set(rows["facet"]) <= {"background", "method", "result"}


def test_tags_come_back_and_are_counted(runs, tmp_path):
    """Per system and facet, a column for each of the paper's six types."""
    types = list(ERROR_TYPES["csfcube"].types)
    assert len(types) == 6
    rows = error_rows(runs, DATASET, k=2)
    path = write_errors(rows, tmp_path / "errors.csv")
    with open(path, encoding="utf-8-sig", newline="") as file:
        lines = list(csv.reader(file))
    top = [line for line in lines if line[0].startswith("#")]
    lines[len(top) + 1][-2:] = ["Salient Aspects", "misses negation"]
    lines[len(top) + 2][-2:] = ["Multiple Aspects", ""]
    with open(path, "w", encoding="utf-8", newline="") as file:
        csv.writer(file).writerows(lines)
    tagged = read_errors(path, rows)
    assert tagged["error"].tolist() == ["Salient Aspects", "Multiple Aspects", *[""] * 6]
    assert tagged["note"][0] == "misses negation"
    counts = error_counts(tagged)
    assert list(counts.columns) == ["name", "facet", "rows", *types]
    first = counts.iloc[0]
    assert first["name"] == "up" and first["facet"] == rows["facet"][0]
    assert first[types].tolist() == [1, 1, 0, 0, 0, 0]
    assert counts["rows"].sum() == 8 and counts[types].to_numpy().sum() == 2
    path.write_text(path.read_text().replace("Multiple Aspects,\r", "Many,\r").replace(
        "Multiple Aspects,\n", "Many,\n"))  # fmt: skip
    with pytest.raises(ValueError, match="error 'Many', expected one of Salient Aspects, Multiple"):
        read_errors(path, rows)


def test_a_run_of_other_queries(runs):
    """The error names the system and the query."""
    with pytest.raises(ValueError, match="up ranks for query 'x', which scholarly-mini/all does"):
        error_rows({"up": runs["up"].replace({"qid": {runs["up"]["qid"][0]: "x"}})}, DATASET)


@pytest.fixture
def judged():
    """Three aspects' pairs, and a judge that grades the first two otherwise than most people."""
    pairs = pd.DataFrame(
        {
            "qid": ["a1", "a2", "a3"],
            "docno": ["p", "p", "r"],
            "query": ["faces", "stripes", "agents"],
            "text": ["Faces are implied.", "Occlusions are removed.", "Agents are trained."],
        }
    )
    replies = ["I CONCUR", "I DISAGREE", "I AGREE"]
    judge = pairs[["qid", "docno"]].assign(label=[2, 0, 1], content=replies)
    grades = {"one": [1, 1, 1], "two": [1, 1, 2], "three": [0, 2, 1]}
    people = {name: pairs[["qid", "docno"]].assign(label=own) for name, own in grades.items()}
    return pairs, judge, people


def test_a_judges_errors_are_tagged_by_doris_maes_types(judged, tmp_path):
    """B.4: definition, inference, key component; the rows are where judge and majority differ."""
    pairs, judge, people = judged
    rows = disagreement_rows(judge, people, pairs)
    assert rows["qid"].tolist() == ["a1", "a2"]
    assert rows[["name", "label", "majority"]].to_numpy().tolist() == [
        ["judge", "2", "1"],
        ["judge", "0", "1"],
    ]
    assert rows.loc[1, ["query", "text", "content"]].tolist() == [
        "stripes",
        "Occlusions are removed.",
        "I DISAGREE",
    ]

    path = write_errors(rows, tmp_path / "errors.csv", "doris-mae")
    with open(path, encoding="utf-8-sig", newline="") as file:
        lines = list(csv.reader(file))
    lines[-2][-2:] = ["Definition", "implied"]
    lines[-1][-2:] = ["Inference", ""]
    with open(path, "w", encoding="utf-8", newline="") as file:
        csv.writer(file).writerows(lines)
    counts = error_counts(read_errors(path, rows, "doris-mae"), "doris-mae")
    assert counts.to_dict("records") == [
        {"name": "judge", "rows": 2, "Definition": 1, "Inference": 1, "Key component": 0}
    ]


def test_several_judges_are_told_apart(judged):
    """A dict of judges gives rows under their names; one that agrees with all has none."""
    pairs, judge, people = judged
    same = judge.assign(label=[1, 1, 1])
    rows = disagreement_rows({"a": judge, "b": same}, people, pairs)
    assert rows["name"].tolist() == ["a", "a"]


def test_a_pair_without_its_texts_is_told(judged):
    """The error names the pair; unknown types of error are told with the known ones."""
    pairs, judge, people = judged
    with pytest.raises(ValueError, match="pairs has no a2 p, which judge and people grade"):
        disagreement_rows(judge, people, pairs.drop(index=1))
    with pytest.raises(ValueError, match=r"types 'trec'\. Choose one of: 'csfcube', 'doris-mae'"):
        error_counts(pd.DataFrame({"name": [], "error": []}), "trec")


@pytest.mark.parametrize("missing", ["qid", "docno", "score"])
def test_a_run_without_a_column(runs, missing):
    """The error names the run and the column."""
    runs["down"] = runs["down"].drop(columns=missing)
    with pytest.raises(pt.validate.InputValidationError, match=missing) as caught:
        error_rows(runs, DATASET)
    assert "run 'down' of error_rows" in str(caught.value)


def test_tags_without_a_column(runs):
    """What `read_errors` returns has all columns; another frame is refused."""
    with pytest.raises(pt.validate.InputValidationError, match="error"):
        error_counts(error_rows(runs, DATASET, k=1))

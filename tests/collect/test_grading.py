"""Sheets of two people and of their adjudicator."""

import csv
import json

import ir_datasets
import pandas as pd
import pytest

from pyterrier_scholarly.collect import (
    agreement,
    read_adjudication,
    read_grading,
    single_ratings,
    write_adjudication,
    write_collection,
    write_grading,
)
from pyterrier_scholarly.protocols import GUIDELINES, Guidelines

PAIRS = pd.DataFrame(
    {
        "qid": ["q1", "q1", "q1", "q2"],
        "docno": ["a", "b", "c", "a"],
        "query": ["=Ants", "=Ants", "=Ants", "Bees"],
        "title": ["A", "B", "W", "A"],
        "text": ["On ants", "On bees", "On wasps", "On ants"],
    }
)


def fill(path, verdicts):
    """Fill in `verdict` row by row, from a list or from a dict by the ids."""
    with open(path, encoding="utf-8-sig", newline="") as file:
        lines = list(csv.reader(file))
    top = [line for line in lines if line[0].startswith("#")]
    header, *rows = lines[len(top) :]
    at = header.index("verdict")
    for number, row in enumerate(rows):
        given = verdicts[tuple(row[:2])] if isinstance(verdicts, dict) else verdicts[number]
        row[at] = str(given)
    with open(path, "w", encoding="utf-8", newline="") as file:
        csv.writer(file).writerows([*top, header, *rows])
    return rows


def graded(path, verdicts, pairs=PAIRS, guidelines="csfcube/method", **settings):
    """Write the pairs to a file, fill it in and read it back."""
    fill(write_grading(pairs, path, guidelines), verdicts)
    return read_grading(path, pairs, guidelines, **settings)


def lines_of(path):
    """Read a sheet: the lines above the table, without their mark, and the table's header."""
    with open(path, encoding="utf-8-sig", newline="") as file:
        lines = list(csv.reader(file))
    top = [line[0].removeprefix("# ") for line in lines if line[0].startswith("#")]
    return top, lines[len(top)]


def test_the_guidelines_are_in_the_file(tmp_path):
    """The sheet names its source and has a line for each possible answer."""
    for name in ("csfcube/method", "doris-mae"):
        answers = GUIDELINES[name].grades
        top, _ = lines_of(write_grading(PAIRS, tmp_path / f"{name[:3]}.csv", name))
        assert top[0] == f"From {GUIDELINES[name].source}."
        for answer in answers:
            (line,) = (line for line in top if line.startswith(f"verdict {answer}: "))
            assert line.removeprefix(f"verdict {answer}: ") == GUIDELINES[name].meanings[answer]


#: words of the release's guidelines that the line of one facet and grade must have, and no other's
MARKS = {
    ("background", "3"): "specific motivation",
    ("background", "2"): "theoretical background",
    ("background", "1"): "sub-problems",
    ("method", "3"): "objects",
    ("method", "2"): "compared",
    ("method", "1"): "too coarse",
    ("result", "3"): "the opposite",
    ("result", "2"): "larger finding",
    ("result", "1"): "not salient",
}


@pytest.mark.parametrize("facet", ["background", "method", "result"])
def test_a_facets_sheet_has_that_facets_grades(tmp_path, facet):
    """Named, or chosen by the column `facet`; those of another facet are not in it."""
    named = lines_of(write_grading(PAIRS, tmp_path / "1.csv", f"csfcube/{facet}"))[0]
    chosen = lines_of(write_grading(PAIRS.assign(facet=facet), tmp_path / "2.csv"))[0]
    assert named == chosen
    grades = [line for line in named if line.startswith("verdict ")]
    for (of, answer), mark in MARKS.items():
        found = [line for line in grades if mark in line]
        assert [line[:10] for line in found] == ([f"verdict {answer}:"] if of == facet else [])


def test_a_sheet_of_several_facets_has_the_grades_of_all(tmp_path):
    """Then `facet` is shown, too; without that column nobody could know which grades to go by."""
    mixed = PAIRS.assign(facet=["method", "method", "method", "result"])
    top, header = lines_of(write_grading(mixed, tmp_path / "1.csv"))
    for (facet, answer), mark in MARKS.items():
        assert [line for line in top if line.startswith(f"{facet}, {answer}: ") and mark in line]
    assert header[2:6] == ["facet", "query", "title", "text"]
    with pytest.raises(
        ValueError, match=r"no column facet\. Add it, or pass .* csfcube/background,"
    ):
        write_grading(PAIRS, tmp_path / "2.csv")
    with pytest.raises(ValueError, match="column facet: aim has no guidelines; expected one of ba"):
        write_grading(mixed.assign(facet="aim"), tmp_path / "2.csv")


def test_people_see_title_and_abstract(tmp_path):
    """By default, for a facet of CSFCube; DORIS-MAE's people read the abstract alone."""
    columns = ["qid", "docno", "query", "title", "text", "verdict", "note"]
    assert lines_of(write_grading(PAIRS, tmp_path / "1.csv", "csfcube/result"))[1] == columns
    columns.remove("title")
    assert lines_of(write_grading(PAIRS, tmp_path / "2.csv", "doris-mae"))[1] == columns
    chosen = write_grading(PAIRS, tmp_path / "3.csv", "csfcube/result", shown=("text",))
    assert lines_of(chosen)[1][2:4] == ["text", "verdict"]


def test_context_matters_most_for_a_result(tmp_path):
    """The sheet says so: most for a result, less for a method, least for a background."""
    top, _ = lines_of(write_grading(PAIRS, tmp_path / "1.csv", "csfcube/background"))
    (line,) = (line for line in top if "rest of the abstract matters" in line)
    places = [line.index(facet) for facet in ("for result", "for method", "for background")]
    assert places == sorted(places) and "most" in line[: places[0]]


def test_a_sheet_is_replaced_only_if_asked(tmp_path):
    """What people filled in stays, unless `overwrite=True` says otherwise."""
    path = tmp_path / "sheet.csv"
    pairs = PAIRS.assign(facet="method")
    fill(write_grading(pairs, path), [1, 1, 1, 1])
    with pytest.raises(FileExistsError, match="overwrite=True"):
        write_grading(pairs, path)
    assert len(read_grading(path, pairs)) == 4
    write_grading(pairs, path, overwrite=True)
    assert read_grading(path, pairs, partial=True).empty


def test_two_sheets_and_an_adjudicator(tmp_path, monkeypatch):
    """Agreed pairs are kept; disputed ones and one with a single grade get the adjudicator's."""
    first = graded(tmp_path / "ann1.csv", [3, 0, 1, 2])
    second = graded(tmp_path / "ann2.csv", [3, 2, "", 0], partial=True)
    assert first["label"].tolist() == [3, 0, 1, 2] and len(second) == 3
    ratings = {"ann1": first, "ann2": second}
    path = write_adjudication(ratings, PAIRS, tmp_path / "third.csv", "csfcube/method")
    rows = fill(path, [1, 1, 0])
    assert [(*row[:2], *row[5:7]) for row in rows] == [
        ("q1", "b", "0", "2"),
        ("q1", "c", "1", ""),
        ("q2", "a", "2", "0"),
    ]
    found = read_adjudication(path, ratings)
    assert found.qrels["label"].tolist() == [3, 1, 1, 0]
    assert found.table.drop(columns="ann2").to_numpy().tolist() == [
        ["q1", "a", 3, 3, 3, 3],
        ["q1", "b", 1, 2, 0, 0],
        ["q1", "c", 1, 1, 1, 1],
        ["q2", "a", 0, 2, 0, 2],
    ]
    monkeypatch.setenv("IR_DATASETS_HOME", str(tmp_path))
    write_collection(
        "two",
        [{"doc_id": name} for name in "abc"],
        [{"query_id": name, "query": "?"} for name in ("q1", "q2")],
        PAIRS[["qid", "docno"]],
        found.qrels,
        annotators=found.annotators,
        description="D",
        licence="CC0-1.0",
    )
    rulings = agreement(single_ratings("made/two"), "reference").rulings.set_index("qid")
    # of q1, a is agreed and b over-ruled (c has one grade alone); of q2, ann2's 0 is kept
    assert rulings[["agreed", "one_kept", "overruled"]].to_numpy().tolist() == [
        [1, 0, 1],
        [0, 1, 0],
    ]


def test_words_for_grades(tmp_path):
    """DORIS-MAE's DISPUTE and AGREE are one grade, and so no disagreement."""
    first = graded(
        tmp_path / "1.csv", ["DISPUTE", "CONCUR", "DISAGREE", "AGREE"], PAIRS, "doris-mae"
    )
    second = graded(tmp_path / "2.csv", ["AGREE", "CONCUR", "AGREE", "AGREE"], PAIRS, "doris-mae")
    assert first["label"].tolist() == [1, 2, 0, 1]
    ratings = {"first": first, "second": second}
    path = write_adjudication(ratings, PAIRS, tmp_path / "third.csv", "doris-mae")
    assert len(fill(path, ["CONCUR"])) == 1
    assert read_adjudication(path, ratings, "doris-mae").qrels["label"].tolist() == [1, 2, 2, 1]


def test_what_cannot_be_graded(tmp_path):
    """A missing or unknown grade, unknown guidelines and a single annotator are errors."""
    with pytest.raises(ValueError, match=r"\(q1 c\): verdict '', expected one of 3, 2, 1, 0"):
        graded(tmp_path / "1.csv", [3, 2, "", 0])
    with pytest.raises(ValueError, match=r"\(q1 a\): verdict 'CONCUR'"):
        graded(tmp_path / "2.csv", ["CONCUR", 2, 1, 0])
    with pytest.raises(
        ValueError, match=r"guidelines 'trec'\. Choose one of: 'csfcube', 'csfcube/ba"
    ):
        write_grading(PAIRS, tmp_path / "3.csv", "trec")
    with pytest.raises(ValueError, match="expected the same words"):
        Guidelines("mine", (), {"yes": "It is."}, {"yes": 1, "no": 0})
    one = graded(tmp_path / "4.csv", [3, 2, 1, 0])
    other = one[one["qid"] == "q1"].assign(label=0)
    with pytest.raises(ValueError, match="Query q2 has a single annotator"):
        write_adjudication({"one": one, "other": other}, PAIRS, tmp_path / "5.csv", "doris-mae")
    ratings = {"one": one, "other": one.assign(label=0)}
    with pytest.raises(ValueError, match="pairs has no q1 b, which"):
        write_adjudication(ratings, PAIRS.drop(index=1), tmp_path / "5.csv", "csfcube/method")


#: agreed, one of the two kept, both over-ruled, where both rated: counted in the release's files
RULED = {"background": (1108, 708, 58), "method": (1445, 677, 44), "result": (1425, 724, 38)}


@pytest.mark.parametrize("facet", RULED)
def test_csfcubes_ratings_through_the_sheets(data, csfcube_home, tmp_path, monkeypatch, facet):
    """The annotators' sheets and the adjudicator's give the release's judgements and rulings."""
    release = json.loads(data("csfcube", f"test-pid2anns-csfcube-{facet}.json").read_text())
    given, final = {}, {}
    for qid, columns in release.items():
        for name, grades in columns.items():
            pairs = [(qid, doc) for doc in columns["cands"]]
            if name.startswith("relevance_ann"):
                given.setdefault(name, {}).update(zip(pairs, grades))
            if name == "relevance_adju":
                final.update(zip(pairs, grades))
    every = pd.DataFrame(list(final), columns=["qid", "docno"]).assign(
        query="?", title="-", text="-"
    )
    ratings = {}
    for name, grades in given.items():
        pairs = every[[pair in grades for pair in zip(every["qid"], every["docno"])]]
        blank = {pair: "" if grade < 0 else grade for pair, grade in grades.items()}
        ratings[name] = graded(
            tmp_path / f"{name}.csv", blank, pairs, f"csfcube/{facet}", partial=True
        )
    path = write_adjudication(ratings, every, tmp_path / "third.csv", f"csfcube/{facet}")
    disputed = fill(path, final)
    missing = sum(grade < 0 for grades in given.values() for grade in grades.values())
    assert len(disputed) == sum(RULED[facet][1:]) + missing
    found = read_adjudication(path, ratings)
    qrels = {(row.query_id, row.doc_id): row.relevance
             for row in ir_datasets.load(f"csfcube/{facet}").qrels_iter()}  # fmt: skip
    ours = dict(zip(zip(found.qrels["qid"], found.qrels["docno"]), found.qrels["label"]))
    assert {pair: ours[pair] for pair in qrels} == qrels and ours == final
    reference = found.qrels.rename(columns={"label": "rating"}).assign(annotator="reference")
    rulings = agreement(pd.concat([found.annotators, reference]), "reference").rulings
    assert tuple(rulings[["agreed", "one_kept", "overruled"]].sum()) == RULED[facet]
    assert rulings["changed"].sum() == 0


def test_two_who_always_agree(tmp_path):
    """If all agree, the third sheet has no row and their grades are final."""
    one = graded(tmp_path / "1.csv", [3, 2, 1, 0])
    ratings = {"one": one, "other": one}
    path = write_adjudication(ratings, PAIRS, tmp_path / "third.csv", "csfcube/method")
    assert fill(path, []) == []
    assert read_adjudication(path, ratings).qrels["label"].tolist() == [3, 2, 1, 0]

"""A table for people, out and in."""

import csv

import ir_datasets
import pandas as pd
import pytest

from pyterrier_scholarly.collect import question_rows, read_review, write_collection, write_review

PAPERS = pd.DataFrame({"doc_id": ["a", "b"], "title": ["On ants, and more", "On bees"]})
QUESTIONS = pd.DataFrame(
    {
        "query_id": ["q1", "q2", "q3"],
        "query": ['Who "works", and how?', "Who flies?", "Wer fliegt über Blüten?"],
        "doc_ids": [["a", "b"], ["b"], ["b"]],
        "source": ["inline-acl"] * 3,
    }
)


def opened(path):
    """The lines above the table, and its rows as dicts."""
    with open(path, encoding="utf-8-sig", newline="") as file:
        lines = list(csv.reader(file))
    top = [line[0] for line in lines if line[0].startswith("#")]
    header, *rows = lines[len(top) :]
    return top, [dict(zip(header, row, strict=True)) for row in rows]


@pytest.fixture
def review(tmp_path):
    """A function that fills in the file with grades and returns its path."""

    def fill(*rows, header=None, mark="utf-8-sig", **changes):
        path = write_review(QUESTIONS, PAPERS, tmp_path / "review.csv")
        _, lines = opened(path)
        filled = [line | dict(zip(("quality", "specificity", "rewritten"), row))
                  for line, row in zip(lines, rows)]  # fmt: skip
        for place, change in changes.items():
            filled[int(place[1:])].update(change)
        with open(path, "w", encoding=mark, newline="") as file:
            table = csv.DictWriter(file, header or list(filled[0]), extrasaction="ignore")
            table.writeheader()
            table.writerows(filled)
        return path

    return fill


def test_the_file_shows_what_people_need(tmp_path):
    """The file has the exact questions and titles, with commas and quotes, and 3 empty columns."""
    path = write_review(QUESTIONS, PAPERS, tmp_path / "review.csv")
    top, rows = opened(path)
    shown = pd.DataFrame(rows)
    assert "# quality 2: Good. The question makes a challenging yet meaningful" in "".join(top)
    assert shown["query"].tolist() == QUESTIONS["query"].tolist()
    assert shown["titles"].tolist() == ["On ants, and more; On bees", "On bees", "On bees"]
    assert (shown[["quality", "specificity", "rewritten"]] == "").all(axis=None)
    assert [file.name for file in tmp_path.iterdir()] == ["review.csv"]
    with pytest.raises(FileExistsError, match="move it away"):
        write_review(QUESTIONS, PAPERS, path)


def test_ids_are_texts(tmp_path):
    """Ids must be texts: numbers would come back as texts and match no question."""
    with pytest.raises(ValueError, match=r"'query_id' must hold texts.* 0 \(int\), 1 \(int\)"):
        write_review(QUESTIONS.assign(query_id=range(3)), PAPERS, tmp_path / "review.csv")
    assert list(tmp_path.iterdir()) == []


def test_what_people_let_pass(review):
    """Quality 0 is dropped, a rewritten question replaces the old one, grades become columns."""
    rows = [("2", "1", ""), ("0", "", ""), (" 1 ", "0", "Who flies over blossoms?")]
    kept = read_review(review(*rows), QUESTIONS)
    assert kept[["query_id", "query", "quality", "specificity"]].to_numpy().tolist() == [
        ["q1", 'Who "works", and how?', 2, "specific"],
        ["q3", "Who flies over blossoms?", 1, "broad"],
    ]
    assert kept["doc_ids"].tolist() == [["a", "b"], ["b"]]
    assert kept["quality"].dtype == "int64"


def test_a_spreadsheet_may_reorder_and_add(review):
    """Columns in another order, one more, no byte-order mark: read by their names."""
    header = ["rewritten", "comment", "specificity", "quality", "query", "query_id"]
    path = review(*[("1", "0", "")] * 3, header=header, mark="utf-8", r0={"comment": "nice"})
    assert read_review(path, QUESTIONS)["query_id"].tolist() == ["q1", "q2", "q3"]


def test_grades_that_a_program_took_for_numbers(review):
    """Grades saved as 1.0, as spreadsheets do in a column with gaps, are read."""
    path = review(("2.0", "1.0", ""), ("0.0", "", ""), ("1.0", "0.0", ""))
    kept = read_review(path, QUESTIONS)
    assert kept[["quality", "specificity"]].to_numpy().tolist() == [[2, "specific"], [1, "broad"]]


def test_all_discarded(review):
    """The result has no rows and all columns."""
    kept = read_review(review(*[("0", "", "")] * 3), QUESTIONS)
    assert len(kept) == 0
    assert {"query_id", "doc_ids", "quality", "specificity"} <= set(kept.columns)


GRADED = [("1", "0", "")] * 3


@pytest.mark.parametrize(
    "rows, change, message",
    [
        ([("3", "0", ""), *GRADED[1:]], {}, r"row 2 \(q1\): quality '3', expected one of 0, 1, 2"),
        ([*GRADED[:2], ("", "0", "")], {}, r"row 4 \(q3\): quality ''"),
        ([("good", "0", ""), *GRADED[1:]], {}, r"row 2 \(q1\): quality 'good'"),
        ([("1", "", ""), *GRADED[1:]], {}, r"row 2 \(q1\): specificity '', expected one of 0, 1"),
        ([("0", "x", ""), *GRADED[1:]], {}, r"row 2 \(q1\): specificity 'x'"),
        (GRADED, {"r1": {"query_id": "q9"}}, r"row 3 \(q9\): unknown row.*no row for q2"),
        (GRADED, {"r1": {"query_id": "q1"}}, r"row 3 \(q1\): duplicate row.*no row for q2"),
        (
            GRADED,
            {"r1": {"query": "Who swims?"}},
            r"row 3 \(q2\): the query was changed.*into 'rewritten'",
        ),
        (GRADED[:2], {}, "no row for q3"),
    ],
)
def test_a_file_that_is_filled_in_wrongly(review, rows, change, message):
    """Every fault is named with its row, and nothing is read."""
    with pytest.raises(ValueError, match=message):
        read_review(review(*rows, **change), QUESTIONS)


def test_a_file_of_other_columns(review, tmp_path):
    """The error for a missing column says what was expected, with semicolons, too."""
    path = review(*GRADED, header=["query_id", "query", "quality", "rewritten"])
    with pytest.raises(ValueError, match=r"has no column specificity: expected query_id, query"):
        read_review(path, QUESTIONS)
    path.write_text(path.read_text(encoding="utf-8-sig").replace(",", ";"), encoding="utf-8")
    with pytest.raises(ValueError, match=r"no column specificity.*separated by commas, semi"):
        read_review(path, QUESTIONS)
    path.write_bytes("é".encode("cp1252"))
    with pytest.raises(ValueError, match=r'review.csv is no longer UTF-8: save it as "CSV UTF-8"'):
        read_review(path, QUESTIONS)
    path.write_text("")
    with pytest.raises(ValueError, match="no column query_id"):
        read_review(path, QUESTIONS)


def test_rows_of_a_collection(review, tmp_path, monkeypatch):
    """`write_collection` takes them: queries, relevance 1 for each paper, a part by specificity."""
    monkeypatch.setenv("IR_DATASETS_HOME", str(tmp_path))
    kept = read_review(review(("2", "1", ""), ("0", "", ""), ("1", "0", "")), QUESTIONS)
    rows = question_rows(kept)
    said = {"description": "Questions", "licence": "CC0-1.0"}
    write_collection("asked", PAPERS.assign(text="…"), **rows, **said)
    dataset = ir_datasets.load("made/asked")
    assert {query.query_id: query.quality for query in dataset.queries_iter()} == {"q1": 2, "q3": 1}
    assert [tuple(qrel)[:3] for qrel in dataset.qrels_iter()] == [
        ("q1", "a", 1),
        ("q1", "b", 1),
        ("q3", "b", 1),
    ]
    part = ir_datasets.load("made/asked/specific")
    assert [query.query_id for query in part.queries_iter()] == ["q1"]
    assert part.qrels_count() == 2


@pytest.mark.parametrize(
    "change, message",
    [
        ({"doc_ids": [["a"], [], ["b"]]}, "'doc_ids' must hold a list.*query_id q2"),
        ({"query": ["Who?", "", "Who?"]}, "'query' must hold a text.*query_id q2"),
        ({"query_id": ["q1", "q1", "q3"]}, "Duplicate query_id: q1"),
    ],
)
def test_questions_that_make_no_rows(change, message):
    """The error names the questions."""
    with pytest.raises(ValueError, match=message):
        question_rows(QUESTIONS.assign(**change))

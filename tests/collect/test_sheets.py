"""What all tables for people have in common."""

import csv

import pandas as pd
import pytest

from pyterrier_scholarly.collect import Sheet

SHEET = Sheet(
    keys=("qid", "docno"),
    shown=("text",),
    filled={"grade": {"0": "no", "1": "yes"}, "note": None},
    instructions=("Read, then grade.", "=Do not hurry"),
)
#: what spreadsheets would run, and what merely looks like what we make of it
TEXTS = ["=1+1", "+1", "-1 is less", "@x", "\tTab", "'=1", "''-x", "'quoted'", "plain", "a = b"]
ROWS = pd.DataFrame({"qid": "-q", "docno": [f"@{n}" for n in range(len(TEXTS))], "text": TEXTS})


def cells(path):
    """Return all rows of a file, as a spreadsheet reads them."""
    with open(path, encoding="utf-8-sig", newline="") as file:
        return list(csv.reader(file))


def fill(path, grades, note=""):
    """Fill in a file's two last columns; what a spreadsheet saves has as many cells in each row."""
    top = [row for row in cells(path) if len(row) == 1]
    header, *rows = cells(path)[len(top) :]
    filled = [[*row[:-2], grade, note] for row, grade in zip(rows, grades, strict=True)]
    with open(path, "w", encoding="utf-8", newline="") as file:
        csv.writer(file).writerows([*[[*row, "", "", "", ""] for row in top], header, *filled])


def test_no_cell_is_a_formula(tmp_path):
    """No cell of the file is a formula, including instructions and ids."""
    path = SHEET.write(ROWS, tmp_path / "sheet.csv")
    assert not [cell for row in cells(path) for cell in row if cell and cell[0] in "=+-@\t\r"]
    assert [row[0] for row in cells(path)[:4]] == [
        "# Read, then grade.",
        "# =Do not hurry",
        "# grade 0: no",
        "# grade 1: yes",
    ]


def test_texts_come_back(tmp_path):
    """Reading removes exactly the apostrophes that writing added."""
    sheet = Sheet(SHEET.keys, SHEET.shown, SHEET.filled, unchanged={"text": "leave it"})
    path = sheet.write(ROWS, tmp_path / "sheet.csv")
    fill(path, ["1", "0"] * 5, note="'-good")
    found = sheet.read(path, ROWS)
    assert found["docno"].tolist() == ROWS["docno"].tolist()
    assert found["grade"].tolist() == ["1", "0"] * 5
    assert set(found["note"]) == {"-good"}


def test_rows_in_any_order(tmp_path):
    """Rows are returned in the order of the frame, not of the file."""
    path = SHEET.write(ROWS, tmp_path / "sheet.csv")
    fill(path, ["1", *["0"] * 9])
    assert SHEET.read(path, ROWS[::-1])["grade"].tolist() == [*["0"] * 9, "1"]


def test_empty_rows_are_counted(tmp_path):
    """Of many empty rows, the error has their number and the first; wrong values stand before."""
    path = SHEET.write(ROWS, tmp_path / "sheet.csv")
    fill(path, [*[""] * 9, "7"])
    with pytest.raises(
        ValueError, match=r"grade '7', .*, 9 of 10 rows are empty, the first is row"
    ):
        SHEET.read(path, ROWS)


def test_what_may_be_empty(tmp_path):
    """A value may be empty only if `optional` says so; faults name row, key and values."""
    path = SHEET.write(ROWS, tmp_path / "sheet.csv")
    fill(path, ["", "2", *["0"] * 8])
    with pytest.raises(ValueError, match=r"row 6 \(-q @0\): grade '', expected one of 0, 1, row 7"):
        SHEET.read(path, ROWS)
    with pytest.raises(ValueError, match=r"as expected; row 7 \(-q @1\): grade '2', expected"):
        SHEET.read(path, ROWS, lambda row: ("grade",))


def test_keys_are_texts_and_unique(tmp_path):
    """A key that is no text and a duplicate pair are errors, and nothing is written."""
    for rows, message in (
        (ROWS.assign(docno=range(10)), "'docno' must hold texts"),
        (pd.concat([ROWS, ROWS[:1]]), "Duplicate qid docno: -q @0"),
    ):
        with pytest.raises(ValueError, match=message):
            SHEET.write(rows, tmp_path / "sheet.csv")
    assert list(tmp_path.iterdir()) == []

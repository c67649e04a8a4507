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


#: ids that a spreadsheet takes for numbers, dates or truth values, and what it saves instead
CHANGED_IDS = {
    "1E5": "100000",
    "73928e05": "7.3928E+09",
    "0012": "12",
    "9912140633506421": "9.91214E+15",
    "2401.00010": "2401.0001",
    "10/12": "12. Okt",
    "MAR1": "1-Mar",
    "2020-01-02": "02.01.2020",
    "-5": "-5",
    "TRUE": "WAHR",
}
UNCHANGED_IDS = ["1198964", "1198964_method", "W2741809807", "d1", "paper-one"]
PAIRS = pd.DataFrame(
    {
        "qid": "0012",
        "docno": [*CHANGED_IDS, *UNCHANGED_IDS],
        "text": [f"Text {n},\nof two lines." for n in range(len(CHANGED_IDS) + len(UNCHANGED_IDS))],
    }
)
GRADES = [str(n % 2) for n in range(len(PAIRS))]


def save_as_spreadsheet(path, delimiter=",", encoding="utf-8-sig", change=None):
    """Save a file again as spreadsheets do; change: what they make of a cell."""
    rows = [[(change or {}).get(cell, cell) for cell in row] for row in cells(path)]
    widest = max(map(len, rows))
    with open(path, "w", encoding=encoding, newline="") as file:
        writer = csv.writer(file, delimiter=delimiter)
        writer.writerows([*row, *[""] * (widest - len(row))] for row in rows)


def test_an_id_that_is_no_text_for_a_spreadsheet_has_an_apostrophe(tmp_path):
    """It survives as a text; other ids are written as they are."""
    path = SHEET.write(PAIRS, tmp_path / "sheet.csv")
    written = [row[1] for row in cells(path)[-len(PAIRS) :]]
    assert written == [*(f"'{docno}" for docno in CHANGED_IDS), *UNCHANGED_IDS]
    fill(path, GRADES)
    save_as_spreadsheet(path, change=CHANGED_IDS)
    assert SHEET.read(path, PAIRS)["docno"].tolist() == PAIRS["docno"].tolist()


@pytest.mark.parametrize("delimiter", [",", ";", "\t"])
@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16"])
def test_what_a_spreadsheet_saves_is_read(tmp_path, delimiter, encoding):
    """Semicolons and tabs, with a byte order mark or UTF-16, also behind a line `sep=`."""
    path = SHEET.write(PAIRS, tmp_path / "sheet.csv")
    fill(path, GRADES, note="sehr schön; 1,5")
    save_as_spreadsheet(path, delimiter, encoding)
    expected = SHEET.read(path, PAIRS)
    assert expected["grade"].tolist() == GRADES
    assert set(expected["note"]) == {"sehr schön; 1,5"}
    text = path.read_text(encoding)
    path.write_text(f"sep={delimiter}\n{text}", encoding=encoding)
    assert SHEET.read(path, PAIRS).equals(expected)


def test_rows_with_changed_ids_are_recognised_by_their_texts(tmp_path):
    """In any order; of equal texts, the first row is the first one that was written."""
    without_apostrophes = {f"'{docno}": changed for docno, changed in CHANGED_IDS.items()}
    for texts in (PAIRS["text"], "The same."):
        pairs = PAIRS.assign(text=texts)
        path = SHEET.write(pairs, tmp_path / "sheet.csv", overwrite=True)
        fill(path, GRADES)
        save_as_spreadsheet(path, change=without_apostrophes)
        found = SHEET.read(path, pairs)
        assert found["docno"].tolist() == PAIRS["docno"].tolist()
        assert found["grade"].tolist() == GRADES


def test_changed_ids_without_texts_are_an_error(tmp_path):
    """It says what may have happened, and what to do."""
    path = SHEET.write(PAIRS, tmp_path / "sheet.csv")
    fill(path, GRADES)
    save_as_spreadsheet(path, change={"'1E5": "100000"})
    with pytest.raises(ValueError, match=r"took ids for numbers or dates .* write the sheet again"):
        SHEET.read(path, PAIRS[["qid", "docno"]])

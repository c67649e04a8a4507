"""Files, columns and malformed lines of logs."""

import gzip
import json
from datetime import UTC, datetime

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from pyterrier_scholarly.logs.document_ids import read_ids
from pyterrier_scholarly.logs.downloads import Reading, read_rows
from pyterrier_scholarly.logs.instants import parse_instant
from pyterrier_scholarly.logs.log_columns import LogColumns, choose_columns
from pyterrier_scholarly.logs.log_files import LogForm, list_files, recognise_form
from pyterrier_scholarly.logs.mining_codes import Reason

from . import malformed

ANY = LogColumns()
LIMITS = {"since": parse_instant("2000-01-01"), "until": parse_instant("2026-01-01T00:00:00Z")}


@pytest.mark.parametrize("name", ["log[1].parquet", "lo*.parquet", "log?.parquet"])
def test_a_name_is_no_pattern(kept, tmp_path, name):
    """A file name with pattern characters means this file alone."""
    for path, doc in ((tmp_path / name, "a"), (tmp_path / "log1.parquet", "b")):
        time = datetime(2020, 1, 1, tzinfo=UTC)
        pq.write_table(pa.table({"user": ["u"], "time": [time], "doc": [doc]}), path)
    assert [row[2] for row in kept(tmp_path / name)] == ["a"]


@pytest.fixture
def kept(duckdb):
    """The kept rows of a log, in order."""

    def rows(log, given=ANY, **more):
        table, _ = read_rows(log, duckdb, Reading(given, **more))
        found = (
            table.filter(table.reason == Reason.KEPT.value).order_by("time", "doc").drop("reason")
        )
        return [tuple(row.values()) for row in found.to_pyarrow().to_pylist()]

    return rows


@pytest.mark.parametrize("form", malformed.LINES)
def test_a_malformed_line_costs_itself_alone(duckdb, tmp_path, form):
    """Each line is kept or dropped for its own reason; blank lines are not counted."""
    rows, _ = read_rows(malformed.write(tmp_path, form), duckdb, Reading(**LIMITS))
    kept, reasons = malformed.found(rows)
    assert (kept, reasons) == malformed.expected(form)
    blank = sum(not line.strip() for line, _ in malformed.LINES[form])
    assert sum(reasons.values()) == len(malformed.LINES[form]) - blank


def test_many_files_and_a_folder(kept, tmp_path):
    """Files are read together, each with or without a header line; a folder means all its files."""
    (tmp_path / "a.csv").write_text("time,doc,user\n2020-01-01 00:00,d1,u\n")
    (tmp_path / "b.csv").write_text("time,doc,user\r\n2020-01-01 00:01,d2,u\r\n")
    with gzip.open(tmp_path / "c.csv.gz", "wt") as file:
        file.write("2020-01-01 00:02,d3,u")
    (tmp_path / "_SUCCESS").write_text("")
    paths = [tmp_path / name for name in ("a.csv", "b.csv", "c.csv.gz")]
    assert [doc for _, _, doc in kept(paths)] == ["d1", "d2", "d3"]
    assert kept(tmp_path) == kept(paths)


def test_files_with_other_columns(kept, tmp_path):
    """A file with the columns in another order raises an error with its name."""
    (tmp_path / "a.csv").write_text("user,time,doc\nu,2020-01-01 00:00,d1\n")
    (tmp_path / "b.csv").write_text("doc,time,user\nd2,2020-01-01 00:00,u\n")
    with pytest.raises(ValueError, match=r"b.csv begins with other columns than .*a.csv"):
        kept(tmp_path)


def test_empty_files_do_not_count(kept, tmp_path):
    """Headers are compared with the first file that is not empty."""
    (tmp_path / "a.csv").write_text("")
    (tmp_path / "b.csv").write_text("person,time,doc,user\np,2020-01-01 00:00,d1,u\n")
    assert [doc for _, _, doc in kept(tmp_path)] == ["d1"]
    places = LogColumns(user=0, time=1, doc=2)
    assert [user for user, _, _ in kept(tmp_path, places)] == ["p"]
    (tmp_path / "c.csv").write_text("doc,time,user\nd2,2020-01-01 00:00,u\n")
    with pytest.raises(ValueError, match=r"c.csv begins with other columns than .*b.csv"):
        kept(tmp_path)


def test_empty_files_have_no_names(kept, tmp_path):
    """The names of JSON lines come from the first file that is not empty."""
    (tmp_path / "a.jsonl").write_text("\n")
    (tmp_path / "b.jsonl").write_text('{"visitor": "u", "ts": "2020-01-01 00:00", "doi": "d1"}\n')
    assert [doc for _, _, doc in kept(tmp_path)] == ["d1"]


def test_text_elsewhere_is_not_for_duckdb(kept, tmp_path):
    """A remote text file raises an error with the remedy, before any file is read."""
    (tmp_path / "a.jsonl").write_text('{"user": "u", "time": "2020-01-01 00:00", "doc": "d"}\n')
    with pytest.raises(ValueError, match=r"s3://logs/b\.jsonl: on DuckDB, text files must be on"):
        kept([tmp_path / "a.jsonl", "s3://logs/b.jsonl"])


def test_columns_by_place_where_there_is_no_header(kept, tmp_path):
    """Places from 0; the first line is a row."""
    (tmp_path / "log.tsv").write_text("d1\tx\t1583634640\tu\nd2\tx\t1583634641\tu\n")
    rows = kept(tmp_path / "log.tsv", LogColumns(user=3, time=2, doc=0))
    assert [(user, doc) for user, _, doc in rows] == [("u", "d1"), ("u", "d2")]


def test_blocks_are_cut_between_lines(kept, tmp_path):
    """A line of 18 MB, more than is read at once, is whole, and so are those beside it.

    Its letters have two bytes and begin at odd ones: a cut at an even one is inside of a letter.
    """
    rows = [{"user": f"ü{n}", "time": 1583634640 + n, "doc": f"döc{n}"} for n in range(5)]
    before, long, *after = (json.dumps(row, ensure_ascii=False) for row in rows)
    long = f'{long[:-1]}, "note": "'
    long += "x" * (len(f"{before}\n{long}".encode()) % 2 == 0) + "ü" * 9_000_000 + '"}'
    (tmp_path / "log.jsonl").write_text("\n".join((before, long, *after)), encoding="utf-8")
    seconds = [(row["user"], row["time"] * 1_000_000, row["doc"]) for row in rows]
    assert kept(tmp_path / "log.jsonl") == seconds


def test_columns_are_recognised():
    """Capitals and punctuation do not matter; a user comes before a session; a given name wins."""
    names = ["Session-ID", "User_Id", "TimeStamp", "bibcode", "note"]
    assert choose_columns(names, ANY) == LogColumns("User_Id", "TimeStamp", "bibcode")
    given = LogColumns(user="Session-ID", doc="note")
    assert choose_columns(names, given).user == "Session-ID"
    assert choose_columns(names, given).doc == "note"


@pytest.mark.parametrize("form", ["csv", "parquet", "jsonl"])
def test_a_missing_column(log, kept, tmp_path, form):
    """The error names the missing column, the columns of the log, and the remedy."""
    path = tmp_path / f"log.{form}"
    log.write(path)
    with pytest.raises(ValueError, match=r"no column 'reader': it has 'user', 'time', 'doc'"):
        kept(path, LogColumns(user="reader"))
    with pytest.raises(ValueError, match=r"no column array\(\['user', 'reader'\].* with user="):
        kept(path, LogColumns(user=np.array(["user", "reader"])))
    table = log.table().rename_columns(["user", "when", "doc"])
    pq.write_table(table, tmp_path / "other.parquet")
    with pytest.raises(ValueError, match=r"known as its time: it has .*'when'.* with time="):
        kept(tmp_path / "other.parquet")


def test_parquet_of_any_types(kept, tmp_path):
    """Whole numbers and texts are ids, timestamps and numbers times; null ids are dropped."""
    time = [datetime(2020, 3, 8, 2, 30, second, tzinfo=UTC) for second in range(4)]
    columns = {"user": [1, 2, None, 4], "time": time, "doc": ["a", " b ", "c", ""]}
    pq.write_table(pa.table(columns), tmp_path / "log.parquet")
    rows = kept(tmp_path / "log.parquet")
    assert rows == [(1, 1583634600000000, "a"), (2, 1583634601000000, "b")]
    pq.write_table(pa.table({**columns, "doc": [0.5] * 4}), tmp_path / "log.parquet")
    with pytest.raises(ValueError, match="the doc is of type float64: expected texts or whole"):
        kept(tmp_path / "log.parquet")


def test_files_and_forms(tmp_path):
    """Missing, empty and unknown paths are named in the error, with the remedy."""
    with pytest.raises(FileNotFoundError, match="there is no log"):
        list_files(tmp_path / "log.csv")
    with pytest.raises(FileNotFoundError, match="no file of a log in"):
        list_files(tmp_path)
    with pytest.raises(ValueError, match="no files"):
        list_files([])
    for names in (["log"], ["a.csv", "b.tsv"]):
        with pytest.raises(ValueError, match=r"unknown form.*Rename the files"):
            recognise_form(names)
    assert recognise_form(["s3://logs/a.ndjson.gz"]) is LogForm.JSONL


def test_instants():
    """Texts and datetimes are the same instant; without an offset they are UTC."""
    assert parse_instant("1970-01-01T01:00:00.500+01:00") == 500_000
    assert (
        parse_instant(datetime(1970, 1, 1, 0, 0, 1))
        == parse_instant("1970-01-01 00:00:01")
        == 1_000_000
    )
    with pytest.raises(ValueError, match="'soon' is no time"):
        parse_instant("soon")


@pytest.mark.parametrize("suffix", ["csv", "tsv", "jsonl", "csv.gz"])
def test_carriage_returns_alone_are_no_line_ends(kept, tmp_path, suffix):
    """Such a file is refused by its name, whatever its size; CR LF ends lines as LF does."""
    rows = {
        "csv": ["user,time,doc", "u,2020-01-01T00:00:00Z,a", "u,2020-01-01T00:01:00Z,b"],
        "tsv": ["user\ttime\tdoc", "u\t2020-01-01T00:00:00Z\ta", "u\t2020-01-01T00:01:00Z\tb"],
        "jsonl": [
            json.dumps({"user": "u", "time": "2020-01-01T00:00:00Z", "doc": doc}) for doc in "ab"
        ],
    }[suffix.removesuffix(".gz")]
    opened = gzip.open if suffix.endswith(".gz") else open
    files = {"cr": "\r", "crlf": "\r\n", "lf": "\n"}
    for name, end in files.items():
        with opened(tmp_path / f"{name}.{suffix}", "wb") as file:
            file.write((end.join(rows) + end).encode())
    with pytest.raises(ValueError, match=r"cr\..* ends its lines with carriage returns .*Convert"):
        kept(tmp_path / f"cr.{suffix}")
    both = [kept(tmp_path / f"{name}.{suffix}") for name in ("crlf", "lf")]
    assert both[0] == both[1]
    assert [row[2] for row in both[0]] == ["a", "b"]


def test_a_file_of_ids_with_carriage_returns_alone(duckdb, tmp_path):
    """It would be a single id that no document has."""
    (tmp_path / "ids.txt").write_bytes(b"a\rb\r")
    with pytest.raises(ValueError, match=r"ids\.txt ends its lines with carriage returns"):
        read_ids(tmp_path / "ids.txt", duckdb)

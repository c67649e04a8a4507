"""What does not fit is one error: file, record, field, expectation, value and remedy."""

import json
from typing import Annotated

import ir_datasets
import msgspec
import pytest

from ir_datasets_ext.typed_records import checked, decoded, read_lines, read_parquet

pytestmark = pytest.mark.filterwarnings("ignore:.*is not the release's file")


class Score(msgspec.Struct):
    """A record for these tests."""

    who: str
    score: Annotated[int, msgspec.Meta(ge=0, le=3)]
    more: tuple[str, ...] | dict[str, int] | None = None


@pytest.mark.parametrize(
    ("record", "said"),
    [
        ({"who": "a", "score": "3"}, "r, $.score: expected a whole number, got '3'"),
        ({"who": "a", "score": None}, "r, $.score: expected a whole number, got None"),
        ({"who": "a", "score": 99}, "r, $.score: expected a whole number <= 3, got 99"),
        ({"who": "a", "score": -1}, "r, $.score: expected a whole number >= 0, got -1"),
        ({"who": "a", "score": 1.0}, "r, $.score: expected a whole number, got 1.0"),
        ({"who": "a", "score": True}, "r, $.score: expected a whole number, got True"),
        ({"score": 1}, "r, $.who: expected a value, got none beside score"),
        ({}, "r, $.who: expected a value, got none beside nothing"),
        ([], "r: expected an object, got []"),
        (None, "r: expected an object, got None"),
        (
            {"who": "a", "score": 1, "more": ["x", 2]},
            "r, $.more[1]: expected a text, got 2",
        ),
        (
            {"who": "a", "score": 1, "more": {"x": 1, "y": "z"}},
            "r, $.more.y: expected a whole number, got 'z'",
        ),
        (
            {"who": "a", "score": 1, "more": 7},
            "r, $.more: expected an object or a list or null, got 7",
        ),
        (
            {"who": "a" * 100, "score": 1, "more": "b" * 100},
            f"r, $.more: expected an object or a list or null, got '{'b' * 27}...{'b' * 28}'",
        ),
    ],
)
def test_the_form_of_an_error(record, said, refused):
    """It is the same for Python and JSON: types are strict, long values are shortened."""
    for read, given in ((checked, record), (decoded, json.dumps(record).encode())):
        refused(lambda read=read, given=given: read(given, Score, "f", "r"), "f, ", said)


def test_among_values_of_one_type_all_are_named(refused):
    """If the wrong key is unknown, the error has the values of all keys."""
    scores = dict[str, Annotated[int, msgspec.Meta(le=2)]]
    said = ", r, $[...]: expected a whole number <= 2, got [1, 5]"
    refused(lambda: checked({"a": 1, "b": 5}, scores, "f", "r"), "f", said)


@pytest.mark.parametrize(
    ("text", "why"),
    [
        (b"", "Input data was truncated"),
        (b'{"who": "a"', "Input data was truncated"),
        (b'{"who": "a", "score": "3" ?', r"JSON is malformed: .*\(byte 26\)"),
        (b"<html>", r"JSON is malformed: invalid character \(byte 0\)"),
        (b'{"who": "\xff", "score": 1}', "'utf-8' codec can't decode byte 0xff.*"),
        (b'{"who": "\xed\xa0\x80", "score": 1}', "'utf-8' codec can't decode byte 0xed.*"),
        (b'{"who": "\\ud800 ", "score": NaN}', "JSON is malformed: .*"),
        (b'{"who": "a", "score": NaN}', r"JSON is malformed: .*\(byte 22\)"),
        (b"[" * 100_000, "one nested too deeply"),
        (b'{"x":' * 100_000, "one nested too deeply"),
    ],
)
def test_what_is_no_json(text, why, refused):
    """The error has file, record and reason, for any depth of nesting."""
    said = f", r: expected JSON, whole and in UTF-8, got: {why}"
    refused(lambda: decoded(text, Score, "f", "r"), "f", said)


def test_half_a_surrogate_pair_is_read(refused):
    """JSON may escape half a surrogate pair; the other fields are still checked."""
    assert decoded(b'{"who": "\\ud800 ", "score": 1}', Score, "f").who == "\ud800 "
    said = r", r, \$\.score: expected .*, got 'x'"
    refused(lambda: decoded(b'{"who": "\\ud800", "score": "x"}', Score, "f", "r"), "f", said)


def test_a_name_that_is_no_text(refused):
    """Half a surrogate pair in a name raises our error."""
    said = r", r: expected texts that UTF-8 can hold, got '\\ud800'"
    refused(lambda: checked({"who": "a", "score": 1, "\ud800": 2}, Score, "f", "r"), "f", said)


def test_lines_are_counted(refused):
    """The error names the third line; the first two are yielded."""
    lines = [b'{"who": "a", "score": 1}', b'{"who": "b", "score": 2, "other": 0}', b"{}"]
    found = read_lines("f", lines, Score)
    assert [next(found), next(found)] == [Score("a", 1), Score("b", 2)]
    refused(lambda: found, "f", ", line 3, $.who: expected a value, got none beside nothing")


@pytest.mark.parametrize(
    ("columns", "said"),
    [
        ({"who": ["a"]}, ", column score: expected the columns who, score, got who"),
        ({"who": ["a"], "score": ["3"]}, ", row 0, $.score: expected a whole number, got '3'"),
        (
            {"who": ["a", None], "score": [1, 2]},
            ", row 1, $.who: expected a text, got None",
        ),
        (
            {"who": ["a", "b"], "score": [1, 2.5]},
            ", row 0, $.score: expected a whole number, got 1.0",
        ),
    ],
)
def test_parquet(tmp_path, columns, said, refused):
    """Columns that are missing, of other types, or with nulls: the row is named."""
    import pyarrow
    from pyarrow.parquet import write_table

    class Row(msgspec.Struct):
        who: str
        score: int

    path = tmp_path / "f.parquet"
    write_table(pyarrow.table(columns), path)
    refused(lambda: read_parquet(path, Row), path, said)


@pytest.mark.parametrize(
    ("name", "rows", "said"),
    [
        (
            "query/full-00000-of-00001.parquet",
            [{"query_set": "x", "query": "?", "quality": 1, "specificity": 2, "corpusids": [7]}],
            ", row 0, $.specificity: expected a whole number <= 1, got 2",
        ),
        (
            "query/full-00000-of-00001.parquet",
            [{"query_set": "x", "query": None, "quality": 1, "specificity": 1, "corpusids": [7]}],
            ", row 0, $.query: expected a text, got None",
        ),
        (
            "query/full-00000-of-00001.parquet",
            [{"query_set": "x", "query": "?", "quality": 1, "specificity": 1, "corpusids": ["7"]}],
            ", row 0, $.corpusids[0]: expected a whole number, got '7'",
        ),
        (
            "corpus_clean/full-00000-of-00006.parquet",
            [{"corpusid": None, "title": "T", "abstract": "A", "citations": [1]}],
            ", row 0, $.corpusid: expected a whole number, got None",
        ),
        (
            "corpus_clean/full-00000-of-00006.parquet",
            [{"corpusid": 7, "title": "T", "abstract": "A", "citations": [1, None]}],
            ", row 0, $.citations[1]: expected a whole number, got None",
        ),
    ],
)
def test_litsearchs_rows(home, name, rows, said, refused):
    """Questions and papers: types, nulls and ranges of each column."""
    import pyarrow
    from pyarrow.parquet import write_table

    for number in range(6):
        path = home / f"litsearch/corpus_clean/full-0000{number}-of-00006.parquet"
        path.parent.mkdir(parents=True, exist_ok=True)
        row = {"corpusid": 7, "title": "T", "abstract": "A", "citations": [1]}
        write_table(pyarrow.Table.from_pylist([row]), path)
    path = home / "litsearch" / name
    path.parent.mkdir(exist_ok=True)
    write_table(pyarrow.Table.from_pylist(rows), path)
    dataset = ir_datasets.load("litsearch")
    read = dataset.queries_iter if "query" in name else dataset.docs_iter
    refused(lambda: read(), path, said)

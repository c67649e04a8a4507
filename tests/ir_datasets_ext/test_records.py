"""What does not fit is one error: file, record, msgspec's message, the record, and remedy."""

import json
from typing import Annotated

import ir_datasets
import msgspec
import pytest

from ir_datasets_ext.typed_records import (
    convert,
    convert_values,
    decode_json,
    read_lines,
    read_parquet,
)

pytestmark = pytest.mark.filterwarnings("ignore:.*is not the release's file")


class Score(msgspec.Struct):
    """A record for these tests."""

    who: str
    score: Annotated[int, msgspec.Meta(ge=0, le=3)]
    more: tuple[str, ...] | dict[str, int] | None = None


@pytest.mark.parametrize(
    ("record", "said"),
    [
        ({"who": "a", "score": "3"}, "r: Expected `int`, got `str` - at `$.score`"),
        ({"who": "a", "score": None}, "r: Expected `int`, got `null` - at `$.score`"),
        ({"who": "a", "score": 99}, "r: Expected `int` <= 3 - at `$.score`"),
        ({"who": "a", "score": -1}, "r: Expected `int` >= 0 - at `$.score`"),
        ({"who": "a", "score": 1.0}, "r: Expected `int`, got `float` - at `$.score`"),
        ({"who": "a", "score": True}, "r: Expected `int`, got `bool` - at `$.score`"),
        ({"score": 1}, "r: Object missing required field `who`"),
        ({}, "r: Object missing required field `who`"),
        ([], "r: Expected `object`, got `array`"),
        (None, "r: Expected `object`, got `null`"),
        (
            {"who": "a", "score": 1, "more": ["x", 2]},
            "r: Expected `str`, got `int` - at `$.more[1]`",
        ),
        (
            {"who": "a", "score": 1, "more": {"x": 1, "y": "z"}},
            "r: Expected `int`, got `str` - at `$.more[...]`",
        ),
        (
            {"who": "a", "score": 1, "more": 7},
            "r: Expected `object | array | null`, got `int` - at `$.more`",
        ),
        (
            {"who": "a" * 100, "score": 1, "more": "b" * 100},
            "r: Expected `object | array | null`, got `str` - at `$.more`",
        ),
    ],
)
def test_the_form_of_an_error(record, said, refused):
    """It is the same for Python and JSON: types are strict."""
    for read, given in ((convert, record), (decode_json, json.dumps(record).encode())):
        refused(lambda read=read, given=given: read(given, Score, "f", "r"), "f, ", said)


@pytest.mark.parametrize("record", [{"who": "a", "score": 99}, {"who": 1}, [], {"score": 1}])
def test_messages_of_msgspec_are_passed_on(record):
    """Whatever they say in its next release; the record follows."""
    with pytest.raises(msgspec.ValidationError) as theirs:
        msgspec.convert(record, Score)
    with pytest.raises(ValueError, match=r"^f, r: ") as ours:
        convert(record, Score, "f", "r", "Mend it")
    shown = dict(sorted(record.items())) if record else record
    assert str(ours.value) == f"f, r: {theirs.value}, in {shown}. Mend it"


def test_a_long_record_is_shortened():
    """The error shows how it begins."""
    record = {"who": "a" * 100, "score": 9, **{f"field {n}": "b" * 100 for n in range(99)}}
    with pytest.raises(ValueError, match=r", in \{'field 0': 'bbbb.{180,}\.\.\. Correct") as caught:
        convert(record, Score, "f")
    assert len(str(caught.value)) < 400


def test_an_error_names_the_key(refused):
    """Values of an object are checked one by one."""
    assert convert_values({"7": 1, "8": 2}, int, "f", "query") == {"7": 1, "8": 2}
    said = ", query 8: Expected `int`, got `str`, in 'x'"
    refused(lambda: convert_values({"7": 1, "8": "x"}, int, "f", "query"), "f", said)


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
    refused(lambda: decode_json(text, Score, "f", "r"), "f", said)


def test_half_a_surrogate_pair_is_read(refused):
    """JSON may escape half a surrogate pair; the other fields are still checked."""
    assert decode_json(b'{"who": "\\ud800 ", "score": 1}', Score, "f").who == "\ud800 "
    said = ", r: Expected `int`, got `str` - at `$.score`"
    refused(lambda: decode_json(b'{"who": "\\ud800", "score": "x"}', Score, "f", "r"), "f", said)


def test_a_name_that_is_no_text(refused):
    """Half a surrogate pair in a name raises our error."""
    said = r", r: expected texts that UTF-8 can hold, got '\\ud800'"
    refused(lambda: convert({"who": "a", "score": 1, "\ud800": 2}, Score, "f", "r"), "f", said)


def test_lines_are_counted(refused):
    """The error names the third line; the first two are yielded."""
    lines = [b'{"who": "a", "score": 1}', b'{"who": "b", "score": 2, "other": 0}', b"{}"]
    found = read_lines("f", lines, Score)
    assert [next(found), next(found)] == [Score("a", 1), Score("b", 2)]
    refused(lambda: found, "f", ", line 3: Object missing required field `who`")


@pytest.mark.parametrize(
    ("columns", "said"),
    [
        ({"who": ["a"]}, ", column score: expected the columns who, score, got who"),
        ({"who": ["a"], "score": ["3"]}, ", row 0: Expected `int`, got `str` - at `$.score`"),
        (
            {"who": ["a", None], "score": [1, 2]},
            ", row 1: Expected `str`, got `null` - at `$.who`",
        ),
        (
            {"who": ["a", "b"], "score": [1, 2.5]},
            ", row 0: Expected `int`, got `float` - at `$.score`",
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
            ", row 0: Expected `int` <= 1 - at `$.specificity`",
        ),
        (
            "query/full-00000-of-00001.parquet",
            [{"query_set": "x", "query": None, "quality": 1, "specificity": 1, "corpusids": [7]}],
            ", row 0: Expected `str`, got `null` - at `$.query`",
        ),
        (
            "query/full-00000-of-00001.parquet",
            [{"query_set": "x", "query": "?", "quality": 1, "specificity": 1, "corpusids": ["7"]}],
            ", row 0: Expected `int`, got `str` - at `$.corpusids[0]`",
        ),
        (
            "corpus_clean/full-00000-of-00006.parquet",
            [{"corpusid": None, "title": "T", "abstract": "A", "citations": [1]}],
            ", row 0: Expected `int`, got `null` - at `$.corpusid`",
        ),
        (
            "corpus_clean/full-00000-of-00006.parquet",
            [{"corpusid": 7, "title": "T", "abstract": "A", "citations": [1, None]}],
            ", row 0: Expected `int`, got `null` - at `$.citations[1]`",
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

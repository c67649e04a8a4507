"""Records of JSON, checked by type: errors name file, record, problem and remedy."""

import json
from typing import Annotated

import msgspec
import pytest

from pyterrier_scholarly.typed_records import convert, convert_values, decode_json, read_json


class Score(msgspec.Struct):
    """A record for these tests."""

    who: str
    score: Annotated[int, msgspec.Meta(ge=0, le=3)]
    more: tuple[str, ...] | None = None


@pytest.mark.parametrize(
    ("record", "problem"),
    [
        ({"who": "a", "score": "3"}, "Expected `int`, got `str` - at `$.score`"),
        ({"who": "a", "score": 99}, "Expected `int` <= 3 - at `$.score`"),
        ({"who": "a", "score": 1.0}, "Expected `int`, got `float` - at `$.score`"),
        ({"score": 1}, "Object missing required field `who`"),
        ([], "Expected `object`, got `array`"),
        ({"who": "a", "score": 1, "more": ["x", 2]}, "Expected `str`, got `int` - at `$.more[1]`"),
    ],
)
def test_the_form_of_an_error(record, problem):
    """It is the same for Python and JSON: types are strict, and the record follows."""
    shown = dict(sorted(record.items())) if record else record
    for read, value in ((convert, record), (decode_json, json.dumps(record).encode())):
        with pytest.raises(ValueError) as caught:
            read(value, Score, "file", "line 3", "Mend it")
        assert str(caught.value) == f"file, line 3: {problem}, in {shown}. Mend it"


def test_a_long_record_is_shortened():
    """The error shows how it begins."""
    record = {"who": "a" * 100, "score": 9, **{f"field {n}": "b" * 100 for n in range(99)}}
    with pytest.raises(ValueError, match=r", in \{'field 0': 'bbbb.{180,}\.\.\. Correct") as caught:
        convert(record, Score, "f")
    assert len(str(caught.value)) < 400


def test_an_error_names_the_key():
    """Values of an object are checked one by one."""
    assert convert_values({"7": 1, "8": 2}, int, "f", "query") == {"7": 1, "8": 2}
    with pytest.raises(ValueError, match=r"^f, query 8: Expected `int`, got `str`, in 'x'"):
        convert_values({"7": 1, "8": "x"}, int, "f", "query")


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        (b"", "Expecting value"),
        (b'{"who": "a"', "Expecting ',' delimiter"),
        (b"<html>", "Expecting value"),
        (b'{"who": "\xff", "score": 1}', "'utf-8' codec can't decode byte 0xff"),
        (b"[" * 100_000, "one nested too deeply"),
    ],
)
def test_what_is_no_json(tmp_path, text, reason):
    """The error has file and reason, for any depth of nesting."""
    path = tmp_path / "file.json"
    path.write_bytes(text)
    message = f"{path}: expected JSON, whole and in UTF-8, got: {reason}.* Restore it from a copy"
    with pytest.raises(ValueError, match=message):
        read_json(path, Score)

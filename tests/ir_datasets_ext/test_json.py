"""Parts of a JSON file, read as streams."""

import json
import tracemalloc

import pytest

from ir_datasets_ext._json import BLOCK, JsonFile


@pytest.fixture
def write(tmp_path):
    """A function that writes a file, from text or bytes or as JSON, and opens it."""

    def written(content):
        if not isinstance(content, str | bytes):
            content = json.dumps(content)
        path = tmp_path / "file.json"
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
        return JsonFile(path)

    return written


def test_entries_and_values(write):
    """Lists come entry by entry, anything else as a whole, and what is not there is nothing."""
    file = write({"a": [1, {"b": 2}], "c": {"d": "é"}, "e": []})
    assert list(file.entries("a")) == [1, {"b": 2}]
    assert list(file.entries("e")) == list(file.entries("none")) == []
    assert file.value("c") == {"d": "é"}
    assert file.value("none") is None


def test_reading_from_a_key(write):
    """From the byte of a key on, that key's list and those behind it are read as from the start."""
    text = json.dumps({"a": [1], "b": [2, 3], "c": {"d": 4}})
    file = write(text)
    at = file.offsets(["b", "c"])
    assert at == {"b": text.index('"b"'), "c": text.index('"c"')}
    assert list(file.entries("b", at["b"])) == [2, 3]
    assert file.value("c", at["b"]) == file.value("c", at["c"]) == {"d": 4}


def test_keys_across_the_border_of_two_blocks(write):
    """A key is found wherever the border between two blocks of the file cuts it."""
    for before in range(BLOCK - 24, BLOCK + 2):
        text = '{"x": "' + "x" * (before - 10) + '", "Key" : \n [7]}'
        file = write(text)
        assert file.offsets(["Key", "none"]) == {"Key": before}
        assert list(file.entries("Key", before)) == [7]


def test_what_only_looks_like_a_key(write):
    """Names that are values, or keys of no list or object, are passed over."""
    content = {"a": ["Key", "Key:", '"Key": [1]'], "b": {"Key": 5, "c": "Key"}, "Key": [6]}
    file = write(content)
    assert file.value("Key", file.offsets(["Key"])["Key"]) == [6]


@pytest.mark.parametrize("order", [["First", "Long", "Last"], ["Long", "Last", "First"]])
def test_the_search_leaves_out_what_was_read(write, order):
    """After a long list was read, the other keys are found as before, on either side of it."""
    parts = {"First": [1], "Long": [{"text": "x" * 1000}] * 400, "Last": {"z": 2}}
    file = write({key: parts[key] for key in order})
    before = file.offsets(order)
    assert len(list(file.entries("Long"))) == 400
    assert file.offsets(["First", "Last"]) == {key: before[key] for key in ("First", "Last")}


@pytest.mark.parametrize(
    "content",
    [
        '{"a": [{"b": 1}, {"b": 2',
        '{"a": [{"b": 1}, {"b": x}]}',
        '{"a": [{"b": 1}]} and more',
        b'{"a": [{"b": "\xff"}]}',
        "<html>Access denied</html>",
        "",
    ],
)
def test_a_spoilt_file_is_named(write, content):
    """Truncated, corrupted or not JSON at all: the error has the file and what to do."""
    file = write(content)
    with pytest.raises(ValueError, match=r"file\.json: expected JSON, .*delete it"):
        list(file.entries("a"))


def test_memory(write):
    """Of a list of 20 MB, a hundredth is in memory at a time."""
    file = write({"a": [{"text": "x" * 1000}] * 20_000})
    tracemalloc.start()
    assert sum(len(entry["text"]) for entry in file.entries("a")) == 20_000_000
    file.offsets(["none"])
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 2_000_000

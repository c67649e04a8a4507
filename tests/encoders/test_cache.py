"""Vectors on disk."""

import json
import shutil
import time
from hashlib import blake2b

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pyterrier_scholarly.chat import Replies, Reply
from pyterrier_scholarly.encoders import VectorCache
from pyterrier_scholarly.encoders.cache import as_cache, digest_of

SETTINGS = {"test": 1}
KEYS = ["a text", ("a text",), ("a", "text"), "", "日本語", "\ud800", 'quo"ted', "a\0b"]
TEXTS = st.text(st.characters(exclude_categories=[]))


def arrays(keys, d=3):
    """Return arrays of one row, two rows, …, one for each key."""
    return {
        key: np.arange(d * (n + 1), dtype=np.float32).reshape(n + 1, d) + n
        for n, key in enumerate(keys)
    }


def agree(found, expected):
    """Return whether both hold the same keys and arrays."""
    return found.keys() == expected.keys() and all(
        np.array_equal(found[key], expected[key]) for key in expected
    )


def file_of(cache, settings=SETTINGS):
    """Return the file of the embeddings of one encoder, which the cache does not have yet."""
    known = set(cache.path.glob("*/"))
    cache.put_many(settings, arrays(["beside"]))
    (folder,) = set(cache.path.glob("*/")) - known
    (file,) = folder.iterdir()
    return file


def test_what_was_put_is_got(tmp_path):
    """Keys of any characters and arrays of any number of rows survive the round trip."""
    made = arrays(KEYS)
    VectorCache(tmp_path).put_many(SETTINGS, made)
    found = VectorCache(tmp_path).get_many(SETTINGS, [*KEYS, "another", "a text"])
    assert agree(found, made)
    assert all(array.dtype == np.float32 and not array.flags.writeable for array in found.values())


def test_settings_are_told_apart(tmp_path):
    """Other settings find nothing; the order of settings does not matter."""
    cache = VectorCache(tmp_path)
    cache.put_many({"model": "m", "precision": "fp32"}, arrays(["a"]))
    assert cache.get_many({"model": "m", "precision": "bf16"}, ["a"]) == {}
    assert list(cache.get_many({"precision": "fp32", "model": "m"}, ["a"])) == ["a"]


def test_nothing_to_put_or_get(tmp_path):
    """Zero keys give zero arrays, and a missing folder holds nothing."""
    cache = VectorCache(tmp_path / "not" / "there")
    assert cache.get_many(SETTINGS, ["a"]) == {}
    cache.put_many(SETTINGS, {})
    assert cache.get_many(SETTINGS, []) == {}
    cache.clear()
    assert (cache.bytes, cache.path.exists()) == (0, False)


@pytest.mark.parametrize("damage", ["flipped", "cut", "another's"])
def test_damaged_vectors_are_made_again_and_said_once(tmp_path, damage):
    """A changed byte loses one entry with one warning; damage of the file loses what is in it."""
    cache, made = VectorCache(tmp_path / damage), arrays(["beside", "bad"])
    file = file_of(cache)
    cache.put_many(SETTINGS, made)
    held = file.read_bytes()
    changed = {
        "flipped": held.replace(made["bad"].tobytes(), made["bad"].tobytes()[:-1] + b"x"),
        "cut": held[:10_000],
        "another's": b"\x80\x04" * 10_000,
    }[damage]
    file.write_bytes(changed)
    with pytest.warns(UserWarning, match=r"damaged.*embeddings are recomputed") as said:
        found = cache.get_many(SETTINGS, ["bad", "beside"])
        cache.get_many(SETTINGS, ["bad", "beside"])
    assert len(said) == 1
    assert agree(found, {"beside": made["beside"]} if damage == "flipped" else {})
    cache.put_many(SETTINGS, made)
    assert agree(cache.get_many(SETTINGS, ["bad", "beside"]), made)


def test_embeddings_of_another_encoder_are_never_served(tmp_path):
    """A file in the place of another encoder's has nothing for this one."""
    cache = VectorCache(tmp_path)
    ours, theirs = file_of(cache, {"encoder": "ours"}), file_of(cache, {"encoder": "theirs"})
    shutil.move(theirs, ours)
    assert cache.get_many({"encoder": "ours"}, ["beside"]) == {}
    own = {"beside": np.full((1, 3), 5, np.float32)}
    cache.put_many({"encoder": "ours"}, own)
    assert agree(cache.get_many({"encoder": "ours"}, ["beside"]), own)


def test_nobody_else_may_read(tmp_path):
    """Only the owner may read the files."""
    VectorCache(tmp_path / "new").put_many(SETTINGS, arrays(KEYS))
    (file,) = tmp_path.glob("new/*/*")
    assert (file.parent.stat().st_mode & 0o777, file.stat().st_mode & 0o777) == (0o700, 0o600)


@given(st.one_of(TEXTS, st.lists(TEXTS).map(tuple)))
def test_digests_are_of_json(key):
    """A key's digest stays the same, for any characters."""
    text = json.dumps(key).encode()
    assert digest_of(key, "ab" * 32) == blake2b(text, digest_size=16, key=b"\xab" * 32).digest()


def test_a_folder_that_cannot_be_made(tmp_path):
    """A file in the folder's place warns once, and nothing is kept."""
    (tmp_path / "file").write_text("")
    cache = VectorCache(tmp_path / "file" / "cache")
    with pytest.warns(UserWarning, match=r"cache .*not writable.*continuing without") as said:
        cache.put_many(SETTINGS, arrays(["a"]))
        cache.put_many(SETTINGS, arrays(["a"]))
    assert len(said) == 1
    assert cache.get_many(SETTINGS, ["a"]) == {}
    cache.clear()


def test_the_longest_unused_go(tmp_path):
    """Embeddings of the longest unused encoders are removed, but never the writing encoder's."""
    cache = VectorCache(tmp_path)
    keys = [f"text {number}" for number in range(100)]
    for name in ("first", "second"):
        cache.put_many({"encoder": name}, arrays(keys, d=30))
        time.sleep(0.02)  # clocks of file systems are coarse
    cache.get_many({"encoder": "first"}, keys)
    time.sleep(0.02)

    limited = VectorCache(tmp_path, limit=cache.bytes - 100_000)
    limited.put_many({"encoder": "third"}, arrays(["a text"]))
    assert limited.bytes <= limited.limit
    found = [len(limited.get_many({"encoder": name}, keys)) for name in ("first", "second")]
    assert found == [100, 0]

    smallest = VectorCache(tmp_path, limit=0)
    smallest.put_many({"encoder": "third"}, arrays(["another"]))
    assert smallest.get_many({"encoder": "first"}, keys) == {}
    assert len(smallest.get_many({"encoder": "third"}, ["a text", "another"])) == 2


def test_the_same_key_again(tmp_path):
    """A key that two processes put is found."""
    cache, made = VectorCache(tmp_path), arrays(["a", "b"])
    cache.put_many(SETTINGS, made)
    cache.put_many(SETTINGS, made)
    assert agree(cache.get_many(SETTINGS, ["a", "b"]), made)


def test_clear_removes_what_is_ours(tmp_path):
    """`clear` removes all embeddings and keeps other files."""
    cache = VectorCache(tmp_path)
    for precision in ("fp32", "bf16"):
        cache.put_many({"precision": precision}, arrays(["a"]))
    (tmp_path / "notes").mkdir()
    (tmp_path / "notes" / "mine.txt").write_text("kept")
    Replies(tmp_path / "replies").put(64 * "0", Reply("paid"))
    assert cache.bytes > 0
    cache.clear()
    assert cache.bytes == 0
    assert {path.name for path in tmp_path.iterdir()} == {"notes", "replies"}
    assert (tmp_path / "notes" / "mine.txt").exists()
    assert len(Replies(tmp_path / "replies")) == 1


def test_where_it_is(tmp_path, monkeypatch):
    """The folder is the argument, else $SCHOLARLY_CACHE, else XDG's cache."""
    assert as_cache(None) is None
    assert as_cache(False) is None
    assert as_cache(tmp_path) == VectorCache(tmp_path)
    own = VectorCache(tmp_path, limit=5)
    assert as_cache(own) is own
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "xdg"))
    monkeypatch.delenv("SCHOLARLY_CACHE", raising=False)
    assert as_cache(True).path == tmp_path / "xdg" / "pyterrier-scholarly"
    monkeypatch.setenv("SCHOLARLY_CACHE", str(tmp_path / "own"))
    assert as_cache(True).path == tmp_path / "own"
    assert repr(VectorCache(limit=7)) == "VectorCache(limit=7)"

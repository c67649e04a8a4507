"""Vectors on disk."""

import json
import shutil
import time
from hashlib import blake2b
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

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


def files(folder, ending=".entries"):
    """The cache's files."""
    return sorted(Path(folder).glob(f"*/*{ending}"))


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


@pytest.mark.parametrize("damage", ["flipped", "cut", "emptied", "another's"])
def test_damaged_vectors_are_made_again_and_said_once(tmp_path, damage):
    """A changed byte loses one entry with one warning; the others stay."""
    written, good, bad = VectorCache(tmp_path / "one"), arrays(["good"]), arrays(["beside", "bad"])
    written.put_many(SETTINGS, good)
    written.put_many(SETTINGS, bad)
    cache = VectorCache(shutil.copytree(written.path, tmp_path / "copy"))  # never read before
    file = files(cache.path)[1]
    held = file.read_bytes()
    changed = {
        "flipped": held.replace(bad["bad"].tobytes(), bad["bad"].tobytes()[:-1] + b"x"),
        "cut": held[: held.index(digest_of("bad"))],
        "emptied": b"",
        "another's": b"\x80\x04" * 100,
    }[damage]
    file.write_bytes(changed)
    with pytest.warns(UserWarning, match=r"damaged.*embeddings are recomputed") as said:
        found = cache.get_many(SETTINGS, ["good", "bad", "beside"])
        file.write_bytes(changed)
        cache.get_many(SETTINGS, ["bad", "beside"])
    assert len(said) == 1
    whole = {"beside"} if damage in ("flipped", "cut") else set()
    assert agree(found, {key: ({**good, **bad})[key] for key in {"good", *whole}})
    cache.put_many(SETTINGS, bad)
    assert agree(cache.get_many(SETTINGS, ["good", "bad", "beside"]), {**good, **bad})


def folders_of(cache, *every_settings):
    """Put the same key for each of the settings, with other numbers; return their folders."""
    folders = []
    for number, settings in enumerate(every_settings, 1):
        known = set(cache.path.glob("*")) if cache.path.exists() else set()
        cache.put_many(settings, {"a text": np.full((1, 3), number, np.float32)})
        folders += set(cache.path.glob("*")) - known
    return folders


OURS, THEIRS = {"encoder": "ours"}, {"encoder": "theirs"}


@pytest.mark.parametrize("how", ["file", "folder", "entry"])
def test_embeddings_of_another_encoder_are_never_served(tmp_path, how):
    """A file, a folder or a single entry in the wrong place is damage: it is computed again.

    Both have the same text, so the entry has the same key, length and place in either file.
    """
    written = VectorCache(tmp_path / "written")
    ours, theirs = folders_of(written, OURS, THEIRS)
    (our_file,), (their_file,) = ours.glob("*.entries"), theirs.glob("*.entries")
    if how == "file":
        our_file.unlink()
        shutil.move(their_file, ours)
    elif how == "folder":
        shutil.rmtree(ours)
        theirs.rename(ours)
    else:
        our_bytes, their_bytes = our_file.read_bytes(), their_file.read_bytes()
        size = len(our_bytes) - 16 - 48  # of the entry, without the index and the end
        our_file.write_bytes(their_bytes[:size] + our_bytes[size:])
    cache = VectorCache(shutil.copytree(written.path, tmp_path / "copy"))  # never read before

    with pytest.warns(UserWarning, match=r"is damaged.*Its other embeddings are recomputed"):
        assert cache.get_many(OURS, ["a text"]) == {}
    own = {"a text": np.full((1, 3), 5, np.float32)}
    cache.put_many(OURS, own)
    assert agree(cache.get_many(OURS, ["a text"]), own)


def test_a_file_beside_ones_own_costs_nothing(tmp_path):
    """A copy of another encoder's file is said, and the encoder's own embeddings are found."""
    cache = VectorCache(tmp_path)
    ours, theirs = folders_of(cache, OURS, THEIRS)
    (their_file,) = theirs.glob("*.entries")
    shutil.copy(their_file, ours / f"00000000-{their_file.name}")
    with pytest.warns(UserWarning, match="is damaged"):
        found = cache.get_many(OURS, ["a text"])
    assert agree(found, {"a text": np.full((1, 3), 1, np.float32)})


@pytest.mark.parametrize("value", [np.nan, np.inf])
def test_forged_embeddings_are_recomputed(tmp_path, value):
    """An entry with a right digest whose numbers are none is damage, too."""
    whole = arrays(["whole"])
    cache = VectorCache(tmp_path)
    cache.put_many(SETTINGS, {**whole, "forged": np.full((1, 3), value, np.float32)})
    with pytest.warns(UserWarning, match="is damaged: a value in it is not of the expected form"):
        assert agree(cache.get_many(SETTINGS, ["whole", "forged"]), whole)
    made = {"forged": np.ones((1, 3), np.float32)}
    cache.put_many(SETTINGS, made)
    assert agree(cache.get_many(SETTINGS, ["whole", "forged"]), {**whole, **made})


def test_nobody_else_may_read(tmp_path):
    """Only the owner may read the files."""
    VectorCache(tmp_path / "new").put_many(SETTINGS, arrays(KEYS))
    (file,) = files(tmp_path / "new")
    assert (file.parent.stat().st_mode & 0o777, file.stat().st_mode & 0o777) == (0o700, 0o600)


@given(st.one_of(TEXTS, st.lists(TEXTS).map(tuple)))
def test_digests_are_of_json(key):
    """A key's digest stays the same, for any characters."""
    assert digest_of(key) == blake2b(json.dumps(key).encode(), digest_size=16).digest()


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
    """The least recently read files are removed first."""
    probe = VectorCache(tmp_path)
    probe.put_many(SETTINGS, arrays(["first"]))
    cache = VectorCache(tmp_path, limit=2 * probe.bytes)
    time.sleep(0.02)  # clocks of file systems are coarse
    cache.put_many(SETTINGS, arrays(["second"]))
    time.sleep(0.02)
    cache.get_many(SETTINGS, ["first"])
    time.sleep(0.02)
    cache.put_many(SETTINGS, arrays(["third"]))
    assert set(cache.get_many(SETTINGS, ["first", "second", "third"])) == {"first", "third"}
    assert cache.bytes == cache.limit


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
    assert cache.bytes > 0
    cache.clear()
    assert cache.bytes == 0
    assert [path.name for path in tmp_path.rglob("*")] == ["notes", "mine.txt"]


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

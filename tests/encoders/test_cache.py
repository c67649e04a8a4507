"""Vectors on disk."""

import os
import signal
import subprocess
import sys
import time
import warnings
from pathlib import Path

import numpy as np
import pytest

from pyterrier_scholarly.encoders import VectorCache, _cache_files
from pyterrier_scholarly.encoders.cache import as_cache

SETTINGS = {"test": 1}
KEYS = ["a text", ("a text",), ("a", "text"), "", "日本語", "\ud800", 'quo"ted', "a\0b"]
FILLING = Path(__file__).with_name("filling.py")
ENVIRONMENT = {**os.environ, "PYTHONPATH": str(Path(__file__).parents[2])}


def arrays(keys, d=3):
    """One array per key, of one row, two rows, …"""
    return {
        key: np.arange(d * (n + 1), dtype=np.float32).reshape(n + 1, d) + n
        for n, key in enumerate(keys)
    }


def agree(found, expected):
    """Whether both hold the same keys and vectors."""
    return found.keys() == expected.keys() and all(
        np.array_equal(found[key], expected[key]) for key in expected
    )


def filling(*arguments):
    """A process that runs `filling.py`."""
    command = [sys.executable, FILLING, *map(str, arguments)]
    return subprocess.Popen(command, stdout=subprocess.PIPE, text=True, env=ENVIRONMENT)


def files(folder, ending=".vectors"):
    """The cache's files."""
    return sorted(Path(folder).glob(f"*/*{ending}"))


def test_what_was_put_is_got(tmp_path):
    """Texts and passages of any characters, told apart, of any number of rows."""
    made = arrays(KEYS)
    VectorCache(tmp_path).put_many(SETTINGS, made)
    found = VectorCache(tmp_path).get_many(SETTINGS, [*KEYS, "another", "a text"])
    assert agree(found, made)
    assert all(array.dtype == np.float32 and not array.flags.writeable for array in found.values())


def test_settings_are_told_apart(tmp_path):
    """Vectors of other settings are not found; the order of settings means nothing."""
    cache = VectorCache(tmp_path)
    cache.put_many({"model": "m", "precision": "fp32"}, arrays(["a"]))
    assert cache.get_many({"model": "m", "precision": "bf16"}, ["a"]) == {}
    assert list(cache.get_many({"precision": "fp32", "model": "m"}, ["a"])) == ["a"]


def test_nothing_to_put_or_get(tmp_path):
    """Zero is ordinary; a folder that is not there holds nothing."""
    cache = VectorCache(tmp_path / "not" / "there")
    assert cache.get_many(SETTINGS, ["a"]) == {}
    cache.put_many(SETTINGS, {})
    assert cache.get_many(SETTINGS, []) == {}
    cache.clear()
    assert (cache.bytes, cache.path.exists()) == (0, False)


@pytest.mark.parametrize("damage", ["flipped", "cut", "emptied", "header", "appended to nothing"])
def test_a_damaged_file_is_dropped_and_said_once(tmp_path, damage):
    """Its entries are missing, so they are made anew; others stay; then all is well again."""
    cache, good, bad = VectorCache(tmp_path), arrays(["good"]), arrays(["bad", "beside"])
    cache.put_many(SETTINGS, good)
    (whole,) = files(tmp_path)
    cache.put_many(SETTINGS, bad)
    (file,) = set(files(tmp_path)) - {whole}
    held = file.read_bytes()
    changed = {
        "flipped": held[:-1] + bytes([held[-1] ^ 1]),
        "cut": held[:-5],
        "emptied": b"",
        "header": b"x" * 40 + held[40:],
        "appended to nothing": held[200:],
    }[damage]
    file.write_bytes(changed)
    with pytest.warns(UserWarning, match="damaged file: its vectors are made anew") as said:
        assert agree(cache.get_many(SETTINGS, ["good", "bad", "beside"]), good)
        file.write_bytes(changed)
        cache.get_many(SETTINGS, ["bad", "beside"])
    assert len(said) == 1
    assert files(tmp_path) == [whole]
    cache.put_many(SETTINGS, bad)
    assert agree(cache.get_many(SETTINGS, ["good", "bad", "beside"]), {**good, **bad})


def test_two_processes_fill_one_cache(tmp_path):
    """All entries of both are there in the end, and whole."""
    both = [filling(tmp_path, name, 100) for name in ("one", "two")]
    assert [process.wait() for process in both] == [0, 0]
    keys = [f"{name} {number}" for name in ("one", "two") for number in range(100)]
    for process in both:
        process.stdout.close()
    found = VectorCache(tmp_path).get_many(SETTINGS, keys)
    assert agree(found, {key: np.full((2, 3), int(key.split()[1])) for key in keys})


@pytest.mark.parametrize("after", [1, 20, 75])
def test_killed_while_it_writes(tmp_path, after):
    """All that was put before is there; what is left of a write is removed when it is old."""
    process = filling(tmp_path, "one", 100_000)
    put = [process.stdout.readline().strip() for _ in range(after)]
    process.send_signal(signal.SIGKILL)
    process.wait()
    process.stdout.close()
    found = VectorCache(tmp_path).get_many(SETTINGS, put)
    assert agree(found, {key: np.full((2, 3), int(key.split()[1])) for key in put})
    left = files(tmp_path)[0].with_suffix(".tmp")
    left.write_bytes(b"half")
    VectorCache(tmp_path).put_many(SETTINGS, arrays(["a"]))
    assert left.exists()  # it may be another process's
    os.utime(left, (0, 0))
    VectorCache(tmp_path).put_many(SETTINGS, arrays(["b"]))
    assert not left.exists()


def test_a_full_disk(tmp_path):
    """Where no file can be larger than nothing, the process goes on and says so once."""
    done = subprocess.run(
        [sys.executable, FILLING, tmp_path, "one", "3", "0"],
        capture_output=True,
        text=True,
        env={**ENVIRONMENT, "PYTHONWARNINGS": "always"},
    )
    assert done.returncode == 0, done.stderr
    assert done.stdout.splitlines() == ["one 0", "one 1", "one 2"]
    assert done.stderr.count("cannot be written to") == 1
    assert str(tmp_path) in done.stderr
    assert files(tmp_path) + files(tmp_path, ".tmp") == []


def test_a_disk_that_fills_up(tmp_path):
    """What does not fit leaves no half file; what was there before is there."""
    cache = VectorCache(tmp_path)
    cache.put_many(SETTINGS, arrays(["before"]))
    before = files(tmp_path)
    process = filling(tmp_path, "one", 1, 100)  # a file of 100 bytes is too small for any vectors
    process.communicate()
    assert process.returncode == 0
    assert files(tmp_path) == before
    assert files(tmp_path, ".tmp") == []
    assert agree(cache.get_many(SETTINGS, ["before"]), arrays(["before"]))


def test_a_folder_that_cannot_be_made(tmp_path):
    """A file is in its place: one warning names the folder, and nothing is kept."""
    (tmp_path / "file").write_text("")
    cache = VectorCache(tmp_path / "file" / "cache")
    with pytest.warns(UserWarning, match=r"cache cannot be written to .*goes on without") as said:
        cache.put_many(SETTINGS, arrays(["a"]))
        cache.put_many(SETTINGS, arrays(["a"]))
    assert len(said) == 1
    assert cache.get_many(SETTINGS, ["a"]) == {}
    cache.clear()


def test_the_longest_unused_go(tmp_path):
    """Beyond the limit; what was read last stays, though it was written first."""
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


def test_many_small_files_become_one(tmp_path, monkeypatch):
    """So that a thousand calls with a text each do not leave a thousand files."""
    monkeypatch.setattr(_cache_files, "MANY", 4)
    made, cache = arrays([f"key {n}" for n in range(11)]), VectorCache(tmp_path)
    for key, array in made.items():
        cache.put_many(SETTINGS, {key: array})
    assert len(files(tmp_path)) <= 4
    assert agree(cache.get_many(SETTINGS, made), made)
    (cut, *_) = files(tmp_path)
    cut.write_bytes(cut.read_bytes()[:-1])
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for key, array in made.items():
            cache.put_many(SETTINGS, {key: array})
            assert agree(cache.get_many(SETTINGS, [key]), {key: array})
        assert agree(cache.get_many(SETTINGS, made), made)


@pytest.mark.parametrize("lost", [1, 12])
@pytest.mark.parametrize("place", range(4))
def test_a_cut_file_is_not_merged(tmp_path, monkeypatch, lost, place):
    """Cut anywhere, between two rows of twelve bytes too: the others become one file without it."""
    monkeypatch.setattr(_cache_files, "MANY", 4)
    made, cache = arrays(["a", "b", "c", "d"]), VectorCache(tmp_path)
    for key, array in made.items():
        cache.put_many(SETTINGS, {key: array})
    cut, key = files(tmp_path)[place], "a new one"
    held = cut.read_bytes()
    cut.write_bytes(held[:-lost])
    cache.put_many(SETTINGS, {key: made["a"]})
    assert len(files(tmp_path)) == 2
    with pytest.warns(UserWarning, match="damaged file: its vectors are made anew"):
        found = cache.get_many(SETTINGS, [*made, key])
    assert len(found) == 4
    assert agree(found, {one: made.get(one, made["a"]) for one in found})
    assert key in found


def test_vectors_of_two_widths_are_not_merged(tmp_path, monkeypatch):
    """A model behind an API may change its number of dimensions; what is there stays readable."""
    monkeypatch.setattr(_cache_files, "MANY", 4)
    made = arrays(KEYS[:4]) | arrays(KEYS[4:], d=2)
    cache = VectorCache(tmp_path)
    for key, array in made.items():
        cache.put_many(SETTINGS, {key: array})
    assert len(files(tmp_path)) < len(made)
    assert agree(cache.get_many(SETTINGS, made), made)


def test_the_same_key_again(tmp_path):
    """Two processes may put it: it is found, and merged it is there once."""
    cache, made = VectorCache(tmp_path), arrays(["a", "b"])
    cache.put_many(SETTINGS, made)
    cache.put_many(SETTINGS, made)
    assert agree(cache.get_many(SETTINGS, ["a", "b"]), made)


def test_clear_removes_what_is_ours(tmp_path):
    """All vectors, in every settings' folder; other files stay."""
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
    """The folder given, else $SCHOLARLY_CACHE, else under the cache home of XDG."""
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


def test_no_pickle(tmp_path):
    """A file that asks for code to be run is a damaged one."""
    cache = VectorCache(tmp_path)
    cache.put_many(SETTINGS, arrays(["a"]))
    (file,) = files(tmp_path)
    with open(file, "wb") as out:
        for _ in range(4):
            np.save(out, np.array([print], dtype=object), allow_pickle=True)
    file = file.rename(file.with_name("other.vectors"))
    with pytest.warns(UserWarning, match="damaged"):
        assert cache.get_many(SETTINGS, ["a"]) == {}

"""Values by key: put, shared, killed, damaged, without room."""

import os
import random
import re
import resource
import shutil
import signal
import sqlite3
import stat
import threading
import time
import warnings
from contextlib import closing, contextmanager
from multiprocessing import get_context

import pytest

from pyterrier_scholarly import entries as module
from pyterrier_scholarly.entries import Entries

MADE = {b"": b"empty", b"key": b"", b"\0\xff": b"\xabent" * 3, b"ke": b"y" * 5000}
NOBODY = 65534


@contextmanager
def filling(folder, name, count=10**6, most=None):
    """Put entries one by one in another process; yield it, and a file of the keys that are stored.

    most: bytes that any of its files may have, as on a full disk.
    """
    reading, writing = os.pipe()

    def fill():
        if most is not None:
            resource.setrlimit(resource.RLIMIT_FSIZE, (most, most))
        for number in range(count):
            key = f"{name} {number}"
            Entries(folder).put_many({key.encode(): key.encode() * 100})
            os.write(writing, f"{key}\n".encode())

    process = get_context("fork").Process(target=fill)
    process.start()
    os.close(writing)
    with open(reading) as stored_keys:
        yield process, stored_keys
    process.kill()
    process.join()


def put(names):
    """Return the values that `filling` stores under these names."""
    return {name.strip().encode(): name.strip().encode() * 100 for name in names}


def test_what_was_put_is_got_in_its_order(tmp_path):
    """Entries of any bytes and lengths are found by another object; missing keys are left out."""
    Entries(tmp_path / "new").put_many(MADE)
    Entries(tmp_path / "new").put_many({b"later": b"1"})
    found = Entries(tmp_path / "new")
    assert found.get_many([b"ke", b"another", *MADE, b"ke"]) == MADE
    assert list(found) == [*MADE.items(), (b"later", b"1")]
    assert len(found) == 5


def test_many_entries_in_one_call(tmp_path):
    """More than are looked up or iterated over at a time."""
    made = {b"%d" % number: bytes(number) for number in range(3_000)}
    entries = Entries(tmp_path)
    entries.put_many(made)
    assert dict(entries) == entries.get_many(made) == made


def test_nothing_to_put_or_get(tmp_path):
    """Zero entries are ordinary, and a missing folder has none."""
    entries = Entries(tmp_path / "none")
    assert (entries.get_many([b"a"]), list(entries), len(entries)) == ({}, [], 0)
    entries.clear()
    assert not entries.folder.exists()
    assert (entries.put_many({}), entries.get_many([]), list(entries)) == ({}, {}, [])


def test_what_was_put_first_stays(tmp_path):
    """A second value for a key is dropped; `put_many` returns the first one."""
    entries = Entries(tmp_path)
    assert entries.put_many({b"a": b"1"}) == {b"a": b"1"}
    assert entries.put_many({b"a": b"2", b"b": b"3"}) == {b"a": b"1", b"b": b"3"}
    assert list(entries) == [(b"a", b"1"), (b"b", b"3")]


def test_threads_agree_on_what_was_first(tmp_path):
    """Eight threads put ten keys at once; each gets the value that was stored."""
    told = []

    def work(number):
        for key in range(10):
            told.append(Entries(tmp_path / "new").put_many({b"%d" % key: b"%d" % number}))

    threads = [threading.Thread(target=work, args=(number,)) for number in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    kept = dict(Entries(tmp_path / "new"))
    assert (len(kept), len(told)) == (10, 80)
    assert all(kept[key] == value for one in told for key, value in one.items())


def test_two_processes_put_the_same_keys(tmp_path):
    """Both end, and all entries are stored once."""
    with filling(tmp_path, "same", 30) as (one, _), filling(tmp_path, "same", 30) as (other, _):
        one.join()
        other.join()
        assert (one.exitcode, other.exitcode) == (0, 0)
    assert list(Entries(tmp_path)) == list(put(f"same {i}" for i in range(30)).items())


def test_killed_while_it_writes(tmp_path):
    """Thirty processes are killed at any moment: what they said is stored is there, and whole."""
    stored = {}
    chance = random.Random(0)
    for number in range(30):
        with filling(tmp_path, number) as (process, stored_keys):
            stored |= put([stored_keys.readline()])
            time.sleep(chance.random() / 20)
            process.kill()
            process.join()
            stored |= put(stored_keys)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        found = dict(Entries(tmp_path, precious=True))
    assert found.items() >= stored.items()
    assert len(found) <= len(stored) + 30
    assert all(value == key * 100 for key, value in found.items())


def test_a_full_disk(tmp_path, capfd):
    """The error has the remedy, and earlier content stays."""
    Entries(tmp_path).put_many(MADE)
    with filling(tmp_path, "one", most=60_000) as (process, stored_keys):
        process.join()
        stored = put(stored_keys)
    assert re.search(r"OSError: cannot read or write to .* Choose another", capfd.readouterr().err)
    assert dict(Entries(tmp_path)) == {**MADE, **stored}
    assert len(list(tmp_path.iterdir())) == 1


def test_a_folder_that_cannot_be_made(tmp_path):
    """A file has the folder's name: reading finds no entries, writing raises."""
    (tmp_path / "file").touch()
    entries = Entries(tmp_path / "file" / "entries", remedy="Elsewhere.")
    assert entries.get_many([b"a"]) == {}
    with pytest.raises(OSError, match=r"entries: .* Elsewhere\."):
        entries.put_many(MADE)


@pytest.mark.parametrize(("private", "modes"), [(True, (0o700, 0o600)), (False, (0o755, 0o644))])
def test_who_may_read(tmp_path, private, modes):
    """Only the owner reads a private folder; otherwise the umask decides."""
    before = os.umask(0o022)
    try:
        entries = Entries(tmp_path / "new", private=private)
        entries.put_many(MADE)
    finally:
        os.umask(before)
    found = (entries.folder, *entries.folder.iterdir())
    assert tuple(stat.S_IMODE(path.stat().st_mode) for path in found) == modes


@pytest.mark.skipif(os.geteuid() != 0, reason="only root may become another user")
def test_a_folder_of_another_user_is_read(tmp_path):
    """Nothing is written; a write is an error with the remedy."""
    for path in (tmp_path, *tmp_path.parents[:-1]):
        path.chmod(path.stat().st_mode | 0o055)
    entries = Entries(tmp_path / "new", remedy="Elsewhere.")
    entries.put_many(MADE)
    os.seteuid(NOBODY)
    try:
        assert dict(entries) == entries.get_many(MADE) == MADE
        with pytest.raises(OSError, match=r"new: Permission denied\. Elsewhere\."):
            entries.put_many({b"more": b""})
    finally:
        os.seteuid(0)
    assert dict(entries) == MADE


@pytest.fixture(scope="module")
def filled(tmp_path_factory):
    """Entries of a few pages, and what is in them."""
    entries = Entries(tmp_path_factory.mktemp("filled"))
    chance = random.Random(0)
    made = {b"%d" % number: chance.randbytes(100 + 100 * number) for number in range(50)}
    entries.put_many(made)
    return entries, made


@pytest.mark.parametrize("precious", [True, False])
@pytest.mark.parametrize("seed", range(100))
def test_a_changed_bit_is_never_a_wrong_value(filled, tmp_path, seed, precious):
    """Wherever it is, a key has its value or none, and can be put again.

    All entries but those of a page are still there if they are precious.
    """
    whole, made = filled
    content = bytearray(whole.path.read_bytes())
    chance = random.Random(seed)
    content[chance.randrange(len(content))] ^= 1 << chance.randrange(8)
    entries = Entries(tmp_path, precious=precious)
    entries.path.write_bytes(content)
    with warnings.catch_warnings(record=True) as said:
        warnings.simplefilter("always")
        found = entries.get_many(made)
        assert found.items() <= made.items()
        assert dict(entries) == found
        assert entries.put_many(made) == made
    assert dict(entries) == entries.get_many(made) == made
    if precious:
        assert said or found == made
        assert len(found) > 40 or "not a database" in str(said[0].message)


def test_a_damaged_value_is_missing(filled, tmp_path):
    """One warning names the first key, or each key of precious values; nothing else is lost."""
    whole, made = filled
    content = whole.path.read_bytes()
    for key in (b"20", b"30"):
        content = content.replace(made[key][-9:], b"not this!")
    for name, precious, count in (("usual", False, 1), ("precious", True, 2)):
        entries = Entries(tmp_path / name, precious=precious, lost="They are lost.")
        entries.folder.mkdir()
        entries.path.write_bytes(content)
        with pytest.warns(UserWarning, match="'20' has no value. They are lost") as said:
            assert made.items() - dict(entries).items() == {
                (key, made[key]) for key in (b"20", b"30")
            }
            entries.get_many(made)
        assert len(said) == count


def damage_pages(path):
    """Overwrite the second half of a file of entries with other bytes."""
    size = path.stat().st_size
    content = path.read_bytes()[: size // 2]
    path.write_bytes(content.ljust(size, b"\xff"))


def test_a_damaged_file_of_precious_values(filled, tmp_path):
    """Its whole entries are used, with one warning, and the file stays beside."""
    whole, made = filled
    entries = Entries(tmp_path / "new", precious=True, private=True, lost="They are lost.")
    shutil.copytree(whole.folder, entries.folder)
    damage_pages(entries.path)
    content = entries.path.read_bytes()
    with pytest.warns(UserWarning, match="is damaged: .* whole entries .* They are lost") as said:
        found = dict(entries)
    assert len(said) == 1
    assert 10 < len(found) < 50
    assert found.items() <= made.items()
    (aside,) = entries.folder.glob("*.damaged")
    assert aside.read_bytes() == content
    assert {stat.S_IMODE(path.stat().st_mode) for path in (aside, entries.path)} == {0o600}
    entries.put_many(made)
    assert dict(entries) == made
    entries.clear()
    assert not entries.folder.exists()


def test_a_file_of_something_else(tmp_path):
    """It is damaged; with one warning all entries are missing, and new ones are stored."""
    entries = Entries(tmp_path)
    entries.path.write_bytes(b"\x80\x04" * 10_000)
    with pytest.warns(UserWarning, match="is damaged: file is not a database") as said:
        assert entries.get_many(MADE) == {}
        assert entries.put_many(MADE) == dict(entries) == MADE
    assert len(said) == 1


def test_who_is_busy_for_long_is_an_error(tmp_path, monkeypatch):
    """A writer that does not end: reading goes on, and writing is an error with the remedy."""
    monkeypatch.setattr(module, "LONGEST_WAIT", 0.1)
    entries = Entries(tmp_path, remedy="Elsewhere.")
    entries.put_many(MADE)
    with closing(sqlite3.connect(entries.path)) as busy:
        busy.execute("begin immediate")
        assert dict(entries) == MADE
        with pytest.raises(OSError, match=r"database is locked\. Elsewhere\."):
            entries.put_many({b"a": b""})


@pytest.mark.skipif(not hasattr(os, "fork"), reason="the system has no fork")
def test_a_process_forked_while_a_thread_writes(tmp_path):
    """It does not wait for locks that its parent's thread has."""
    entries = Entries(tmp_path)
    has_begun = threading.Event()

    class Slow(dict):
        def items(self):
            has_begun.set()
            time.sleep(0.2)
            return super().items()

    thread = threading.Thread(target=entries.put_many, args=[Slow({b"a": b"1"})])
    thread.start()
    has_begun.wait()
    child = os.fork()
    if not child:
        signal.alarm(10)
        entries.put_many({b"b": b"2"})
        os._exit(0)
    assert os.waitpid(child, 0)[1] == 0
    thread.join()

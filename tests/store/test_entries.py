"""Values by key: put, shared, killed, damaged, without room."""

import mmap
import os
import random
import signal
import stat
import subprocess
import sys
import threading
import warnings
from pathlib import Path

import pytest
from xxhash import xxh3_64_digest

from ir_datasets_ext.store import Damaged, Entries, Segment, write_entries

FILLING = Path(__file__).with_name("filling.py")
ENVIRONMENT = {**os.environ, "PYTHONPATH": str(Path(__file__).parents[2])}
MADE = {b"": b"empty", b"key": b"", b"\0\xff": b"\xabent" * 3, b"ke": b"y" * 5000}


def filling(*arguments):
    """A process that runs `filling.py`."""
    command = [sys.executable, FILLING, *map(str, arguments)]
    pipe = subprocess.PIPE
    return subprocess.Popen(command, stdout=pipe, stderr=pipe, text=True, env=ENVIRONMENT)


def put(names):
    """Return the values that `filling.py` stored under these names."""
    return {name.encode(): name.encode() * 100 for name in names}


def test_what_was_put_is_got_in_its_order(tmp_path):
    """Another process finds entries of any bytes and lengths; missing keys are left out."""
    Entries(tmp_path / "new").put_many(MADE)
    Entries(tmp_path / "new").put_many({b"later": b"1"})
    found = Entries(tmp_path / "new")
    assert found.get_many([b"ke", b"another", *MADE, b"ke"]) == MADE
    assert list(found) == [*MADE.items(), (b"later", b"1")]
    assert len(found) == 5


def test_nothing_to_put_or_get(tmp_path):
    """Zero entries are ordinary, and a missing folder has none."""
    entries = Entries(tmp_path / "none")
    assert (entries.get_many([b"a"]), list(entries), len(entries)) == ({}, [], 0)
    assert not entries.folder.exists()
    assert (entries.put_many({}), entries.get_many([]), entries.files()) == ({}, {}, [])


def test_what_was_put_first_stays(tmp_path):
    """A second value for a key is dropped; `put_many` returns the first one."""
    entries = Entries(tmp_path)
    assert entries.put_many({b"a": b"1"}) == {b"a": b"1"}
    assert entries.put_many({b"a": b"2", b"b": b"3"}) == {b"a": b"1", b"b": b"3"}
    assert list(entries) == [(b"a", b"1"), (b"b", b"3")]


def test_threads_agree_on_what_was_first(tmp_path):
    """Eight threads put forty keys at once; each gets the value that was stored."""
    told = []

    def work(number):
        for key in range(40):
            told.append(Entries(tmp_path).put_many({b"%d" % key: b"%d" % number}))

    threads = [threading.Thread(target=work, args=(number,)) for number in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    kept = dict(Entries(tmp_path))
    assert len(kept) == 40
    assert len(told) == 320
    assert all(kept[key] == value for one in told for key, value in one.items())


@pytest.fixture
def unsafe(monkeypatch):
    """Skip flushing to the disk, which takes half of the time."""
    monkeypatch.setattr(os, "fsync", lambda handle: None)


def test_many_small_files_become_one(tmp_path, unsafe):
    """The order stays; at most 33 small files exist beside a large one, which is not merged."""
    entries, made = Entries(tmp_path), {b"large": bytes(2_000_000)}
    entries.put_many(made)
    (large,) = entries.files()
    for number in range(100):
        entries.put_many({b"%d" % number: b"x"})
        made[b"%d" % number] = b"x"
        assert len(entries.files()) <= 34
    assert entries.files()[0] == large
    assert dict(entries) == entries.get_many(list(made)) == made
    assert list(dict(entries)) == list(made)


def test_two_processes_fill_one_folder(tmp_path):
    """In the end all entries of both processes are stored."""
    both = [filling(tmp_path, name, 30) for name in ("one", "two")]
    said = [process.communicate() for process in both]
    assert [process.returncode for process in both] == [0, 0], said
    assert dict(Entries(tmp_path)) == put(f"{n} {i}" for n in ("one", "two") for i in range(30))


@pytest.mark.parametrize("after", [1, 40])
def test_killed_while_it_writes(tmp_path, after):
    """All earlier entries are there; the next write removes the leftover."""
    process = filling(tmp_path, "one", 100_000)
    done = [process.stdout.readline().strip() for _ in range(after)]
    process.send_signal(signal.SIGKILL)
    process.communicate()
    assert Entries(tmp_path).get_many([name.encode() for name in done]) == put(done)
    (tmp_path / ".00000001.entries.0123.tmp").write_bytes(b"half")
    Entries(tmp_path).put_many({b"a": b""})
    assert not list(tmp_path.glob(".*"))


def test_a_full_disk(tmp_path):
    """The error has the remedy, earlier content stays, and no leftover remains."""
    Entries(tmp_path).put_many(MADE)
    process = filling(tmp_path, "one", 1, 100)
    assert "cannot write to" in process.communicate()[1]
    assert process.returncode
    assert dict(Entries(tmp_path)) == MADE
    assert len(list(tmp_path.iterdir())) == 1


def test_a_folder_that_cannot_be_made(tmp_path):
    """A file has the folder's name: reading finds no entries, writing raises."""
    (tmp_path / "file").touch()
    entries = Entries(tmp_path / "file" / "entries", remedy="Elsewhere.")
    assert entries.get_many([b"a"]) == {}
    with pytest.raises(OSError, match=r"cannot write to .*entries: .* Elsewhere\."):
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
    found = (entries.folder, *entries.files())
    assert tuple(stat.S_IMODE(path.stat().st_mode) for path in found) == modes


def damaged(above, change, **how):
    """Return a folder with the entries `MADE`, in a copy of their file that was changed."""
    Entries(above / "whole").put_many(MADE)
    (whole,) = Entries(above / "whole").files()
    entries = Entries(above / "damaged", **how)
    entries.folder.mkdir()
    (entries.folder / whole.name).write_bytes(change(bytearray(whole.read_bytes())))
    return entries


@pytest.mark.parametrize("seed", range(200))
def test_a_changed_byte_is_never_a_wrong_value(tmp_path, seed, unsafe):
    """Wherever the byte is, a key has its value or none; other entries are intact."""

    def change(held):
        chance = random.Random(seed)
        held[chance.randrange(len(held))] ^= 1 << chance.randrange(8)
        return held

    entries = damaged(tmp_path, change)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        found = entries.get_many(list(MADE))
        assert len(found) >= len(MADE) - 1
        assert found.items() <= MADE.items()
        assert dict(entries) == found
        assert entries.put_many(MADE) == MADE
    assert dict(entries) == MADE


@pytest.mark.parametrize(("aside", "left"), [(True, 1), (False, 0)])
def test_what_is_whole_in_a_cut_file_is_kept(tmp_path, aside, left):
    """One warning counts the whole entries; with `aside` the damaged file is kept."""
    entries = damaged(tmp_path, lambda held: held[:200], aside=aside)
    (path,) = entries.files()
    with pytest.warns(
        UserWarning, match=f"{path}.*damaged.* 3 whole entries in it are used"
    ) as said:
        assert dict(entries) == {key: MADE[key] for key in list(MADE)[:3]}
        assert dict(entries) == entries.get_many(list(MADE))
    assert len(said) == 1
    assert len(list(entries.folder.glob("*.damaged"))) == left


def test_a_file_of_something_else(tmp_path):
    """A file of another kind is damaged, and so is an empty one."""
    for content in (b"", b"\x80\x04" * 100):
        (tmp_path / "00000001-x.entries").write_bytes(content)
        with pytest.raises(Damaged, match=r"00000001-x\.entries is damaged"):
            Segment(tmp_path / "00000001-x.entries")


def test_names_may_collide(tmp_path):
    """Keys of one name are told apart by themselves.

    XXH3 multiplies a key's first 8 bytes, less those of its secret, with the next 8: with the
    secret in the first place, the next count for nothing.
    """
    secret = bytes.fromhex("b8fe6c3923a44bbe")
    alike = [secret + number.to_bytes(8, "little") + bytes(16) for number in range(502)]
    assert len({xxh3_64_digest(key) for key in alike}) == 1
    keys = [key for number in range(500) for key in (alike[number], b"%d" % number)]
    made = {key: b"%d" % number for number, key in enumerate(keys)}
    with open(tmp_path / "file", "wb") as file:
        write_entries(file, made.items())
    segment = Segment(tmp_path / "file")
    assert list(segment.get_many([*made, b"another", *alike[500:]])) == list(made.items())
    last = [(alike[499], made[alike[499]])]
    assert list(segment.get_many(alike[499:])) == last
    assert [list(segment.get_many([key])) for key in alike[499:]] == [last, [], []]


def test_an_open_file_outlives_its_name(tmp_path):
    """An open Segment still reads its entries after its file was replaced."""
    with open(tmp_path / "file", "wb") as file:
        write_entries(file, MADE.items())
    segment = Segment(tmp_path / "file", keep=True)
    (tmp_path / "file").unlink()
    assert list(segment) == list(segment.entries(range(4))) == list(MADE.items())


@pytest.mark.parametrize("seed", range(20))
def test_any_entries_are_read_however_they_lie(tmp_path, seed):
    """Small and large entries, gaps of all sizes and repetitions: each comes back, in order."""
    rng = random.Random(seed)
    sizes = (0, 10, 1_000, 3_000, 60_000, 70_000)
    made = [(b"%d" % number, rng.randbytes(rng.choice(sizes))) for number in range(60)]
    with open(tmp_path / "file", "wb") as file:
        write_entries(file, made)

    numbers = sorted(rng.choices(range(60), k=rng.randrange(90)))
    read = list(Segment(tmp_path / "file").entries(numbers))
    assert read == [made[number] for number in numbers]


def test_a_value_of_4_gib_is_refused(tmp_path):
    """Its length would not fit into four bytes; no page of it is touched, so it takes no memory."""
    with (
        mmap.mmap(-1, 2**32) as huge,
        open(tmp_path / "file", "wb") as file,
        pytest.raises(ValueError, match="an entry of 4294967296 bytes: expected less than 4 GiB"),
    ):
        write_entries(file, [(b"key", huge)])


def same_size(number):
    """A key and a value that are as long as those of any other number."""
    return b"key %d" % number, b"value %d" % number


@pytest.mark.parametrize("read", ["one key", "two keys", "all"])
def test_swapped_entries_are_damage(tmp_path, read):
    """Each is whole by itself, but not in the place that the index has for it."""
    path = tmp_path / "file.entries"
    with open(path, "wb") as file:
        write_entries(file, [same_size(number) for number in range(4)])
    first, second, third = Segment(path).starts[:3].tolist()
    content = path.read_bytes()
    path.write_bytes(content[second:third] + content[first:second] + content[third:])
    segment = Segment(path)
    with pytest.raises(Damaged, match=r"file\.entries is damaged: the entry at byte 0 is that of"):
        if read == "one key":
            list(segment.get_many([b"key 0"]))
        elif read == "two keys":
            list(segment.get_many([b"key 0", b"key 1"]))
        else:
            list(segment)
    assert dict(segment.get_many([b"key 2", b"key 3"])) == dict([same_size(2), same_size(3)])


def test_swapped_entries_are_still_found(tmp_path):
    """A store of values by key keeps both, with a warning: no key has another's value."""
    made = dict(same_size(number) for number in range(4))
    entries = Entries(tmp_path)
    entries.put_many(made)
    (path,) = entries.files()
    first, second, third = Segment(path).starts[:3].tolist()
    content = path.read_bytes()
    path.write_bytes(content[second:third] + content[first:second] + content[third:])
    with pytest.warns(UserWarning, match="is damaged.* 4 whole entries in it are used"):
        assert entries.get_many(list(made)) == made


@pytest.mark.parametrize("sizes", [(1_000, 2**64 - 920), (0, 80), (79, 1)])
def test_a_forged_index_is_refused(tmp_path, sizes):
    """Its digest is right, but its sizes lead out of the file, or into an entry."""
    from hashlib import blake2b
    from struct import pack

    path = tmp_path / "file.entries"
    names = bytes(16)
    index = names + pack("<QQ", *sizes)
    checksums = bytes(16)
    digest = blake2b(index + checksums, digest_size=16).digest()
    foot = checksums + digest + pack("<Q8s", 2, b"entries2")
    path.write_bytes(bytes(80) + index + foot)
    with pytest.raises(Damaged, match=r"file\.entries is damaged: it is too long or too short"):
        Segment(path)

"""Hashes, locks and temporary names."""

import errno
import fcntl
import hashlib
import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from ir_datasets_ext.store import new_file
from ir_datasets_ext.store.atomic_files import ensure_writable, sweep, temporary_beside
from ir_datasets_ext.store.hashes import file_hash
from ir_datasets_ext.store.locks import locked
from ir_datasets_ext.store.write_errors import collection_folder, explain_write_errors


@pytest.mark.parametrize("content", [b"", b"hello\n", b"\0" * 3_000_000])
def test_git_blob_is_the_id_that_git_gives(tmp_path, content):
    """A blob's id is the sha1 of "blob", a blank, its length, a zero byte and the content."""
    file = tmp_path / "file"
    file.write_bytes(content)
    derived = hashlib.sha1(b"blob " + str(len(content)).encode() + b"\0" + content).hexdigest()
    assert file_hash(file, "git-blob") == derived


def test_git_blob_of_nothing_is_the_well_known_one(tmp_path):
    """Every git repository knows the empty blob by this id."""
    (tmp_path / "file").touch()
    assert file_hash(tmp_path / "file", "git-blob") == "e69de29bb2d1d6434b8b29ae775ad8c2e48c5391"


def test_other_algorithms_are_those_of_hashlib(tmp_path):
    """md5 and sha256 are of the content alone."""
    file = tmp_path / "file"
    file.write_bytes(b"content")
    assert file_hash(file, "md5") == hashlib.md5(b"content").hexdigest()
    assert file_hash(file, "sha256") == hashlib.sha256(b"content").hexdigest()


def test_a_changed_file_is_hashed_again(tmp_path):
    """Digests are remembered by size and time of change."""
    file = tmp_path / "file"
    digests = []
    for time, content in enumerate((b"one", b"two")):
        file.write_bytes(content)
        os.utime(file, ns=(time, time))
        digests.append(file_hash(file, "md5"))
    assert digests == [hashlib.md5(b"one").hexdigest(), hashlib.md5(b"two").hexdigest()]


def test_the_home_is_looked_up_at_each_use(tmp_path, monkeypatch):
    """Two settings of IR_DATASETS_HOME in one process give two folders."""
    folders = []
    for name in ("a", "b"):
        monkeypatch.setenv("IR_DATASETS_HOME", str(tmp_path / name))
        folders.append(collection_folder("csfcube"))
    assert folders == [tmp_path / "a" / "csfcube", tmp_path / "b" / "csfcube"]


def test_a_second_holder_is_told_and_the_next_gets_the_lock(tmp_path):
    """A lock is held once at a time; `wait=False` reports that; afterwards it is free."""
    with locked(tmp_path) as first:
        with locked(tmp_path, wait=False) as second:
            pass
    with locked(tmp_path, wait=False) as third:
        pass
    assert (first, second, third) == (True, False, True)
    assert not list(tmp_path.iterdir())


WITHOUT = """
import sys
sys.modules["fcntl"] = None
from ir_datasets_ext.store.locks import locked
from ir_datasets_ext.store.atomic_files import new_file
with locked(sys.argv[1]) as held, new_file(sys.argv[1] + "/file") as file:
    file.write(str(held))
"""


def test_work_goes_on_where_there_are_no_locks(tmp_path, monkeypatch):
    """Without fcntl (Windows) or locks of the file system, writing works and no lock is held."""

    def refuse(*_):
        raise OSError("no locks available")

    subprocess.run([sys.executable, "-c", WITHOUT, tmp_path], check=True)
    assert (tmp_path / "file").read_text() == "False"
    monkeypatch.setattr(fcntl, "flock", refuse)
    with locked(tmp_path) as held, new_file(tmp_path / "file") as file:
        file.write(f"refused: {held}")
    assert (tmp_path / "file").read_text() == "refused: False"


def test_temporaries_vanish_and_stay_apart(tmp_path):
    """Each is a different path beside the final one; file or folder, it is removed at the end."""
    final = tmp_path / "final"
    of = temporary_beside
    with of(final) as file, of(final, folder=True) as folder, of(final) as renamed:
        file.write_text("x")
        (folder / "deep").mkdir()
        renamed.write_text("kept")
        os.replace(renamed, final)
        assert {file.parent, folder.parent} == {tmp_path}
    assert [path.name for path in tmp_path.iterdir()] == ["final"]
    assert final.read_text() == "kept"


def test_sweep_removes_temporaries_alone(tmp_path):
    """Leftovers of killed processes are removed; other files stay, even hidden ones."""
    for name in ("data.json", ".hidden", ".final.0a.tmp"):
        (tmp_path / name).write_text("x")
    (tmp_path / ".docs.0b.tmp").mkdir()
    (tmp_path / ".docs.0b.tmp" / "bin").write_text("x")
    sweep(tmp_path)
    assert {path.name for path in tmp_path.iterdir()} == {"data.json", ".hidden"}


def test_sweeping_waits_for_nobody(tmp_path):
    """A temporary in use stays; afterwards it is removed."""
    part = tmp_path / ".final.0a.tmp"
    part.touch()
    with locked(part):
        sweep(tmp_path)
        assert part.exists()
    sweep(tmp_path)
    assert not part.exists()


KILLED = """
import os, signal, sys
from ir_datasets_ext.store import new_file
with new_file(sys.argv[1]) as file:
    file.write("half")
    file.flush()
    os.kill(os.getpid(), signal.SIGKILL)
"""


def test_what_a_killed_writer_left_goes_with_the_next_of_that_file(tmp_path):
    """Temporaries of other files stay."""
    page, other = tmp_path / "page[1].html", tmp_path / "other.html"
    for path in (page, other):
        done = subprocess.run([sys.executable, "-c", KILLED, str(path)])
        assert done.returncode == -signal.SIGKILL
    left = {path.name[:6] for path in tmp_path.iterdir()}
    with new_file(page) as first, new_file(page) as second:
        first.write("first")
        second.write("second")
    assert left == {".page[", ".other"}
    assert sorted(path.name[:6] for path in tmp_path.iterdir()) == [".other", "page[1"]
    assert page.read_text() == "first"  # which was closed last


def test_a_full_disk_says_what_to_do(tmp_path):
    """Disk, quota and largest file alike name the folder and the variable; other errors pass."""
    for code in (errno.ENOSPC, errno.EDQUOT, errno.EFBIG):
        with (
            pytest.raises(OSError, match=f"cannot write to {tmp_path}: .*IR_DATASETS_HOME"),
            explain_write_errors(tmp_path),
        ):
            raise OSError(code, os.strerror(code))
    with pytest.raises(FileNotFoundError, match="none"), explain_write_errors(tmp_path):
        raise FileNotFoundError("none")


def test_a_home_that_cannot_be_made_says_what_to_do(tmp_path, monkeypatch):
    """A file has the name of the home's parent: the error names path and variable."""
    (tmp_path / "file").touch()
    monkeypatch.setenv("IR_DATASETS_HOME", str(tmp_path / "file" / "home"))
    with pytest.raises(OSError, match=r"file/home: Not a directory\. Set.*IR_DATASETS_HOME"):
        collection_folder("csfcube")


def test_a_folder_that_cannot_be_made_says_what_to_do(tmp_path):
    """A file has the collection's name: the error names it and the variable."""
    (tmp_path / "csfcube").touch()
    with pytest.raises(OSError, match=r"csfcube: File exists\. Set.*IR_DATASETS_HOME"):
        ensure_writable(Path(tmp_path, "csfcube"))


def test_others_say_what_to_do_in_their_own_words(tmp_path):
    """A folder outside ir_datasets' home needs another remedy than its variable."""
    (tmp_path / "file").touch()
    with pytest.raises(OSError, match=r"file: File exists\. Elsewhere\.$"):
        ensure_writable(tmp_path / "file", "Elsewhere.")
    with (
        pytest.raises(OSError, match=r"No space left on device\. Elsewhere\.$"),
        explain_write_errors(tmp_path, "Elsewhere."),
    ):
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

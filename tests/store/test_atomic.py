"""Files and folders that are whole or missing, and locks between processes and threads."""

import errno
import os
import signal
import subprocess
import sys
from threading import Thread

import pytest

from ir_datasets_ext.atomic import ensure_writable, locked, new_file, remove, replacing

NOBODY = 65534
HOLD = """
import sys
from ir_datasets_ext.atomic import locked
with locked(sys.argv[1]):
    print("held", flush=True)
    sys.stdin.read()
"""
KILLED = """
import os, signal, sys
from ir_datasets_ext.atomic import new_file
with new_file(sys.argv[1]) as file:
    file.write("half")
    file.flush()
    os.kill(os.getpid(), signal.SIGKILL)
"""


def list_names(folder):
    """Return the names in a folder, without those of locks."""
    return sorted(path.name for path in folder.iterdir() if path.suffix != ".lock")


def test_a_failed_writing_leaves_the_page_that_was_there(tmp_path):
    """UTF-8 lacks a lone surrogate, which is met when half of the page is written."""
    page = tmp_path / "page.html"
    page.write_text("old")
    with pytest.raises(UnicodeEncodeError), new_file(page) as file:
        file.write("new" * 100_000 + "\ud800")
    assert (page.read_text(), list_names(tmp_path)) == ("old", ["page.html"])


def test_a_file_is_written_through_a_link(tmp_path):
    """The link stays a link."""
    (tmp_path / "real").touch()
    (tmp_path / "link").symlink_to("real")
    with new_file(tmp_path / "link") as file:
        file.write("é\n")
    assert (tmp_path / "real").read_bytes() == "é\n".encode()
    assert (tmp_path / "link").is_symlink()


def test_a_device_is_written_to_and_a_folder_is_not_replaced(tmp_path):
    """The device still exists afterwards; the error about the folder says what to do."""
    with new_file("/dev/null", "wb") as file:
        file.write(b"x")
    assert not os.path.isfile("/dev/null")
    with pytest.raises(IsADirectoryError, match="is a folder: remove it, or choose another name"):
        new_file(tmp_path).__enter__()


def test_a_private_file_is_its_owners(tmp_path):
    """From the beginning, not only once it is whole."""
    with new_file(tmp_path / "key", private=True) as file:
        assert os.fstat(file.fileno()).st_mode & 0o077 == 0
    assert (tmp_path / "key").stat().st_mode & 0o077 == 0


def test_a_folder_replaces_a_folder(tmp_path):
    """What was in the former one is gone, and a failed one leaves it as it is."""
    for name in ("a", "b"):
        with replacing(tmp_path / "folder") as folder:
            folder.mkdir()
            (folder / name).touch()
    with pytest.raises(RuntimeError), replacing(tmp_path / "folder") as folder:
        folder.mkdir()
        raise RuntimeError
    assert (list_names(tmp_path), list_names(tmp_path / "folder")) == (["folder"], ["b"])
    remove(tmp_path / "folder")
    remove(tmp_path / "folder")  # which is missing
    assert list_names(tmp_path) == []


def test_what_a_killed_writer_left_goes_a_day_later(tmp_path):
    """The next writer of that file removes it; what is younger may be of a living process."""
    page = tmp_path / "page[1].html"
    for _ in range(2):
        done = subprocess.run([sys.executable, "-c", KILLED, str(page)])
        assert done.returncode == -signal.SIGKILL
    first, second = (path for path in tmp_path.iterdir())
    os.utime(first, (1, 1))
    with new_file(page) as file:
        file.write("whole")
    assert list_names(tmp_path) == sorted([second.name, page.name])
    assert page.read_text() == "whole"


def test_a_lock_is_held_once(tmp_path):
    """By a process, or by a thread; who does not wait is told, and the next one gets it."""
    path = tmp_path / "folder"
    command = [sys.executable, "-c", HOLD, str(path)]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as process:
        assert process.stdout.readline() == b"held\n"
        with locked(path, wait=False) as is_held:
            assert not is_held
        process.kill()  # the system releases its lock
    inside, most = [], []

    def work():
        for _ in range(5):
            with locked(path) as is_held:
                inside.append(is_held)
                most.append(len(inside))
                inside.pop()

    threads = [Thread(target=work) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert most == [1] * 20


def test_work_goes_on_where_there_are_no_locks(tmp_path, monkeypatch):
    """Some file systems have none: the block runs, and is told that it holds no lock."""

    def refuse(*_, **__):
        raise OSError(errno.ENOLCK, "no locks available")

    monkeypatch.setattr("ir_datasets_ext.atomic.FileLock.acquire", refuse)
    with locked(tmp_path / "file") as is_held, new_file(tmp_path / "file") as file:
        file.write("content")
    assert not is_held
    assert (tmp_path / "file").read_text() == "content"


@pytest.mark.parametrize("code", [errno.ENOSPC, errno.EDQUOT, errno.EFBIG, errno.EROFS])
def test_a_full_disk_says_what_to_do(tmp_path, code):
    """The error names the folder and the remedy, and keeps its number."""
    with (
        pytest.raises(OSError, match=rf"cannot write to {tmp_path}: .*\. Elsewhere\.$") as caught,
        replacing(tmp_path / "file", remedy="Elsewhere."),
    ):
        raise OSError(code, os.strerror(code))
    assert caught.value.errno == code
    assert list_names(tmp_path) == []


def test_another_error_is_not_about_the_disk(tmp_path):
    """A file that is read meanwhile has an error of its own."""
    with pytest.raises(FileNotFoundError, match="none"), new_file(tmp_path / "file"):
        raise FileNotFoundError("none")


def test_a_folder_that_is_not_writable_says_what_to_do(tmp_path):
    """Before any work is done."""
    tmp_path.chmod(0o500)
    user = os.geteuid()
    if user == 0:  # root may write anywhere
        os.seteuid(NOBODY)
    try:
        with pytest.raises(PermissionError, match=rf"cannot write to {tmp_path}: .* Elsewhere\."):
            ensure_writable(tmp_path, "Elsewhere.")
    finally:
        os.seteuid(user)


def test_a_disk_that_is_full_only_when_it_is_flushed(tmp_path, monkeypatch):
    """The error names the folder; a disk that cannot flush at all is written to."""

    def fail(code):
        def flush(_):
            raise OSError(code, os.strerror(code))

        monkeypatch.setattr(os, "fsync", flush)

    fail(errno.EINVAL)
    with new_file(tmp_path / "file") as file:
        file.write("old")
    fail(errno.EDQUOT)
    with pytest.raises(OSError, match=f"cannot write to {tmp_path}"), new_file(tmp_path / "file"):
        pass
    assert (tmp_path / "file").read_text() == "old"

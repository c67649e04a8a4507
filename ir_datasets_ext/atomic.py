"""Files and folders that are there as a whole or not at all, even if a process is killed.

::

    with new_file("runs/run.txt") as file:
        file.write("...")               # until the block ends, an earlier run.txt stays as it is
    with replacing("model") as folder:  # a file or a folder
        folder.mkdir()
    with locked("model"):               # other processes and threads wait here
        ...

Everything is written under a temporary name beside the final one, flushed to the disk, and renamed.
A process that has the old file open goes on reading it.
"""

import errno
import glob
import os
import shutil
import time
from collections.abc import Iterator
from contextlib import contextmanager, nullcontext, suppress
from pathlib import Path
from typing import IO, Any
from uuid import uuid4

from filelock import FileLock

#: remedy if ir_datasets' home is not writable
HOME_REMEDY = (
    "Set the environment variable IR_DATASETS_HOME to a folder that you can write to; files of a "
    "release that you have already can be copied or linked into the collection's folder there."
)
#: remedy if no caller knows a better one
FOLDER_REMEDY = "Choose another folder, or make room there."
#: errors about missing room, missing rights, or a file in the place of a folder
REFUSALS = (
    errno.ENOSPC,
    errno.EDQUOT,
    errno.EFBIG,
    errno.EACCES,
    errno.EPERM,
    errno.EROFS,
    errno.EEXIST,
    errno.ENOTDIR,
)
#: errors of disks that cannot flush
NOT_FLUSHABLE = (errno.EINVAL, errno.ENOSYS, errno.ENOTSUP, errno.EBADF, errno.EROFS)
DAY = 24 * 3600  # seconds


@contextmanager
def new_file(
    path: str | Path,
    mode: str = "w",
    *,
    private: bool = False,
    **open_options: Any,
) -> Iterator[IO]:
    """Yield an open file, which replaces `path` once all of it is on the disk, or never.

    A link stays, and what it points to is replaced. A device or a pipe is written to directly.

    Args:
        path: of a file.
        mode: "w" for text or "wb".
        private: whether only its owner may read it; by default the umask decides.
        open_options: more arguments of `open`; text is UTF-8 with line ends "\\n" by default.

    Raises:
        OSError: it cannot be written, is a folder, or the disk is full; then nothing has changed.
    """
    if "b" not in mode:
        open_options = {"encoding": "utf-8", "newline": "\n", **open_options}

    path = Path(os.path.realpath(path))
    if path.is_dir():
        raise IsADirectoryError(f"{path} is a folder: remove it, or choose another name.")
    is_device = path.exists() and not path.is_file()  # as /dev/stdout, which cannot be replaced
    open_target = nullcontext(path) if is_device else replacing(path, private=private)
    with open_target as new_path, open(new_path, mode, **open_options) as file:
        yield file


@contextmanager
def replacing(
    path: str | Path, *, private: bool = False, remedy: str = FOLDER_REMEDY
) -> Iterator[Path]:
    """Yield a new path; the file or folder that is written there gets the name `path` at the end.

    If the block raises, it is removed, and an earlier file or folder stays.

    Args:
        path: the final one; missing folders above it are made.
        private: whether it is a file that only its owner may read.
        remedy: a sentence, for an error.

    Raises:
        OSError: it cannot be written, or the disk is full; names the folder and the remedy.
    """
    path = Path(path)
    new_path = _make_hidden_path(path)

    with explain_write_errors(path.parent, remedy):
        path.parent.mkdir(parents=True, exist_ok=True)
        _remove_abandoned(path)
        try:
            if private:
                new_path.touch(mode=0o600)
            yield new_path

            _flush(new_path)
            if path.is_dir() and not path.is_symlink():
                remove(path)  # a folder cannot be replaced
            os.replace(new_path, path)
            _flush_one(path.parent)
        finally:
            remove(new_path)


@contextmanager
def locked(path: str | Path, remedy: str = FOLDER_REMEDY, *, wait: bool = True) -> Iterator[bool]:
    """Be the only process and thread that works on `path` until the block ends; others wait.

    The lock is a hidden file beside `path`. The system releases it when a process ends, however
    that happens. On a disk without locks two processes may do the same work, which `replacing`
    makes safe.

    Yields whether the lock is held: not on a disk without locks, nor with ``wait=False`` while
    another one holds it.

    Raises OSError with the remedy, a sentence, if nothing can be written beside `path`.
    """
    path = Path(path)
    ensure_writable(path.parent, remedy)
    lock = FileLock(path.with_name(f".{path.name}.lock"))
    with suppress(NotImplementedError, OSError):  # a disk without locks, or another one's lock
        lock.acquire(blocking=wait)
    try:
        yield lock.is_locked
    finally:
        lock.release()


@contextmanager
def explain_write_errors(folder: str | Path, remedy: str = FOLDER_REMEDY) -> Iterator[None]:
    """Name `folder` and the remedy in an OSError about room, rights, or a file in its place."""
    try:
        yield
    except OSError as error:
        # a file elsewhere, which is read meanwhile, has an error of its own
        is_about_another = error.filename and not Path(error.filename).is_relative_to(folder)
        if error.errno not in REFUSALS or is_about_another:
            raise
        reason = os.strerror(error.errno)
        raise OSError(error.errno, f"cannot write to {folder}: {reason}. {remedy}") from error


def ensure_writable(folder: str | Path, remedy: str = FOLDER_REMEDY, private: bool = False) -> None:
    """Make `folder` if it is missing; raise OSError with the remedy if it is not writable.

    private: whether only its owner may read it if it is made; by default the umask decides.
    """
    folder = Path(folder)
    with explain_write_errors(folder, remedy):
        folder.mkdir(0o700 if private else 0o777, parents=True, exist_ok=True)
        # a file, because some disks misreport the right to write
        probe = _make_hidden_path(folder / "probe")
        probe.touch()
        remove(probe)


def remove(path: str | Path) -> None:
    """Remove a file, or a folder with its content; what is missing or protected is skipped.

    A folder is renamed first: no part of it is left under its name if the process is killed.
    """
    path = Path(path)
    with suppress(OSError):
        if not path.is_dir() or path.is_symlink():
            path.unlink()
            return
        renamed = _make_hidden_path(path)
        path.rename(renamed)
        shutil.rmtree(renamed, ignore_errors=True)


def _make_hidden_path(path: Path) -> Path:
    """Return a new path beside `path`, whose name `_remove_abandoned` knows."""
    return path.with_name(f".{path.name}.{uuid4().hex[:12]}.tmp")


def _flush(path: Path) -> None:
    """Flush a file, or a folder with all that is in it, to the disk if the system can."""
    for each in (*path.rglob("*"), path):  # a file has no others in it
        _flush_one(each)


def _flush_one(path: Path) -> None:
    """Flush a file, or the names in a folder, to the disk if the system can."""
    try:
        handle = os.open(path, os.O_RDONLY)
    except OSError:  # a folder on Windows, or one whose names this user may not read
        return
    try:
        os.fsync(handle)
    except OSError as error:  # some disks report only here that they are full or damaged
        if error.errno not in NOT_FLUSHABLE:
            raise
    finally:
        os.close(handle)


def _remove_abandoned(path: Path) -> None:
    """Remove what killed processes left beside `path` more than a day ago."""
    for abandoned in path.parent.glob(f".{glob.escape(path.name)}.*.tmp"):
        with suppress(OSError):
            if time.time() - abandoned.stat().st_mtime > DAY:
                remove(abandoned)

"""What the disk allows and has: the home, rights, locks, and files with their hashes."""

import errno
import hashlib
import os
import warnings
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from functools import lru_cache
from pathlib import Path
from threading import Lock
from weakref import WeakValueDictionary

import ir_datasets

try:
    import fcntl
except ImportError:  # Windows: only the renames guard against half-written files there
    fcntl = None  # type: ignore[assignment]

#: remedy if ir_datasets' home is not writable
HOME = (
    "Set the environment variable IR_DATASETS_HOME to a folder that you can write to; files of a "
    "release that you have already can be copied or linked into the collection's folder there."
)
#: remedy if no caller knows a better one
ELSEWHERE = "Choose another folder, or make room there."
#: no room, or no right to write
REFUSALS = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG, errno.EACCES, errno.EPERM, errno.EROFS)

_logger = ir_datasets.log.easy()
_said: set[object] = set()
#: the locks of this process's threads, by device and inode of what they lock
_thread_locks: WeakValueDictionary[tuple[int, int], Lock] = WeakValueDictionary()
_thread_locks_guard = Lock()


class Origin:
    """A file that a folder is built from; its `name` is unique in the folder's manifest."""

    name: str

    def place(self) -> Path:
        """Return where the file is, or belongs."""
        raise NotImplementedError

    def path(self) -> Path:
        """Return the file's path; download or verify it first if need be."""
        return self.place()

    def present(self) -> bool:
        """Return whether the file exists."""
        return self.place().is_file()

    def check(self) -> str:
        """Return a warning about the file, or ""."""
        return ""


def collection_folder(collection: str) -> Path:
    """Return the folder of `collection` under ir_datasets' present home.

    Raises OSError with the remedy if the home cannot be made.
    """
    try:
        return ir_datasets.util.home_path() / collection
    except OSError as error:
        raise unwritable(os.getenv("IR_DATASETS_HOME", "~/.ir_datasets"), error, HOME) from error


@contextmanager
def writing(folder: Path, remedy: str = HOME) -> Iterator[None]:
    """Name `folder` and the remedy in an OSError about missing room or rights."""
    try:
        yield
    except OSError as error:
        of_another = error.filename and not Path(error.filename).is_relative_to(folder)
        if error.errno not in REFUSALS or of_another:  # another file, which is read meanwhile
            raise
        raise unwritable(folder, error, remedy) from error


def unwritable(folder: str | Path, error: OSError, remedy: str) -> OSError:
    """Return an OSError that names `folder`, why it is not writable, and the remedy."""
    refusal = OSError(f"cannot write to {folder}: {os.strerror(error.errno or 0)}. {remedy}")
    refusal.errno = error.errno  # for callers that know another remedy
    return refusal


@contextmanager
def locked(path: str | Path, wait: bool = True) -> Iterator[bool]:
    """Hold the exclusive lock of a file or folder; yield whether it is held.

    The lock is on `path` itself: it leaves no lock file, and needs no right to write. It is not
    held if the file system has no locks, or with `wait=False` while another process or thread
    holds it.
    """
    if fcntl is None:
        yield False
        return

    handle = os.open(path, os.O_RDONLY)
    try:
        thread_lock = _thread_lock_of(handle)
        if not thread_lock.acquire(blocking=wait):
            yield False
            return
        try:
            yield _lock(handle, path, wait)
        finally:
            with suppress(OSError):  # a file system without locks
                # closing is not enough: a child forked meanwhile has the handle open too
                fcntl.flock(handle, fcntl.LOCK_UN)
            thread_lock.release()
    finally:
        os.close(handle)


def _thread_lock_of(handle: int) -> Lock:
    """Return the lock between this process's threads, so that `flock` waits for others only."""
    status = os.fstat(handle)
    with _thread_locks_guard:
        return _thread_locks.setdefault((status.st_dev, status.st_ino), Lock())


def _forget_thread_locks() -> None:
    """Forget locks in a forked process, in which the threads that hold them do not run."""
    global _thread_locks_guard
    _thread_locks_guard = Lock()
    _thread_locks.clear()


if fcntl is not None:
    os.register_at_fork(after_in_child=_forget_thread_locks)


def _lock(handle: int, path: str | Path, wait: bool) -> bool:
    with suppress(OSError):  # a file system without locks
        try:
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            if not wait:
                return False
            _logger.info(f"waiting for another process that is busy in {path}")
            fcntl.flock(handle, fcntl.LOCK_EX)
        return True
    return False


def say_once(text: str, about: object = None) -> None:
    """Warn once per process; with `about`, once of all texts about the same thing."""
    about = text if about is None else about
    if about not in _said:
        _said.add(about)
        warnings.warn(text, stacklevel=4)


def stamp(path: str | Path) -> tuple[int, int]:
    """Return (size in bytes, time of last change in ns), which differs for a replaced file."""
    status = os.stat(path)
    return status.st_size, status.st_mtime_ns


def file_hash(path: str | Path, algorithm: str) -> str:
    """Return the hex digest of a file, computed once per process until the file changes.

    algorithm: a name of hashlib's, or "git-blob", git's id of the content: the sha1 of
        ``b"blob <size in bytes>\\0"`` and the content.
    """
    return _hash(str(path), algorithm, *stamp(path))


@lru_cache(maxsize=512)
def _hash(path: str, algorithm: str, size: int, mtime_ns: int) -> str:
    # mtime_ns is only part of the cache's key
    name, head = ("sha1", b"blob %d\0" % size) if algorithm == "git-blob" else (algorithm, b"")
    state = hashlib.new(name, head, usedforsecurity=False)
    with open(path, "rb") as file:
        while chunk := file.read(1 << 24):
            state.update(chunk)
    return state.hexdigest()

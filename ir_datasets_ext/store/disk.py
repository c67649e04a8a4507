"""What the disk allows and has: the home, rights, locks, and files with their hashes."""

import errno
import hashlib
import os
import stat
import time
import warnings
from collections import OrderedDict
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from threading import Lock
from typing import IO, NamedTuple
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

HASH_BLOCK = 1 << 18  # bytes that are read at a time
MOST_HASHES = 512  # that a process remembers
#: two changes within so many ns may get one time, because clocks of file systems are coarse
COARSE_CLOCK_NS = 50_000_000

_logger = ir_datasets.log.easy()
_said: set[object] = set()
#: the locks of this process's threads, by device and inode of what they lock
_thread_locks: WeakValueDictionary[tuple[int, int], Lock] = WeakValueDictionary()
_thread_locks_guard = Lock()


class NoPlainFile(OSError):
    """A folder, a device, a pipe or a dangling link is where a file is expected."""


class Identity(NamedTuple):
    """What tells a file from any other, and from itself before a change, while a process runs.

    `changed_ns` is the time of change that no program can set back. It differs in a copy, so this
    is not for what is kept on disk; see `stamp`.
    """

    device: int
    inode: int
    size: int
    mtime_ns: int
    changed_ns: int


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
        """Warn if the file is not what it should be; return the warning without path, or ""."""
        return ""

    def read(self) -> bytes:
        """Return the content, after the checks of `path` and `check`."""
        path = self.path()
        self.check()
        return path.read_bytes()


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
    """Return (size in bytes, time of last change in ns), which a copy that keeps times has too."""
    status = os.stat(path)
    return status.st_size, status.st_mtime_ns


def identity_of(file: str | Path | int) -> Identity:
    """Return the `Identity` of a path, or of an open file's number."""
    status = os.stat(file)
    return Identity(
        status.st_dev, status.st_ino, status.st_size, status.st_mtime_ns, status.st_ctime_ns
    )


def open_plain(path: str | Path, buffering: int = -1) -> IO[bytes]:
    """Open a file for reading; for errors see `check_plain`."""
    check_plain(path)
    return open(path, "rb", buffering=buffering)


def check_plain(path: str | Path) -> None:
    """Raise NoPlainFile unless there is a file: reading a pipe or a device may never end.

    Raises FileNotFoundError if there is nothing at all.
    """
    try:
        mode = os.stat(path).st_mode
    except FileNotFoundError:
        if not os.path.islink(path):
            raise
        what = f"it is a link to {os.readlink(path)}, which is missing"
        raise NoPlainFile(errno.ENOENT, what, str(path)) from None

    if not stat.S_ISREG(mode):
        kind = "a folder" if stat.S_ISDIR(mode) else "a device or a pipe"
        raise NoPlainFile(errno.EINVAL, f"it is {kind}, not a file", str(path))


_hashes: OrderedDict[tuple[str, Identity], str] = OrderedDict()  # digests, the latest used last


def file_hash(path: str | Path, algorithm: str) -> str:
    """Return the hex digest of a file, computed once per process until the file changes.

    algorithm: see `content_hash`. Raises NoPlainFile for a folder, a device and the like.
    """
    with open_plain(path) as file:
        identity = identity_of(file.fileno())
        key = (algorithm, identity)
        digest = _hashes.get(key)
        if digest is None:
            digest = _hash_file(file, algorithm, identity.size)
            is_settled = not 0 <= time.time_ns() - identity.changed_ns < COARSE_CLOCK_NS
            if is_settled and identity_of(file.fileno()) == identity:
                _hashes[key] = digest
        else:
            with suppress(KeyError):  # another thread dropped it
                _hashes.move_to_end(key)

    while len(_hashes) > MOST_HASHES:
        with suppress(KeyError):
            _hashes.popitem(last=False)
    return digest


def content_hash(content: bytes, algorithm: str) -> str:
    """Return the hex digest of bytes.

    algorithm: a name of hashlib's, or "git-blob", git's id of the content: the sha1 of
        ``b"blob <size in bytes>\\0"`` and the content.
    """
    state = _start_hash(algorithm, len(content))
    state.update(content)
    return state.hexdigest()


def _hash_file(file: IO[bytes], algorithm: str, size: int) -> str:
    state = _start_hash(algorithm, size)
    while block := file.read(HASH_BLOCK):
        state.update(block)
    return state.hexdigest()


def _start_hash(algorithm: str, size: int) -> "hashlib._Hash":
    if algorithm == "git-blob":
        return hashlib.sha1(b"blob %d\0" % size, usedforsecurity=False)
    return hashlib.new(algorithm, usedforsecurity=False)

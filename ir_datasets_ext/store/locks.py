"""Exclusive locks of files and folders, between processes and between threads.

::

    with locked("folder"):                       # waits for whoever else holds it
        ...
    with locked("folder", wait=False) as is_held:
        if is_held:
            ...

The lock is on the path itself: it leaves no lock file, and needs no right to write. The system
releases it when a process ends, however that happens.
"""

import os
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from threading import Lock
from weakref import WeakValueDictionary

import ir_datasets

try:
    import fcntl
except ImportError:  # Windows: only the renames guard against half-written files there
    fcntl = None  # type: ignore[assignment]

_logger = ir_datasets.log.easy()
#: the locks of this process's threads, by device and inode of what they lock
_thread_locks: WeakValueDictionary[tuple[int, int], Lock] = WeakValueDictionary()
_thread_locks_guard = Lock()


@contextmanager
def locked(path: str | Path, wait: bool = True) -> Iterator[bool]:
    """Hold the exclusive lock of a file or folder; yield whether it is held.

    It is not held if the file system has no locks, or with `wait=False` while another process or
    thread holds it.
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
            yield _lock_for_process(handle, path, wait)
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


def _lock_for_process(handle: int, path: str | Path, wait: bool) -> bool:
    """Lock an open file or folder against other processes; return whether it is held."""
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


def _forget_thread_locks() -> None:
    """Forget locks in a forked process, in which the threads that hold them do not run."""
    global _thread_locks_guard
    _thread_locks_guard = Lock()
    _thread_locks.clear()


if fcntl is not None:
    os.register_at_fork(after_in_child=_forget_thread_locks)

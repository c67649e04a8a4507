"""Files that may be read, and what tells them from others and from themselves before a change.

::

    with open_plain("docs.entries") as file:  # raises at once for a pipe, which may never end
        identity = identity_of(file.fileno())
    ...
    identity_of("docs.entries") == identity  # False once the file was changed or replaced
"""

import errno
import os
import stat
import time
from pathlib import Path
from typing import IO, NamedTuple

#: two changes within so many ns may get one time, because clocks of file systems are coarse
COARSE_CLOCK_NS = 50_000_000


class NoPlainFile(OSError):
    """A folder, a device, a pipe or a dangling link is where a file is expected."""


class Identity(NamedTuple):
    """What tells a file from any other, and from itself before a change, while a process runs.

    `changed_ns` is the time of change that no program can set back. It differs in a copy, so this
    is not for what is kept on disk; see `size_and_mtime`.
    """

    device: int
    inode: int
    size: int
    mtime_ns: int
    changed_ns: int

    def is_settled(self) -> bool:
        """Return whether a change from now on would get another time of change."""
        age_ns = time.time_ns() - self.changed_ns
        is_recent = 0 <= age_ns < COARSE_CLOCK_NS
        return not is_recent


class SizeAndMtime(NamedTuple):
    """A file's size in bytes and time of last change in ns; equal in a copy that keeps times."""

    size: int
    mtime_ns: int


def identity_of(file: str | Path | int) -> Identity:
    """Return the `Identity` of a path, or of an open file's number."""
    status = os.stat(file)
    return Identity(
        device=status.st_dev,
        inode=status.st_ino,
        size=status.st_size,
        mtime_ns=status.st_mtime_ns,
        changed_ns=status.st_ctime_ns,
    )


def size_and_mtime(path: str | Path) -> SizeAndMtime:
    """Return a file's `SizeAndMtime`."""
    status = os.stat(path)
    return SizeAndMtime(status.st_size, status.st_mtime_ns)


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
        problem = f"it is a link to {os.readlink(path)}, which is missing"
        raise NoPlainFile(errno.ENOENT, problem, str(path)) from None

    if not stat.S_ISREG(mode):
        kind = "a folder" if stat.S_ISDIR(mode) else "a device or a pipe"
        raise NoPlainFile(errno.EINVAL, f"it is {kind}, not a file", str(path))

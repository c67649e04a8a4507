"""Single files: who may write, how they are written, and their hashes.

Every file is written under a temporary name beside the final one, flushed to the disk, and renamed.
So a final name always holds a whole file. The writer locks its temporary. The next writer of the
same file removes a temporary without a lock: a dead process left it.
"""

import errno
import hashlib
import os
import re
import secrets
import shutil
import warnings
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, suppress
from functools import lru_cache
from pathlib import Path
from typing import IO, Any

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


def collection_folder(collection: str) -> Path:
    """Return the folder of `collection` under ir_datasets' present home.

    Raises OSError with the remedy if the home cannot be made.
    """
    try:
        return ir_datasets.util.home_path() / collection
    except OSError as error:
        home = os.environ.get("IR_DATASETS_HOME", "~/.ir_datasets")
        raise _unwritable(home, error, HOME) from error


def ensure_writable(folder: Path, remedy: str = HOME) -> None:
    """Make `folder` if it is missing; raise OSError with `remedy`, a sentence, if not writable."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
        with temporary(folder / "probe"):  # some disks misreport the right to write
            pass
    except OSError as error:
        raise _unwritable(folder, error, remedy) from error


@contextmanager
def writing(folder: Path, remedy: str = HOME) -> Iterator[None]:
    """Name `folder` and the remedy in an OSError about missing room or rights."""
    try:
        yield
    except OSError as error:
        of_another = error.filename and not Path(error.filename).is_relative_to(folder)
        if error.errno not in REFUSALS or of_another:  # another file, which is read meanwhile
            raise
        raise _unwritable(folder, error, remedy) from error


@contextmanager
def alone(folder: Path, remedy: str = HOME) -> Iterator[None]:
    """Be the only process that writes in `folder`; it is made, and swept of leftovers.

    Raises OSError with the remedy if `folder` is not writable, or its disk fills up meanwhile.
    """
    ensure_writable(folder, remedy)
    with locked(folder), writing(folder, remedy):
        sweep(folder)
        yield


def _unwritable(folder: str | Path, error: OSError, remedy: str) -> OSError:
    refusal = OSError(f"cannot write to {folder}: {os.strerror(error.errno or 0)}. {remedy}")
    refusal.errno = error.errno  # for callers that know another remedy
    return refusal


@contextmanager
def locked(path: str | Path, wait: bool = True) -> Iterator[bool]:
    """Hold the exclusive lock of a file or folder; yield whether it is held.

    The lock is on `path` itself: it leaves no lock file, and needs no right to write. It is not
    held if the file system has no locks, or with `wait=False` while another process holds it.
    """
    if fcntl is None:
        yield False
        return
    handle = os.open(path, os.O_RDONLY)
    held = False
    try:
        held = _lock(handle, path, wait)
        yield held
    finally:
        if held:  # closing is not enough: a child forked meanwhile has the handle open too
            fcntl.flock(handle, fcntl.LOCK_UN)
        os.close(handle)


def _lock(handle: int, path: str | Path, wait: bool) -> bool:
    try:
        try:
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            if not wait:
                return False
            _logger.info(f"waiting for another process that is busy in {path}")
            fcntl.flock(handle, fcntl.LOCK_EX)
    except OSError:  # a file system without locks
        return False
    return True


@contextmanager
def new_file(
    path: str | Path,
    mode: str = "w",
    *,
    private: bool = False,
    **how: Any,
) -> Iterator[IO]:
    """Yield an open file, which replaces `path` once all of it is on the disk, or never.

    Args:
        path: of a file; a device or a pipe is written to directly.
        mode: "w" for text or "wb".
        private: whether only its owner may read it; by default the umask decides.
        how: more arguments of `open`; text is UTF-8 with line ends "\\n" by default.

    Raises:
        OSError: it cannot be written, or the disk is full; then nothing has changed.
    """
    if "b" not in mode:
        how = {"encoding": "utf-8", "newline": "\n", **how}
    path = Path(os.path.realpath(path))
    if path.exists() and not path.is_file() and not path.is_dir():
        with open(path, mode, **how) as file:
            yield file
        return
    with writing(path.parent, ELSEWHERE), temporary(path, private=private) as new:
        with open(new, mode, **how) as file:
            yield file
            file.flush()
            os.fsync(file.fileno())
        os.replace(new, path)
    flush(path.parent)


def flush(path: Path) -> None:
    """Flush a file, or the names in a folder, to the disk if the system can."""
    with suppress(OSError):
        handle = os.open(path, os.O_RDONLY)
        try:
            os.fsync(handle)
        finally:
            os.close(handle)


def settle(new: Path, path: Path) -> None:
    """Flush the folder `new` with all its files to the disk, then rename it to `path`."""
    for inside in (*sorted(new.rglob("*")), new):
        flush(inside)
    os.rename(new, path)
    flush(path.parent)


@contextmanager
def temporary(final: Path, *, folder: bool = False, private: bool = False) -> Iterator[Path]:
    """Yield a new file or folder beside `final`; remove it at the end if it still exists."""
    sweep(final.parent, final.name)
    path = None
    with ExitStack() as stack:
        while path is None or not path.exists():  # another process swept it before it was locked
            path = final.with_name(f".{final.name}.{secrets.token_hex(4)}.tmp")
            if folder:
                path.mkdir()
            else:
                os.close(os.open(path, os.O_CREAT | os.O_EXCL, 0o600 if private else 0o666))
            stack.callback(remove, path)
            with suppress(FileNotFoundError):
                stack.enter_context(locked(path))
        yield path


def leftovers(folder: Path, name: str | None = None) -> list[Path]:
    """Return the temporary files and folders in `folder`; of one final name if it is passed."""
    pattern = re.compile(rf"\.{'.*' if name is None else re.escape(name)}\.[0-9a-f]+\.tmp")
    with suppress(OSError):
        return [folder / one for one in os.listdir(folder) if pattern.fullmatch(one)]
    return []


def sweep(folder: Path, name: str | None = None) -> None:
    """Remove the temporaries in `folder` that dead processes have left; needs locks."""
    for path in leftovers(folder, name):
        with suppress(OSError), locked(path, wait=False) as held:
            if held:
                remove(path)


def remove(path: Path) -> None:
    """Remove a file, or a folder with its content; what is missing or protected is skipped."""
    if path.is_dir() and not path.is_symlink():
        shutil.rmtree(path, ignore_errors=True)
    else:
        with suppress(OSError):
            path.unlink()


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
    git = algorithm == "git-blob"
    state = hashlib.new("sha1" if git else algorithm, usedforsecurity=False)
    if git:
        state.update(b"blob %d\0" % size)
    with open(path, "rb") as file:
        while chunk := file.read(1 << 24):
            state.update(chunk)
    return state.hexdigest()

"""Single files: who may write, how they are written, and what they hash to.

Everything is written under a temporary name beside the final one, flushed to the disk, and renamed:
a final name always holds the whole of it. Whoever writes holds the temporary's lock: one whose lock
is free was left by a process that died, and the next that writes the same file removes it. Folders
in which several processes write are locked while they do.
"""

import errno
import hashlib
import os
import re
import secrets
import shutil
import warnings
from contextlib import ExitStack, contextmanager, suppress
from functools import lru_cache
from pathlib import Path

import ir_datasets

try:
    import fcntl
except ImportError:  # Windows: the renames alone then guard against half-written files
    fcntl = None

#: what to do where ir_datasets' home cannot be written to
HOME = (
    "Set the environment variable IR_DATASETS_HOME to a folder that you can write to; files of a "
    "release that you have already can be copied or linked into the collection's folder there."
)
#: where no caller says it better
ELSEWHERE = "Choose another folder, or make room there."
#: no room, or no right to write
REFUSALS = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG, errno.EACCES, errno.EPERM, errno.EROFS)

_logger = ir_datasets.log.easy()
_said = set()


def collection_folder(collection):
    """Return the folder of `collection` under ir_datasets' home as it is set now.

    Raises OSError with the remedy when the home itself cannot be made.
    """
    try:
        return ir_datasets.util.home_path() / collection
    except OSError as error:
        home = os.environ.get("IR_DATASETS_HOME", "~/.ir_datasets")
        raise _unwritable(home, error, HOME) from error


def ensure_writable(folder, remedy=HOME):
    """Make `folder` if it is missing; OSError with the remedy if nothing can be written there.

    `remedy` is a sentence: what to do, where the folder is not in ir_datasets' home.
    """
    try:
        folder.mkdir(parents=True, exist_ok=True)
        with temporary(folder / "probe"):  # asked for the right to write, some disks lie
            pass
    except OSError as error:
        raise _unwritable(folder, error, remedy) from error


@contextmanager
def writing(folder, remedy=HOME):
    """Where there is no room, or no right to write, raise OSError with `folder` and the remedy."""
    try:
        yield
    except OSError as error:
        of_another = error.filename and not Path(error.filename).is_relative_to(folder)
        if error.errno not in REFUSALS or of_another:  # a file that is read meanwhile
            raise
        raise _unwritable(folder, error, remedy) from error


@contextmanager
def alone(folder, remedy=HOME):
    """Be the one process that writes in `folder`, which is made and swept.

    Raises OSError with the remedy where nothing can be written, or there is no room meanwhile.
    """
    ensure_writable(folder, remedy)
    with locked(folder), writing(folder, remedy):
        sweep(folder)
        yield


def _unwritable(folder, error, remedy):
    said = OSError(f"cannot write to {folder}: {os.strerror(error.errno)}. {remedy}")
    said.errno = error.errno  # for callers that know another remedy
    return said


@contextmanager
def locked(path, wait=True):
    """Hold the exclusive lock of a file or folder; yields whether it is held.

    The lock is on `path` itself, so no lock file is left over, and needs no right to write.
    It is not held on systems and file systems without locks, nor, with `wait=False`, while
    another process holds it.
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
        if held:  # closing alone would not do: a child forked meanwhile has the handle open too
            fcntl.flock(handle, fcntl.LOCK_UN)
        os.close(handle)


def _lock(handle, path, wait):
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
def new_file(path, mode="w", *, private=False, **how):
    """Yield an open file, which takes the place of `path` when all of it is on the disk, or never.

    Args:
        path: of a file; a device or a pipe is written to as it is.
        mode: "w" for text (UTF-8 and "\\n" unless `how` says otherwise) or "wb".
        private: whether its owner alone may read it; else as the umask says.
        how: more arguments of `open`.

    Raises:
        OSError: it cannot be written, or the disk is full; nothing is changed then.
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


def flush(path):
    """Have the disk keep a file, or the names in a folder, where the system can be told to."""
    with suppress(OSError):
        handle = os.open(path, os.O_RDONLY)
        try:
            os.fsync(handle)
        finally:
            os.close(handle)


def settle(new, path):
    """Give the folder `new` its final name, once the disk keeps all that is in it."""
    for inside in (*sorted(new.rglob("*")), new):
        flush(inside)
    os.rename(new, path)
    flush(path.parent)


@contextmanager
def temporary(final, *, folder=False, private=False):
    """Yield a new file or folder beside `final` to write to; it is removed if it is still there."""
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


def leftovers(folder, name=None):
    """Return the temporary files and folders in `folder`; None for those of all names."""
    pattern = re.compile(rf"\.{'.*' if name is None else re.escape(name)}\.[0-9a-f]+\.tmp")
    with suppress(OSError):
        return [folder / found for found in os.listdir(folder) if pattern.fullmatch(found)]
    return []


def sweep(folder, name=None):
    """Remove the temporaries in `folder` that processes which died have left.

    None can be told from others' where files cannot be locked: they stay then.
    """
    for path in leftovers(folder, name):
        with suppress(OSError), locked(path, wait=False) as held:
            if held:
                remove(path)


def remove(path):
    """Remove a file or a folder with all it holds, as far as it is there and can be removed."""
    if path.is_dir() and not path.is_symlink():
        shutil.rmtree(path, ignore_errors=True)
    else:
        with suppress(OSError):
            path.unlink()


def say_once(text, about=None):
    """Warn once per process; once of all texts about one thing, if that is given."""
    about = text if about is None else about
    if about not in _said:
        _said.add(about)
        warnings.warn(text, stacklevel=4)


def stamp(path):
    """Return (size in bytes, time of last change in ns): differs whenever a file was replaced."""
    status = os.stat(path)
    return status.st_size, status.st_mtime_ns


def file_hash(path, algorithm):
    """Return the hex digest of a file, computed once per process until the file changes.

    `algorithm` is a name of hashlib's, or "git-blob": the id git gives the file's content, which is
    the sha1 of ``b"blob <size in bytes>\\0"`` and the content.
    """
    return _hash(str(path), algorithm, *stamp(path))


@lru_cache(maxsize=512)
def _hash(path, algorithm, size, mtime_ns):
    # mtime_ns takes part in the cache's key alone
    git = algorithm == "git-blob"
    state = hashlib.new("sha1" if git else algorithm, usedforsecurity=False)
    if git:
        state.update(b"blob %d\0" % size)
    with open(path, "rb") as file:
        while chunk := file.read(1 << 24):
            state.update(chunk)
    return state.hexdigest()

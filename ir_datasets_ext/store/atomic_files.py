"""Files and folders that exist as a whole or not at all.

::

    with new_file("runs/run.txt") as file:
        file.write("...")  # until the block ends, an earlier run.txt stays as it is

Everything is written under a temporary name beside the final one, flushed to the disk, and renamed.
So a final name always holds a whole file. The writer locks its temporary. The next writer of the
same file removes a temporary without a lock: a dead process left it.
"""

import os
import re
import secrets
import shutil
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path
from typing import IO, Any

from ir_datasets_ext.store.locks import locked
from ir_datasets_ext.store.write_errors import (
    FOLDER_REMEDY,
    HOME_REMEDY,
    explain_write_errors,
    make_write_error,
)

OWNER_ONLY_FOLDER, ANYONE_FOLDER = 0o700, 0o777  # modes, before the umask
OWNER_ONLY_FILE, ANYONE_FILE = 0o600, 0o666


@contextmanager
def new_file(
    path: str | Path,
    mode: str = "w",
    *,
    private: bool = False,
    follow: bool = True,
    **open_options: Any,
) -> Iterator[IO]:
    """Yield an open file, which replaces `path` once all of it is on the disk, or never.

    Args:
        path: of a file.
        mode: "w" for text or "wb".
        private: whether only its owner may read it; by default the umask decides.
        follow: True writes to what a link points to, and straight into a device or a pipe: for
            files that users name. False replaces the link, the device or the pipe by a file: for
            files that the package keeps for itself.
        open_options: more arguments of `open`; text is UTF-8 with line ends "\\n" by default.

    Raises:
        OSError: it cannot be written, is a folder, or the disk is full; then nothing has changed.
    """
    if "b" not in mode:
        open_options = {"encoding": "utf-8", "newline": "\n", **open_options}

    path = Path(os.path.realpath(path) if follow else path)
    if path.is_dir() and not path.is_symlink():
        raise OSError(f"{path} is a folder: remove it, or choose another name.")

    is_device = path.exists() and not path.is_file()
    if follow and is_device:  # such as /dev/stdout, which cannot be replaced
        with open(path, mode, **open_options) as file:
            yield file
        return

    with (
        explain_write_errors(path.parent, FOLDER_REMEDY),
        temporary_beside(path, private=private) as temporary,
    ):
        with open(temporary, mode, **open_options) as file:
            yield file
            file.flush()
            os.fsync(file.fileno())
        os.replace(temporary, path)
    flush(path.parent)


@contextmanager
def lock_folder(folder: Path, remedy: str = HOME_REMEDY, private: bool = False) -> Iterator[None]:
    """Be the only process that writes in `folder` until the block ends.

    The folder is made if it is missing, and swept of what killed processes left.

    private: see `ensure_writable`.

    Raises OSError with the remedy if `folder` is not writable, or its disk fills up meanwhile.
    """
    with (
        _lock_existing_folder(folder, remedy, private),
        explain_write_errors(folder, remedy),
    ):
        sweep(folder)
        yield


@contextmanager
def _lock_existing_folder(folder: Path, remedy: str, private: bool) -> Iterator[None]:
    """Lock `folder`, which is made if it is missing, until the block ends.

    The lock is on the folder itself. If the folder was removed while we waited for its lock, others
    would lock a new folder of the same name: then we lock that one.
    """
    while True:
        ensure_writable(folder, remedy, private)
        with ExitStack() as stack:
            try:
                status_before = folder.stat()
                stack.enter_context(locked(folder))  # waits
                status_now = folder.stat()
                is_same_folder = os.path.samestat(status_before, status_now)
            except FileNotFoundError:
                is_same_folder = False

            if is_same_folder:
                yield
                return


def ensure_writable(folder: Path, remedy: str = HOME_REMEDY, private: bool = False) -> None:
    """Make `folder` if it is missing; raise OSError with `remedy`, a sentence, if not writable.

    private: whether only its owner may read it if it is made; by default the umask decides.
    """
    try:
        try:
            _write_probe(folder, private)
        except FileNotFoundError:
            # another process may have removed the folder right after it was made: try once more
            _write_probe(folder, private)
    except OSError as error:
        raise make_write_error(folder, error, remedy) from error


def _write_probe(folder: Path, private: bool) -> None:
    """Make `folder`, and write a file there, because some disks misreport the right to write."""
    mode = OWNER_ONLY_FOLDER if private else ANYONE_FOLDER
    folder.mkdir(mode, parents=True, exist_ok=True)
    with temporary_beside(folder / "probe"):
        pass


def publish_folder(temporary: Path, path: Path) -> None:
    """Flush the folder `temporary` with all its files to the disk, then rename it to `path`."""
    flush_tree(temporary)
    os.rename(temporary, path)
    flush(path.parent)


def remove_at_once(folder: Path) -> None:
    """Remove a folder; even if the process is killed, no part of it is left under its name.

    A folder that is missing or protected is skipped.
    """
    with temporary_beside(folder, folder=True) as removed_at_the_end, suppress(OSError):
        os.rename(folder, removed_at_the_end / folder.name)


def flush_tree(folder: Path) -> None:
    """Flush a folder with all its files and folders to the disk."""
    for path in sorted(folder.rglob("*")):
        flush(path)
    flush(folder)


def flush(path: Path) -> None:
    """Flush a file, or the names in a folder, to the disk if the system can."""
    with suppress(OSError):
        handle = os.open(path, os.O_RDONLY)
        try:
            os.fsync(handle)
        finally:
            os.close(handle)


@contextmanager
def temporary_beside(final: Path, *, folder: bool = False, private: bool = False) -> Iterator[Path]:
    """Yield a new file or folder beside `final`; remove it at the end if it still exists."""
    sweep(final.parent, final.name)

    with ExitStack() as stack:
        was_swept = True
        while was_swept:  # then under another name
            temporary = final.with_name(f".{final.name}.{secrets.token_hex(4)}.tmp")
            if folder:
                temporary.mkdir()
            else:
                _make_empty_file(temporary, private)
            stack.callback(remove, temporary)

            # Until it is locked, another process takes it for a dead process's, and may sweep it:
            # before we open it to lock it (an error), or while we wait for the lock.
            try:
                stack.enter_context(locked(temporary))
            except FileNotFoundError:
                continue
            was_swept = not temporary.exists()
        yield temporary


def _make_empty_file(path: Path, private: bool) -> None:
    """Make a new file; private: only its owner may read it."""
    mode = OWNER_ONLY_FILE if private else ANYONE_FILE
    handle = os.open(path, os.O_CREAT | os.O_EXCL, mode)
    os.close(handle)


def sweep(folder: Path, name: str | None = None) -> None:
    """Remove the temporaries in `folder` that dead processes have left; needs locks."""
    for path in find_leftovers(folder, name):
        with suppress(OSError), locked(path, wait=False) as is_held:
            if is_held:
                remove(path)


def find_leftovers(folder: Path, name: str | None = None) -> list[Path]:
    """Return the temporary files and folders in `folder`; of one final name if it is passed."""
    final_name = ".*" if name is None else re.escape(name)
    temporary_name = re.compile(rf"\.{final_name}\.[0-9a-f]+\.tmp")
    try:
        names = os.listdir(folder)
    except OSError:
        return []
    return [folder / present for present in names if temporary_name.fullmatch(present)]


def remove(path: Path) -> None:
    """Remove a file, or a folder with its content; what is missing or protected is skipped."""
    if path.is_dir() and not path.is_symlink():
        shutil.rmtree(path, ignore_errors=True)
    else:
        with suppress(OSError):
            path.unlink()

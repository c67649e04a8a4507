"""Folders of files that are written once, with a manifest that names them all."""

import json
import os
from contextlib import contextmanager, nullcontext
from pathlib import Path

from ir_datasets_ext.store.files import (
    ELSEWHERE,
    ensure_writable,
    file_hash,
    new_file,
    settle,
    temporary,
    writing,
)
from ir_datasets_ext.store.fingerprint import fingerprint
from ir_datasets_ext.store.segment import Damaged, foot_of

MANIFEST = "manifest.json"
CHECKED = ".entries"  #: files of this ending check themselves as they are read, but for their end
#: what is known of a file
MEASURES = {
    "bytes": lambda path: path.stat().st_size,
    "sha256": lambda path: file_hash(path, "sha256"),
    "end": foot_of,
}


@contextmanager
def new_folder(path, about, *, replace=False):
    """Yield a folder to write to, which becomes `path` when all of it is on the disk, or never.

    Its manifest has `about`, and size and sha256 of each file.

    Args:
        path: of the folder; folders above it are made.
        about: dict of JSON's types; entries may be added while the folder is written.
        replace: whether a folder that is there goes.

    Raises:
        FileExistsError: there is something at `path`, and `replace` is false.
        OSError: it cannot be written, or the disk is full; nothing is changed then.
    """
    path = check_free(path) if not replace else Path(path)
    ensure_writable(path.parent, ELSEWHERE)
    with writing(path.parent, ELSEWHERE), temporary(path, folder=True) as new:
        yield new
        describe(new, about)
        try:
            with temporary(path, folder=True) if replace else nullcontext() as old:
                if replace and path.exists():
                    os.rename(path, old / path.name)
                settle(new, path)
        except OSError:
            if not replace:
                check_free(path)  # another process was quicker
            raise


def check_free(path) -> Path:
    """Return `path`, at which there is nothing; FileExistsError if there is something."""
    if Path(path).exists():
        raise FileExistsError(f"{path} exists: remove it, or choose another name.")
    return Path(path)


def describe(folder, about, files=None):
    """Write the manifest of the paths `files` in `folder`; None for all that is in it now."""
    files = folder.rglob("*") if files is None else files
    names = sorted(path.relative_to(folder).as_posix() for path in files if path.is_file())
    files = {name: measured(folder / name) for name in names if name != MANIFEST}
    about = json.loads(json.dumps(about))  # as it will be read: keys are texts
    with new_file(folder / MANIFEST) as file:
        held = {"about": about, "files": files, "digest": fingerprint([about, files])}
        json.dump(held, file, indent=1)


def read_folder(path):
    """Return what `path` was written with as `about`, if all its files are as they were written.

    Contents are compared once per process, until a file's time of change differs.

    Raises:
        FileNotFoundError: there is no such folder, or it has no manifest.
        Damaged: a file is missing or not what was written; names it.
    """
    about, files = _manifest(path)
    for name, expected in files.items():
        verify(Path(path, name), expected)
    return about


def digest_of(path) -> str:
    """Return what tells the files in a folder from others, by its manifest; see `read_folder`."""
    return fingerprint(_manifest(path)[1])


def _manifest(path):
    manifest = Path(path, MANIFEST)
    try:
        held = json.loads(manifest.read_bytes())
        about, files = held["about"], held["files"]
        intact = type(about) is type(files) is dict
        intact = intact and held["digest"] == fingerprint([about, files])
    except (ValueError, KeyError, TypeError, RecursionError) as error:
        raise Damaged(f"{manifest} is damaged: {type(error).__name__} {error}") from None
    if not intact:
        raise Damaged(f"{manifest} is damaged: it is not what was written")
    return about, files


def claim(folder, about, remarks=()):
    """Make `folder` that of `about`: write its manifest, or compare with the one that is there.

    Args:
        about: dict of JSON's types.
        remarks: names of entries that the error shows, and that are not compared.

    Raises:
        ValueError: it is of something else, of which the differences are named, or damaged.
    """
    about = json.loads(json.dumps(about))  # tuples as lists, as they come back
    try:
        known = read_folder(folder)
    except FileNotFoundError:
        folder.mkdir(parents=True, exist_ok=True)
        describe(folder, about, files=())
        return
    except Damaged as error:
        raise Damaged(f"{error}. Remove {folder}, or restore it from a copy.") from None
    other = [name for name in {**known, **about} if known.get(name) != about.get(name)]
    if set(other) - set(remarks):
        shown = "; ".join(f"{one} {known.get(one)!r}, not {about.get(one)!r}" for one in other)
        raise ValueError(
            f"{folder} is of something else: {shown}. Give another folder or the same settings, or "
            "remove this one."
        )


def measured(path) -> dict:
    """Return size and digest of a file, see `verify`."""
    digest = "end" if path.suffix == CHECKED else "sha256"
    return {name: MEASURES[name](path) for name in ("bytes", digest)}


def verify(path, expected, remedy=""):
    """Raise Damaged, with the remedy, unless a file is what `measured` gave; None is not known."""
    remedy = remedy and f". {remedy}"
    for name, known in expected.items():
        try:
            found = known if known is None and path.is_file() else MEASURES[name](path)
        except OSError as error:
            raise Damaged(f"{path} cannot be read: {error.strerror}{remedy}") from None
        if found != known:
            what = f"expected {name} {known}, got {found}{remedy}"
            raise Damaged(f"{path} is damaged or was edited: {what}")

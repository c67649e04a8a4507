"""Folders of files that are written once, with a manifest of their sizes and hashes.

::

    with new_folder("folder", {"made by": "me"}) as folder:
        (folder / "a.txt").write_text("content")
    read_folder("folder")  # {"made by": "me"}, after comparing a.txt with its hash

A folder may come from elsewhere. So reading one runs no code.
"""

import json
import os
from collections.abc import Hashable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from functools import lru_cache
from pathlib import Path

from ir_datasets_ext.atomic import new_file, replacing
from ir_datasets_ext.files import hash_file, read_version

from .fingerprint import fingerprint
from .typed_records import Json

MANIFEST = "manifest.json"
MOST_HASHES = 512  # of files, in memory
About = dict[str, Json]


class Damaged(ValueError):
    """A file differs from what was written; names the file and the remedy."""


@contextmanager
def new_folder(path: str | Path, about: About) -> Iterator[Path]:
    """Yield a folder to write to, which becomes `path` once all of it is on the disk, or never.

    Its manifest has `about`, and size and sha256 of each file.

    Args:
        path: of the folder; missing folders above it are made.
        about: dict of JSON's types; entries may be added while the folder is written.

    Raises:
        FileExistsError: `path` exists.
        OSError: it cannot be written, or the disk is full; then nothing has changed.
    """
    check_free(path)
    with replacing(path) as new_path:
        new_path.mkdir()
        yield new_path
        write_manifest(new_path, about)
        check_free(path)  # another process may have been faster


def check_free(path: str | Path) -> None:
    """Raise FileExistsError if `path` exists."""
    if os.path.lexists(path):
        raise FileExistsError(f"{path} exists: remove it, or choose another name.")


def write_manifest(folder: Path, about: About, files: Iterable[Path] | None = None) -> None:
    """Write the manifest of `files` in `folder`; by default of all files in it."""
    if files is None:
        files = [path for path in sorted(folder.rglob("*")) if path.is_file()]

    measures = {}
    for path in files:
        name = path.relative_to(folder).as_posix()
        if name != MANIFEST:
            measures[name] = {"bytes": path.stat().st_size, "sha256": hash_once(path)}

    about = json.loads(json.dumps(about))  # as it will be read: tuples are lists
    content = {"about": about, "files": measures, "digest": fingerprint([about, measures])}
    with new_file(folder / MANIFEST) as file:
        json.dump(content, file, indent=1)


def read_folder(path: str | Path) -> About:
    """Return the `about` that a folder was written with, after comparing its files with it.

    Files are hashed once per process, until they change.

    Raises:
        FileNotFoundError: the folder or its manifest is missing.
        Damaged: a file is missing or has changed.
    """
    folder = Path(path)
    manifest = _read_manifest(folder)
    for name, measures in manifest["files"].items():
        _check_file(folder / name, measures)
    return manifest["about"]


def claim(folder: Path, about: About, remarks: Sequence[str] = ()) -> None:
    """Reserve a folder for files that belong to `about`, such as settings; raise if others have it.

    A folder without a manifest gets one of `about`; an existing manifest is compared with it.

    folder: made if it is missing. about: dict of JSON's types.
    remarks: names of entries that the error shows but that are not compared.

    Raises ValueError if its manifest differs, which the error shows, or is damaged.
    """
    wanted = json.loads(json.dumps(about))  # tuples as lists, as they are read
    try:
        present = read_folder(folder)
    except FileNotFoundError:
        write_manifest(folder, wanted, files=())
        return
    except Damaged as error:
        raise Damaged(f"{error}. Remove {folder}, or restore it from a copy.") from None

    names = {**present, **wanted}  # in the order of the existing manifest
    differing_names = [name for name in names if present.get(name) != wanted.get(name)]
    if set(differing_names) <= set(remarks):
        return

    differences = [
        f"{name} is {present.get(name)!r} there, {wanted.get(name)!r} here"
        for name in differing_names
    ]
    raise ValueError(
        f"{folder} was made with other settings: {'; '.join(differences)}. Pass another folder or "
        "the same settings, or remove this one."
    )


def identify_file(path: Path) -> Hashable:
    """Return a value that changes with a file, in this process; a file may be missing."""
    if not path.is_file():
        return path
    version = read_version(path)
    if version.is_settled():
        return version
    return version, hash_file(path, "sha256")  # another change might get the same time


def hash_once(path: str | Path) -> str:
    """Return the sha256 of a file, computed once per process until the file changes."""
    path = Path(path).absolute()
    return _hash_version(path, identify_file(path))


@lru_cache(maxsize=MOST_HASHES)
def _hash_version(path: Path, version: Hashable) -> str:
    return hash_file(path, "sha256")


def _read_manifest(folder: Path) -> dict[str, Json]:
    """Return the content of a folder's manifest; for errors see `read_folder`."""
    path = folder / MANIFEST
    try:
        content = json.loads(path.read_bytes())
        if content["digest"] != fingerprint([content["about"], content["files"]]):
            raise ValueError("it is not what was written")
    except FileNotFoundError:
        raise
    except NotADirectoryError:
        raise Damaged(f"{folder} is damaged: it is a file, not a folder") from None
    except (OSError, ValueError, KeyError, TypeError, RecursionError) as error:
        raise Damaged(f"{path} is damaged: {type(error).__name__} {error}") from None
    return content


def _check_file(path: Path, expected: dict[str, Json]) -> None:
    """Raise Damaged unless a file has the size and the sha256 that its manifest states."""
    try:
        # a wrong size needs no hash
        actual: dict[str, Json] = {"bytes": path.stat().st_size}
        if actual["bytes"] == expected["bytes"]:
            actual["sha256"] = hash_once(path)
    except OSError as error:
        raise Damaged(f"{path} cannot be read: {error.strerror}") from None

    for name, value in actual.items():
        if value != expected[name]:
            raise Damaged(
                f"{path} is damaged or was edited: expected {name} {expected[name]}, got {value}"
            )

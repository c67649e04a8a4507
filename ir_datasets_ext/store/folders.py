"""Folders of files that are written once, with a manifest that names them all.

::

    with new_folder("folder", {"made by": "me"}) as folder, new_file(folder / "a.txt") as file:
        file.write("content")
    read_folder("folder")  # {"made by": "me"}, after checking a.txt

A folder may come from elsewhere, so its manifest may be made up. It names plain files inside the
folder, and nothing else: no other path, no link that leads out, no device, no pipe.
"""

import json
import os
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from ir_datasets_ext.store.atomic_files import (
    ensure_writable,
    flush,
    flush_tree,
    new_file,
    temporary_beside,
)
from ir_datasets_ext.store.file_measures import MEASURES, measure_file, verify_file
from ir_datasets_ext.store.fingerprint import fingerprint
from ir_datasets_ext.store.inner_paths import check_inside, check_name_inside
from ir_datasets_ext.store.plain_files import NoPlainFile, check_plain
from ir_datasets_ext.store.segment import Damaged
from ir_datasets_ext.store.write_errors import FOLDER_REMEDY, explain_write_errors
from ir_datasets_ext.typed_records import Json

MANIFEST = "manifest.json"
LARGEST_MANIFEST = 1 << 24  # bytes
MOST_FILES = 100_000  # that a manifest names
MOST_TRIES = 10  # to read, while other processes replace the folder
About = dict[str, Json]


@dataclass(frozen=True)
class Manifest:
    """The content of a manifest; files: by name, what `measure_file` returned for it."""

    about: About
    files: dict[str, dict[str, object]]


@contextmanager
def new_folder(path: str | Path, about: About, *, replace: bool = False) -> Iterator[Path]:
    """Yield a folder to write to, which becomes `path` once all of it is on the disk, or never.

    Its manifest has `about`, and size and sha256 of each file.

    Args:
        path: of the folder; missing folders above it are made.
        about: dict of JSON's types; entries may be added while the folder is written.
        replace: whether to remove an existing folder.

    Raises:
        FileExistsError: `path` exists, and `replace` is false.
        OSError: it cannot be written, or the disk is full; then nothing has changed.
    """
    path = Path(path) if replace else check_free(path)
    ensure_writable(path.parent, FOLDER_REMEDY)
    with (
        explain_write_errors(path.parent, FOLDER_REMEDY),
        temporary_beside(path, folder=True) as temporary,
    ):
        yield temporary
        write_manifest(temporary, about)
        flush_tree(temporary)  # may take long, so before the old folder goes
        try:
            if replace:
                _replace_folder(temporary, path)
            else:
                os.rename(temporary, path)
        except OSError:
            if not replace:
                check_free(path)  # another process was faster
            raise
        flush(path.parent)


def write_manifest(folder: Path, about: About, files: Iterable[Path] | None = None) -> None:
    """Write the manifest of `files` in `folder`; by default of all files in it."""
    paths = folder.rglob("*") if files is None else files
    names = sorted(path.relative_to(folder).as_posix() for path in paths if path.is_file())

    measures = {}
    for name in names:
        check_name_inside(name)
        check_inside(folder, name)
        if name != MANIFEST:
            measures[name] = measure_file(folder / name)

    stored_about = json.loads(json.dumps(about))  # as it will be read: keys are texts
    digest = fingerprint([stored_about, measures])
    content = {"about": stored_about, "files": measures, "digest": digest}
    with new_file(folder / MANIFEST, follow=False) as file:
        json.dump(content, file, indent=1)


def read_folder(path: str | Path, needed: Iterable[str] = ()) -> About:
    """Return the `about` that `path` was written with, after checking all its files.

    Contents are compared once per process, until a file changes.

    Args:
        needed: names of files that the caller reads.

    Raises:
        FileNotFoundError: the folder or its manifest is missing.
        Damaged: a file is missing or has changed, the manifest is none, names something outside of
            the folder, or lacks a file that is `needed`; names it.
    """
    manifest = _read_manifest(path)
    for _ in range(MOST_TRIES):
        try:
            _check_files(Path(path), manifest, needed)
        except Damaged:
            present_manifest = _read_manifest(path)
            if present_manifest == manifest:
                raise
            # another process replaced the folder meanwhile: these are files of two folders
            manifest = present_manifest
        else:
            return manifest.about
    raise Damaged(f"{path} changes all the time: let only one process write there")


def digest_folder(path: str | Path) -> str:
    """Return a digest of a folder's files, taken from its manifest; see `read_folder`."""
    return fingerprint(_read_manifest(path).files)


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
        folder.mkdir(parents=True, exist_ok=True)
        write_manifest(folder, wanted, files=())
        return
    except Damaged as error:
        raise Damaged(f"{error}. Remove {folder}, or restore it from a copy.") from None

    names = {**present, **wanted}  # in the order of the existing manifest
    differing_names = [name for name in names if present.get(name) != wanted.get(name)]
    if set(differing_names) <= set(remarks):
        return

    differences = [
        f"{name} {present.get(name)!r}, not {wanted.get(name)!r}" for name in differing_names
    ]
    raise ValueError(
        f"{folder} is of something else: {'; '.join(differences)}. Pass another folder or the same "
        "settings, or remove this one."
    )


def check_free(path: str | Path) -> Path:
    """Return `path`; raise FileExistsError if it exists."""
    if os.path.lexists(path):
        raise FileExistsError(f"{path} exists: remove it, or choose another name.")
    return Path(path)


def _replace_folder(new_folder: Path, path: Path) -> None:
    """Rename `new_folder` to `path`; an existing folder, or a file there, is removed."""
    with temporary_beside(path, folder=True) as removed_at_the_end:
        if os.path.lexists(path):
            os.rename(path, removed_at_the_end / path.name)
        os.rename(new_folder, path)


def _read_manifest(folder: str | Path) -> Manifest:
    """Return a folder's manifest, which names plain paths inside; for errors see `read_folder`."""
    path = Path(folder, MANIFEST)
    try:
        check_plain(path)
        if path.stat().st_size > LARGEST_MANIFEST:
            raise ValueError(f"it has more than {LARGEST_MANIFEST} bytes")
        content = json.loads(path.read_bytes())
        return _parse_manifest(content)
    except NotADirectoryError:
        raise Damaged(f"{folder} is damaged: it is a file, not a folder") from None
    except NoPlainFile as error:
        raise Damaged(f"{path} is damaged: {error.strerror}") from None
    except (ValueError, KeyError, TypeError, RecursionError) as error:
        raise Damaged(f"{path} is damaged: {type(error).__name__} {error}") from None


def _parse_manifest(content: Json) -> Manifest:
    """Return a manifest that `write_manifest` wrote; other content raises various errors."""
    about = content["about"]
    files = content["files"]
    if not isinstance(about, dict) or not isinstance(files, dict):
        raise ValueError("it is not what was written")
    if len(files) > MOST_FILES:
        raise ValueError(f"it names {len(files)} files, more than {MOST_FILES}")
    if content["digest"] != fingerprint([about, files]):
        raise ValueError("it is not what was written")

    for name, measures in files.items():
        check_name_inside(name)
        if not isinstance(measures, dict) or not MEASURES.keys() >= measures.keys():
            raise ValueError(f"{name} has other measures than {', '.join(MEASURES)}")
    return Manifest(about, files)


def _check_files(folder: Path, manifest: Manifest, needed: Iterable[str]) -> None:
    """Raise Damaged unless all files are those that the manifest describes."""
    for name in needed:
        if name not in manifest.files:
            raise Damaged(f"{folder / MANIFEST} does not name {name}, which is needed")
    for name, measures in manifest.files.items():
        check_inside(folder, name)
        verify_file(folder / name, measures)

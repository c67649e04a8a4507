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
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path, PurePosixPath, PureWindowsPath

from ir_datasets_ext.store.atomic_files import (
    ensure_writable,
    flush,
    flush_tree,
    new_file,
    temporary,
)
from ir_datasets_ext.store.disk import (
    ELSEWHERE,
    NoPlainFile,
    check_plain,
    file_hash,
    writing,
)
from ir_datasets_ext.store.fingerprint import fingerprint
from ir_datasets_ext.store.segment import Damaged, foot_of
from ir_datasets_ext.typed_records import Json

MANIFEST = "manifest.json"
LARGEST_MANIFEST, MOST_FILES = 1 << 24, 100_000  # bytes; files that a manifest names
CHECKED = ".entries"  #: files of this ending check their content as they are read
#: how a file is measured, the fastest first
MEASURES: dict[str, Callable[[Path], object]] = {
    "bytes": lambda path: path.stat().st_size,
    "end": foot_of,
    "sha256": lambda path: file_hash(path, "sha256"),
}
TRIES = 10  # while other processes replace the folder that is read
About = dict[str, Json]


@dataclass(frozen=True)
class Manifest:
    """The content of a manifest; files: by name, what `measure` returned for it."""

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
    ensure_writable(path.parent, ELSEWHERE)
    with writing(path.parent, ELSEWHERE), temporary(path, folder=True) as new:
        yield new
        describe(new, about)
        flush_tree(new)  # may take long, so before the old folder goes
        try:
            if replace:
                _replace_folder(new, path)
            else:
                os.rename(new, path)
        except OSError:
            if not replace:
                check_free(path)  # another process was faster
            raise
        flush(path.parent)


def _replace_folder(new: Path, path: Path) -> None:
    """Rename `new` to `path`; an existing folder, or a file there, is removed."""
    with temporary(path, folder=True) as removed_at_the_end:
        if os.path.lexists(path):
            os.rename(path, removed_at_the_end / path.name)
        os.rename(new, path)


def check_free(path: str | Path) -> Path:
    """Return `path`; raise FileExistsError if it exists."""
    if os.path.lexists(path):
        raise FileExistsError(f"{path} exists: remove it, or choose another name.")
    return Path(path)


def describe(folder: Path, about: About, files: Iterable[Path] | None = None) -> None:
    """Write the manifest of `files` in `folder`; by default of all files in it."""
    paths = folder.rglob("*") if files is None else files
    names = sorted(path.relative_to(folder).as_posix() for path in paths if path.is_file())
    for name in names:
        check_name_inside(name)
        check_inside(folder, name)
    measures = {name: measure(folder / name) for name in names if name != MANIFEST}

    about = json.loads(json.dumps(about))  # as it will be read: keys are texts
    digest = fingerprint([about, measures])
    with new_file(folder / MANIFEST, follow=False) as file:
        json.dump({"about": about, "files": measures, "digest": digest}, file, indent=1)


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
    for _ in range(TRIES):
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


def digest_of(path: str | Path) -> str:
    """Return a digest of a folder's files, taken from its manifest; see `read_folder`."""
    return fingerprint(_read_manifest(path).files)


def _read_manifest(folder: str | Path) -> Manifest:
    """Return a folder's manifest, which names plain paths inside; for errors see `read_folder`."""
    path = Path(folder, MANIFEST)
    try:
        check_plain(path)
        if path.stat().st_size > LARGEST_MANIFEST:
            raise ValueError(f"it has more than {LARGEST_MANIFEST} bytes")
        content = json.loads(path.read_bytes())
        about, files = content["about"], content["files"]
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
    except NotADirectoryError:
        raise Damaged(f"{folder} is damaged: it is a file, not a folder") from None
    except NoPlainFile as error:
        raise Damaged(f"{path} is damaged: {error.strerror}") from None
    except (ValueError, KeyError, TypeError, RecursionError) as error:
        raise Damaged(f"{path} is damaged: {type(error).__name__} {error}") from None
    return Manifest(about, files)


def _check_files(folder: Path, manifest: Manifest, needed: Iterable[str]) -> None:
    """Raise Damaged unless all files are those that the manifest describes."""
    for name in needed:
        if name not in manifest.files:
            raise Damaged(f"{folder / MANIFEST} does not name {name}, which is needed")
    for name, measures in manifest.files.items():
        check_inside(folder, name)
        verify(folder / name, measures)


def check_name_inside(name: str) -> None:
    """Raise ValueError unless `name` is a plain path below a folder, as ``inner/a.txt``."""
    path = PurePosixPath(name)
    is_plain = (
        str(path) == name
        and name != "."
        and "\\" not in name
        and "\0" not in name
        and ".." not in path.parts
        and not path.is_absolute()
        and not PureWindowsPath(name).drive
    )
    if not is_plain:
        raise ValueError(f"{name!r} is no path of a file inside the folder")


def check_inside(folder: Path, name: str) -> None:
    """Raise Damaged if a link leads from ``folder / name`` out of the folder."""
    real_path = Path(os.path.realpath(folder / name))
    if not real_path.is_relative_to(os.path.realpath(folder)):
        raise Damaged(
            f"{folder / name} is a link that leads out of {folder}. Put the file itself there, as "
            "`cp -rL` copies it"
        )


def claim(folder: Path, about: About, remarks: Sequence[str] = ()) -> None:
    """Make `folder` that of `about`: write its manifest, or compare with the existing one.

    folder: made if it is missing. about: dict of JSON's types.
    remarks: names of entries that the error shows but that are not compared.

    Raises ValueError if its manifest differs, which the error shows, or is damaged.
    """
    about = json.loads(json.dumps(about))  # tuples as lists, as they are read
    try:
        known = read_folder(folder)
    except FileNotFoundError:
        folder.mkdir(parents=True, exist_ok=True)
        describe(folder, about, files=())
        return
    except Damaged as error:
        raise Damaged(f"{error}. Remove {folder}, or restore it from a copy.") from None

    different = [name for name in {**known, **about} if known.get(name) != about.get(name)]
    if set(different) - set(remarks):
        shown = [f"{name} {known.get(name)!r}, not {about.get(name)!r}" for name in different]
        raise ValueError(
            f"{folder} is of something else: {'; '.join(shown)}. Pass another folder or the same "
            "settings, or remove this one."
        )


def measure(path: Path) -> About:
    """Return size and digest of a file, see `verify`."""
    digest = "end" if path.suffix == CHECKED else "sha256"
    return {name: MEASURES[name](path) for name in ("bytes", digest)}


def verify(path: Path, expected: Mapping[str, object], remedy: str = "") -> None:
    """Raise Damaged, with the remedy, unless a file is as `measure` described it.

    expected: by name of the measure; None if it is unknown. A folder, a device or a pipe in the
        file's place is damage, too.
    """
    end = f". {remedy}" if remedy else ""
    try:
        check_plain(path)
        for name, measure_file in MEASURES.items():
            if expected.get(name) is None:
                continue
            actual = measure_file(path)
            if actual != expected[name]:
                raise Damaged(
                    f"{path} is damaged or was edited: expected {name} {expected[name]}, got "
                    f"{actual}{end}"
                )
    except OSError as error:
        raise Damaged(f"{path} cannot be read: {error.strerror}{end}") from None

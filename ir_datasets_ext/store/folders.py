"""Folders of files that are written once, with a manifest that names them all."""

import json
import os
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, nullcontext
from pathlib import Path

from ir_datasets_ext.records import Json
from ir_datasets_ext.store.disk import ELSEWHERE, file_hash, writing
from ir_datasets_ext.store.files import ensure_writable, new_file, settle, temporary
from ir_datasets_ext.store.fingerprint import fingerprint
from ir_datasets_ext.store.segment import Damaged, foot_of

MANIFEST = "manifest.json"
CHECKED = ".entries"  #: files of this ending check their content as they are read
#: how a file is measured
MEASURES: dict[str, Callable[[Path], object]] = {
    "bytes": lambda path: path.stat().st_size,
    "sha256": lambda path: file_hash(path, "sha256"),
    "end": foot_of,
}
About = dict[str, Json]


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
        try:
            with temporary(path, folder=True) if replace else nullcontext() as old:
                if old and path.exists():
                    os.rename(path, old / path.name)
                settle(new, path)
        except OSError:
            if not replace:
                check_free(path)  # another process was faster
            raise


def check_free(path: str | Path) -> Path:
    """Return `path`; raise FileExistsError if it exists."""
    if Path(path).exists():
        raise FileExistsError(f"{path} exists: remove it, or choose another name.")
    return Path(path)


def describe(folder: Path, about: About, files: Iterable[Path] | None = None) -> None:
    """Write the manifest of `files` in `folder`; by default of all files in it."""
    paths = folder.rglob("*") if files is None else files
    names = sorted(path.relative_to(folder).as_posix() for path in paths if path.is_file())
    measures = {name: measured(folder / name) for name in names if name != MANIFEST}
    about = json.loads(json.dumps(about))  # as it will be read: keys are texts
    with new_file(folder / MANIFEST) as file:
        manifest = {"about": about, "files": measures, "digest": fingerprint([about, measures])}
        json.dump(manifest, file, indent=1)


def read_folder(path: str | Path) -> About:
    """Return the `about` that `path` was written with, after checking all its files.

    Contents are compared once per process, until a file's time of change differs. Raises
    FileNotFoundError if the folder or its manifest is missing, Damaged if a file is missing or has
    changed, and names it.
    """
    about, files = _manifest(path)
    for name, expected in files.items():
        verify(Path(path, name), expected)
    return about


def digest_of(path: str | Path) -> str:
    """Return a digest of a folder's files, taken from its manifest; see `read_folder`."""
    return fingerprint(_manifest(path)[1])


def _manifest(path: str | Path) -> tuple[About, dict[str, About]]:
    manifest = Path(path, MANIFEST)
    try:
        content = json.loads(manifest.read_bytes())
        about, files = content["about"], content["files"]
        if {type(about), type(files)} != {dict} or content["digest"] != fingerprint([about, files]):
            raise ValueError("it is not what was written")
    except (ValueError, KeyError, TypeError, RecursionError) as error:
        raise Damaged(f"{manifest} is damaged: {type(error).__name__} {error}") from None
    return about, files


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
    other = [name for name in {**known, **about} if known.get(name) != about.get(name)]
    if set(other) - set(remarks):
        shown = "; ".join(f"{one} {known.get(one)!r}, not {about.get(one)!r}" for one in other)
        raise ValueError(
            f"{folder} is of something else: {shown}. Pass another folder or the same settings, or "
            "remove this one."
        )


def measured(path: Path) -> About:
    """Return size and digest of a file, see `verify`."""
    names = ("bytes", "end" if path.suffix == CHECKED else "sha256")
    return {name: MEASURES[name](path) for name in names}


def verify(path: Path, expected: Mapping[str, object], remedy: str = "") -> None:
    """Raise Damaged, with the remedy, unless a file is as it was `measured`; None is unknown."""
    remedy = remedy and f". {remedy}"
    for name, known in expected.items():
        try:
            actual = known if known is None and path.is_file() else MEASURES[name](path)
        except OSError as error:
            raise Damaged(f"{path} cannot be read: {error.strerror}{remedy}") from None
        if actual != known:
            raise Damaged(
                f"{path} is damaged or was edited: expected {name} {known}, got {actual}{remedy}"
            )

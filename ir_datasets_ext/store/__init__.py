"""Everything that is kept on disk: entries, folders and single files; no other module writes.

A file or folder exists as a whole or not at all, even if a process is killed or the disk is full.
It is checked when it is read. Damage is an error that names the file, or leads to a warning and a
rebuild, never to a wrong result. Nothing is pickled. `built` puts all of it together.
"""

from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from pathlib import Path

from ir_datasets_ext.records import read_json
from ir_datasets_ext.store.disk import Origin, file_hash, locked, say_once, stamp, writing
from ir_datasets_ext.store.entries import Entries
from ir_datasets_ext.store.files import ensure_writable, new_file, sweep
from ir_datasets_ext.store.fingerprint import Unidentified, fingerprint
from ir_datasets_ext.store.folders import (
    About,
    check_free,
    claim,
    describe,
    digest_of,
    new_folder,
    read_folder,
)
from ir_datasets_ext.store.segment import Damaged, Segment, write_entries

__all__ = [
    "Damaged",
    "Entries",
    "Segment",
    "Unidentified",
    "built",
    "check_free",
    "claim",
    "digest_of",
    "fingerprint",
    "new_file",
    "new_folder",
    "read_folder",
    "read_json",
    "say_once",
    "write_entries",
]


def built(path: Path, sources: Sequence[Origin], make: Callable[[Path], None], recipe: str) -> Path:
    """Return `path`, a folder that ``make(folder)`` builds from `sources`.

    Its manifest has each source's name, size, time of change and sha256, the warnings about them,
    and `recipe`: a string that changes with what `make` does. While sizes and times are unchanged,
    no source is hashed and nothing is written, so a read-only home serves. If only times differ,
    the hashes decide. Otherwise `make` writes a new folder, which replaces the old one. A damaged
    folder is rebuilt, with a warning. Processes that need the same folder wait for the one that
    builds it. A killed one leaves a temporary folder, which the next call removes.

    Raises OSError with the remedy if the folder must be built and cannot be written.
    """
    files = {source.name: source.path() for source in sources}  # a download locks the folder itself
    if not path.is_dir():
        ensure_writable(path.parent)
    about = _about(path, recipe)
    if not _unchanged(about, files):
        with locked(path.parent):
            about = _about(path, recipe)  # another process may have built it meanwhile
            if not _unchanged(about, files) and not _refreshed(path, about, files):
                about = _build(path, sources, files, make, recipe)
    sweep(path.parent)
    for remark in about["remarks"]:
        say_once(remark)
    return path


def _about(path: Path, recipe: str) -> About:
    """Return the manifest's content; {} if it is missing, damaged, or of another recipe."""
    try:
        about = read_folder(path)
    except FileNotFoundError:
        return {}
    except Damaged as error:
        say_once(f"{error}: {path} is built again")
        return {}
    return about if about.get("recipe") == recipe else {}


def _unchanged(about: About, files: Mapping[str, Path]) -> bool:
    return _stamps(files) == {
        name: (was["size"], was["mtime_ns"]) for name, was in about.get("sources", {}).items()
    }


def _stamps(files: Mapping[str, Path]) -> dict[str, tuple[int, int]]:
    return {name: stamp(file) for name, file in files.items()}


def _refreshed(path: Path, about: About, files: Mapping[str, Path]) -> bool:
    """Return whether the sources' contents are unchanged; then note their new times."""
    record, stamps = about.get("sources", {}), _stamps(files)
    sizes = {name: size for name, (size, _) in stamps.items()}
    if sizes != {name: was["size"] for name, was in record.items()}:
        return False
    now = {name: _described(files[name], known) for name, known in stamps.items()}
    if any(now[name]["sha256"] != was["sha256"] for name, was in record.items()):
        return False
    with suppress(OSError):  # a read-only home: the hashes are compared again next time
        describe(path, {**about, "sources": now})
    return True


def _build(
    path: Path,
    sources: Sequence[Origin],
    files: Mapping[str, Path],
    make: Callable[[Path], None],
    recipe: str,
) -> About:
    # before they are read: a file replaced meanwhile then differs, and the next call builds again
    stamps = _stamps(files)
    about: About = {"recipe": recipe}
    try:
        with writing(path.parent), new_folder(path, about, replace=True) as new:
            with ThreadPoolExecutor(1) as aside:  # hashes large files on another core
                checks = [aside.submit(source.check) for source in sources]
                described = [aside.submit(_described, files[name], stamps[name]) for name in files]
                make(new)
            about["remarks"] = list(filter(None, (check.result() for check in checks)))
            about["sources"] = {name: one.result() for name, one in zip(files, described)}
    except OSError:  # without locks, another process may have been faster
        about = _about(path, recipe)
        if not _unchanged(about, files):
            raise
    return about


def _described(file: Path, known: tuple[int, int]) -> About:
    """Return a file's known size and time, and its sha256: "" if it has been replaced since."""
    sha256 = file_hash(file, "sha256")
    return {
        "size": known[0],
        "mtime_ns": known[1],
        "sha256": sha256 if stamp(file) == known else "",  # which equals no hash
    }

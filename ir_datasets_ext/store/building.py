"""Folders that are built once from their sources, and again when these change.

::

    def write_words(folder):
        (folder / "words.txt").write_text(...)  # from the sources

    folder = ensure_built(Path("words"), [source], write_words, recipe="1")
"""

from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from pathlib import Path

from ir_datasets_ext.store.atomic_files import ensure_writable, sweep
from ir_datasets_ext.store.folders import About, new_folder, read_folder, write_manifest
from ir_datasets_ext.store.hashes import file_hash
from ir_datasets_ext.store.locks import locked
from ir_datasets_ext.store.origin import Origin
from ir_datasets_ext.store.plain_files import Identity, identity_of, size_and_mtime
from ir_datasets_ext.store.segment import Damaged
from ir_datasets_ext.store.warn_once import warn_once
from ir_datasets_ext.store.write_errors import explain_write_errors

Make = Callable[[Path], None]  # builds into an empty folder


def ensure_built(path: Path, sources: Sequence[Origin], make: Make, recipe: str) -> Path:
    """Return `path`, a folder that ``make(folder)`` builds from `sources`; it is up to date.

    It is built if it is missing or damaged (with a warning), if a source has another content, or
    if it has another `recipe`: a string that changes with what `make` does. The new folder replaces
    the old one.

    The folder's manifest has `recipe`, the remarks about the sources, and of each its name, size,
    time of change and sha256. While sizes and times are the same, no source is hashed and nothing
    is written, so a read-only home serves. If only times differ, as in a copied home, the hashes
    decide.

    Processes that need the same folder wait for the one that builds it. A killed one leaves a
    temporary folder, which the next call removes.

    Raises OSError with the remedy if the folder must be built and cannot be written.
    """
    # before the lock below: a missing file is downloaded, and the download takes a lock itself
    files = {source.name: source.path() for source in sources}
    if not path.is_dir():
        ensure_writable(path.parent)

    about = _read_about(path, recipe)
    is_up_to_date = _has_recorded_times(about, files)
    if not is_up_to_date:
        # one process at a time; those that waited find the folder built, and only read it
        with locked(path.parent):
            about = _refresh_or_build(path, files, sources, make, recipe)
    sweep(path.parent)

    _repeat_remarks(about, files)
    return path


def _repeat_remarks(about: About, files: Mapping[str, Path]) -> None:
    """Warn again, once in each process, of what was found when the sources were checked."""
    for name, file in files.items():
        remark = about["remarks"].get(name)
        if remark:  # without a path, because the home may have been moved
            warn_once(f"{file} {remark}")


def _read_about(path: Path, recipe: str) -> About:
    """Return the manifest's content; {} if it is missing, damaged, or of another recipe."""
    try:
        about = read_folder(path)
    except FileNotFoundError:
        return {}
    except Damaged as error:
        warn_once(f"{error}: {path} is built again")
        return {}
    return about if about.get("recipe") == recipe else {}


def _has_recorded_times(about: About, files: Mapping[str, Path]) -> bool:
    """Return whether all sources have the sizes and times that the folder was built from."""
    recorded_sources = about.get("sources", {})
    recorded_times = {
        name: (source["size"], source["mtime_ns"]) for name, source in recorded_sources.items()
    }
    present_times = {name: size_and_mtime(file) for name, file in files.items()}
    return present_times == recorded_times


def _refresh_or_build(
    path: Path, files: Mapping[str, Path], sources: Sequence[Origin], make: Make, recipe: str
) -> About:
    """Make the folder current in the cheapest way, and return its manifest's content.

    The caller holds the lock.
    """
    about = _read_about(path, recipe)
    if _has_recorded_times(about, files):  # another process has built it while we waited
        return about

    present_sources = _describe_unchanged(about, files)
    if present_sources is None:
        return _build(path, files, sources, make, recipe)

    with suppress(OSError):  # a read-only home: the hashes are compared again next time
        write_manifest(path, {**about, "sources": present_sources})
    return about


def _describe_unchanged(about: About, files: Mapping[str, Path]) -> About | None:
    """Return the sources' present descriptions if only times differ from the manifest's.

    Returns None if a content has changed.
    """
    recorded_sources = about.get("sources", {})
    identities = {name: identity_of(file) for name, file in files.items()}

    # sizes first, which need no hashing
    recorded_sizes = {name: source["size"] for name, source in recorded_sources.items()}
    present_sizes = {name: identity.size for name, identity in identities.items()}
    if present_sizes != recorded_sizes:
        return None

    present_sources = {
        name: _describe_source(file, identities[name]) for name, file in files.items()
    }
    recorded_hashes = {name: source["sha256"] for name, source in recorded_sources.items()}
    present_hashes = {name: source["sha256"] for name, source in present_sources.items()}
    return present_sources if present_hashes == recorded_hashes else None


def _build(
    path: Path, files: Mapping[str, Path], sources: Sequence[Origin], make: Make, recipe: str
) -> About:
    """Build the folder from its sources, and return its manifest's content.

    files: the sources' paths, by name.
    """
    # before anything is read, so that a file replaced meanwhile is noticed
    identities = {name: identity_of(file) for name, file in files.items()}
    about: About = {"recipe": recipe}
    try:
        with (
            explain_write_errors(path.parent),
            new_folder(path, about, replace=True) as folder,
        ):
            # large files are hashed on another core while the folder is written
            with ThreadPoolExecutor(1) as another_core:
                job = another_core.submit(_describe_sources, sources, files, identities)
                make(folder)
            # `new_folder` writes `about` into the manifest when its block ends
            about.update(job.result())
    except OSError:
        # where locks do not work, another process may have built the folder meanwhile
        about = _read_about(path, recipe)
        if not _has_recorded_times(about, files):
            raise
    return about


def _describe_sources(
    sources: Sequence[Origin], files: Mapping[str, Path], identities: Mapping[str, Identity]
) -> About:
    """Check and hash the sources; return the manifest's `remarks` and `sources`, by name.

    identities: of the files, before they were read.
    """
    remarks = {source.name: source.check() for source in sources}
    descriptions = {name: _describe_source(file, identities[name]) for name, file in files.items()}
    return {"remarks": remarks, "sources": descriptions}


def _describe_source(file: Path, before: Identity) -> About:
    """Return a source's size, time of change and sha256.

    before: its identity before it was read. If it was replaced since, nobody knows what was read.
        Then the description fits no file, and the next call builds again.
    """
    sha256 = file_hash(file, "sha256")
    if identity_of(file) != before:
        return {"size": before.size, "mtime_ns": None, "sha256": ""}
    return {"size": before.size, "mtime_ns": before.mtime_ns, "sha256": sha256}

"""Folders built once from other files, and built again when those change."""

from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress

from ir_datasets_ext.store.files import (
    ensure_writable,
    file_hash,
    locked,
    say_once,
    stamp,
    sweep,
)
from ir_datasets_ext.store.files import writing as room
from ir_datasets_ext.store.folders import describe, new_folder, read_folder
from ir_datasets_ext.store.segment import Damaged


def built(path, sources, make, recipe):
    """Return `path`, a folder that holds what ``make(folder)`` builds from `sources`.

    Its manifest keeps each source's name, size, time of change and sha256, what was remarked on it,
    and `recipe`: a string that changes with what `make` does. While sizes and times are as
    recorded, no source is hashed and nothing is written, so a home that cannot be written to
    serves. When times differ alone, the hashes decide; else `make` is called on a new folder, which
    then takes the old one's place. A damaged folder is built again, with a warning. Processes that
    want the same folder wait for the one that builds it; one that is killed leaves a temporary
    folder, which the next call removes.

    sources: objects with `name`, `path()` and `check()`, see `ir_datasets_ext.files.Source`.
    Raises OSError with the remedy when something is to be built and cannot be written.
    """
    files = {source.name: source.path() for source in sources}  # a download takes a lock itself
    folder = path.parent
    if not path.is_dir():
        ensure_writable(folder)
    about = _about(path, recipe)
    if not _unchanged(about, files):
        with locked(folder):
            about = _about(path, recipe)  # another process may have built it while we waited
            if not _unchanged(about, files) and not _refreshed(path, about, files):
                about = _build(path, sources, files, make, recipe)
    sweep(folder)
    for remark in about["remarks"]:
        say_once(remark)
    return path


def _unchanged(about, files):
    record = about.get("sources", {})
    return {name: (was["size"], was["mtime_ns"]) for name, was in record.items()} == {
        name: stamp(file) for name, file in files.items()
    }


def _refreshed(path, about, files):
    """Whether the sources hold what they held, for all their other times; these are noted then."""
    record, stamps = about.get("sources", {}), {name: stamp(file) for name, file in files.items()}
    sizes = {name: size for name, (size, _) in stamps.items()}
    if sizes != {name: was["size"] for name, was in record.items()}:
        return False
    now = _described(files, stamps)
    if any(now[name]["sha256"] != was["sha256"] for name, was in record.items()):
        return False
    with suppress(OSError):  # in a home that cannot be written to, hashes are compared next time
        describe(path, {**about, "sources": now})
    return True


def _build(path, sources, files, make, recipe):
    ensure_writable(path.parent)
    # as they are before they are read: a file replaced meanwhile differs from the record then, and
    # the next call builds again
    stamps = {name: stamp(file) for name, file in files.items()}
    about = {"recipe": recipe}
    try:
        with room(path.parent), new_folder(path, about, replace=True) as new:
            with ThreadPoolExecutor(1) as aside:  # hashing large files can have a core of its own
                checks = [aside.submit(source.check) for source in sources]
                described = aside.submit(_described, files, stamps)
                make(new)
            about["remarks"] = list(filter(None, (check.result() for check in checks)))
            about["sources"] = described.result()
    except OSError:  # without locks, another process may have been quicker
        if not _unchanged(_about(path, recipe), files):
            raise
    return about


def _described(files, stamps):
    described = {}
    for name, (size, mtime_ns) in stamps.items():
        sha256 = file_hash(files[name], "sha256")
        if stamp(files[name]) != (size, mtime_ns):
            sha256 = ""  # of another content, or of neither: equal to none
        described[name] = {"size": size, "mtime_ns": mtime_ns, "sha256": sha256}
    return described


def _about(path, recipe):
    """What the manifest says; {} if it is not built, or damaged, or by another version."""
    try:
        about = read_folder(path)
    except FileNotFoundError:
        return {}
    except Damaged as error:
        say_once(f"{error}: {path} is built again")
        return {}
    return about if about.get("recipe") == recipe else {}

"""Folders built once from a release's files, and built anew when those files change."""

import json
import os
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress

from ir_datasets_ext._files import (
    ensure_writable,
    file_hash,
    locked,
    stamp,
    sweep,
    temporary,
    tidy,
    writing,
)

RECORD = "sources.json"


def built(path, sources, make, recipe):
    """Return `path`, a folder that holds what ``make(folder)`` builds from `sources`.

    A record in it keeps each source's name, size, time of change and sha256, and `recipe`: a
    string that changes with what `make` does. While sizes and times are as recorded, nothing is
    hashed or written, so a home that cannot be written to serves. When times differ alone, the
    hashes decide; else `make` is called on a new folder, which then takes the old one's place.
    Processes that want the same folder wait for the one that builds it; one that is killed leaves
    a temporary folder, which the next call removes.

    sources: objects with `name`, `path()` and `check()`, see `_download.Source`.
    Raises OSError with the remedy when something is to be built and cannot be written.
    """
    files = {source.name: source.path() for source in sources}  # a download takes the lock itself
    folder = path.parent
    if not path.is_dir():
        ensure_writable(folder)
    if not _unchanged(path, files, recipe):
        with locked(folder) as held:
            if held:
                sweep(folder)
            # another process may have built it while we waited
            if not _unchanged(path, files, recipe) and not _refreshed(path, files, recipe):
                _build(path, sources, files, make, recipe)
    else:
        tidy(folder)
    return path


def _unchanged(path, files, recipe):
    record = _read(path, recipe)
    return {name: (was["size"], was["mtime_ns"]) for name, was in record.items()} == {
        name: stamp(file) for name, file in files.items()
    }


def _refreshed(path, files, recipe):
    """Whether the sources hold what they held, for all their other times; these are noted then."""
    record = _read(path, recipe)
    sizes = {name: was["size"] for name, was in record.items()}
    if sizes != {name: stamp(file)[0] for name, file in files.items()}:
        return False
    now = _describe(files, {name: stamp(file) for name, file in files.items()})
    if any(now[name]["sha256"] != was["sha256"] for name, was in record.items()):
        return False
    # in a home that cannot be written to, the hashes are compared next time again
    with suppress(OSError), temporary(path) as new:
        _write(new, now, recipe)
        os.replace(new, path / RECORD)
    return True


def _build(path, sources, files, make, recipe):
    ensure_writable(path.parent)
    # as they are before they are read: a file replaced meanwhile differs from the record then, and
    # the next call builds again
    stamps = {name: stamp(file) for name, file in files.items()}
    with writing(path.parent), temporary(path) as new, temporary(path) as old:
        new.mkdir()
        with ThreadPoolExecutor(1) as aside:  # hashing large files can have a core of its own
            checks = [aside.submit(source.check) for source in sources]
            described = aside.submit(_describe, files, stamps)
            make(new)
        for check in checks:
            check.result()
        _write(new / RECORD, described.result(), recipe)
        if path.exists():
            os.rename(path, old)
        try:
            os.rename(new, path)
        except OSError:  # without locks, another process may have been quicker
            if not _unchanged(path, files, recipe):
                raise


def _describe(files, stamps):
    described = {}
    for name, (size, mtime_ns) in stamps.items():
        sha256 = file_hash(files[name], "sha256")
        if stamp(files[name]) != (size, mtime_ns):
            sha256 = ""  # of another content, or of neither: equal to none
        described[name] = {"size": size, "mtime_ns": mtime_ns, "sha256": sha256}
    return described


def _write(file, described, recipe):
    file.write_text(json.dumps({"recipe": recipe, "sources": described}, indent=1))


def _read(path, recipe):
    try:
        record = json.loads((path / RECORD).read_text())
    except (OSError, ValueError):
        return {}  # not built, or by other hands
    return record["sources"] if record.get("recipe") == recipe else {}

"""Runs in a folder, so that a table that was interrupted goes on where it was.

Conventions: files are as `pt.Experiment` writes and reads them with `save_dir`,
``<name>.res.gz``, where the name has a hash of the system and its data behind it: a system that
was changed is another file. A file gets its name when it is whole.
"""

import logging
import os
import re
import warnings
from pathlib import Path
from time import perf_counter

import pyterrier as pt

from ir_datasets_ext.store.files import ensure_writable, locked, sweep, temporary

from ..encoders.described import Unidentified, described
from .identities import fingerprint

REMEDY = "Runs are kept there: give a save_dir that you can write to."

_log = logging.getLogger("pyterrier_scholarly")


def run_of(name, system, topics, data=None, folder=None):
    """Rank the topics, or read what the same system ranked before.

    Args:
        name: of the system, for people.
        system: a transformer.
        topics: frame with `qid` and `query`.
        data: a string that differs where the data do; for a folder alone.
        folder: of the runs; None to keep none.

    Returns:
        Frame with `qid`, `docno`, `score`, `rank`; with a folder, what stands in the file.

    Raises:
        ValueError: the system finds nothing.
        OSError: something is to be run, and its run could not be written.
    """
    path = None if folder is None else _path(name, system, f"{data} {described(topics)}", folder)
    if path is None:
        return _ranked(name, system, topics)
    if (run := _read(path)) is not None:
        _log.info("%s: taken from %s", name, path)
        return run
    ensure_writable(path.parent, REMEDY)  # before the work, not after
    run = _ranked(name, system, topics)
    try:
        _write(run, path)
    except OSError as error:
        warnings.warn(f"the run of {name} could not be kept: {error}", stacklevel=4)
        return run
    return _read(path)


def _path(name, system, data, folder):
    try:
        found = fingerprint(system, data)
    except Unidentified as error:
        warnings.warn(
            f"{name} is run again each time, for it has a part that does not say what it is: "
            f"{error}. To keep its run, rank with it once and give the results in its place.",
            stacklevel=5,
        )
        return None
    return Path(folder) / f"{re.sub(r'[^A-Za-z0-9._-]+', '_', name)[:80]}.{found}.res.gz"


def _ranked(name, system, topics):
    start = perf_counter()
    run = system(topics)
    if not len(run):
        raise ValueError(f"{name} finds nothing for any of {len(topics)} queries")
    _log.info("%s: ranked %d queries in %.1f s", name, len(topics), perf_counter() - start)
    return run[["qid", "docno", "score", "rank"]]


def _read(path):
    """The run in a file; None if there is none, or (with a warning) it cannot be read."""
    if not path.exists():
        return None
    try:
        if len(run := pt.io.read_results(str(path))):
            return run
        reason = "it is empty"
    except (EOFError, OSError, ValueError) as error:
        reason = error
    warnings.warn(f"{path} is damaged ({reason}): the system is run again", stacklevel=5)
    return None


def _write(run, path):
    with locked(path.parent) as held:
        if held:
            sweep(path.parent)  # what a process that was killed while it wrote has left
        with temporary(path) as new:
            new.mkdir()
            pt.io.write_results(run, str(new / path.name))  # which compresses by the name's end
            os.replace(new / path.name, path)

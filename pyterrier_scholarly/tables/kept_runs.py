"""Runs in a folder, so that a table that was interrupted goes on where it was.

They are entries under a hash of the system and its data: a system that was changed is another.
"""

import json
import logging
import warnings
import zlib
from importlib.metadata import PackageNotFoundError, version
from time import perf_counter

import pandas as pd

from ir_datasets_ext.store import Entries, Unidentified, fingerprint

COLUMNS = ["qid", "docno", "score", "rank"]
LOST = "The systems of the others are run again."
REMEDY = "Runs are kept there: give a save_dir that you can write to."

_log = logging.getLogger("pyterrier_scholarly")


def run_of(name, system, topics, data=None, folder=None):
    """Rank the topics, or read what the same system ranked before.

    Args:
        name: of the system, for people.
        system: a transformer.
        topics: frame with `qid` and `query`.
        data: a value that differs where the data do; for a folder alone.
        folder: of the runs; None to keep none.

    Returns:
        Frame with `qid`, `docno`, `score`, `rank`.

    Raises:
        ValueError: the system finds nothing.
        OSError: something is to be run, and its run could not be written.
    """
    key = None if folder is None else _key(name, system, [data, topics])
    if key is None:
        return _ranked(name, system, topics)
    runs = Entries(folder, lost=LOST, remedy=REMEDY)
    for held in runs.get_many([key]).values():
        _log.info("%s: taken from %s", name, folder)
        return pd.DataFrame(json.loads(zlib.decompress(held)))
    runs.ensure_writable()  # before the work, not after
    run = _ranked(name, system, topics)
    try:
        runs.put_many({key: _held(run)})
    except OSError as error:
        warnings.warn(f"the run of {name} could not be kept: {error}", stacklevel=4)
    return run


def key_of(system, data) -> str:
    """The key of a system's run over `data`: also of this package's version.

    Raises:
        Unidentified: see `fingerprint`.
    """
    try:
        release = version("pyterrier-scholarly")
    except PackageNotFoundError:  # run from a folder of sources
        release = ""
    return fingerprint([system, data, release])


def _key(name, system, data):
    try:
        return key_of(system, data).encode()
    except Unidentified as error:
        warnings.warn(
            f"{name} is run again each time, for a part of it does not say what it is: {error} "
            "Or rank with it once and give the results in its place.",
            stacklevel=5,
        )
        return None


def _held(run):
    columns = {name: run[name].tolist() for name in COLUMNS}
    return zlib.compress(json.dumps(columns, separators=(",", ":")).encode(), 1)


def _ranked(name, system, topics):
    start = perf_counter()
    run = system(topics)
    if not len(run):
        raise ValueError(f"{name} finds nothing for any of {len(topics)} queries")
    _log.info("%s: ranked %d queries in %.1f s", name, len(topics), perf_counter() - start)
    return run[COLUMNS].reset_index(drop=True)

"""The files in the folder of a `VectorCache`: how large, how old, which of them go."""

import time
from contextlib import suppress

import numpy as np

from ._segment import ENDING, TEMPORARY, Damaged, opened

SMALL, MANY = 2**20, 32  # files below so many bytes are merged when there are so many
STALE = 3_600  # seconds after which a temporary file is one that a dead process left


def described(path, ending, folder="*"):
    """The files of that ending in the folders of `path`, each with its size and times."""
    for file in path.glob(f"{folder}/*{ending}"):
        with suppress(OSError):  # another process removed it
            yield file, file.stat()


def small(folder, d):
    """Small whole files of vectors (k, d), where there are many: from path to `Entries`."""
    there = described(folder.parent, ENDING, folder.name)
    found = [file for file, status in there if status.st_size < SMALL]
    if len(found) < MANY:
        return {}
    whole = {}
    for file in found:
        with suppress(Damaged, OSError):  # the next reader drops what is damaged
            entries = opened(file).entries()
            if entries.rows.shape[1] == d:
                whole[file] = entries
    return whole


def make_room(path, limit):
    """Remove what was used longest ago, beyond `limit` bytes, and what dead processes left."""
    files = sorted(described(path, ENDING), key=lambda file: -file[1].st_mtime_ns)
    sizes = [status.st_size for _, status in files]
    for (file, _), together in zip(files, np.cumsum(sizes)):
        if together > limit:
            remove(file)
    for file, status in described(path, TEMPORARY):
        if time.time() - status.st_mtime > STALE:
            remove(file)


def remove(file):
    """Remove a file, if it is there and can be."""
    with suppress(OSError):
        file.unlink()

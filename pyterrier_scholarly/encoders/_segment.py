"""Files of vectors that are written once: what `VectorCache` is made of.

Conventions: a *digest* is 16 bytes that stand for what was encoded; its first 8 are the *name*
under which vectors are found, all of it goes into their checksum, so that vectors of another name,
or changed on disk, are never taken for the right ones. Vectors are (k, d) float32 arrays.
"""

import os
import secrets
from functools import lru_cache
from hashlib import blake2b
from json.encoder import encode_basestring_ascii as quoted
from pathlib import Path
from typing import NamedTuple
from zlib import crc32

import numpy as np

ENDING = ".vectors"
TEMPORARY = ".tmp"
FLOAT = np.dtype("<f4")


class Damaged(Exception):
    """A file that does not hold what was written."""


class Entries(NamedTuple):
    """n arrays end to end.

    `names` (n,), `lengths` (n,) in rows, `checks` (n,), checksums, and all `rows` (m, d).
    """

    names: np.ndarray
    lengths: np.ndarray
    checks: np.ndarray
    rows: np.ndarray


class Segment(NamedTuple):
    """What a file holds: `names` (n,), sorted, `lengths` and `checks` as in Entries.

    The rows of entry i begin at the byte ``starts[i]``; each takes `width` bytes.
    """

    path: Path
    names: np.ndarray
    lengths: np.ndarray
    checks: np.ndarray
    starts: np.ndarray
    width: int

    def places(self, names):
        """Where `names` (m,) are: the entry's number or -1, each (m,)."""
        found = np.minimum(np.searchsorted(self.names, names), len(self.names) - 1)
        return np.where(self.names[found] == names, found, -1)

    def read(self, places, digests) -> list:
        """The arrays at `places`, read-only; Damaged if one is not what was written."""
        arrays = [None] * len(places)
        found = (self.lengths, self.starts, self.checks)
        lengths, starts, checks = (values[places].tolist() for values in found)
        d = self.width // FLOAT.itemsize
        with open(self.path, "rb", buffering=0) as file:
            for number in np.argsort(places).tolist():  # as they lie in the file
                file.seek(starts[number])
                held = file.read(lengths[number] * self.width)
                if crc32(held, crc32(digests[number])) != checks[number]:
                    raise Damaged(self.path)
                arrays[number] = np.frombuffer(held, FLOAT).reshape(lengths[number], d)
        return arrays

    def entries(self) -> Entries:
        """All that the file holds; checksums are carried over, not compared."""
        size = int(self.lengths.sum()) * self.width
        with open(self.path, "rb") as file:
            file.seek(self.starts[0])
            held = file.read(size)
        if len(held) != size:
            raise Damaged(self.path)
        rows = np.frombuffer(held, FLOAT).reshape(-1, self.width // FLOAT.itemsize)
        return Entries(self.names, self.lengths, self.checks, rows)


def digest_of(key) -> bytes:
    """Of a text or a tuple of texts, as JSON; `json.dumps` takes three times as long for it."""
    text = quoted(key) if isinstance(key, str) else f"[{', '.join(map(quoted, key))}]"
    return blake2b(text.encode(), digest_size=16).digest()


def names_of(digests):
    """The names (n,) of digests."""
    return np.frombuffer(b"".join(digests), dtype="<u8")[::2]


@lru_cache(maxsize=1_024)
def opened(path) -> Segment:
    """The segment in a file; a path stands for one content ever, so it is read once.

    Raises:
        Damaged: it cannot be read.
        FileNotFoundError: it is not there (any more).
    """
    try:
        with open(path, "rb") as file:
            names, lengths, checks, width = (np.load(file) for _ in range(4))
            starts = file.tell() + (np.cumsum(lengths) - lengths) * int(width)
            return Segment(path, names, lengths, checks, starts, int(width))
    except FileNotFoundError:
        raise
    except Exception as error:  # numpy raises whatever a damaged header leads to
        raise Damaged(path) from error


def entries_of(digests, arrays) -> Entries:
    """What is to be written, of n digests and n arrays (k, d)."""
    arrays = [np.ascontiguousarray(array, FLOAT) for array in arrays]
    checks = [crc32(array, crc32(digest)) for digest, array in zip(digests, arrays)]
    lengths = np.array([len(array) for array in arrays])
    return Entries(names_of(digests), lengths, np.array(checks, "<u4"), np.concatenate(arrays))


def write(folder, entries):
    """Write a list of Entries to one new file: under a temporary name first, then renamed.

    Raises:
        OSError: the disk is full, the folder cannot be written to; nothing is left then.
    """
    names, lengths, checks, rows = map(np.concatenate, zip(*entries))
    _, kept = np.unique(names, return_index=True)  # sorted, and what is there twice comes once
    starts = np.cumsum(lengths) - lengths
    taken = np.concatenate([np.arange(starts[n], starts[n] + lengths[n]) for n in kept])
    new = Path(folder, secrets.token_hex(8) + TEMPORARY)
    try:
        with open(new, "wb") as file:
            width = np.array(rows.shape[1] * FLOAT.itemsize)
            for part in (names[kept], lengths[kept], checks[kept], width):
                np.save(file, part)
            rows[taken].tofile(file)
        os.replace(new, new.with_suffix(ENDING))
    finally:
        new.unlink(missing_ok=True)

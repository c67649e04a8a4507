"""Vectors on disk, for later runs and other processes."""

import os
import struct
from contextlib import suppress
from dataclasses import dataclass
from hashlib import blake2b
from json.encoder import encode_basestring_ascii as quoted
from pathlib import Path

import numpy as np

from ir_datasets_ext.store import Entries, fingerprint, say_once

from ..settings import BySettings

LIMIT = 2**34  # bytes
WIDTH, FLOAT = struct.Struct("<I"), np.dtype("<f4")
LOST = "Vectors of the others are made again."


@dataclass(eq=False, repr=False)
class VectorCache(BySettings):
    """A folder of vectors, kept under what was encoded and the settings it was encoded with.

    Many processes may share one, see `ir_datasets_ext.store.Entries`; its owner alone may read it.
    Vectors that are damaged on disk are made again; on a full disk, or where the folder cannot be
    written to, the run goes on without. Of both one warning tells.

    Args:
        folder: None for $SCHOLARLY_CACHE, else ``pyterrier-scholarly`` in $XDG_CACHE_HOME, else in
            ``~/.cache``.
        limit: bytes; beyond it the files that were used longest ago go. A file has what was written
            together, up to some thousand vectors.
    """

    folder: str | os.PathLike | None = None
    limit: int = LIMIT

    @property
    def path(self) -> Path:
        """The folder."""
        return _default() if self.folder is None else Path(self.folder).expanduser()

    @property
    def bytes(self) -> int:
        """What the vectors take on disk."""
        return sum(status.st_size for _, status in self._files())

    def get_many(self, settings, keys) -> dict:
        """Those of `keys` whose vectors are here.

        Args:
            settings: dict of JSON's types that names all that changes vectors but the key.
            keys: what was encoded: texts, or tuples of texts.

        Returns:
            Dict from key to the (k, d) float32 array that `put_many` was given, read-only.
        """
        digests = {digest_of(key): key for key in keys}
        found = self._entries(settings).get_many(digests)
        return {digests[digest]: _array(value) for digest, value in found.items()}

    def put_many(self, settings, made):
        """Keep `made`, a dict from keys to (k, d) arrays of one d above 0; see `get_many`."""
        if not made:
            return
        try:
            self._entries(settings).put_many(
                {digest_of(key): _bytes(array) for key, array in made.items()}
            )
            self._make_room()
        except OSError as error:
            where = f"The cache of vectors in {self.path}"
            say_once(f"{where} cannot be written to ({error}): the run goes on without.", where)

    def clear(self):
        """Remove all vectors; what else is in the folder stays."""
        for folder in self.path.glob("*/"):
            Entries(folder).clear()

    def _make_room(self):
        """Remove what was used longest ago, beyond the limit."""
        files = sorted(self._files(), key=lambda file: -file[1].st_mtime_ns)
        for (file, _), together in zip(files, np.cumsum([status.st_size for _, status in files])):
            if together > self.limit:
                with suppress(OSError):  # another process was quicker
                    file.unlink()

    def _files(self):
        """All files of vectors, with their sizes and times."""
        for folder in self.path.glob("*/"):
            for file in Entries(folder).files():
                with suppress(OSError):
                    yield file, file.stat()

    def _entries(self, settings):
        return Entries(self.path / fingerprint(settings)[:32], private=True, lost=LOST)


def digest_of(key) -> bytes:
    """Of a text or a tuple of texts, as JSON; `json.dumps` takes three times as long for it."""
    text = quoted(key) if isinstance(key, str) else f"[{', '.join(map(quoted, key))}]"
    return blake2b(text.encode(), digest_size=16).digest()


def _bytes(array):
    return WIDTH.pack(array.shape[1]) + np.ascontiguousarray(array, FLOAT).tobytes()


def _array(held):
    return np.frombuffer(held, FLOAT, offset=WIDTH.size).reshape(-1, *WIDTH.unpack_from(held))


def as_cache(choice):
    """The VectorCache for what a user passes.

    Args:
        choice: None or False for none, True for the default folder, a folder, a VectorCache or
            another object with its methods `get_many` and `put_many`.
    """
    if choice is None or choice is False:
        return None
    if hasattr(choice, "get_many"):
        return choice
    return VectorCache(None if choice is True else choice)


def _default():
    home = os.environ.get("SCHOLARLY_CACHE")
    base = os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache"
    return Path(home) if home else Path(base, "pyterrier-scholarly")

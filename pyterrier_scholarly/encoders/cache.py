"""Keep embeddings on disk, for later runs and other processes.

For example::

    cache = VectorCache("my-cache", limit=10 * 2**30)
    SentenceTransformer("sentence-transformers/all-MiniLM-L6-v2", cache=cache)
"""

import os
import struct
from collections.abc import Collection, Iterable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass
from hashlib import blake2b
from json.encoder import encode_basestring_ascii as quoted
from pathlib import Path
from typing import Any, NamedTuple, TypeVar

import numpy as np

from ir_datasets_ext.store import Entries, fingerprint, warn_once

from ..arguments import FilePath, Natural
from ..settings import BySettings
from .cache_protocol import ArrayCache

DEFAULT_LIMIT = 2**34  # bytes
FORMAT = 2  # of the entries: those of other formats are not found
#: a value is the embeddings' width, then their numbers, row by row
WIDTH = struct.Struct("<I")
FLOAT = np.dtype("<f4")
VALUES_OF_CHUNK = 256  # that are checked at once
LOSS_BY_DAMAGE = "Its other embeddings are recomputed."

Text = TypeVar("Text", bound=str | tuple[str, ...])


@dataclass(eq=False, repr=False)
class VectorCache(BySettings):
    """A folder of embeddings, by the encoded text and the settings of its encoder.

    Many processes may share one (see `ir_datasets_ext.store.Entries`); only its owner may read it.
    Embeddings that are damaged on disk are recomputed. So are those of other settings, if a file
    with them is moved or copied here. If the disk is full or the folder is not writable, the run
    continues without the cache. Either warns once.

    Args:
        folder: default: $SCHOLARLY_CACHE, else ``pyterrier-scholarly`` in $XDG_CACHE_HOME, else in
            ``~/.cache``.
        limit: bytes; beyond it the least recently used files are removed. A file has the embeddings
            that were written together, up to some thousand.
    """

    folder: FilePath | None = None
    limit: Natural = DEFAULT_LIMIT

    @property
    def path(self) -> Path:
        """The folder."""
        folder = self.folder
        if folder is None:
            folder = os.environ.get("SCHOLARLY_CACHE") or None
        if folder is None:
            caches = os.environ.get("XDG_CACHE_HOME") or "~/.cache"
            folder = Path(caches, "pyterrier-scholarly")
        return Path(folder).expanduser()

    @property
    def bytes(self) -> int:
        """The embeddings' size on disk."""
        return sum(file.size for file in self._list_files())

    def get_many(self, settings: Mapping, keys: Iterable[Text]) -> dict[Text, np.ndarray]:
        """Return the arrays of those `keys` that are in the cache.

        Args:
            settings: dict of JSON's types with everything that changes embeddings, except the key.
            keys: the encoded texts, or tuples of texts.

        Returns:
            Dict from key to the (k, d) float32 array passed to `put_many`, read-only.
        """
        key_of_digest = {digest_of(key): key for key in keys}
        values = self._entries(settings).get_many(key_of_digest)
        return {key_of_digest[digest]: _read_array(value) for digest, value in values.items()}

    def put_many(self, settings: Mapping, arrays: Mapping[Text, np.ndarray]) -> None:
        """Keep a dict from keys to (k, d) arrays, d > 0 and the same for all; see `get_many`."""
        if not arrays:
            return
        try:
            values = {digest_of(key): _write_array(array) for key, array in arrays.items()}
            self._entries(settings).put_many(values)
            self._make_room()
        except OSError as error:
            where = f"Embedding cache {self.path}"
            warn_once(f"{where} is not writable ({error}); continuing without it.", where)

    def clear(self) -> None:
        """Remove all embeddings; other files in the folder stay."""
        for folder in self.path.glob("*/"):
            Entries(folder).clear()

    def _make_room(self) -> None:
        """Remove the least recently used files beyond the limit."""
        latest_first = sorted(self._list_files(), key=lambda file: file.used_at, reverse=True)
        total_size = 0
        for file in latest_first:
            total_size += file.size
            if total_size > self.limit:
                with suppress(OSError):  # another process was faster
                    file.path.unlink()

    def _list_files(self) -> Iterator["CacheFile"]:
        """Yield all files of embeddings."""
        for folder in self.path.glob("*/"):
            for path in Entries(folder).files():
                with suppress(OSError):  # another process removed it
                    status = path.stat()
                    yield CacheFile(path, size=status.st_size, used_at=status.st_mtime_ns)

    def _entries(self, settings: Mapping) -> Entries:
        """Return the stored entries of an encoder, in the folder of its settings.

        They are bound to the settings: a file moved here from another folder counts as damaged.
        """
        identity = fingerprint([FORMAT, settings])
        return Entries(
            self.path / identity[:32],  # enough to tell settings apart; the binding has all of it
            private=True,
            lost=LOSS_BY_DAMAGE,
            binding=bytes.fromhex(identity),
            are_values=_are_arrays,
        )


def as_cache(choice: Any) -> ArrayCache | None:
    """Return the cache for the argument `cache`, or None.

    Args:
        choice: None or False for none, True for the default folder, a folder, a VectorCache, or
            another object with its methods `get_many` and `put_many`.
    """
    if choice is None or choice is False:
        return None
    if hasattr(choice, "get_many"):
        return choice
    return VectorCache(None if choice is True else choice)


class CacheFile(NamedTuple):
    """A file with embeddings. size: in bytes. used_at: when it was used last, in nanoseconds."""

    path: Path
    size: int
    used_at: int


def digest_of(key: str | tuple[str, ...]) -> bytes:
    """Hash a text or a tuple of texts as JSON; `json.dumps` takes three times as long."""
    text = quoted(key) if isinstance(key, str) else f"[{', '.join(map(quoted, key))}]"
    return blake2b(text.encode(), digest_size=16).digest()


def _write_array(array: np.ndarray) -> bytes:
    """Return an array (k, d) as a value of the entries, see WIDTH."""
    return WIDTH.pack(array.shape[1]) + np.ascontiguousarray(array, FLOAT).tobytes()


def _read_array(value: bytes) -> np.ndarray:
    """Return the array (k, d) in a value, without a copy."""
    (width,) = WIDTH.unpack_from(value)
    return np.frombuffer(value, FLOAT, offset=WIDTH.size).reshape(-1, width)


def _are_arrays(values: Collection[bytes]) -> bool:
    """Return whether each value holds whole rows of finite numbers, whoever wrote it."""
    sizes = np.array([len(value) for value in values])
    if (sizes <= WIDTH.size).any():
        return False

    row_sizes = FLOAT.itemsize * np.array([WIDTH.unpack_from(value)[0] for value in values])
    if (row_sizes == 0).any() or ((sizes - WIDTH.size) % row_sizes).any():
        return False

    # Many values are checked as one array. The widths between their numbers do no harm: a width is
    # small, and a small integer read as a float is finite. Chunks that fit into the processor's
    # cache take a fifth of the time of all values at once.
    all_values = list(values)
    for start in range(0, len(all_values), VALUES_OF_CHUNK):
        chunk = b"".join(all_values[start : start + VALUES_OF_CHUNK])
        if not np.isfinite(np.frombuffer(chunk, FLOAT)).all():
            return False
    return True

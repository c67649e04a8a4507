"""Keep embeddings on disk, for later runs and other processes.

For example::

    cache = VectorCache("my-cache", limit=10 * 2**30)
    SentenceTransformer("sentence-transformers/all-MiniLM-L6-v2", cache=cache)
"""

import os
import struct
from collections.abc import Hashable, Iterable, Mapping
from contextlib import suppress
from dataclasses import dataclass
from hashlib import blake2b
from json.encoder import encode_basestring_ascii as quoted
from pathlib import Path
from typing import Any, Protocol, TypeVar

import numpy as np

from ir_datasets_ext.warn_once import warn_once

from ..arguments import FilePath, Natural
from ..entries import FILE, Entries
from ..fingerprint import fingerprint
from ..settings import BySettings

DEFAULT_LIMIT = 2**34  # bytes
FORMAT = 3  # of the entries: those of other formats are not found
#: a value is the embeddings' width, then their numbers, row by row
WIDTH = struct.Struct("<I")
FLOAT = np.dtype("<f4")
LOSS_BY_DAMAGE = "Damaged embeddings are recomputed."

Text = TypeVar("Text", bound=str | tuple[str, ...])


class ArrayCache(Hashable, Protocol):
    """What keeps arrays on disk: a `VectorCache`, or another object with its two methods."""

    def get_many(
        self, settings: Mapping[str, object], keys: Iterable[Text]
    ) -> dict[Text, np.ndarray]:
        """Return the arrays of those `keys` that were put under equal settings."""

    def put_many(self, settings: Mapping[str, object], arrays: Mapping[Text, np.ndarray]) -> None:
        """Keep arrays by key."""


@dataclass(eq=False, repr=False)
class VectorCache(BySettings):
    """A folder of embeddings, by the encoded text and the settings of its encoder.

    Many processes may share one (see `pyterrier_scholarly.entries.Entries`); only its owner may
    read it. Embeddings that are damaged on disk are recomputed. Those of other settings are never
    found, even if a file with them is moved or copied here. If the disk is full or the folder is
    not writable, the run continues without the cache. Either warns once.

    Args:
        folder: default: $SCHOLARLY_CACHE, else ``pyterrier-scholarly`` in $XDG_CACHE_HOME, else in
            ``~/.cache``.
        limit: bytes; beyond it the embeddings of encoders are removed that were not used for the
            longest time. Those of the encoder that writes stay, however many they are.
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
        return sum(_measure(file) for file in self._list_files())

    def get_many(self, settings: Mapping, keys: Iterable[Text]) -> dict[Text, np.ndarray]:
        """Return the arrays of those `keys` that are in the cache.

        Args:
            settings: dict of JSON's types with everything that changes embeddings, except the key.
            keys: the encoded texts, or tuples of texts.

        Returns:
            Dict from key to the (k, d) float32 array passed to `put_many`, read-only.
        """
        identity = fingerprint([FORMAT, settings])
        key_of_digest = {digest_of(key, identity): key for key in keys}
        entries = self._open(identity)
        try:
            values = entries.get_many(key_of_digest)
        except OSError as error:
            self._warn(f"readable ({error})")
            return {}

        if values:
            with suppress(OSError):  # a file of another user
                os.utime(entries.path)  # says when it was used
        return {key_of_digest[digest]: _read_array(value) for digest, value in values.items()}

    def put_many(self, settings: Mapping, arrays: Mapping[Text, np.ndarray]) -> None:
        """Keep a dict from keys to (k, d) arrays, d > 0 and the same for all; see `get_many`."""
        if not arrays:
            return
        identity = fingerprint([FORMAT, settings])
        values = {digest_of(key, identity): _write_array(array) for key, array in arrays.items()}
        entries = self._open(identity)
        try:
            entries.put_many(values)
            self._make_room(entries.path)
        except OSError as error:
            self._warn(f"writable ({error})")

    def clear(self) -> None:
        """Remove all embeddings; other files in the folder stay."""
        for file in self._list_files():
            self._open(file.parent.name).clear()

    def _warn(self, what_is_not: str) -> None:
        """Warn that the cache is no use, once in a process."""
        where = f"Embedding cache {self.path}"
        warn_once(f"{where} is not {what_is_not}; continuing without it.", where)

    def _open(self, identity: str) -> Entries:
        """Return the entries of an encoder, by its identity or the name of its folder."""
        # half an identity is enough for the name; the keys have all of it
        return Entries(self.path / identity[:32], private=True, lost=LOSS_BY_DAMAGE)

    def _list_files(self) -> list[Path]:
        """Return the files with the embeddings of all encoders, the longest unused first."""
        return sorted(self.path.glob(f"*/{FILE}"), key=_find_last_use)

    def _make_room(self, written_file: Path) -> None:
        """Remove what is beyond the limit, but for the file that was just written."""
        sizes = {file: _measure(file) for file in self._list_files()}
        total_size = sum(sizes.values())
        for file, size in sizes.items():
            if total_size <= self.limit:
                return
            if file != written_file:
                self._open(file.parent.name).clear()
                total_size -= size


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


def digest_of(key: str | tuple[str, ...], identity: str) -> bytes:
    """Hash a text or a tuple of texts, with the identity of the encoder that reads it."""
    # as JSON, for which `json.dumps` takes three times as long
    text = quoted(key) if isinstance(key, str) else f"[{', '.join(map(quoted, key))}]"
    return blake2b(text.encode(), digest_size=16, key=bytes.fromhex(identity)).digest()


def _measure(file: Path) -> int:
    """Return the size of a file in bytes; 0 if another process removed it."""
    with suppress(FileNotFoundError):
        return file.stat().st_size
    return 0


def _find_last_use(file: Path) -> int:
    """Return when a file was used last, in nanoseconds; 0 if another process removed it."""
    with suppress(FileNotFoundError):
        return file.stat().st_mtime_ns
    return 0


def _write_array(array: np.ndarray) -> bytes:
    """Return an array (k, d) as a value of the entries, see WIDTH."""
    return WIDTH.pack(array.shape[1]) + np.ascontiguousarray(array, FLOAT).tobytes()


def _read_array(value: bytes) -> np.ndarray:
    """Return the array (k, d) in a value, without a copy."""
    (width,) = WIDTH.unpack_from(value)
    return np.frombuffer(value, FLOAT, offset=WIDTH.size).reshape(-1, width)

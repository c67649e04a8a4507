"""Encode each text once: find its array in memory, else on disk, else encode it and keep it.

For example::

    cache = VectorCache("my-cache", limit=10 * 2**30)
    SentenceTransformer("sentence-transformers/all-MiniLM-L6-v2", cache=cache)

`RememberingEncoder` is the base of the encoders that do so. Its settings say what its arrays depend
on, and its methods how keys are encoded::

    @dataclass(eq=False, repr=False)
    class Lengths(RememberingEncoder[str]):
        def encode(self, texts, side):
            return np.concatenate(self.encode_once(texts, side, self.measure))

        def measure(self, texts, side):
            return ((text, np.array([[len(text)]])) for text in texts)
"""

import json
import os
import struct
from collections import OrderedDict
from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import KW_ONLY, dataclass, field
from functools import partial
from hashlib import blake2b
from pathlib import Path
from threading import Lock
from time import monotonic
from typing import Any, Generic, TypeAlias, TypeVar

import numpy as np
from more_itertools import chunked

from ir_datasets_ext.warn_once import warn_once

from ..arguments import FilePath, Natural
from ..entries import FILE, Entries
from ..fingerprint import fingerprint
from ..paper import Paper
from ..progress import progress
from ..settings import BySettings
from .encoder_protocols import check_finite, name_encoder

SECONDS_BETWEEN_WRITES = 30  # of embeddings to disk: what a killed process loses
DEFAULT_LIMIT = 2**34  # bytes on disk
FORMAT = 3  # of the entries: those of other formats are not found
NAME_LENGTH = 32  # hexadecimal digits of an encoder's identity that name its folder
#: a value is the embeddings' width, then their numbers, row by row
WIDTH = struct.Struct("<I")
FLOAT = np.dtype("<f4")
LOSS_BY_DAMAGE = "Damaged embeddings are recomputed."

#: what is encoded: a text, or a tuple of texts
Key = TypeVar("Key", bound=str | tuple[str, ...])
#: pairs of a key and its array (k, d), in any order
KeyArrays: TypeAlias = Iterable[tuple[Key, np.ndarray]]
#: from distinct keys and the name of a part
EncodeKeys: TypeAlias = Callable[[list[Key], str], KeyArrays[Key]]


@dataclass(eq=False, repr=False)
class RememberingEncoder(BySettings, Generic[Key]):
    """Settings that encode each distinct key once, and keep the arrays in memory and on disk."""

    _: KW_ONLY
    memory: Natural = field(default=2**30, compare=False)
    cache: object = field(default=None, compare=False)
    verbose: bool = field(default=False, compare=False, repr=False)

    UNIT = "text"  #: what a key is called where progress is shown
    KEYS_TOGETHER = 4_096  #: how many keys are read from disk and encoded at a time

    def encode_once(
        self, keys: Sequence[Key], part: str, encode: EncodeKeys[Key]
    ) -> list[np.ndarray]:
        """Return each key's array: from memory, else from disk, else encoded and kept in both.

        Each distinct key is encoded once. If encoding fails, what was encoded before is kept.

        Args:
            keys: texts, or tuples of texts.
            part: names what the encoder makes of them: arrays of parts are kept apart.
            encode: called for keys that are neither in memory nor on disk.

        Raises:
            ValueError: the encoder returned NaN, infinity, or rows of different widths.
        """
        return self.recall(keys, part, partial(self._read_or_encode, encode=encode), self.memory)

    def recall(
        self, keys: Sequence[Key], part: str, encode: EncodeKeys[Key], limit: int
    ) -> list[np.ndarray]:
        """Return each key's array: from memory, else encoded and kept there, at most `limit` bytes.

        For the other arguments see `encode_once`.
        """
        memory = self._get_memory(part, limit)
        arrays = memory.find(keys)

        distinct_keys = dict.fromkeys(keys)
        missing_keys = [key for key in distinct_keys if key not in arrays]
        if not missing_keys:  # `encode` is not called, so no model is loaded
            return [arrays[key] for key in keys]

        first_width = None  # known once there is an array: all others must be as wide
        if arrays:
            first_array = next(iter(arrays.values()))
            first_width = first_array.shape[-1]

        for key, array in encode(missing_keys, part):
            width = array.shape[-1]
            if first_width is None:
                first_width = width
            elif width != first_width:
                raise self._describe_other_width(width, first_width)
            arrays[key] = array
            memory.add(key, array)

        return [arrays[key] for key in keys]

    def _get_memory(self, part: str, limit: int) -> "ArrayMemory":
        """Return the memory for a part's arrays: an empty one if no later call may reuse them."""
        if not self.is_identified:
            return ArrayMemory(limit)

        create_memory = partial(ArrayMemory, limit)
        # `held` creates a new memory once a setting changes that arrays depend on
        return self.held(f"{part} in memory", create_memory, limit, self._find_state())

    @property
    def is_identified(self) -> bool:
        """Whether the settings say all that arrays depend on, so that a later call may reuse them.

        A function or a model that is an object may change at any time.
        """
        return True

    def _find_state(self) -> Hashable:
        """Return what arrays in memory depend on; quickly, because each call asks for it."""
        return self._key()

    def identify(self, part: str) -> object:
        """Return all that a part's arrays on disk depend on beside their keys, for JSON."""
        return fingerprint(self)

    def _read_or_encode(
        self, keys: Sequence[Key], part: str, encode: EncodeKeys[Key]
    ) -> KeyArrays[Key]:
        """Yield each key with its array, read from disk or else encoded and written there."""
        with progress("encoding", len(keys), self.UNIT, self.verbose) as bar:
            for chunk in chunked(keys, self.KEYS_TOGETHER):
                for pair in self._read_or_encode_chunk(chunk, part, encode):
                    yield pair
                    bar.update()

    def _read_or_encode_chunk(
        self, keys: list[Key], part: str, encode: EncodeKeys[Key]
    ) -> KeyArrays[Key]:
        """Yield some of the keys with their arrays.

        The disk is asked for some keys at a time, because another process may encode later ones
        meanwhile.
        """
        cache = as_cache(self.cache)
        if cache is None:
            yield from self._encode_checked(keys, part, encode)
            return

        if not self.is_identified:
            raise ValueError(
                f"{name_encoder(self)} encodes by an object, which may change at any time. To keep "
                "its embeddings, pass name='…', and change it with the object; or pass a model's "
                "name or folder."
            )
        settings = {"side": part, "by": self.identify(part)}
        stored_arrays = cache.get_many(settings, keys)
        yield from stored_arrays.items()

        new_keys = [key for key in keys if key not in stored_arrays]
        if new_keys:  # otherwise no model is loaded
            yield from self._encode_and_write(new_keys, part, encode, cache, settings)

    def _encode_and_write(
        self,
        keys: list[Key],
        part: str,
        encode: EncodeKeys[Key],
        cache: Any,
        settings: dict[str, object],
    ) -> KeyArrays[Key]:
        """Yield keys with their encoded arrays, and write to the cache those that the caller took.

        They are written now and then, at the end, and at an error. So a killed process loses
        little, however slow its model is.
        """
        unwritten_arrays: dict[Key, np.ndarray] = {}
        last_write = monotonic()
        try:
            for key, array in self._encode_checked(keys, part, encode):
                yield key, array
                # behind the yield: a caller that finds another width asks for no more
                unwritten_arrays[key] = array

                if monotonic() - last_write > SECONDS_BETWEEN_WRITES:
                    cache.put_many(settings, unwritten_arrays)
                    unwritten_arrays = {}
                    last_write = monotonic()
        finally:  # also if encoding fails, or if nobody reads on
            cache.put_many(settings, unwritten_arrays)

    def _encode_checked(
        self, keys: list[Key], part: str, encode: EncodeKeys[Key]
    ) -> KeyArrays[Key]:
        """Encode the keys, and yield each with its array of float32, without NaN and infinity."""
        for key, answer in encode(keys, part):
            # copied, because a view would keep its whole batch, which may also be filled again
            array = np.array(answer, np.float32)
            check_finite(array, self, [key] * len(array), "rows")
            yield key, array

    def _describe_other_width(self, width: int, first_width: int) -> ValueError:
        """Return the error for an array that is not as wide as the first one."""
        cache = as_cache(self.cache)
        again = "Start again" if cache is None else f"Run {cache!r}.clear() and start again"
        return ValueError(
            f"{name_encoder(self)} returned vectors of {width} numbers after those of "
            f"{first_width}. Has the model or function behind it changed? {again}, or name a "
            "fixed version of it."
        )


class ArrayMemory:
    """The arrays that were used last, up to a number of bytes, including their keys' texts.

    A full paper has more bytes than its embedding. Several threads may share a memory. Its arrays
    are read-only, because callers share them.
    """

    def __init__(self, limit: int) -> None:
        self._limit = limit
        self._arrays: OrderedDict[Hashable, np.ndarray] = OrderedDict()  # the last used at the end
        self._bytes = 0  # of all arrays and their keys
        self._lock = Lock()

    def find(self, keys: Iterable[Key]) -> dict[Key, np.ndarray]:
        """Return the arrays of those `keys` that are in memory."""
        found_arrays = {}
        with self._lock:
            for key in keys:
                if key in self._arrays:
                    found_arrays[key] = self._arrays[key]
                    self._arrays.move_to_end(key)
        return found_arrays

    def add(self, key: Key, array: np.ndarray) -> None:
        """Keep an array, and make it read-only; beyond the limit the least recent ones go."""
        array.setflags(write=False)
        with self._lock:
            if key in self._arrays:  # another thread added it
                return
            self._arrays[key] = array
            self._bytes += _measure(key, array)
            while self._bytes > self._limit:
                oldest_key, oldest_array = self._arrays.popitem(last=False)
                self._bytes -= _measure(oldest_key, oldest_array)


def _measure(key: Any, array: np.ndarray) -> int:
    """Return the bytes of an array and of its key: a text, a tuple of texts, or a paper."""
    texts: Sequence[str]
    if isinstance(key, str):
        texts = [key]
    elif isinstance(key, Paper):
        texts = key.sentences
    else:
        texts = key
    return array.nbytes + sum(map(len, texts))


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
        caches = os.environ.get("XDG_CACHE_HOME") or "~/.cache"
        default_folder = os.environ.get("SCHOLARLY_CACHE") or Path(caches, "pyterrier-scholarly")
        return Path(self.folder or default_folder).expanduser()

    @property
    def bytes(self) -> int:
        """The embeddings' size on disk."""
        return sum(size for _, size, _ in self._list_files())

    def get_many(self, settings: Mapping, keys: Iterable[Key]) -> dict[Key, np.ndarray]:
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

    def put_many(self, settings: Mapping, arrays: Mapping[Key, np.ndarray]) -> None:
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
        for _, _, file in self._list_files():
            self._remove(file)

    def _open(self, identity: str) -> Entries:
        """Return the entries of an encoder, by its identity or the name of its folder."""
        # a part of the identity is enough for the name; the keys have all of it
        return Entries(self.path / identity[:NAME_LENGTH], private=True, lost=LOSS_BY_DAMAGE)

    def _list_files(self) -> list[tuple[int, int, Path]]:
        """Return last use, bytes and path of each encoder's file, the longest unused first."""
        files = []
        # only folders that `_open` named: a store of chat replies has such a file, too
        folder_names = "[0-9a-f]" * NAME_LENGTH
        for file in self.path.glob(f"{folder_names}/{FILE}"):
            with suppress(FileNotFoundError):  # another process removed it
                status = file.stat()
                files.append((status.st_mtime_ns, status.st_size, file))
        return sorted(files)

    def _make_room(self, written_file: Path) -> None:
        """Remove the longest unused files beyond the limit, but never the one just written."""
        excess_bytes = self.bytes - self.limit
        for _, size, file in self._list_files():  # the longest unused first
            if excess_bytes <= 0:
                return
            if file == written_file:
                continue
            self._remove(file)
            excess_bytes -= size

    def _remove(self, file: Path) -> None:
        """Remove an encoder's file, and its folder if nothing else is in it."""
        folder_name = file.parent.name
        self._open(folder_name).clear()

    def _warn(self, what_is_not: str) -> None:
        """Warn that the cache is no use, once in a process."""
        where = f"Embedding cache {self.path}"
        warn_once(f"{where} is not {what_is_not}; continuing without it.", where)


def as_cache(choice: Any) -> Any:
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
    text = json.dumps(key).encode()
    return blake2b(text, digest_size=16, key=bytes.fromhex(identity)).digest()


def _write_array(array: np.ndarray) -> bytes:
    """Return an array (k, d) as a value of the entries, see WIDTH."""
    return WIDTH.pack(array.shape[1]) + np.ascontiguousarray(array, FLOAT).tobytes()


def _read_array(value: bytes) -> np.ndarray:
    """Return the array (k, d) in a value, without a copy."""
    (width,) = WIDTH.unpack_from(value)
    return np.frombuffer(value, FLOAT, offset=WIDTH.size).reshape(-1, width)

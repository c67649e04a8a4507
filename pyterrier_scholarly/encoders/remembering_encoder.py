"""Encode each text once: find its array in memory, else on disk, else encode it and keep it.

`RememberingEncoder` is the base of the encoders that do so. A subclass says how a list of keys is
encoded; its settings say what its arrays depend on::

    @dataclass(eq=False, repr=False)
    class Lengths(RememberingEncoder[str]):
        def encode(self, texts, side):
            return np.concatenate(self.encode_once(texts, Part("lengths")))

        def _encode_keys(self, keys, part):
            return ((key, np.array([[len(key)]])) for key in keys)
"""

from collections import OrderedDict
from collections.abc import Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import KW_ONLY, dataclass, field
from threading import Lock
from time import monotonic
from typing import Any, Generic, NamedTuple, TypeVar

import numpy as np
from more_itertools import chunked

from ..arguments import Natural
from ..fingerprint import fingerprint
from ..paper import Paper
from ..progress import progress
from ..settings import BySettings
from .answers import check_finite, name_encoder
from .cache import as_cache
from .encoder_protocols import Side

SECONDS_BETWEEN_WRITES = 30  # of embeddings to disk: what a killed process loses

#: what is encoded: a text, a pair of texts, a passage or a paper
Key = TypeVar("Key", bound=Hashable)


class Part(NamedTuple):
    """A part of an encoder's work: its arrays are kept apart from those of other parts.

    label: its name in memory and on disk.
    side: the model's side that reads the texts.
    context: in which a paper's sentences are read (`encoders.contexts`); None for other work.
    """

    label: str
    side: Side = "document"
    context: str | None = None


#: side -> the part of an encoder's work that it is
PART_OF_SIDE: dict[Side, Part] = {
    "query": Part("query", side="query"),
    "document": Part("document", side="document"),
}


@dataclass(eq=False, repr=False)
class RememberingEncoder(BySettings, Generic[Key]):
    """Settings that encode each distinct key once, and keep the arrays in memory and on disk."""

    _: KW_ONLY
    memory: Natural = field(default=2**30, compare=False)
    cache: object = field(default=None, compare=False)
    verbose: bool = field(default=False, compare=False, repr=False)

    UNIT = "text"  #: what a key is called where progress is shown
    KEYS_TOGETHER = 4_096  #: how many keys are read from disk and encoded at a time

    def encode_once(self, keys: Sequence[Key], part: Part) -> list[np.ndarray]:
        """Return each key's array: from memory, else from disk, else encoded and kept in both.

        Each distinct key is encoded once. If encoding fails, what was encoded before is kept.

        Raises:
            ValueError: the encoder returned NaN, infinity, or rows of different widths.
        """
        memory = self.open_memory(part, self.memory)
        arrays = memory.find(keys)
        missing_keys = [key for key in dict.fromkeys(keys) if key not in arrays]
        first_array = next(iter(arrays.values()), None)
        new_arrays: dict[Key, np.ndarray] = {}
        try:
            for key, array in self._read_or_encode(missing_keys, part):
                if first_array is None:
                    first_array = array
                self._check_width(array, first_array)
                new_arrays[key] = array
        finally:  # also if encoding fails
            memory.add(new_arrays)
        arrays |= new_arrays
        return [arrays[key] for key in keys]

    def open_memory(self, part: Part, limit: int) -> "ArrayMemory":
        """Return the memory of a part's arrays, a new one if these would be others now.

        limit: its bytes; another limit than before begins a new one, too.
        """
        if not self._keeps_arrays():
            return ArrayMemory(limit)
        name = f"{part.label} in memory"
        return self.held(name, lambda: ArrayMemory(limit), limit, self._find_state())

    # The methods that a subclass fills.

    def _encode_keys(self, keys: list[Key], part: Part) -> Iterable[tuple[Key, np.ndarray]]:
        """Yield each of `keys`, which are distinct, with its array (k, d), in any order.

        Called for keys that are neither in memory nor on disk, some thousand at a time.
        """
        raise NotImplementedError

    def _identify(self, part: Part) -> object:
        """Return all that arrays on disk depend on beside their keys, as values of JSON's types."""
        return fingerprint(self)

    def _find_state(self) -> Hashable:
        """Return what arrays in memory depend on; quickly, because each call asks for it."""
        return self._key()

    def _keeps_arrays(self) -> bool:
        """Return whether a later call may reuse arrays."""
        return True

    # How `encode_once` gets what memory lacks.

    def _read_or_encode(self, keys: list[Key], part: Part) -> Iterator[tuple[Key, np.ndarray]]:
        """Yield each key with its array, read from disk or else encoded and written there."""
        if not keys:
            return
        cache: Any = NoCache()
        settings = {}
        chosen_cache = as_cache(self.cache)
        if chosen_cache is not None:
            if not self._keeps_arrays():
                raise ValueError(
                    f"{name_encoder(self)} encodes by an object, which may change at any time. To "
                    "keep its embeddings, pass name='…', and change it with the object; or pass a "
                    "model's name or folder."
                )
            cache = chosen_cache
            settings = {"side": part.label, "by": self._identify(part)}

        with progress("encoding", len(keys), self.UNIT, self.verbose) as bar:
            for chunk in chunked(keys, self.KEYS_TOGETHER):
                # not all keys before: another process may have encoded some of them meanwhile
                stored_arrays = cache.get_many(settings, chunk)
                yield from stored_arrays.items()
                bar.update(len(stored_arrays))

                new_keys = [key for key in chunk if key not in stored_arrays]
                for key, array in self._encode_and_write(new_keys, part, cache, settings):
                    yield key, array
                    bar.update()

    def _encode_and_write(
        self, keys: list[Key], part: Part, cache: Any, settings: Mapping[str, object]
    ) -> Iterator[tuple[Key, np.ndarray]]:
        """Encode keys, and yield each with its array; what the caller took is written to disk.

        It is written now and then, at the end, and at an error. So a killed process loses little,
        however slow its model is.
        """
        if not keys:
            return
        unwritten_arrays: dict[Key, np.ndarray] = {}
        last_write = monotonic()
        try:
            for key, array in self._encode_keys(keys, part):
                check_finite(array, [key] * len(array), source=self, row_noun="rows")
                yield key, array
                # only now: a caller that found another width did not ask for more
                unwritten_arrays[key] = array
                if monotonic() - last_write > SECONDS_BETWEEN_WRITES:
                    cache.put_many(settings, unwritten_arrays)
                    unwritten_arrays = {}
                    last_write = monotonic()
        finally:  # also if encoding fails, or if nobody reads on
            cache.put_many(settings, unwritten_arrays)

    def _check_width(self, array: np.ndarray, first_array: np.ndarray) -> None:
        """Raise ValueError unless an array is as wide as the first one."""
        width = array.shape[-1]
        first_width = first_array.shape[-1]
        if width == first_width:
            return

        cache = as_cache(self.cache)
        again = "Start again" if cache is None else f"Run {cache!r}.clear() and start again"
        raise ValueError(
            f"{name_encoder(self)} returned vectors of {width} numbers after those of "
            f"{first_width}. Has the model or function behind it changed? {again}, or name a fixed "
            "version of it."
        )


class NoCache:
    """A cache that keeps nothing."""

    def get_many(self, settings: Mapping[str, object], keys: Iterable[Any]) -> dict:
        """Return nothing."""
        return {}

    def put_many(self, settings: Mapping[str, object], arrays: Mapping[Any, np.ndarray]) -> None:
        """Keep nothing."""


class ArrayMemory:
    """The arrays that were used last, up to a number of bytes, including their keys' texts.

    Several threads may share one. Its arrays are read-only, because callers share them.
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
                array = self._arrays.get(key)
                if array is not None:
                    found_arrays[key] = array
                    self._arrays.move_to_end(key)
        return found_arrays

    def add(self, arrays: Mapping[Key, np.ndarray]) -> None:
        """Keep arrays, and make them read-only; beyond the limit the least recent ones go."""
        with self._lock:
            for key, array in arrays.items():
                array.setflags(write=False)
                if key in self._arrays:  # another thread added it
                    continue
                self._arrays[key] = array
                self._bytes += _measure(key, array)
            while self._bytes > self._limit:
                oldest_key, oldest_array = self._arrays.popitem(last=False)
                self._bytes -= _measure(oldest_key, oldest_array)


def _measure(key: Any, array: np.ndarray) -> int:
    """Return the bytes of an array and of its key: a full paper has more than its embedding."""
    if isinstance(key, str):  # joining a text would copy it character by character
        return array.nbytes + len(key)
    texts = key  # of a pair or a passage
    if isinstance(key, Paper):
        texts = (key.doc_id, key.title, *key.sentences, *key.labels)
    return array.nbytes + len("".join(texts))

"""Encode each text once: find its array in memory, else on disk, else encode it and keep it.

`RememberingEncoder` is the base of the encoders that do so. A subclass says how a list of keys is
encoded, and what its arrays depend on::

    @dataclass(eq=False, repr=False)
    class Lengths(RememberingEncoder[str]):
        def encode_documents(self, texts):
            return np.concatenate(self.encode_once(texts, Part("lengths")))

        def _encode_keys(self, keys, part):
            return ((key, np.array([[len(key)]])) for key in keys)

        def _cache_settings(self, part):
            return {"by": "lengths"}
"""

from collections.abc import Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import islice, repeat
from time import monotonic
from typing import Any, Generic, NamedTuple

import numpy as np

from ..arguments import Natural
from ..progress import progress, say_once
from ..settings import BySettings
from ._array_memory import ArrayMemory, Key
from .answer_checks import LONGEST_SHOWN_TEXT, check_finite
from .cache import as_cache
from .cache_protocol import ArrayCache
from .encoder_protocols import Side

TEXTS_OF_LONG_WORK = 1_000  # such work begins with a line about it
TEXTS_OF_CHUNK = 4_096  # are encoded together
SECONDS_BETWEEN_WRITES = 30  # of a chunk's embeddings to disk


class Part(NamedTuple):
    """A part of an encoder's work: its arrays are kept apart from those of other parts.

    label: its name in entries on disk. Another label would not find the old entries.
    side: the model's side that reads the texts.
    context: in which a paper's sentences are read (`text.contexts`); None for other work.
    """

    label: str
    side: Side = "document"
    context: str | None = None


@dataclass(eq=False, repr=False)
class RememberingEncoder(BySettings, Generic[Key]):
    """Settings that encode each distinct key once, and keep the arrays in memory and on disk."""

    memory: Natural = field(default=2**30, compare=False, kw_only=True)
    cache: object = field(default=None, compare=False, kw_only=True)
    verbose: bool = field(default=False, compare=False, repr=False, kw_only=True)

    UNIT = "text"  #: what a key is called where progress is shown

    def encode_once(self, keys: Sequence[Key], part: Part) -> list[np.ndarray]:
        """Return each key's array: from memory, else from disk, else encoded and kept in both.

        Each distinct key is encoded once. If encoding fails, what was encoded before is kept.

        Raises:
            ValueError: the encoder returned NaN, infinity, or rows of different widths.
        """
        distinct_keys = list(dict.fromkeys(keys))
        memory = self.open_memory(part.label)
        arrays = memory.find(distinct_keys, self.memory)
        missing_keys = [key for key in distinct_keys if key not in arrays]

        if missing_keys:
            work = _Work(part, self._open_stored(part), _Width(self))
            work.width.check(islice(arrays.values(), 1))  # all in memory have the same width

            new_arrays: dict[Key, np.ndarray] = {}
            try:
                for key, array in self._read_or_encode(missing_keys, work):
                    new_arrays[key] = array
            finally:  # also if encoding fails
                memory.add(new_arrays, self.memory)
            arrays |= new_arrays
        return [arrays[key] for key in keys]

    def open_memory(self, name: str) -> ArrayMemory:
        """Return the encoder's memory of that name; a new one if it may not reuse any array."""
        if not self._keeps_arrays():
            return ArrayMemory()
        return self.held(f"{name} in memory", ArrayMemory, *self._memory_state())

    # The methods that a subclass fills.

    def _encode_keys(self, keys: list[Key], part: Part) -> Iterable[tuple[Key, np.ndarray]]:
        """Yield each of `keys`, which are distinct, with its array (k, d), in any order.

        `encode_once` calls this for keys that are neither in memory nor on disk, some thousand at a
        time, never for none.
        """
        raise NotImplementedError

    def _cache_settings(self, part: Part) -> Mapping[str, object]:
        """Return the settings under which a cache keeps arrays, as values of JSON's types.

        `encode_once` calls this if there is a cache, before it reads from there.
        """
        raise NotImplementedError

    def _memory_state(self) -> tuple[Hashable, ...]:
        """Return what arrays in memory depend on: settings, and the files behind them.

        Called whenever the memory is opened; another state than before empties it.
        """
        return (self._key(),)

    def _keeps_arrays(self) -> bool:
        """Return whether a later call may reuse arrays; called whenever the memory is opened."""
        return True

    def _describe_work(self) -> str:
        """Return the text before a bar of progress; called once for each work that is shown."""
        return "encoding"

    def _describe_plan(self, count: int) -> str:
        """Say what will be encoded, by what; called before long work if progress is shown."""
        return f"Encoding {count:,} {self.UNIT}s by {self!r:.{LONGEST_SHOWN_TEXT}}."

    # How `encode_once` gets what memory lacks.

    def _open_stored(self, part: Part) -> "StoredArrays":
        """Return the arrays of a part on disk, under the settings that they depend on."""
        cache = as_cache(self.cache)
        settings = {} if cache is None else self._cache_settings(part)
        return StoredArrays(cache, settings)

    def _read_or_encode(self, keys: list[Key], work: "_Work") -> Iterator[tuple[Key, np.ndarray]]:
        """Yield each key with its array: first those from disk, then those that are encoded."""
        stored_arrays = work.read(keys)
        yield from stored_arrays.items()

        new_keys = [key for key in keys if key not in stored_arrays]
        if new_keys:
            yield from self._encode_with_progress(new_keys, work)

    def _encode_with_progress(
        self, keys: list[Key], work: "_Work"
    ) -> Iterator[tuple[Key, np.ndarray]]:
        """Encode keys that are not on disk, and yield each with its array; show a bar."""
        with progress("encoding", len(keys), self.UNIT, self.verbose) as bar:
            bar.describe(self._describe_work())  # only now, because it may import PyTorch
            if self.verbose and len(keys) >= TEXTS_OF_LONG_WORK:
                say_once(self._describe_plan(len(keys)))

            for key, array in self._encode_in_chunks(keys, work):
                yield key, array
                bar.update()

    def _encode_in_chunks(self, keys: list[Key], work: "_Work") -> Iterator[tuple[Key, np.ndarray]]:
        """Encode keys that are not on disk, and yield each with its array.

        Each chunk is written when it is encoded, so that little is lost if the work is stopped.
        """
        first_chunk, *later_chunks = _divide_into_chunks(keys)
        yield from self._encode_chunk(first_chunk, work)

        for chunk in later_chunks:
            # another process may have encoded these keys while this one was busy
            stored_arrays = work.read(chunk)
            yield from stored_arrays.items()

            new_keys = [key for key in chunk if key not in stored_arrays]
            if new_keys:
                yield from self._encode_chunk(new_keys, work)

    def _encode_chunk(self, keys: list[Key], work: "_Work") -> Iterator[tuple[Key, np.ndarray]]:
        """Encode keys, and yield each with its array.

        What was encoded is written to disk now and then, at the end, and at an error. So a killed
        process loses little, however slow its model is.
        """
        encoded_arrays: dict[Key, np.ndarray] = {}
        last_write = monotonic()
        try:
            for key, array in self._encode_keys(keys, work.part):
                check_finite(array, repeat(key), source=self, row_noun="rows")
                work.width.check([array])
                encoded_arrays[key] = array
                yield key, array

                if monotonic() - last_write > SECONDS_BETWEEN_WRITES:
                    work.stored.write(encoded_arrays)
                    encoded_arrays = {}
                    last_write = monotonic()
        finally:  # also if encoding fails, or if nobody reads on
            work.stored.write(encoded_arrays)


@dataclass
class StoredArrays:
    """The arrays of one part of an encoder's work on disk; none without a cache."""

    cache: ArrayCache | None
    settings: Mapping[str, object]

    def find(self, keys: Sequence[Any]) -> dict[Any, np.ndarray]:
        """Return the arrays of those `keys` that are on disk."""
        if self.cache is None:
            return {}
        return self.cache.get_many(self.settings, keys)

    def write(self, arrays: Mapping[Any, np.ndarray]) -> None:
        """Keep arrays by key."""
        if self.cache is not None and arrays:
            self.cache.put_many(self.settings, arrays)


class _Width:
    """Check that all arrays of an encoder are as wide as the first one.

    encoder: for the error.
    """

    def __init__(self, encoder: RememberingEncoder) -> None:
        self._encoder = encoder
        self._expected: int | None = None

    def check(self, arrays: Iterable[np.ndarray]) -> None:
        """Raise ValueError unless these arrays (k, d) and all that came here before have one d."""
        widths = {array.shape[-1] for array in arrays}
        if self._expected is not None:
            widths.add(self._expected)
        if len(widths) > 1:
            raise ValueError(self._describe_change(widths))
        if widths:  # none if there were no arrays, now or before
            self._expected = widths.pop()

    def _describe_change(self, widths: Iterable[int]) -> str:
        """Return an error's message for arrays of different widths."""
        cache = as_cache(self._encoder.cache)
        again = "Start again"
        if cache is not None:
            again = f"Run {cache!r}.clear() and start again"
        return (
            f"{self._encoder!r:.{LONGEST_SHOWN_TEXT}} returned vectors of "
            f"{sorted(widths)} numbers. Has the model behind it changed? {again}, or name a fixed "
            "version of it."
        )


class _Work(NamedTuple):
    """What one call of `encode_once` works on.

    part: whose arrays are wanted.
    stored: the part's arrays on disk.
    width: checks each array that is found or encoded.
    """

    part: Part
    stored: StoredArrays
    width: _Width

    def read(self, keys: Sequence[Any]) -> dict[Any, np.ndarray]:
        """Return the arrays of those `keys` that are on disk; ValueError for another width."""
        arrays = self.stored.find(keys)
        self.width.check(arrays.values())
        return arrays


def _divide_into_chunks(keys: list[Key]) -> Iterator[list[Key]]:
    """Yield the keys in lists of about TEXTS_OF_CHUNK texts; a key may have several texts."""
    chunk: list[Key] = []
    text_count = 0  # of the chunk
    for key in keys:
        chunk.append(key)
        text_count += 1 if isinstance(key, str) else len(key)  # type: ignore[arg-type]  # a tuple
        if text_count >= TEXTS_OF_CHUNK:
            yield chunk
            chunk = []
            text_count = 0
    if chunk:
        yield chunk

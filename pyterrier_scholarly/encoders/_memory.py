"""Keep embeddings in memory; find them there, else on disk, else encode."""

from collections import OrderedDict
from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from itertools import accumulate, groupby, repeat
from threading import Lock

import numpy as np

from ..arguments import Natural
from ..progress import progress, say_once
from ..settings import BySettings
from ._batches import Key
from .cache import as_cache
from .encoder_calls import SHOWN, check_finite

LONG, CHUNK = 1_000, 4_096  # texts: of work that begins with a line about it; written together


class Store:
    """The arrays that were used last, up to a number of bytes, including their keys' texts."""

    def __init__(self) -> None:
        self._bytes = 0
        self._kept: OrderedDict[Hashable, tuple[np.ndarray, int]] = OrderedDict()  # with bytes
        self._lock = Lock()

    def filled(self, keys: Sequence, limit: int, make: Callable[[list, dict], None]) -> list:
        """Return the read-only array of each of `keys`; new ones replace the least recently used.

        `make` is called with the missing keys, if any, and the dict to which it adds their arrays.
        If it raises, the arrays that it added are kept. `limit` is in bytes.
        """
        with self._lock:
            self._trim(limit)  # may be less than in the last call
            known = {key: self._kept.get(key) for key in dict.fromkeys(keys)}  # hashing is slow
            arrays = {key: entry[0] for key, entry in known.items() if entry}
            for key in arrays:
                self._kept.move_to_end(key)
        missing = [key for key, entry in known.items() if entry is None]
        try:
            if missing:
                make(missing, arrays)
        finally:
            with self._lock:
                for key in missing:
                    if (array := arrays.get(key)) is not None:
                        array.setflags(write=False)
                        _, before = self._kept.pop(key, (None, 0))  # from another thread
                        size = array.nbytes + _length(key)
                        self._kept[key] = array, size
                        self._bytes += size - before
                self._trim(limit)
        return [arrays[key] for key in keys]

    def _trim(self, limit: int) -> None:
        while self._bytes > limit:
            self._bytes -= self._kept.popitem(last=False)[1][1]


def _chunks(keys: list[Key]) -> Iterator[list[Key]]:
    """Yield the keys in lists of about CHUNK texts."""
    ends = accumulate(1 if isinstance(key, str) else len(key) for key in keys)
    for _, chunk in groupby(zip(keys, ends), lambda pair: pair[1] // CHUNK):
        yield [key for key, _ in chunk]


def _length(key: Key) -> int:
    """Count the characters in a key: a full paper takes more memory than its embedding."""
    try:
        return len("".join(key))  # of most keys, in one step
    except TypeError:  # a paper's sentences and labels are nested tuples
        return sum(len("".join(part)) for part in key)


@dataclass(eq=False, repr=False)
class Remembering(BySettings):
    """Settings that encode each distinct text once, and keep the arrays in memory and on disk."""

    memory: Natural = field(default=2**30, compare=False, kw_only=True)
    cache: object = field(default=None, compare=False, kw_only=True)
    verbose: bool = field(default=False, compare=False, repr=False, kw_only=True)

    UNIT = "text"

    def _remembers(self) -> bool:
        """Return whether a later call may reuse arrays; otherwise nothing is kept."""
        return True

    def _state(self) -> tuple:
        """Return what arrays in memory depend on: settings, and files behind them."""
        return (self._key(),)

    def _about(self, part: str) -> Mapping[str, object]:
        """Return the settings under which the cache keeps arrays."""
        raise NotImplementedError

    def _encoded(self, keys: list[Key], part: str) -> Iterable[tuple[Hashable, np.ndarray]]:
        """Yield each of `keys` with its array (k, d), in any order."""
        raise NotImplementedError

    def _label(self) -> str:
        return "encoding"

    def _plan(self, count: int) -> str:
        """Say what will be encoded, by what, and how it could be faster."""
        return f"Encoding {count:,} {self.UNIT}s by {self!r:.{SHOWN}}."

    def store(self, part: str) -> Store:
        """Return the arrays in memory for a part of the work; a changed state empties it."""
        held = self._remembers()
        return self.held(f"{part} in memory", Store, *self._state()) if held else Store()

    def arrays(self, keys: Sequence[Key], part: str) -> list[np.ndarray]:
        """Return each key's array: from memory, else from disk, else encoded and kept in both.

        Each distinct key (a text, pair or passage) is encoded once. `part` is their kind:
        ``"query"``, ``"document"`` or another name. ValueError for NaN, infinity or other widths.
        """
        return self.store(part).filled(keys, self.memory, partial(self._fetch, part))

    def _fetch(self, part: str, missing: list[Key], arrays: dict[Key, np.ndarray]) -> None:
        """Add arrays from disk, then encode the rest, chunk by chunk."""
        cache = as_cache(self.cache)
        about = self._about(part) if cache is not None else {}
        if cache is not None:
            cached = cache.get_many(about, missing)
            for array in cached.values():
                self._check_width(array, next(iter(cached.values())))
            arrays |= cached
        left = [key for key in missing if key not in arrays]
        if not left:
            return
        with progress("encoding", len(left), self.UNIT, self.verbose) as bar:
            bar.describe(self._label())  # may import torch
            if self.verbose and len(left) >= LONG:
                say_once(self._plan(len(left)))
            for number, chunk in enumerate(_chunks(left)):
                if number and cache is not None:  # another process may have been faster
                    arrays |= cache.get_many(about, chunk)
                new = [key for key in chunk if key not in arrays]
                bar.update(len(chunk) - len(new))
                encoded: dict[Key, np.ndarray] = {}
                try:
                    for key, array in self._encoded(new, part) if new else ():
                        self._check(key, array, next(iter(arrays.values()), array))
                        arrays[key] = encoded[key] = array
                        bar.update()
                finally:
                    if cache is not None and encoded:
                        cache.put_many(about, encoded)

    def _check(self, key: Hashable, array: np.ndarray, other: np.ndarray) -> None:
        """Raise ValueError for NaN, infinity, or a width different from the `other` array's."""
        check_finite(array, repeat(key), self, "rows")
        self._check_width(array, other)

    def _check_width(self, array: np.ndarray, other: np.ndarray) -> None:
        if array.shape[-1] != other.shape[-1]:
            cache = as_cache(self.cache)
            again = f"Run {cache!r}.clear() and start again" if cache is not None else "Start again"
            raise ValueError(
                f"{self!r:.{SHOWN}} returned vectors of "
                f"{sorted([array.shape[-1], other.shape[-1]])} numbers. Has the model behind it "
                f"changed? {again}, or name a fixed version of it."
            )

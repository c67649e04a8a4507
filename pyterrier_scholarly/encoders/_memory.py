"""Vectors in memory, and the way of vectors through memory and disk."""

from collections import OrderedDict
from dataclasses import dataclass, field
from itertools import accumulate, groupby, repeat
from threading import Lock

import pyterrier as pt

from ..settings import BySettings
from .answers import SHOWN, check_finite
from .cache import as_cache

CHUNK = 4_096  # texts that are encoded together, and on disk from then on


class Store:
    """The arrays that were used last, up to a number of bytes, their keys' texts counted."""

    def __init__(self):
        self._bytes = 0
        self._kept = OrderedDict()  # key -> array, bytes
        self._lock = Lock()

    def filled(self, keys, limit, make) -> dict:
        """The array of each of `keys`; those that were used longest ago make room for new ones.

        Arrays are read-only, for all who ask get one and the same.

        Args:
            limit: bytes.
            make: called with the keys that are missing here, if any, and the dict that it adds
                their arrays to; what it did stays, whatever happens to the rest.
        """
        wanted = dict.fromkeys(keys)
        with self._lock:
            self._trim(limit)  # which may be less than at the last call
            found = {key: self._kept[key][0] for key in wanted if key in self._kept}
            for key in found:
                self._kept.move_to_end(key)
        missing = [key for key in wanted if key not in found]
        try:
            if missing:
                make(missing, found)
        finally:
            with self._lock:
                for key in filter(found.__contains__, missing):
                    found[key].setflags(write=False)
                    self._bytes -= self._kept.pop(key, (None, 0))[1]  # of another thread
                    self._kept[key] = found[key], found[key].nbytes + _length(key)
                    self._bytes += self._kept[key][1]
                self._trim(limit)
        return found

    def _trim(self, limit):
        while self._bytes > limit:
            self._bytes -= self._kept.popitem(last=False)[1][1]


def _chunks(keys):
    """Yield the keys in lists of about CHUNK texts."""
    counts = [1 if isinstance(key, str) else len(key) for key in keys]
    for _, chunk in groupby(zip(keys, accumulate(counts)), lambda pair: pair[1] // CHUNK):
        yield [key for key, _ in chunk]


def _length(key):
    """The characters of a text, or of the texts in a key: a full paper has more than its vector."""
    try:
        return len("".join(key))  # of most keys, in one step
    except TypeError:  # a paper's sentences and labels are in tuples of their own
        return sum(len("".join(part)) for part in key)


@dataclass(eq=False, repr=False)
class Remembering(BySettings):
    """Settings that encode, each distinct text once, and keep the arrays in memory and on disk.

    A subclass says how texts become arrays (`_encoded`), what tells its arrays from others' on disk
    (`_about`), and perhaps that nothing may be remembered (`_remembers`, False).
    """

    memory: int = field(default=2**30, compare=False, kw_only=True)
    cache: object = field(default=None, compare=False, kw_only=True)
    verbose: bool = field(default=False, compare=False, repr=False, kw_only=True)

    UNIT = "text"

    def _remembers(self) -> bool:
        """Whether what was encoded now is as good in a later call."""
        return True

    def _state(self) -> tuple:
        """What arrays in memory belong to: settings, and files behind them."""
        return (self._key(),)

    def _about(self, part):
        """Settings that arrays are kept under in the cache."""
        raise NotImplementedError

    def _encoded(self, keys, part):
        """Yield each of `keys` with its array (k, d), in any order."""
        raise NotImplementedError

    def _label(self):
        return "encoding"

    def store(self, part) -> Store:
        """The arrays of a part of the work that are in memory; forgotten with what they are of."""
        if not self._remembers():
            return Store()
        return self.held(f"{part} in memory", Store, *self._state())

    def arrays(self, keys, part) -> dict:
        """The array of each of `keys`: from memory, else from disk, else encoded and kept in both.

        Args:
            keys: texts, pairs or passages; each distinct one is encoded once.
            part: what they are in: ``"query"``, ``"document"`` or another name.

        Raises:
            ValueError: NaN or infinity, or arrays of several widths.
        """
        return self.store(part).filled(
            keys, self.memory, lambda missing, found: self._fetch(missing, part, found)
        )

    def _fetch(self, missing, part, found):
        """Put arrays into `found`: what is on disk, then every chunk as it is encoded."""
        cache = as_cache(self.cache)
        about = self._about(part) if cache is not None else None
        found |= cache.get_many(about, missing) if cache is not None else {}
        left = [key for key in missing if key not in found]
        if not left:
            return
        settings = {"desc": self._label(), "unit": self.UNIT, "disable": not self.verbose}
        with pt.tqdm(total=len(left), **settings) as bar:
            for number, chunk in enumerate(_chunks(left)):
                if number and cache is not None:  # another process may have been quicker
                    found |= cache.get_many(about, chunk)
                new, made = [key for key in chunk if key not in found], {}
                bar.update(len(chunk) - len(new))
                try:
                    for key, array in self._encoded(new, part) if new else ():
                        self._check(key, array, next(iter(found.values()), array))
                        found[key] = made[key] = array
                        bar.update()
                finally:
                    if cache is not None and made:
                        cache.put_many(about, made)

    def _check(self, key, array, other):
        """Raise ValueError for NaN, infinity, or another width than that of an `other` array."""
        check_finite(array, repeat(key), self, "rows")
        widths = sorted({array.shape[-1], other.shape[-1]})
        if len(widths) > 1:
            cache = as_cache(self.cache)
            again = f"Run {cache!r}.clear() and start again" if cache is not None else "Start again"
            raise ValueError(
                f"{self!r:.{SHOWN}} gave vectors of {widths} numbers: has the model behind it "
                f"changed? {again}, or name a fixed version of it."
            )

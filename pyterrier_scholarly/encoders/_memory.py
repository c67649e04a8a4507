"""Vectors in memory, and the way of vectors through memory and disk."""

from collections import OrderedDict
from dataclasses import dataclass, field
from threading import Lock

import numpy as np
import pyterrier as pt

from ..settings import BySettings
from .cache import as_cache

CHUNK = 4_096  # texts or passages that are encoded together, and on disk from then on
SHOWN = 80  # characters of a text that an error shows


class Store:
    """The arrays that were used last, up to `limit` bytes, their keys' texts counted."""

    def __init__(self):
        self.bytes = 0
        self._kept = OrderedDict()
        self._lock = Lock()

    def get_many(self, keys) -> dict:
        """Those of `keys` whose arrays are here."""
        with self._lock:
            found = {key: self._kept[key] for key in keys if key in self._kept}
            for key in found:
                self._kept.move_to_end(key)
            return found

    def put_many(self, made, limit):
        """Keep arrays, a dict by key; those that were used longest ago make room.

        They are read-only from then on, for all who ask get one and the same array.
        """
        with self._lock:
            for key, array in made.items():
                array.setflags(write=False)
                known = self._kept.pop(key, None)
                self.bytes += _size(key, array) - (0 if known is None else _size(key, known))
                self._kept[key] = array
            while self.bytes > limit:
                self.bytes -= _size(*self._kept.popitem(last=False))


def _size(key, array):
    """Bytes of an array and of what was encoded, a full paper of which is ten times as large."""
    return array.nbytes + _length(key)


def _length(key):
    """The characters of the texts in a key, of most keys in one step."""
    try:
        return len("".join(key))
    except TypeError:  # a paper's sentences are in a tuple of their own
        return sum(map(_length, key))


def texts_of(key):
    """The texts in a key: a text, a pair of texts, a passage, a paper with its sentences."""
    if isinstance(key, str):
        return (key,)
    return [text for part in key for text in texts_of(part)]


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
        kept = self.held(f"{part} in memory", Store, *self._state())
        return kept if self._remembers() else Store()

    def arrays(self, keys, part) -> dict:
        """The array of each of `keys`: from memory, else from disk, else encoded and kept in both.

        Args:
            keys: texts, pairs or passages; each distinct one is encoded once.
            part: what they are in: ``"query"``, ``"document"`` or another name.

        Raises:
            ValueError: NaN or infinity, or arrays of several widths.
        """
        store, wanted = self.store(part), dict.fromkeys(keys)
        store.put_many({}, self.memory)  # which may be less than at the last call
        found = store.get_many(wanted)
        missing = [key for key in wanted if key not in found]
        if missing:
            try:
                self._fetch(missing, part, found)
            finally:  # what is done stays, whatever happens to the rest
                store.put_many({key: found[key] for key in missing if key in found}, self.memory)
        return found

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
            for start in range(0, len(left), CHUNK):
                chunk = left[start : start + CHUNK]
                if start and cache is not None:  # another process may have been quicker
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
        if not np.isfinite(array).all():
            text = " ".join(texts_of(key))
            raise ValueError(
                f"{self!r:.{SHOWN}} gave NaN or infinity, first for {text!r:.{SHOWN}}: is the "
                "model broken, or its precision too low?"
            )
        widths = sorted({array.shape[-1], other.shape[-1]})
        if len(widths) > 1:
            cache = as_cache(self.cache)
            again = f"Run {cache!r}.clear() and start again" if cache is not None else "Start again"
            raise ValueError(
                f"{self!r:.{SHOWN}} gave vectors of {widths} numbers: has the model behind it "
                f"changed? {again}, or name a fixed version of it."
            )

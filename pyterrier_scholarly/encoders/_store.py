"""Vectors in memory, and the way of vectors through memory and disk."""

from collections import OrderedDict
from threading import Lock

CHUNK = 4_096  # texts or passages that are encoded together, and on disk from then on


class Store:
    """The vectors that were used last, up to so many bytes, their texts counted."""

    def __init__(self, limit):
        self.bytes = 0
        self._limit = limit
        self._kept = OrderedDict()
        self._lock = Lock()

    @property
    def limit(self) -> int:
        """So many bytes; where it is lowered, what is beyond goes at once."""
        return self._limit

    @limit.setter
    def limit(self, limit):
        with self._lock:
            self._limit = limit
            self._make_room()

    def get_many(self, keys) -> dict:
        """Those of `keys`, texts or passages, whose vectors are here."""
        with self._lock:
            found = {key: self._kept[key] for key in keys if key in self._kept}
            for key in found:
                self._kept.move_to_end(key)
            return found

    def put_many(self, made):
        """Keep vectors, a dict by key; those that were used longest ago make room.

        They are read-only from then on, for all who ask get one and the same array.
        """
        with self._lock:
            for key, vectors in made.items():
                vectors.setflags(write=False)
                known = self._kept.pop(key, None)
                self.bytes += _size(key, vectors) - (0 if known is None else _size(key, known))
                self._kept[key] = vectors
            self._make_room()

    def _make_room(self):
        while self.bytes > self._limit:
            self.bytes -= _size(*self._kept.popitem(last=False))


def _size(key, vectors):
    """Bytes of vectors and of what was encoded, a full paper of which is ten times as large."""
    return vectors.nbytes + (len(key) if isinstance(key, str) else sum(map(len, key)))


class Shelf:
    """The part of a `VectorCache` for one encoder; without a cache, nothing is kept."""

    def __init__(self, cache=None, settings=None):
        self._cache, self._settings = cache, settings

    def get_many(self, keys) -> dict:
        """Those of `keys` that are there, with their vectors."""
        return {} if self._cache is None else self._cache.get_many(self._settings, keys)

    def put_many(self, made):
        """Keep vectors, a dict by key."""
        if self._cache is not None:
            self._cache.put_many(self._settings, made)


def kept(keys, store, shelf, encode, progress) -> dict:
    """The vectors of `keys`: from memory, else from disk, else encoded, and kept in both then.

    Args:
        keys: texts or passages; each distinct one is encoded once.
        store: a Store.
        shelf: a function that gives the Shelf, called if something is not in memory.
        encode: from some keys, and a function to tell how many of them are done, to their arrays.
        progress: from the number of keys that are to be encoded to a tqdm.
    """
    wanted = dict.fromkeys(keys)
    found = store.get_many(wanted)
    missing = [key for key in wanted if key not in found]
    for made in _fetched(missing, shelf(), encode, progress) if missing else ():
        found |= made
        store.put_many(made)
    return found


def _fetched(missing, shelf, encode, progress):
    """Dicts by key: what is on disk, then every chunk as it is encoded."""
    here = shelf.get_many(missing)
    yield here
    left = [key for key in missing if key not in here]
    if not left:
        return
    with progress(len(left)) as bar:
        for start in range(0, len(left), CHUNK):
            chunk = left[start : start + CHUNK]
            here = shelf.get_many(chunk) if start else {}  # another process may have been quicker
            bar.update(len(here))
            new = [key for key in chunk if key not in here]
            made = dict(zip(new, encode(new, bar.update))) if new else {}
            shelf.put_many(made)
            yield here | made

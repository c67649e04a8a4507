"""Vectors of passages in memory."""

from collections import OrderedDict
from threading import Lock


class Store:
    """The vectors of the passages used last, up to so many bytes.

    Has the three methods that a store on disk would have too: `get`, `put`, `clear`.
    """

    def __init__(self, limit):
        self.limit = limit
        self.bytes = 0
        self._kept = OrderedDict()
        self._lock = Lock()

    def get(self, passage):
        """The passage's vectors, or None."""
        with self._lock:
            if passage not in self._kept:
                return None
            self._kept.move_to_end(passage)
            return self._kept[passage]

    def put(self, passage, vectors):
        """Keep `vectors`; the passages that were used longest ago make room."""
        with self._lock:
            known = self._kept.pop(passage, None)
            self.bytes += vectors.nbytes - (0 if known is None else known.nbytes)
            self._kept[passage] = vectors
            while self.bytes > self.limit:
                self.bytes -= self._kept.popitem(last=False)[1].nbytes

    def clear(self):
        """Forget everything."""
        with self._lock:
            self._kept.clear()
            self.bytes = 0

"""Arrays in memory, up to a number of bytes: those that were used last stay.

For example::

    memory = ArrayMemory()
    memory.add({"a text": np.ones((1, 384))}, limit=2**20)
    memory.find(["a text", "another"], limit=2**20)  # {"a text": …}
"""

from collections import OrderedDict
from collections.abc import Hashable, Iterable, Mapping
from threading import Lock
from typing import Any, NamedTuple, TypeVar

import numpy as np

#: what is encoded: a text, a pair of texts, a passage or a paper
Key = TypeVar("Key", bound=Hashable)


class _Entry(NamedTuple):
    """An array in memory; `size` in bytes is its own and its key's."""

    array: np.ndarray
    size: int


class ArrayMemory:
    """The arrays that were used last, up to a number of bytes, including their keys' texts.

    Several threads may share one. Its arrays are read-only, because callers share them.
    """

    def __init__(self) -> None:
        self._entries: OrderedDict[Hashable, _Entry] = OrderedDict()  # the one used last at the end
        self._bytes = 0
        self._lock = Lock()

    def find(self, keys: Iterable[Key], limit: int) -> dict[Key, np.ndarray]:
        """Return the arrays of those `keys` that are in memory.

        `limit` is in bytes, and may be less than at the last call.
        """
        arrays = {}
        with self._lock:
            self._trim(limit)
            for key in keys:
                entry = self._entries.get(key)
                if entry is not None:
                    arrays[key] = entry.array
                    self._entries.move_to_end(key)
        return arrays

    def add(self, arrays: Mapping[Key, np.ndarray], limit: int) -> None:
        """Keep arrays, and make them read-only; beyond `limit` bytes the least recent ones go."""
        with self._lock:
            for key, array in arrays.items():
                array.setflags(write=False)
                entry = _Entry(array, array.nbytes + _count_characters(key))
                earlier_entry = self._entries.pop(key, None)  # another thread may have added it
                if earlier_entry is not None:
                    self._bytes -= earlier_entry.size
                self._entries[key] = entry
                self._bytes += entry.size
            self._trim(limit)

    def _trim(self, limit: int) -> None:
        """Drop the least recently used arrays beyond `limit` bytes."""
        while self._bytes > limit:
            _, entry = self._entries.popitem(last=False)
            self._bytes -= entry.size


def _count_characters(key: Any) -> int:
    """Count the characters in a key: a full paper takes more memory than its embedding."""
    try:
        return len("".join(key))  # a text, a pair or a passage, in one step
    except TypeError:  # a paper's sentences and labels are nested tuples
        return sum(len("".join(texts)) for texts in key)

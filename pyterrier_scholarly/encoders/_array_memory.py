"""Arrays in memory, up to a number of bytes: those that were used last stay.

For example::

    memory = ArrayMemory()
    memory.add({"a text": np.ones((1, 384))}, limit=2**20)
    memory.find(["a text", "another"], limit=2**20)  # {"a text": …}
"""

from collections import OrderedDict
from collections.abc import Hashable, Iterable, Mapping
from threading import Lock
from typing import Any, TypeVar

import numpy as np

#: what is encoded: a text, a pair of texts, a passage or a paper
Key = TypeVar("Key", bound=Hashable)


class ArrayMemory:
    """The arrays that were used last, up to a number of bytes, including their keys' texts.

    Several threads may share one. Its arrays are read-only, because callers share them.
    """

    def __init__(self) -> None:
        self._arrays: OrderedDict[Hashable, np.ndarray] = OrderedDict()  # the last used at the end
        self._bytes = 0  # of all arrays and their keys
        self._lock = Lock()

    def find(self, keys: Iterable[Key], limit: int) -> dict[Key, np.ndarray]:
        """Return the arrays of those `keys` that are in memory.

        `limit` is in bytes, and may be less than at the last call.
        """
        found_arrays = {}
        with self._lock:
            self._trim(limit)
            for key in keys:
                array = self._arrays.get(key)
                if array is not None:
                    found_arrays[key] = array
                    self._arrays.move_to_end(key)
        return found_arrays

    def add(self, arrays: Mapping[Key, np.ndarray], limit: int) -> None:
        """Keep arrays, and make them read-only; beyond `limit` bytes the least recent ones go."""
        with self._lock:
            for key, array in arrays.items():
                array.setflags(write=False)
                earlier_array = self._arrays.pop(key, None)  # another thread may have added it
                if earlier_array is not None:
                    self._bytes -= _measure(key, earlier_array)
                self._arrays[key] = array
                self._bytes += _measure(key, array)
            self._trim(limit)

    def _trim(self, limit: int) -> None:
        """Drop the least recently used arrays beyond `limit` bytes."""
        while self._bytes > limit:
            key, array = self._arrays.popitem(last=False)
            self._bytes -= _measure(key, array)


def _measure(key: Any, array: np.ndarray) -> int:
    """Return the bytes of an array and of its key: a full paper has more than its embedding.

    The size is computed again when an array is dropped, instead of kept beside it. A record for
    each of a hundred thousand arrays would cost Python's garbage collector more time.
    """
    if isinstance(key, str):  # joining a text would copy it character by character
        return array.nbytes + len(key)

    try:
        character_count = len("".join(key))  # a pair or a passage, in one step
    except TypeError:  # a paper's sentences and labels are nested tuples
        character_count = sum(len("".join(texts)) for texts in key)
    return array.nbytes + character_count

"""Number equal things once: the row of a table in which each distinct key has its place.

    >>> texts = Distinct()
    >>> texts.add_all(["a cat", "a dog", "a cat"])
    [0, 1, 0]
    >>> texts.keys
    ['a cat', 'a dog']

An encoder then encodes `keys`, and row n of its answer belongs to every text with number n.
"""

from collections.abc import Hashable, Iterable
from typing import Generic, TypeVar

Key = TypeVar("Key", bound=Hashable)


class Distinct(Generic[Key]):
    """Distinct keys, numbered from 0 in the order in which they were first added."""

    def __init__(self, keys: Iterable[Key] = ()) -> None:
        # the dict keeps the order of the numbers, too: see `keys`
        self._number_of_key: dict[Key, int] = {}
        self.add_all(keys)

    def __len__(self) -> int:
        return len(self._number_of_key)

    def __contains__(self, key: object) -> bool:
        return key in self._number_of_key

    @property
    def keys(self) -> list[Key]:
        """The distinct keys; the key with number n is at position n."""
        return list(self._number_of_key)

    def add(self, key: Key) -> int:
        """Return the key's number; a new key gets the next one."""
        next_number = len(self._number_of_key)
        return self._number_of_key.setdefault(key, next_number)

    def add_all(self, keys: Iterable[Key]) -> list[int]:
        """Return the number of each of `keys`, in their order; new keys get the next ones."""
        number_of_key = self._number_of_key
        # as `add`, which would take most of the time to call for each of a million sentences
        return [number_of_key.setdefault(key, len(number_of_key)) for key in keys]

    def number(self, key: Key) -> int:
        """Return the number of a key that was added before; KeyError for another."""
        return self._number_of_key[key]

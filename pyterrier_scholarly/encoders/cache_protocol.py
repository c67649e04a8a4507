"""What keeps an encoder's arrays on disk: a protocol that `VectorCache` meets."""

from collections.abc import Hashable, Iterable, Mapping
from typing import Protocol, TypeVar

import numpy as np

CacheKey = TypeVar("CacheKey", bound="str | tuple[str, ...]")


class ArrayCache(Hashable, Protocol):
    """What keeps arrays on disk: a `VectorCache`, or another object with its two methods."""

    def get_many(
        self, settings: Mapping[str, object], keys: Iterable[CacheKey]
    ) -> dict[CacheKey, np.ndarray]:
        """Return the arrays of those `keys` that were put under equal settings."""

    def put_many(
        self, settings: Mapping[str, object], arrays: Mapping[CacheKey, np.ndarray]
    ) -> None:
        """Keep arrays by key."""

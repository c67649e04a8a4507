"""Vectors in memory."""

import numpy as np

from pyterrier_scholarly.encoders._store import Store

ONE = np.zeros((1, 2), dtype=np.float32)  # eight bytes


def test_what_was_used_last_stays():
    """When there is no room, the passage that was used longest ago goes."""
    store = Store(16)
    store.put("a", ONE)
    store.put("b", ONE)
    assert store.get("a") is ONE
    store.put("c", ONE)
    assert store.get("b") is None
    assert store.get("a") is ONE
    assert store.bytes == 16


def test_putting_again_counts_once():
    """And what is larger than the store is not kept."""
    store = Store(16)
    store.put("a", ONE)
    store.put("a", ONE)
    assert store.bytes == 8
    store.put("b", np.zeros(100))
    assert (store.bytes, store.get("b")) == (0, None)


def test_clear():
    """Nothing is left."""
    store = Store(16)
    store.put("a", ONE)
    store.clear()
    assert (store.bytes, store.get("a")) == (0, None)

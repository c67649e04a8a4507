"""Vectors in memory."""

import numpy as np
import pytest

from pyterrier_scholarly.encoders._store import Store

ONE = np.zeros((1, 2), dtype=np.float32)  # eight bytes, and one of its text


def test_what_was_used_last_stays():
    """When there is no room, the passage that was used longest ago goes."""
    store = Store(18)
    store.put_many({"a": ONE})
    store.put_many({"b": ONE})
    assert store.get_many(["a", "other"]) == {"a": ONE}
    store.put_many({"c": ONE})
    assert store.get_many(["b"]) == {}
    assert store.get_many(["a", "other"]) == {"a": ONE}
    assert store.bytes == 18


def test_putting_again_counts_once():
    """And what is larger than the store is not kept."""
    store = Store(18)
    store.put_many({"a": ONE})
    store.put_many({"a": ONE})
    assert store.bytes == 9
    store.put_many({"b": np.zeros(100)})
    assert (store.bytes, store.get_many(["a", "b"])) == (0, {})


def test_what_is_kept_cannot_be_written_to():
    """Nobody changes what others get."""
    store = Store(18)
    store.put_many({"a": np.zeros(1)})
    with pytest.raises(ValueError, match="read-only"):
        store.get_many(["a"])["a"] += 1


def test_clear():
    """Nothing is left."""
    store = Store(18)
    store.put_many({"a": ONE})
    store.clear()
    assert (store.bytes, store.get_many(["a"])) == (0, {})


def test_a_lower_limit_makes_room_at_once():
    """Not only with the next vectors."""
    store = Store(18)
    store.put_many({"a": ONE, "b": ONE})
    store.limit = 9
    assert (store.bytes, list(store.get_many(["a", "b"]))) == (9, ["b"])
    store.limit = 18
    assert store.limit == 18


def test_texts_count_as_well():
    """Full papers take more room than their vectors: a text of 100 letters, a passage of 60."""
    store = Store(1_000)
    store.put_many({"a" * 100: ONE, ("b" * 50, "c" * 10): ONE})
    assert store.bytes == 100 + 8 + 60 + 8
    store.limit = 100
    assert store.bytes == 60 + 8

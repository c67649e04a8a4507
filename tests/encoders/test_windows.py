"""Windows of tokens, and batches."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as some

from pyterrier_scholarly.encoders._windows import WHOLE, batches, joined, windows


def test_parts_are_joined_by_blanks():
    """Where each begins and ends is where it stands in the text; empty parts add no blank."""
    parts = ("", "one", "", "two", "")
    text, begins, ends = joined(parts)
    assert text == "one two"
    assert [text[begin:end] for begin, end in zip(begins, ends)] == list(parts)


@pytest.mark.torch
@pytest.mark.parametrize("limit", [4, 5, 9, 16, 32])
@pytest.mark.parametrize("length", [1, 2, 14, 15, 30, 31, 61, 200])
def test_no_token_is_lost_or_counted_twice(letters, limit, length):
    """The kept tokens of all windows, in order, are those of the text; special ones come once."""
    text = " ".join("abcdefghijklmnopqrstuvwxyz"[n % 26] for n in range(length))
    made = windows([("t", text)], letters.tokenizer, limit)
    assert max(len(window.tokens) for window in made) <= limit
    kept = np.concatenate([window.tokens[window.kept] for window in made])
    parts = np.concatenate([window.parts[window.kept] for window in made])
    whole = letters.tokenizer(f"t {text}")["input_ids"]
    assert kept[parts != WHOLE].tolist() == whole[1:-1]
    assert sorted(kept) == sorted(whole)
    assert np.bincount(parts + 1).tolist() == [2, 1, length]


@given(some.lists(some.integers(1, 50), max_size=40), some.integers(1, 120), some.integers(1, 9))
@settings(max_examples=100)
def test_batches_keep_to_the_budget(lengths, budget, most):
    """Every number once; padded to its longest, a batch costs no more, unless it is a single."""
    made = list(batches(lengths, budget, most))
    assert all(len(batch) <= most for batch in made)
    assert sorted(number for batch in made for number in batch) == list(range(len(lengths)))
    costs = [(len(batch), len(batch) * max(lengths[n] for n in batch)) for batch in made]
    assert [cost for size, cost in costs if size > 1 and cost > budget] == []

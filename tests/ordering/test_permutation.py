"""Orders read from what a language model writes."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pyterrier_scholarly.ordering.permutation import is_order, read_order


@pytest.mark.parametrize(
    ("reply", "order"),
    [
        ("[2] > [1]", [2, 1, 3, 4]),
        ("2,1,2,99", [2, 1, 3, 4]),
        ("", [1, 2, 3, 4]),
        ("[1-3]", [1, 3, 2, 4]),
        ("[02] > [1]", [2, 1, 3, 4]),
        ("I cannot rank these 3 papers.", [3, 1, 2, 4]),
        ("[4²] > [0] > [5]", [4, 1, 2, 3]),
        ("٣ > [2]", [2, 1, 3, 4]),
        ("9" * 5000 + " > [3]", [3, 1, 2, 4]),
    ],
)
def test_four_candidates(reply, order):
    """As the authors' code reads them, and where that breaks (² and longer numbers), no error."""
    assert [position + 1 for position in read_order(reply, 4)] == order


@given(st.text() | st.text("0123456789[]> ,²"), st.integers(0, 12))
def test_every_reply_gives_a_permutation(reply, n):
    """Whatever is replied, no candidate is lost and none is doubled."""
    assert sorted(read_order(reply, n)) == list(range(n))


@given(st.permutations(range(7)))
def test_a_full_order_is_read_as_it_is(order):
    """What is written by the prompt's rule comes back, and is nothing but an order."""
    reply = " > ".join(f"[{position + 1}]" for position in order)
    assert read_order(reply, 7) == order
    assert is_order(reply, 7)


@pytest.mark.parametrize("reply", ["", "  ", "[9]", "Sure! [2] > [1]", "[1-3]", "no"])
def test_what_is_more_or_less_than_an_order(reply):
    """Words, ranges, and replies that name no candidate are told apart from orders."""
    assert not is_order(reply, 4)

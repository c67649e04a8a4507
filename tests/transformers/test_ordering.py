"""Orders of candidates: windows, orders that a language model writes, and one-hop by hand."""

from itertools import chain

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pyterrier_scholarly.transformers.listwise_rerank import (
    is_order,
    list_window_sizes,
    list_windows,
    read_order,
)
from pyterrier_scholarly.transformers.one_hop import appended, interleaved

SEEDS = [1, 2, 3]
CITED = [[10, 2, 11], [10, 12], [1, 13]]


def test_both_orders():
    """Seeds 1, 2, 3: what each cites stands behind it, or behind all; each paper once."""
    assert interleaved(SEEDS, CITED, 200) == [1, 10, 2, 11, 12, 3, 13]
    assert appended(SEEDS, CITED, 200) == [1, 2, 3, 10, 11, 12, 13]


def test_cut_at_four():
    """The first four of these."""
    assert interleaved(SEEDS, CITED, 4) == [1, 10, 2, 11]
    assert appended(SEEDS, CITED, 4) == [1, 2, 3, 10]


def test_papers_that_are_there_already_take_no_place():
    """Behind the first four come a repeated 2 and 10, or 2 alone, before a fifth paper."""
    assert interleaved(SEEDS, CITED, 5) == [1, 10, 2, 11, 12]
    assert appended(SEEDS, CITED, 5) == [1, 2, 3, 10, 11]


LISTS = st.lists(st.integers(0, 30), max_size=8)


@given(st.lists(st.tuples(st.integers(0, 30), LISTS), max_size=8, unique_by=lambda x: x[0]))
def test_orders_agree_on_what_is_in(pairs):
    """Uncut, both hold the same papers, each once, and the seeds in their order."""
    seeds, cited = [seed for seed, _ in pairs], [ids for _, ids in pairs]
    one, other = interleaved(seeds, cited, 1000), appended(seeds, cited, 1000)
    assert sorted(one) == sorted(other) == sorted({*seeds, *chain(*cited)})
    assert other[: len(seeds)] == seeds


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


@pytest.mark.parametrize(
    ("first", "sizes"),
    [
        (100, [100, 80, 60]),
        (200, [200, 160, 120]),
        (99, [99, 80, 61]),
        (7, [7, 6, 5, 4, 3]),
        (5, [5, 4, 3, 2]),
        (4, [4, 3, 2]),
        (3, [3, 2]),
        (2, [2]),
        (1, []),
        (0, []),
    ],
)
def test_sizes_after_failures(first, sizes):
    """The authors' schedule; below 5, where theirs never ends, one less each time, never one."""
    assert list_window_sizes(first) == sizes


def test_schedules_end():
    """Every schedule falls, from the first size to its half at most, in at most six steps."""
    for first in range(1001):
        sizes = list_window_sizes(first)
        assert sizes == sorted(set(sizes), reverse=True)
        assert len(sizes) <= 6
        assert all(first // 2 <= size <= first for size in sizes)


def test_one_window():
    """Without a stride the first candidates are one window, or all if there are fewer."""
    assert list_windows(1000, 100) == [(0, 100)]
    assert list_windows(30, 100) == [(0, 30)]
    assert list_windows(0, 100) == [(0, 0)]


def test_windows_slide_to_the_front():
    """RankGPT's: from the last twenty, ten further each time, nine windows over a hundred."""
    windows = list_windows(100, 20, 10)
    assert windows == [(80 - 10 * k, 100 - 10 * k) for k in range(9)]
    assert list_windows(25, 20, 10) == [(5, 25), (0, 20)]
    assert list_windows(20, 20, 10) == list_windows(20, 20) == [(0, 20)]


@given(st.integers(1, 60), st.integers(1, 30), st.integers(1, 30))
def test_sliding_ends_at_the_front(n, window, stride):
    """All windows lie within the candidates, the first ends at the last, the last begins first."""
    windows = list_windows(n, window, stride)
    assert windows[0][1] == n
    assert windows[-1] == (0, min(n, window))
    assert all(0 <= start < end <= n for start, end in windows)

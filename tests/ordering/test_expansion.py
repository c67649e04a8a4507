"""One-hop expansion by hand."""

from itertools import chain

from hypothesis import given
from hypothesis import strategies as st

from pyterrier_scholarly.ordering.expansion import appended, interleaved

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

"""Windows over candidates."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pyterrier_scholarly.ordering.windows import shrinking, spans


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
    assert shrinking(first) == sizes


def test_schedules_end():
    """Every schedule falls, from the first size to its half at most, in at most six steps."""
    for first in range(1001):
        sizes = shrinking(first)
        assert sizes == sorted(set(sizes), reverse=True)
        assert len(sizes) <= 6
        assert all(first // 2 <= size <= first for size in sizes)


def test_one_window():
    """Without a stride the first candidates are one window, or all if there are fewer."""
    assert spans(1000, 100) == [(0, 100)]
    assert spans(30, 100) == [(0, 30)]
    assert spans(0, 100) == [(0, 0)]


def test_windows_slide_to_the_front():
    """RankGPT's: from the last twenty, ten further each time, nine windows over a hundred."""
    windows = spans(100, 20, 10)
    assert windows == [(80 - 10 * k, 100 - 10 * k) for k in range(9)]
    assert spans(25, 20, 10) == [(5, 25), (0, 20)]
    assert spans(20, 20, 10) == spans(20, 20) == [(0, 20)]


@given(st.integers(1, 60), st.integers(1, 30), st.integers(1, 30))
def test_sliding_ends_at_the_front(n, window, stride):
    """All windows lie within the candidates, the first ends at the last, the last begins first."""
    windows = spans(n, window, stride)
    assert windows[0][1] == n
    assert windows[-1] == (0, min(n, window))
    assert all(0 <= start < end <= n for start, end in windows)

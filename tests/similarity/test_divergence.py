"""Test Jensen-Shannon divergences."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.spatial.distance import jensenshannon

from pyterrier_scholarly.similarity import jensen_shannon


def test_divergences_by_hand():
    """Equal rows have 0, disjoint rows 1; (1, 0) and (½, ½) have H(¾, ¼) - ½ bit."""
    left = [[0.2, 0.8], [1, 0], [1, 0]]
    right = [[0.2, 0.8], [0, 1], [0.5, 0.5]]
    by_hand = -0.75 * np.log2(0.75) - 0.25 * np.log2(0.25) - 0.5 * 1
    assert jensen_shannon(left, right).tolist() == pytest.approx([0, 1, by_hand], abs=1e-15)


@pytest.mark.parametrize(("topics", "count"), [(1, 5), (3, 20_000), (50, 2_000), (40_000, 3)])
def test_it_is_the_square_of_scipys(topics, count):
    """For base 2, any number of topics, and more pairs than one chunk."""
    random = np.random.default_rng(0)
    rows = random.dirichlet(np.full(topics, 0.05), 40)
    rows[rows < 1e-9] = 0
    pairs = random.integers(40, size=(count, 2))
    divergences = jensen_shannon(rows, rows, pairs)
    some = pairs[:300]
    expected = [np.nan_to_num(jensenshannon(rows[i], rows[j], 2)) ** 2 for i, j in some]
    assert divergences[:300] == pytest.approx(expected, abs=1e-12)
    assert len(divergences) == count
    assert (divergences >= 0).all() and (divergences <= 1).all()


POSITIVE = st.lists(st.floats(1e-3, 1e3), min_size=4, max_size=4)


@given(POSITIVE, POSITIVE, st.floats(1e-3, 1e3))
def test_it_is_symmetric_and_ignores_scale(p, q, factor):
    """Rows are scaled to sum 1."""
    divergence = jensen_shannon([p], [q])
    assert jensen_shannon([q], [p]) == pytest.approx(divergence)
    assert jensen_shannon([np.array(p) * factor], [q]) == pytest.approx(divergence, abs=1e-12)


def test_pairs_of_two_collections():
    """The first number is a row on the left, the second a row on the right."""
    left, right = [[1, 0], [0, 1]], [[1, 1], [1, 0], [0, 1]]
    assert jensen_shannon(left, right, [[0, 1], [0, 2], [1, 2]]).tolist() == [0, 1, 0]
    assert jensen_shannon(left, right, np.empty((0, 2), dtype=int)).shape == (0,)
    assert jensen_shannon(np.empty((0, 3)), np.empty((0, 3))).shape == (0,)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (([[1, 2]], [[1, 2, 3]]), r"\(1, 2\) and \(1, 3\): pass equal numbers of topics"),
        (([[1, 2]], [[1, 2], [3, 4]]), "pass equal numbers of topics"),
        (([1, 2], [1, 2]), r"left has shape \(2,\): expected \(rows, topics\)"),
        (([[0.5, 0.5], [0, 0]], [[1, 1], [1, 1]]), "row 1 of left is no distribution"),
        (([[1, 1]], [[np.nan, 1]]), "row 0 of right is no distribution"),
        (([[1, 1]], [[np.inf, 1]]), "row 0 of right is no distribution"),
        (([[2, -1]], [[1, 1]]), "its numbers are -1.0 to 2.0"),
        (([[1, 1]], [[1, 1]], [[0, 1]]), "name rows 0 to 1: expected 0 to 0"),
        (([[1, 1]], [[1, 1]], [[-1, 0]]), "name rows -1 to 0"),
        (([[1, 1]], [[1, 1]], [0, 0]), "expected whole"),
        (([[1, 1]], [[1, 1]], [[0.0, 0.0]]), "expected whole"),
    ],
)
def test_wrong_input_raises(arguments, message):
    """The error names what was expected."""
    with pytest.raises(ValueError, match=message):
        jensen_shannon(*arguments)

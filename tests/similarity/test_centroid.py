"""Test centroids by hand and by a loop."""

import numpy as np
import pytest

from pyterrier_scholarly.similarity.maxsim import centroid_cosines


def test_by_hand():
    """The mean of east and north, of any length, is north-east: 45 degrees from east."""
    query = np.array([[3.0, 0.0], [0.0, 0.5]])
    rows = np.array([[2.0, 0.0], [7.0, 7.0], [1.0, 0.0], [-1.0, 0.0]])
    scores = centroid_cosines(query, rows, [1, 0, 1, 2])
    assert scores == pytest.approx([0.5**0.5, -1, 1, 0])


def test_equals_a_loop():
    """On random vectors, it is the cosine of means of unit vectors."""
    random = np.random.default_rng(0)
    query, rows = random.normal(size=(3, 5)), random.normal(size=(9, 5))
    unit = lambda v: v / np.linalg.norm(v, axis=-1, keepdims=True)  # noqa: E731
    groups = np.split(rows, [4, 5])
    expected = [unit(unit(query).mean(0)) @ unit(unit(group).mean(0)) for group in groups]
    assert centroid_cosines(query, rows, [4, 1, 4]) == pytest.approx(expected)


def test_itself_and_no_candidates():
    """A query has the score 1 with itself; zero candidates give an empty array."""
    query = np.array([[1.0, 2.0], [3.0, -1.0]])
    assert centroid_cosines(query, query, [2]) == pytest.approx([1])
    assert centroid_cosines(query, np.zeros((0, 2)), []).shape == (0,)
    assert centroid_cosines(query, np.zeros((0, 2)), [0, 0]).tolist() == [-1, -1]

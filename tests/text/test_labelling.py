"""Test the linear model of sentence labels, and its sequences."""

from itertools import pairwise, product
from math import log, sqrt

import numpy as np
import pytest

from pyterrier_scholarly.text.facet_labels import (
    LabelModel,
    find_best_sequences,
    label_sentences,
    score_labels,
)
from pyterrier_scholarly.text.label_features import describe_places, shift_rows, weigh_terms


def test_weights_of_terms():
    """(1 + ln 2) · 1 for 'we', 1 · 3 for 'we prune', at length 1; unknown terms are skipped."""
    number = {"we": 0, "we prune": 1}
    rows = weigh_terms(
        [["We prune what we like", "unknown"], [], ["we"]], number, np.array([1.0, 3.0])
    )
    length = sqrt((1 + log(2)) ** 2 + 3**2)
    assert rows.toarray() == pytest.approx(
        np.array([[(1 + log(2)) / length, 3 / length], [0, 0], [1, 0]])
    )


def test_positions_in_an_abstract():
    """Three sentences have shares 0, 1/2, 1; a single sentence is the first and the last."""
    assert describe_places([3, 0, 1]).tolist() == [
        [0, 0, 1, 0, 0, 0],
        [0.5, 0.25, 0, 1, 1, 0],
        [1, 1, 0, 0, 0, 1],
        [0, 0, 1, 0, 0, 1],
    ]
    assert describe_places([2]).tolist() == [[0, 0, 1, 0, 1, 0], [1, 1, 0, 1, 0, 1]]


def test_neighbours_are_of_the_same_abstract():
    """A row never moves into another abstract, also with an empty one between."""
    rows = np.array([[1.0], [2.0], [3.0], [4.0]])
    assert shift_rows(rows, [2, 0, 2], 1).ravel().tolist() == [0, 1, 0, 3]
    assert shift_rows(rows, [2, 0, 2], -1).ravel().tolist() == [2, 0, 4, 0]
    assert shift_rows(rows[:0], [0], 1).tolist() == []


def test_the_best_sequence_is_the_best_of_all():
    """In each abstract, none of the 3^n sequences has a larger sum."""
    make = np.random.default_rng(0)
    lengths = [4, 0, 1, 5, 2]
    scores, start, steps = make.normal(size=(12, 3)), make.normal(size=3), make.normal(size=(3, 3))

    def total(labels, own):
        parts = [own[place, label] for place, label in enumerate(labels)]
        return start[labels[0]] + sum(parts) + sum(steps[p] for p in pairwise(labels))

    numbers, end = find_best_sequences(scores, lengths, start, steps), 0
    for length in [length for length in lengths if length]:
        own, labels = scores[end : end + length], numbers[end : end + length]
        best = max(product(range(3), repeat=length), key=lambda labels: total(labels, own))
        assert tuple(labels) == best
        end += length
    assert end == len(numbers)


def test_no_rows_have_no_labels():
    """Zero abstracts, or only empty ones, give no labels."""
    start, steps = np.zeros(2), np.zeros((2, 2))
    assert find_best_sequences(np.empty((0, 2)), [], start, steps).tolist() == []
    assert find_best_sequences(np.empty((0, 2)), [0, 0], start, steps).tolist() == []


@pytest.fixture
def model():
    """Return a model with labels a and b, and one term: 1 for a; before, 2 for b; behind, -4."""
    weights = np.array([[[1.0, 0.0]], [[0.0, 2.0]], [[0.0, -4.0]]])
    places = np.zeros((6, 2))
    places[2, 0] = 10  # the first sentence
    none = np.zeros(2)
    steps = np.log([[0.5, 0.5], [0.5, 0.5]])
    return LabelModel(("a", "b"), {"x": 0}, np.ones(1), weights, places, none + 0.25, none, steps)


def test_scores_add_up(model):
    """Own term 1, the term before half of 2, behind half of -4, position 10, bias 1/4."""
    scores = score_labels(model, [["x", "y", "x"], ["y"]])
    expected = [[1 + 10, 0], [0, 0.5 * 2 + 0.5 * -4], [1, 0], [10, 0]]
    assert scores == pytest.approx(np.array(expected) + 0.25)


def test_labels_are_names_per_abstract(model):
    """A sentence gets a with the term on both sides, and b with the term before only."""
    assert label_sentences(model, [["x", "y", "x"], [], ["x", "y"]]) == [
        ["a", "a", "a"],
        [],
        ["a", "b"],
    ]

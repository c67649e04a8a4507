"""Test the linear model of sentence labels, and its sequences."""

from itertools import pairwise, product
from math import log, sqrt

import numpy as np
import pytest

from pyterrier_scholarly.text.facet_labels import (
    LabelModel,
    describe_places,
    describe_sentences,
    find_best_sequences,
    label_sentences,
)


def test_features_of_sentences():
    """(1 + ln 2) · 1 for 'we', 1 · 3 for 'we prune', at length 1; unknown terms are skipped.

    Half of them count in the sentences before and behind, if these are of the same abstract.
    """
    number = {"we": 0, "we prune": 1}
    abstracts = [["We prune what we like", "unknown"], [], ["we"]]
    features = describe_sentences(abstracts, number, np.array([1.0, 3.0])).toarray()
    length = sqrt((1 + log(2)) ** 2 + 3**2)
    first = np.array([(1 + log(2)) / length, 3 / length])
    none = [0, 0]
    expected = [[*first, *none, *none], [*none, *first / 2, *none], [1, 0, *none, *none]]
    assert features[:, :6] == pytest.approx(np.array(expected))
    assert features[:, 6:] == pytest.approx(describe_places([2, 0, 1]))


def test_places_in_an_abstract():
    """Three sentences have shares 0, 1/2, 1; a single sentence is the first and the last."""
    assert describe_places([3, 0, 1]).tolist() == [
        [0, 0, 1, 0, 0, 0],
        [0.5, 0.25, 0, 1, 1, 0],
        [1, 1, 0, 0, 0, 1],
        [0, 0, 1, 0, 0, 1],
    ]
    assert describe_places([2]).tolist() == [[0, 0, 1, 0, 1, 0], [1, 1, 0, 1, 0, 1]]


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
    """Return a model with labels a and b, and one term: 1 for a; before, 2 for b; behind, -4.

    The first sentence has 10 more for a.
    """
    terms = [[1, 0], [0, 2], [0, -4]]
    places = np.zeros((6, 2))
    places[2, 0] = 10
    weights = np.concatenate([terms, places])
    none = np.zeros(2)
    steps = np.log([[0.5, 0.5], [0.5, 0.5]])
    return LabelModel(["a", "b"], {"x": 0}, np.ones(1), weights, none + 0.25, none, steps)


def test_scores_add_up(model):
    """Own term 1, the term before half of 2, behind half of -4, and 10 for the first sentence.

    So a sentence gets b as soon as the bias of b is larger than what a has more than b.
    """
    abstracts = [["x", "y", "x"], ["y"]]
    margins = [1 + 10, 0 - (0.5 * 2 + 0.5 * -4), 1, 10]  # of a over b
    for bias in (0.9, 1.1, 9.9, 10.1, 10.9, 11.1):
        first, second = label_sentences(model._replace(bias=np.array([0, bias])), abstracts)
        assert first + second == ["a" if margin > bias else "b" for margin in margins]


def test_labels_are_names_per_abstract(model):
    """A sentence gets a with the term on both sides, and b with the term before only."""
    assert label_sentences(model, [["x", "y", "x"], [], ["x", "y"]]) == [
        ["a", "a", "a"],
        [],
        ["a", "b"],
    ]

"""Test that the parts of a score add up to the score."""

import math

import numpy as np
import pytest

from pyterrier_scholarly.similarity import contributions
from pyterrier_scholarly.similarity.maxsim import (
    centroid_cosines,
    max_sim,
    single_match,
    symmetric_max_sim,
)
from pyterrier_scholarly.similarity.transport import exact, plan_cost, sinkhorn

EAST, NORTH, BOTH = [3.0, 0.0], [0.0, 4.0], [3.0, 4.0]


def added(matches):
    """Add up pairs and rest."""
    return (matches.weights * matches.similarities).sum() + sum(matches.rest.values())


@pytest.fixture(params=range(5))
def pair(request):
    """Return random vectors of one to six sentences per side."""
    random = np.random.default_rng(request.param)
    m, n = random.integers(1, 7, 2)
    return random.normal(size=(m, 8)), random.normal(size=(n, 8))


@pytest.mark.parametrize("aggregate", ["max", "mean", "sum"])
def test_max_sim_adds_up(pair, aggregate):
    """The weighted cosines of the best matches are the score; each sentence has one match."""
    query, document = pair
    matches = contributions.split_max_sim(query, document, aggregate)
    assert added(matches) == pytest.approx(max_sim(query, document, [len(document)], aggregate)[0])
    assert matches.matched.sum(axis=1).tolist() == [1] * len(query)


def test_symmetric_max_sim_adds_up(pair):
    """The best matches of each side are half of the score."""
    query, document = pair
    matches = contributions.split_max_sim(query, document, "symmetric")
    assert added(matches) == pytest.approx(symmetric_max_sim(query, document, [len(document)])[0])
    assert matches.weights.sum() == pytest.approx(1)


def test_max_sim_by_hand():
    """The best match of north is (3, 4), with 4/5; its weight in the mean of two is 1/2."""
    matches = contributions.split_max_sim(np.array([NORTH, EAST]), np.array([BOTH, EAST]), "mean")
    assert matches.similarities.ravel() == pytest.approx([4 / 5, 0, 3 / 5, 1])
    assert matches.weights.tolist() == [[0.5, 0], [0, 0.5]]


def test_the_maximum_counts_one_pair():
    """Of the best matches, 4/5 and 1, the second is the score."""
    matches = contributions.split_max_sim(np.array([NORTH, EAST]), np.array([BOTH, EAST]), "max")
    assert matches.weights.tolist() == [[0, 0], [0, 1]]


def test_centroids_add_up(pair):
    """All pairs have the same weight in the cosine of two means."""
    query, document = pair
    matches = contributions.split_centroid_cosine(query, document)
    assert added(matches) == pytest.approx(centroid_cosines(query, document, [len(document)])[0])
    assert np.ptp(matches.weights) == 0


def test_centroids_of_some_sentences(pair):
    """Sentences outside the document's mean have no weight."""
    query, document = pair
    matches = contributions.split_centroid_cosine(query, document, [0])
    assert added(matches) == pytest.approx(centroid_cosines(query, document[:1], [1])[0])
    assert not matches.weights[:, 1:].any()


def test_a_mean_of_zero():
    """The mean of opposite sentences is 0, so the score and its parts are 0."""
    matches = contributions.split_centroid_cosine(np.array([EAST]), np.array([EAST, [-3.0, 0.0]]))
    assert added(matches) == 0


def test_the_single_match_adds_up(pair):
    """Only the nearest pair has weight."""
    query, document = pair
    matches = contributions.split_single_match(query, document)
    assert added(matches) == pytest.approx(-single_match(query, document, [len(document)])[0])
    assert matches.weights.sum() == 1


@pytest.mark.parametrize(
    ("method", "distance"), [("sinkhorn", sinkhorn), ("plan", plan_cost), ("exact", exact)]
)
def test_transport_adds_up(pair, method, distance):
    """Parts are plan times distance; the entropic cost has two more."""
    query, document = pair
    matches = contributions.split_transport(query, document, method)
    assert added(matches) == pytest.approx(-distance(query, document, [len(document)])[0])
    assert set(matches.rest) == ({"entropy", "not settled"} if method == "sinkhorn" else set())
    assert matches.matched[np.arange(len(query)), matches.similarities.argmax(axis=1)].all()


def test_the_entropy_of_a_certain_plan():
    """The plan has two entries of 1/2, not four of 1/4: the entropy is blur times log 2.

    The nearest pairs are (0, 0) with east and (3, 4) with north, both with distance 3.
    """
    query, document = np.array([[0.0, 0.0], BOTH]), np.array([EAST, NORTH])
    for blur in (0.1, 0.01):
        matches = contributions.split_transport(query, document, "sinkhorn", blur=blur)
        assert matches.rest["entropy"] == pytest.approx(-blur * math.log(2), rel=0.02)
        assert matches.rest["not settled"] == pytest.approx(0, abs=0.01)


def test_the_entropy_of_a_plan_with_zeros():
    """Points so far apart keep their weights of 1/2: the entropy is blur times log 2."""
    places = np.array([[0.0, 0.0], [900.0, 0.0]])
    matches = contributions.split_transport(places, places, "sinkhorn", blur=0.05)
    assert (matches.weights == 0).sum() == 2
    assert matches.rest["entropy"] == pytest.approx(-0.05 * math.log(2))


def test_an_unknown_aggregate_raises():
    """The error lists the aggregates."""
    with pytest.raises(ValueError, match=r"'least'\. Choose one of: max, mean, sum"):
        contributions.split_max_sim(np.array([EAST]), np.array([EAST]), "least")


@pytest.mark.parametrize("scale", [1e-30, 1e30])
def test_centroids_of_any_length(pair, scale):
    """Very short and very long vectors in single precision have the parts of usual ones."""
    query, document = pair
    usual = contributions.split_centroid_cosine(query, document)
    scaled = [(scale * vectors).astype(np.float32) for vectors in pair]
    matches = contributions.split_centroid_cosine(*scaled)
    assert matches.weights == pytest.approx(usual.weights, rel=1e-5)
    assert matches.score == pytest.approx(usual.score, abs=1e-6)

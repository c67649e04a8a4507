"""Scores taken apart: pairs and rest add up to what the similarity gives."""

import math

import numpy as np
import pytest

from pyterrier_scholarly.similarity import contributions
from pyterrier_scholarly.similarity.centroid import centroid_cosines
from pyterrier_scholarly.similarity.exact_transport import exact
from pyterrier_scholarly.similarity.maxsim import max_sim
from pyterrier_scholarly.similarity.single_match import single_match
from pyterrier_scholarly.similarity.symmetric import symmetric_max_sim
from pyterrier_scholarly.similarity.transport import plan_cost, sinkhorn

EAST, NORTH, BOTH = [3.0, 0.0], [0.0, 4.0], [3.0, 4.0]


def added(matches):
    """What pairs and rest add up to."""
    return (matches.weights * matches.similarities).sum() + sum(matches.rest.values())


@pytest.fixture(params=range(5))
def pair(request):
    """Random vectors of up to six sentences on either side."""
    random = np.random.default_rng(request.param)
    m, n = random.integers(1, 7, 2)
    return random.normal(size=(m, 8)), random.normal(size=(n, 8))


@pytest.mark.parametrize("aggregate", ["max", "mean", "sum"])
def test_max_sim_adds_up(pair, aggregate):
    """The best matches' cosines, weighted, are the score; each sentence has one match."""
    query, document = pair
    found = contributions.of_max_sim(query, document, aggregate)
    assert added(found) == pytest.approx(max_sim(query, document, [len(document)], aggregate)[0])
    assert found.matched.sum(axis=1).tolist() == [1] * len(query)


def test_symmetric_max_sim_adds_up(pair):
    """Either side's best matches make up half of the score."""
    query, document = pair
    found = contributions.of_max_sim(query, document, "symmetric")
    assert added(found) == pytest.approx(symmetric_max_sim(query, document, [len(document)])[0])
    assert found.weights.sum() == pytest.approx(1)


def test_max_sim_by_hand():
    """North is best matched by (3, 4), with 4/5; the mean of two counts it by half."""
    found = contributions.of_max_sim(np.array([NORTH, EAST]), np.array([BOTH, EAST]), "mean")
    assert found.similarities.ravel() == pytest.approx([4 / 5, 0, 3 / 5, 1])
    assert found.weights.tolist() == [[0.5, 0], [0, 0.5]]


def test_the_maximum_counts_one_pair():
    """Of the two best matches, 4/5 and 1, the second is the score."""
    found = contributions.of_max_sim(np.array([NORTH, EAST]), np.array([BOTH, EAST]), "max")
    assert found.weights.tolist() == [[0, 0], [0, 1]]


def test_centroids_add_up(pair):
    """The cosine of two means is shared out evenly among all pairs."""
    query, document = pair
    found = contributions.of_centroids(query, document)
    assert added(found) == pytest.approx(centroid_cosines(query, document, [len(document)])[0])
    assert np.ptp(found.weights) == 0


def test_centroids_of_some_sentences(pair):
    """What is not in the document's mean has no weight."""
    query, document = pair
    found = contributions.of_centroids(query, document, [0])
    assert added(found) == pytest.approx(centroid_cosines(query, document[:1], [1])[0])
    assert not found.weights[:, 1:].any()


def test_a_mean_of_nothing():
    """Opposite sentences have no mean: their score is 0, and so is what each adds."""
    found = contributions.of_centroids(np.array([EAST]), np.array([EAST, [-3.0, 0.0]]))
    assert added(found) == 0


def test_the_single_match_adds_up(pair):
    """One pair counts, the nearest."""
    query, document = pair
    found = contributions.of_single_match(query, document)
    assert added(found) == pytest.approx(-single_match(query, document, [len(document)])[0])
    assert found.weights.sum() == 1


@pytest.mark.parametrize(
    ("method", "distance"), [("sinkhorn", sinkhorn), ("plan", plan_cost), ("exact", exact)]
)
def test_transport_adds_up(pair, method, distance):
    """Plan times distance, and for the entropic cost its two further terms."""
    query, document = pair
    found = contributions.of_transport(query, document, method)
    assert added(found) == pytest.approx(-distance(query, document, [len(document)])[0])
    assert set(found.rest) == ({"entropy", "not settled"} if method == "sinkhorn" else set())
    assert found.matched[np.arange(len(query)), found.similarities.argmax(axis=1)].all()


def test_the_entropy_of_a_certain_plan():
    """Half goes each way instead of a quarter everywhere: blur times log 2.

    From home and (3, 4) to east and north the nearest are both 3 apart, at opposite ends.
    """
    query, document = np.array([[0.0, 0.0], BOTH]), np.array([EAST, NORTH])
    for blur in (0.1, 0.01):
        found = contributions.of_transport(query, document, "sinkhorn", blur=blur)
        assert found.rest["entropy"] == pytest.approx(-blur * math.log(2), rel=0.02)
        assert found.rest["not settled"] == pytest.approx(0, abs=0.01)


def test_the_entropy_of_a_plan_with_zeros():
    """So far apart nothing is moved across: half stays at either place, blur times log 2."""
    places = np.array([[0.0, 0.0], [900.0, 0.0]])
    found = contributions.of_transport(places, places, "sinkhorn", blur=0.05)
    assert (found.weights == 0).sum() == 2
    assert found.rest["entropy"] == pytest.approx(-0.05 * math.log(2))


def test_an_unknown_aggregate():
    """What there is, is listed."""
    with pytest.raises(ValueError, match="'least': choose one of max, mean, sum"):
        contributions.of_max_sim(np.array([EAST]), np.array([EAST]), "least")

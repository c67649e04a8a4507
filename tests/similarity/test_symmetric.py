"""Test other similarities than the cosine, and both directions."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pyterrier_scholarly.similarity.maxsim import best_matches, max_sim, symmetric_max_sim

QUERY = np.array([[1.0, 0.0], [0.0, 2.0]])
ROWS = np.array([[3.0, 4.0], [-1.0, 0.0], [0.0, -3.0]])

SIMILARITIES = {
    "cosine": lambda a, b: sum(a * b) / (math.hypot(*a) * math.hypot(*b)),
    "dot": lambda a, b: sum(a * b),
    "l2": lambda a, b: -math.dist(a, b),
}
LOWEST = {"cosine": -1, "dot": -math.inf, "l2": -math.inf}
EVERY = pytest.mark.parametrize("similarity", SIMILARITIES)


@pytest.mark.parametrize(
    ("similarity", "expected"),
    [("dot", [[3, 0], [8, 0]]), ("l2", [[-math.hypot(2, 4), -2], [-math.hypot(3, 2), -(5**0.5)]])],
)
def test_best_matches_by_hand(similarity, expected):
    """For {(3,4)} and {west, south}, by inner product and by minus the distance."""
    assert best_matches(QUERY, ROWS, [1, 2], similarity) == pytest.approx(np.array(expected))


def test_symmetric_by_hand():
    """The query's mean is (1 + 0)/2, the document's (1 + 1 + 0)/3."""
    rows = np.array([[1.0, 0.0], [2.0, 0.0], [-1.0, 0.0]])
    assert symmetric_max_sim(QUERY, rows, [3]) == pytest.approx([(1 / 2 + 2 / 3) / 2])


@EVERY
@pytest.mark.parametrize("score", [max_sim, symmetric_max_sim])
def test_negative_similarities_stay_negative(similarity, score):
    """Negative similarities give negative scores; a document without sentences has the lowest."""
    query, rows = np.array([[1.0, 1.0]]), np.array([[-1.0, -2.0], [-3.0, -1.0], [-1.0, -9.0]])
    scores = score(query, rows, [0, 2, 0, 1], similarity=similarity)
    assert scores[0] == scores[2] == LOWEST[similarity]
    assert (scores[[1, 3]] < 0).all()


@given(
    st.lists(st.integers(0, 4), max_size=8),
    st.integers(1, 4),
    st.sampled_from(list(SIMILARITIES)),
    st.integers(0, 2**32 - 1),
)
def test_agree_with_plain_loops(lengths, m, similarity, seed):
    """On random ragged input, scores equal those of nested loops."""
    random, of = np.random.default_rng(seed), SIMILARITIES[similarity]
    query = random.normal(size=(m, 3))
    documents = [random.normal(size=(n, 3)) for n in lengths]
    there, both = [], []
    for document in documents:
        forth = [max((of(q, s) for s in document), default=LOWEST[similarity]) for q in query]
        back = [max(of(q, s) for q in query) for s in document] or [LOWEST[similarity]]
        there.append(sum(forth) / m)
        both.append((sum(forth) / m + sum(back) / len(back)) / 2)
    rows = np.concatenate([np.zeros((0, 3)), *documents])
    assert max_sim(query, rows, lengths, "mean", similarity) == pytest.approx(there)
    assert symmetric_max_sim(query, rows, lengths, similarity) == pytest.approx(both)


@pytest.mark.parametrize("score", [max_sim, symmetric_max_sim])
def test_unknown_similarity_and_empty_query_raise(score):
    """The errors list the choices, or name what is missing."""
    with pytest.raises(ValueError, match=r"'manhattan'.*cosine, dot, l2"):
        score(QUERY, ROWS, [1, 2], similarity="manhattan")
    with pytest.raises(ValueError, match="without sentences"):
        score(QUERY[:0], ROWS, [1, 2])

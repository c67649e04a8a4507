"""Test max-sim by hand, against a plain loop, and at the edges."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pyterrier_scholarly.similarity.maxsim import best_matches, max_sim

# In the plane: east, north, and the unit vector of (3, 4).
QUERY = np.array([[1.0, 0.0], [0.0, 1.0]])
ROWS = np.array([[1.0, 0.0], [0.6, 0.8], [-1.0, 0.0]])


def test_best_matches_by_hand():
    """Each sentence gets its largest cosine in {east, (3,4)} and in {west}."""
    best = best_matches(QUERY, ROWS, [2, 1])
    assert best == pytest.approx(np.array([[max(1, 0.6), -1], [max(0, 0.8), 0]]))


@pytest.mark.parametrize(
    ("aggregate", "expected"),
    [("max", [1.0, 0.0]), ("mean", [(1 + 0.8) / 2, (-1 + 0) / 2]), ("sum", [1 + 0.8, -1 + 0])],
)
def test_aggregates_by_hand(aggregate, expected):
    """The score is the aggregate of the query sentences' best matches."""
    assert max_sim(QUERY, ROWS, [2, 1], aggregate) == pytest.approx(expected)


@pytest.mark.parametrize(("aggregate", "lowest"), [("max", -1), ("mean", -1), ("sum", -2)])
def test_a_document_without_sentences_gets_the_lowest(aggregate, lowest):
    """At any position; it does not change the other scores."""
    full = max_sim(QUERY, ROWS, [2, 1], aggregate)
    scores = max_sim(QUERY, ROWS, [0, 2, 0, 0, 1, 0], aggregate)
    assert scores == pytest.approx([lowest, full[0], lowest, lowest, full[1], lowest])


@pytest.mark.parametrize("lengths", [[], [0], [0, 0]])
def test_no_sentences_at_all(lengths):
    """Without any sentence, the vectors can have any dimension."""
    assert list(max_sim(QUERY, np.zeros((0, 0)), lengths)) == [-1] * len(lengths)


def test_negative_similarities_stay_negative():
    """If all cosines are negative, the score is, too: there is no padding with zeros."""
    assert max_sim(QUERY[:1], np.array([[-0.6, 0.8], [-0.8, 0.6]]), [2]) == pytest.approx([-0.6])


def test_lengths_of_vectors_do_not_matter():
    """(3, 4) has the cosines of (0.6, 0.8); the zero vector has cosine 0."""
    rows = np.array([[3.0, 4.0], [0.0, 0.0]])
    assert max_sim(7 * QUERY, rows, [1, 1]) == pytest.approx([0.8, 0.0])


def test_unknown_aggregate_and_empty_query_raise():
    """The errors list the choices, or name what is missing."""
    with pytest.raises(ValueError, match=r"'median'.*max, mean, sum"):
        max_sim(QUERY, ROWS, [2, 1], "median")
    with pytest.raises(ValueError, match="without sentences"):
        max_sim(QUERY[:0], ROWS, [2, 1])


def cosine(a, b):
    """Compute the cosine of two vectors by its definition."""
    return sum(a * b) / (math.hypot(*a) * math.hypot(*b))


@given(
    st.lists(st.integers(0, 5), max_size=12),
    st.integers(1, 4),
    st.sampled_from(["max", "mean", "sum"]),
    st.integers(0, 2**32 - 1),
)
def test_agrees_with_a_plain_loop(lengths, m, aggregate, seed):
    """On random ragged input, scores equal those of two nested loops."""
    random = np.random.default_rng(seed)
    query = random.normal(size=(m, 3))
    documents = [random.normal(size=(n, 3)) for n in lengths]
    expected = []
    for document in documents:
        best = [max((cosine(q, s) for s in document), default=-1.0) for q in query]
        expected.append({"max": max(best), "mean": sum(best) / m, "sum": sum(best)}[aggregate])
    rows = np.concatenate([np.zeros((0, 3)), *documents])
    assert max_sim(query, rows, lengths, aggregate) == pytest.approx(expected)

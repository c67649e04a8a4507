"""Test what scorers compute from vectors of sentences: plain loops, by hand, and what all share."""

import math
import tracemalloc

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as some
from scipy.sparse import csr_array

from pyterrier_scholarly.similarity.vectors import unit
from pyterrier_scholarly.transformers import (
    SentenceCentroid,
    SentenceMaxSim,
    SentenceTransport,
    sentence_maxsim,
    sentence_transport,
)

COMPARE = {"cosine": np.dot, "dot": np.dot, "l2": lambda one, two: -math.dist(one, two)}
LOWEST = {"cosine": -1, "dot": -math.inf, "l2": -math.inf}
MAX_SIMS = [
    SentenceMaxSim(aggregate=aggregate, similarity=similarity)
    for aggregate in ("max", "mean", "sum", "symmetric")
    for similarity in COMPARE
]
WEIGHTED = [scorer for scorer in MAX_SIMS if scorer.uses_weights]
TRANSPORTS = [
    SentenceTransport(method=method) for method in ("sinkhorn", "plan", "exact", "single", "mean")
]
SCORERS = [*MAX_SIMS, SentenceCentroid(), *TRANSPORTS]


def draw_vectors(scorer, seed, *shape):
    """Return random vectors, of length 1 for a scorer of cosines."""
    vectors = np.random.default_rng(seed).normal(size=shape)
    return unit(vectors) if scorer.scales_vectors else vectors


@some.composite
def pools(draw, least=0):
    """Draw a function: from a scorer to a query's vectors and those of its candidates."""
    lengths = draw(some.lists(some.integers(least, 5), min_size=1, max_size=8))
    count = draw(some.integers(1, 4))
    seed = draw(some.integers(0, 2**32 - 1))

    def make(scorer):
        vectors = draw_vectors(scorer, seed, count + sum(lengths), 3)
        return vectors[:count], vectors[count:], np.array(lengths)

    return make


def split_documents(rows, lengths):
    """Return an array of each document's vectors."""
    return np.split(rows, np.cumsum(lengths)[:-1])


def max_sim_by_loops(scorer, query, document, weights):
    """Score one document, pair by pair."""
    compare, lowest = COMPARE[scorer.similarity], LOWEST[scorer.similarity]
    best = [max((compare(one, other) for other in document), default=lowest) for one in query]
    best_of_document = [max(compare(one, other) for one in query) for other in document]
    # a sentence of weight 0 does not count, also where the lowest similarity is infinite
    counted = [(weight, value) for weight, value in zip(weights, best) if weight]
    total = sum(weight * value for weight, value in counted)
    mean = total / sum(weights)
    return {
        "max": max(best),
        "mean": mean,
        "sum": total,
        "symmetric": (mean + np.mean(best_of_document or [lowest])) / 2,
    }[scorer.aggregate]


@pytest.mark.parametrize("scorer", MAX_SIMS, ids=str)
@given(pools())
@settings(max_examples=25, deadline=None)
def test_max_sim_equals_plain_loops(scorer, pool):
    """For any numbers of sentences; negative similarities stay negative. So do sparse vectors."""
    query, rows, lengths = pool(scorer)
    expected = [
        max_sim_by_loops(scorer, query, document, [1] * len(query))
        for document in split_documents(rows, lengths)
    ]
    assert scorer.score(query, rows, lengths) == pytest.approx(expected)
    sparse = csr_array(query), csr_array(rows)
    assert scorer.score(*sparse, lengths) == pytest.approx(expected)


@pytest.mark.parametrize("scorer", WEIGHTED, ids=str)
@given(pools(), some.data())
@settings(max_examples=25, deadline=None)
def test_weights_multiply_the_best_matches(scorer, pool, data):
    """In the score, and in its parts; the mean is over the weights."""
    query, rows, lengths = pool(scorer)
    numbers = some.lists(some.integers(0, 3), min_size=len(query), max_size=len(query))
    weights = np.array(data.draw(numbers.filter(any)), dtype=float)
    documents = split_documents(rows, lengths)
    expected = [max_sim_by_loops(scorer, query, document, weights) for document in documents]

    (scores,) = scorer.score_many([query], rows, lengths, [weights])
    assert scores == pytest.approx(expected)
    for document, score in zip(documents, expected):
        if len(document):
            assert scorer.split(query, document, weights).score == pytest.approx(score)


@pytest.mark.parametrize("scorer", MAX_SIMS, ids=str)
@given(pools(), some.lists(some.integers(1, 4), max_size=6), some.integers(1, 20))
@settings(max_examples=25, deadline=None)
def test_many_queries_at_once(scorer, pool, counts, most):
    """Scores are those of each query alone, for blocks of any size, dense and sparse."""
    query, rows, lengths = pool(scorer)
    queries = [query, *(draw_vectors(scorer, count, count, 3) for count in counts)]
    expected = [pytest.approx(scorer.score(query, rows, lengths)) for query in queries]
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(sentence_maxsim, "QUERY_SENTENCES", most)
        patch.setattr(sentence_maxsim, "DOCUMENT_SENTENCES", most)
        assert list(scorer.score_many(queries, rows, lengths, None)) == expected
        sparse = [csr_array(query) for query in queries]
        assert list(scorer.score_many(sparse, csr_array(rows), lengths, None)) == expected


def test_memory_does_not_grow_with_the_product():
    """All 2,000 x 20,000 cosines would take 160 MB; blocks need less than a third."""
    random = np.random.default_rng(0)
    queries = list(random.standard_normal((1_000, 2, 4), dtype="float32"))
    rows = random.standard_normal((20_000, 4), dtype="float32")
    tracemalloc.start()
    scores = sentence_maxsim.max_sim_blocks(queries, rows, [20] * 1_000)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak - scores.nbytes < 2_000 * 20_000 * 4 / 3


@given(pools())
@settings(max_examples=25, deadline=None)
def test_a_centroid_is_a_mean(pool):
    """The score is the cosine of two means; without sentences it is -1."""
    query, rows, lengths = pool(SentenceCentroid())
    scores = SentenceCentroid().score(query, rows, lengths)
    for document, score in zip(split_documents(rows, lengths), scores):
        if not len(document):
            assert score == -1
            continue
        means = query.mean(axis=0), document.mean(axis=0)
        assert score == pytest.approx(np.dot(*means) / np.prod(np.linalg.norm(means, axis=1)))


@pytest.mark.parametrize("scorer", SCORERS, ids=str)
@given(pools(least=1), some.sampled_from([1, 300, 1 << 15]))
@settings(max_examples=25, deadline=None)
def test_a_candidate_does_not_see_its_pool(scorer, pool, block_size):
    """Alone, between others without sentences, or reversed, its score is the same."""
    query, rows, lengths = pool(scorer)
    documents = split_documents(rows, lengths)
    alone = [scorer.score(query, one, np.array([len(one)]))[0] for one in documents]
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(sentence_transport, "NUMBERS_IN_BLOCK", block_size)
        assert scorer.score(query, rows, lengths) == pytest.approx(alone, abs=1e-7)
        reversed_rows = np.concatenate([one[::-1] for one in documents])
        reversed_scores = scorer.score(query[::-1], reversed_rows, lengths)
        assert reversed_scores == pytest.approx(alone, abs=1e-7)

        lengths_with_empty = np.stack([np.zeros_like(lengths), lengths], axis=1).ravel()
        scores = scorer.score(query, rows, lengths_with_empty).reshape(-1, 2)
    assert scores[:, 1] == pytest.approx(alone, abs=1e-7)
    assert (scores[:, 0] <= min(alone) + 1e-9).all()


@pytest.mark.parametrize("scorer", SCORERS, ids=str)
@given(pools(least=1))
@settings(max_examples=25, deadline=None)
def test_the_parts_add_up_to_the_score(scorer, pool):
    """Each sentence's best match is shown; a maximum counts one pair, a mean has weights of 1."""
    query, rows, lengths = pool(scorer)
    document = rows[: lengths[0]]
    matches = scorer.split(query, document, None)
    assert matches.score == pytest.approx(scorer.score(query, document, lengths[:1])[0])
    assert matches.shown[np.arange(len(query)), matches.similarities.argmax(axis=1)].all()
    setting = getattr(scorer, "aggregate", getattr(scorer, "method", ""))
    if setting in ("max", "single"):
        assert sorted(matches.weights.flat)[-1] == matches.weights.sum() == 1
    if setting in ("mean", "symmetric", "exact"):
        assert matches.weights.sum() == pytest.approx(1)


EAST, NORTH, THREE_FOUR = [1.0, 0.0], [0.0, 1.0], [0.6, 0.8]


def test_the_parts_of_a_mean_by_hand():
    """The best match of north is (3, 4), with 4/5; its weight in the mean of two is 1/2."""
    query, document = np.array([NORTH, EAST]), np.array([THREE_FOUR, EAST])
    matches = SentenceMaxSim(aggregate="mean").split(query, document, None)
    assert matches.similarities.ravel() == pytest.approx([4 / 5, 0, 3 / 5, 1])
    assert matches.weights.tolist() == [[1 / 2, 0], [0, 1 / 2]]


def test_a_mean_of_zero():
    """The mean of opposite sentences is 0, so the score and its parts are 0."""
    query, document = np.array([EAST]), np.array([EAST, [-1.0, 0.0]])
    assert SentenceCentroid().score(query, document, np.array([2])).tolist() == [0]
    assert SentenceCentroid().split(query, document, None).score == 0

"""Test transport: by derivations, geomloss's figures, plain loops, and at the edges."""

import json
import math
from functools import partial
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pyterrier_scholarly.similarity import l2
from pyterrier_scholarly.similarity.maxsim import single_match
from pyterrier_scholarly.similarity.transport import (
    exact,
    exact_plans,
    log_weights,
    plan_cost,
    sinkhorn,
    sinkhorn_plans,
)

from .loops import by_loops

REFERENCE = json.loads((Path(__file__).parents[1] / "reference" / "transport.json").read_text())
ALL = pytest.mark.parametrize("distance", [sinkhorn, plan_cost, exact, single_match])
TRANSPORT = pytest.mark.parametrize("distance", [sinkhorn, plan_cost, exact])
RAGGED = st.lists(st.integers(0, 5), max_size=8), st.integers(1, 4), st.integers(0, 2**32 - 1)


def random_pool(lengths, m, seed, d=3, scale=1.0):
    """Return a query of m sentences, and documents of these lengths in one array."""
    random = np.random.default_rng(seed)
    return scale * random.normal(size=(m, d)), scale * random.normal(size=(sum(lengths), d))


def documents_of(rows, lengths):
    """Split rows into one array per document."""
    ends = np.cumsum(lengths, dtype=int)
    return [rows[end - length : end] for end, length in zip(ends, lengths)]


@pytest.mark.parametrize("case", REFERENCE["cases"], ids=lambda case: f"{case['m']}x{case['d']}")
def test_figures_of_geomloss(case):
    """In a batch, a pair has geomloss's distance for it alone; within 1e-4 in single precision."""
    m, lengths, d = case["m"], case["lengths"], case["d"]

    def vectors(n, shift):
        return case["scale"] * np.sin(shift + np.arange(n * d) ** 1.5).reshape(n, d)

    query, rows = vectors(m, 0.0), vectors(sum(lengths), 0.5)
    assert sinkhorn(query, rows, lengths) == pytest.approx(case["distances"], abs=1e-7)
    assert plan_cost(query, rows, lengths) == pytest.approx(case["plan_costs"], abs=1e-7)
    single = sinkhorn(query.astype("float32"), rows.astype("float32"), lengths)
    assert single == pytest.approx(case["distances"], abs=1e-4)


@given(*RAGGED, st.sampled_from([0.02, 1.0, 30.0]))
@settings(max_examples=40, deadline=None)
def test_agrees_with_plain_loops(lengths, m, seed, scale):
    """On random ragged input, near and far, each pair has the value of plain loops."""
    query, rows = random_pool(lengths, m, seed, scale=scale)
    expected = [
        by_loops(query, document) if len(document) else (math.inf, math.inf)
        for document in documents_of(rows, lengths)
    ]
    values, costs = zip(*expected) if expected else ((), ())
    assert sinkhorn(query, rows, lengths) == pytest.approx(values, abs=1e-8)
    assert plan_cost(query, rows, lengths) == pytest.approx(costs, abs=1e-8)


@ALL
def test_one_sentence_on_each_side(distance):
    """All weight moves along the only pair: its L2 distance, here of a 3-4-5 triangle."""
    assert distance(np.array([[1.0, 1.0]]), np.array([[4.0, 5.0]]), [1]) == pytest.approx([5.0])


def test_weights_and_distances_by_hand():
    """Query at 0, document at 1 and 3: its weights softmax(-1, -3) move to 0."""
    query, rows = np.array([[0.0]]), np.array([[1.0], [3.0]])
    near = 1 / (1 + math.exp(-2))
    assert np.exp(log_weights(l2(query, rows), 0)) == pytest.approx([near, 1 - near])
    assert exact(query, rows, [2]) == pytest.approx([near * 1 + (1 - near) * 3])
    assert exact_plans(query, rows, [2])[0] == pytest.approx(np.array([[near, 1 - near]]))
    # there is only one plan, so the entropic value is the same
    assert sinkhorn(query, rows, [2]) == pytest.approx([near * 1 + (1 - near) * 3])
    assert single_match(query, rows, [2]) == pytest.approx([1.0])


def test_the_temperature_of_weights():
    """A high temperature gives equal weights: in the limit the mean of 1 and 3."""
    query, rows = np.array([[0.0]]), np.array([[1.0], [3.0]])
    near = 1 / (1 + math.exp(-2 / 0.5))
    assert sinkhorn(query, rows, [2], temperature=0.5) == pytest.approx([near + 3 * (1 - near)])
    assert exact(query, rows, [2], temperature=1e12) == pytest.approx([2.0])


@ALL
def test_a_document_equal_to_the_query(distance):
    """No weight moves; sentences are so far apart that only sinkhorn's entropy is left."""
    query = 100 * np.eye(3)
    equal = {sinkhorn: 0.05 * math.log(3)}  # blur times log 3
    assert distance(query, query, [3]) == pytest.approx([equal.get(distance, 0)], abs=1e-3)


@ALL
def test_equal_points(distance):
    """A diameter of 0 gives the distance 0."""
    point = np.array([[1.0, 2.0]])
    assert distance(point, np.repeat(point, 3, axis=0), [2, 1]) == pytest.approx([0, 0], abs=1e-12)


@ALL
@given(*RAGGED)
@settings(max_examples=20, deadline=None)
def test_order_and_other_documents_change_nothing(distance, lengths, m, seed):
    """Reversed sentences and single documents have the same distances."""
    query, rows = random_pool(lengths, m, seed)
    together = distance(query, rows, lengths)
    documents = documents_of(rows, lengths)
    alone = [distance(query, one, [len(one)])[0] for one in documents]
    reversed_rows = np.concatenate([np.zeros((0, 3)), *(one[::-1] for one in documents)])
    assert alone == pytest.approx(together, abs=1e-7)
    assert distance(query[::-1], reversed_rows, lengths) == pytest.approx(together, abs=1e-7)


@TRANSPORT
@given(st.integers(1, 4), st.integers(1, 4), st.integers(0, 2**32 - 1))
@settings(max_examples=20, deadline=None)
def test_query_and_document_can_be_exchanged(distance, m, n, seed):
    """The distance is symmetric."""
    query, rows = random_pool([n], m, seed)
    there, back = distance(query, rows, [n]), distance(rows, query, [m])
    assert there == pytest.approx(back, abs=1e-6)


@ALL
def test_padding_is_no_match(distance):
    """A short, far document keeps its distance beside a long one."""
    random = np.random.default_rng(0)
    query, far = random.normal(size=(2, 4)), 1000 + random.normal(size=(1, 4))
    rows = np.concatenate([far, random.normal(size=(40, 4))])
    scores = distance(query, rows, [1, 40])
    assert scores[0] == pytest.approx(distance(query, far, [1])[0])
    assert scores[0] > 1990


@ALL
@pytest.mark.parametrize("lengths", [[], [0], [0, 0]])
def test_no_sentences_at_all(distance, lengths):
    """Without any sentence, the vectors can have any dimension."""
    assert list(distance(np.ones((1, 2)), np.zeros((0, 0)), lengths)) == [math.inf] * len(lengths)


@ALL
def test_a_document_without_sentences_is_infinitely_far(distance):
    """At any position; it does not change the other distances."""
    query, rows = random_pool([2, 1], 2, 0)
    full = distance(query, rows, [2, 1])
    apart = distance(query, rows, [0, 2, 0, 0, 1, 0])
    assert apart == pytest.approx([math.inf, full[0], math.inf, math.inf, full[1], math.inf])


def test_many_blocks():
    """Several blocks of problems and distances give the same results as few documents."""
    lengths = np.random.default_rng(0).integers(0, 19, size=600)
    query, rows = random_pool(lengths, 8, 0, d=64, scale=0.1)
    assert len(rows) > 2**18 / 64 and len(query) * len(rows) > 2**15  # numbers in a block
    together, plans = sinkhorn(query, rows, lengths), sinkhorn_plans(query, rows, lengths)
    ends = np.cumsum(lengths)
    for first in range(0, 600, 200):
        part = slice(first, first + 200)
        few = rows[ends[first] - lengths[first] : ends[first + 199]], lengths[part]
        assert len(few[0]) < 2**15 / 8
        assert sinkhorn(query, *few) == pytest.approx(together[part], abs=1e-9)
        for plan, other in zip(plans[part], sinkhorn_plans(query, *few), strict=True):
            assert plan == pytest.approx(other, abs=1e-9)


def test_a_small_blur_is_near_exact_transport():
    """Values and plans agree in the limit."""
    lengths = [4, 1, 6]
    query, rows = random_pool(lengths, 3, 7)
    cold = {"blur": 0.0005, "scaling": 0.99}
    assert sinkhorn(query, rows, lengths, **cold) == pytest.approx(
        exact(query, rows, lengths), abs=5e-3
    )
    for warm, sharp in zip(
        sinkhorn_plans(query, rows, lengths, **cold),
        exact_plans(query, rows, lengths),
        strict=True,
    ):
        assert warm == pytest.approx(sharp, abs=0.02)


@pytest.mark.parametrize("plans_of", [partial(sinkhorn_plans, scaling=0.999), exact_plans])
def test_plans_move_the_weights(plans_of):
    """Rows sum to the query's weights, columns to the document's, after a long schedule."""
    lengths = [4, 0, 1, 6]
    query, rows = random_pool(lengths, 3, 1)
    plans = plans_of(query, rows, lengths)
    assert [plan.shape for plan in plans] == [(3, n) for n in lengths]
    for plan, document in zip(plans, documents_of(rows, lengths), strict=True):
        if len(document):
            costs = l2(query, document)
            for axis in (0, 1):
                weights = np.exp(log_weights(costs, axis))
                assert plan.sum(axis=axis) == pytest.approx(weights, abs=1e-3)


@pytest.mark.parametrize("seed", [51, 203, 329])
def test_exact_weights_of_very_different_sizes(seed):
    """A plan exists for tiny weights, and moves them."""
    random = np.random.default_rng(seed)
    sizes, scale = random.integers(1, 25, 2), random.choice([0.05, 1, 5, 30])
    query, rows = ((random.normal(size=(size, 8)) * scale).astype(np.float32) for size in sizes)
    (plan,) = exact_plans(query, rows, [len(rows)])
    costs = np.linalg.norm(query[:, None].astype(float) - rows, axis=2)
    for axis in (1, 0):
        weights = np.exp(-costs.min(axis=axis))
        assert plan.sum(axis=axis) == pytest.approx(weights / weights.sum(), abs=1e-6)


def test_an_exact_plan_is_sparse():
    """At most m + n - 1 pairs have weight."""
    query, rows = random_pool([9], 6, 3)
    assert np.count_nonzero(exact_plans(query, rows, [9])[0] > 1e-9) <= 6 + 9 - 1


@pytest.mark.parametrize("scale", [1e-6, 1e3, 1e6])
def test_vectors_of_any_length(scale):
    """With outliers of tiny weight, distances are finite, and at most the largest one."""
    query, rows = random_pool([6, 9], 5, 0, scale=scale)
    rows[::3] *= 100
    for distance in (sinkhorn, plan_cost):
        distances = distance(query, rows, [6, 9])
        assert np.isfinite(distances).all()
        assert (distances >= 0).all()
        assert (distances <= l2(query, rows).max() + 1).all()


def test_distances_of_long_vectors_near_each_other():
    """In single precision, a distance of 1e-3 at length 1e3 is exact."""
    query = np.full((1, 100), 100, dtype="float32")
    rows = query.copy()
    rows[0, 0] += np.float32(2**-10)
    assert l2(query, rows) == pytest.approx(np.array([[2**-10]]), rel=1e-6)


@pytest.mark.parametrize("distance", [sinkhorn, exact])
def test_wrong_queries_and_temperatures_raise(distance):
    """The errors name what to pass."""
    rows = np.ones((1, 2))
    with pytest.raises(ValueError, match="without sentences"):
        distance(rows[:0], rows, [1])
    with pytest.raises(ValueError, match="temperature is 0: pass a distance above 0"):
        distance(rows, rows, [1], temperature=0)


@pytest.mark.parametrize(
    ("setting", "message"),
    [({"blur": 0}, "blur is 0"), ({"blur": math.nan}, "blur is nan"), ({"scaling": 1}, "scaling")],
)
def test_endless_schedules_raise(setting, message):
    """Temperatures never reach a blur of 0, and a scaling of 1 does not lower them."""
    with pytest.raises(ValueError, match=message):
        sinkhorn(np.ones((1, 2)), np.ones((1, 2)), [1], **setting)

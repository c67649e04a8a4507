"""Test transport of sentences: by hand, by geomloss's figures, by plain loops, at the edges."""

import json
import math
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as some

from pyterrier_scholarly.similarity.vectors import l2
from pyterrier_scholarly.transformers import SentenceTransport
from pyterrier_scholarly.transformers.sentence_transport import solve_exactly, weigh_sentences

REFERENCE = json.loads((Path(__file__).parents[1] / "reference" / "transport.json").read_text())
METHODS = pytest.mark.parametrize("method", ["sinkhorn", "plan", "exact", "single", "mean"])
TRANSPORT = pytest.mark.parametrize("method", ["sinkhorn", "plan", "exact"])
SEEDS = some.integers(0, 2**32 - 1)


def measure(query, rows, lengths, method="sinkhorn", **settings):
    """Return the distances of documents from a query."""
    scorer = SentenceTransport(method=method, **settings)
    return -scorer.score(np.array(query), np.array(rows), np.array(lengths))


@pytest.mark.parametrize("case", REFERENCE["cases"], ids=lambda case: f"{case['m']}x{case['d']}")
def test_figures_of_geomloss(case):
    """In a batch, a pair has geomloss's distance for it alone; within 1e-4 in single precision."""
    m, lengths, d = case["m"], case["lengths"], case["d"]

    def vectors(n, shift):
        return case["scale"] * np.sin(shift + np.arange(n * d) ** 1.5).reshape(n, d)

    query, rows = vectors(m, 0.0), vectors(sum(lengths), 0.5)
    assert measure(query, rows, lengths) == pytest.approx(case["distances"], abs=1e-7)
    assert measure(query, rows, lengths, "plan") == pytest.approx(case["plan_costs"], abs=1e-7)
    single = measure(query.astype("float32"), rows.astype("float32"), lengths)
    assert single == pytest.approx(case["distances"], abs=1e-4)


def softmax(values):
    """Compute weights by the definition."""
    parts = [math.exp(value - max(values)) for value in values]
    return [part / sum(parts) for part in parts]


def by_loops(query, document, blur=0.05, scaling=0.9):
    """Compute Sinkhorn's value and plan cost for one pair, number by number."""
    cost = [[math.dist(one, other) for other in document] for one in query]
    back = list(zip(*cost))
    a, b = softmax([-min(row) for row in cost]), softmax([-min(column) for column in back])
    both = np.concatenate([query, document])
    diameter = math.dist(both.max(axis=0), both.min(axis=0))
    temperatures, temperature = [diameter], diameter
    while temperature > blur:
        temperatures.append(temperature)
        temperature *= scaling
    temperatures.append(blur)

    def answers(costs, weights, potentials, eps):
        exponents = [
            [math.log(w) + (p - c) / eps for w, p, c in zip(weights, potentials, row)]
            for row in costs
        ]
        return [
            -eps * (max(row) + math.log(sum(math.exp(value - max(row)) for value in row)))
            for row in exponents
        ]

    f, g = answers(cost, b, [0] * len(b), diameter), answers(back, a, [0] * len(a), diameter)
    for eps in temperatures:
        new_f, new_g = answers(cost, b, g, eps), answers(back, a, f, eps)
        f = [(old + new) / 2 for old, new in zip(f, new_f)]
        g = [(old + new) / 2 for old, new in zip(g, new_g)]
    f, g = answers(cost, b, g, blur), answers(back, a, f, blur)
    moved = sum(
        a[i] * b[j] * math.exp((f[i] + g[j] - cost[i][j]) / blur) * cost[i][j]
        for i in range(len(a))
        for j in range(len(b))
    )
    return np.dot(a, f) + np.dot(b, g), moved


@given(
    lengths=some.lists(some.integers(1, 5), min_size=1, max_size=8),
    m=some.integers(1, 4),
    seed=SEEDS,
    scale=some.sampled_from([0.02, 1.0, 30.0]),
    blur=some.sampled_from([0.05, 1.0]),
)
@settings(max_examples=40, deadline=None)
def test_agrees_with_plain_loops(lengths, m, seed, scale, blur):
    """On random ragged input, near and far, each pair has the value of plain loops."""
    random = np.random.default_rng(seed)
    query, rows = scale * random.normal(size=(m, 3)), scale * random.normal(size=(sum(lengths), 3))
    documents = np.split(rows, np.cumsum(lengths)[:-1])
    values, costs = zip(*(by_loops(query, document, blur) for document in documents))
    assert measure(query, rows, lengths, blur=blur) == pytest.approx(values, abs=1e-8)
    assert measure(query, rows, lengths, "plan", blur=blur) == pytest.approx(costs, abs=1e-8)


@METHODS
def test_one_sentence_on_each_side(method):
    """All weight moves along the only pair: its L2 distance, here of a 3-4-5 triangle."""
    assert measure([[1.0, 1.0]], [[4.0, 5.0]], [1], method) == pytest.approx([5.0])


@TRANSPORT
@pytest.mark.parametrize("temperature", [1, 0.5, 1e12])
def test_weights_by_hand(method, temperature):
    """Query at 0, document at 1 and 3: its weights softmax(-1 / t, -3 / t) move to 0.

    There is only one plan, so that entropy changes nothing. At a high temperature weights are
    equal, and the distance is the mean of 1 and 3.
    """
    near = 1 / (1 + math.exp(-2 / temperature))
    expected = near * 1 + (1 - near) * 3
    settings = {"method": method, "temperature": temperature}
    assert measure([[0.0]], [[1.0], [3.0]], [2], **settings) == pytest.approx([expected])


@METHODS
def test_a_document_equal_to_the_query(method):
    """No weight moves; sentences are so far apart that only sinkhorn's entropy is left."""
    query = 100 * np.eye(3)
    entropy = 0.05 * math.log(3) if method == "sinkhorn" else 0  # blur times log 3
    assert measure(query, query, [3], method) == pytest.approx([entropy], abs=1e-3)


@METHODS
def test_equal_points(method):
    """A diameter of 0 gives the distance 0."""
    assert measure([[1.0, 2.0]], [[1.0, 2.0]] * 3, [2, 1], method) == pytest.approx([0, 0])


@TRANSPORT
@given(some.integers(1, 4), some.integers(1, 4), SEEDS)
@settings(max_examples=20, deadline=None)
def test_query_and_document_can_be_exchanged(method, m, n, seed):
    """The distance is symmetric."""
    random = np.random.default_rng(seed)
    query, rows = random.normal(size=(m, 3)), random.normal(size=(n, 3))
    back = measure(rows, query, [m], method)
    assert measure(query, rows, [n], method) == pytest.approx(back, abs=1e-6)


@METHODS
def test_padding_is_no_match(method):
    """A short, far document keeps its distance beside a long one."""
    random = np.random.default_rng(0)
    query, far = random.normal(size=(2, 4)), 1000 + random.normal(size=(1, 4))
    rows = np.concatenate([far, random.normal(size=(40, 4))])
    scores = measure(query, rows, [1, 40], method)
    assert scores[0] == pytest.approx(measure(query, far, [1], method)[0])
    assert scores[0] > 1990


@pytest.mark.parametrize("seed", [51, 203, 329])
def test_exact_plans(seed):
    """They move weights of very different sizes, and at most m + n - 1 pairs have weight."""
    random = np.random.default_rng(seed)
    m, n = random.integers(1, 25, 2)
    scale = random.choice([0.05, 1, 5, 30])
    query, rows = ((random.normal(size=(size, 8)) * scale).astype(np.float32) for size in (m, n))
    costs = l2(query, rows)
    plan = solve_exactly(costs, 1.0)
    weights_of_query = np.exp(-costs.min(axis=1))
    weights_of_document = np.exp(-costs.min(axis=0))
    assert plan.sum(axis=1) == pytest.approx(weights_of_query / weights_of_query.sum(), abs=1e-6)
    expected = weights_of_document / weights_of_document.sum()
    assert plan.sum(axis=0) == pytest.approx(expected, abs=1e-6)
    assert np.count_nonzero(plan > 1e-9) <= m + n - 1


@given(some.integers(1, 4), some.integers(1, 6), SEEDS)
@settings(max_examples=20, deadline=None)
def test_no_plan_is_cheaper_than_the_exact_one(m, n, seed):
    """Not the plan that moves each weight everywhere, and none with less blur."""
    random = np.random.default_rng(seed)
    query, rows = random.normal(size=(m, 3)), random.normal(size=(n, 3))
    costs = l2(query, rows)
    query_weights, document_weights = map(np.exp, weigh_sentences(costs, 1.0))
    (exact,) = measure(query, rows, [n], "exact")
    assert exact <= (np.outer(query_weights, document_weights) * costs).sum() + 1e-9
    (blurred,) = measure(query, rows, [n], "sinkhorn", blur=0.001)
    assert exact == pytest.approx(blurred, abs=0.05)


@pytest.mark.parametrize("method", ["sinkhorn", "plan"])
@pytest.mark.parametrize("scale", [1e-6, 1e3, 1e6])
def test_vectors_of_any_length(scale, method):
    """With outliers of tiny weight, distances are finite, and at most the largest one."""
    random = np.random.default_rng(0)
    query, rows = scale * random.normal(size=(5, 3)), scale * random.normal(size=(15, 3))
    rows[::3] *= 100
    distances = measure(query, rows, [6, 9], method)
    assert (distances >= 0).all()
    assert (distances <= l2(query, rows).max() + 1).all()


@pytest.mark.parametrize("blur", [0.1, 0.01])
def test_the_entropy_of_a_certain_plan(blur):
    """The plan has two entries of 1/2, not four of 1/4: the entropy is blur times log 2.

    The nearest pairs are (0, 0) with east and (3, 4) with north, both with distance 3.
    """
    query, document = np.array([[0.0, 0.0], [3.0, 4.0]]), np.array([[3.0, 0.0], [0.0, 4.0]])
    matches = SentenceTransport(blur=blur).split(query, document, None)
    assert set(matches.rest) == {"entropy", "not settled"}
    assert matches.rest["entropy"] == pytest.approx(-blur * math.log(2), rel=0.02)
    assert matches.rest["not settled"] == pytest.approx(0, abs=0.01)
    assert measure(query, document, [2], blur=blur) == pytest.approx(
        [3 + blur * math.log(2)], abs=1e-3
    )


def test_the_entropy_of_a_plan_with_zeros():
    """Points so far apart keep their weights of 1/2: the entropy is blur times log 2."""
    places = np.array([[0.0, 0.0], [900.0, 0.0]])
    matches = SentenceTransport(blur=0.05).split(places, places, None)
    assert (matches.weights == 0).sum() == 2
    assert matches.rest["entropy"] == pytest.approx(-0.05 * math.log(2))

"""Optimal transport: the cost of moving a query's sentences to a document's.

Conventions: see `maxsim`. Distances: lower is nearer, and a document without sentences has the
distance inf. The sentences of each side have weights with sum 1: a softmax over minus the distance
to the best match on the other side [Mysore2022, temperature 1]. Moving weight costs the L2
distance.

`sinkhorn` is OT-ASPIRE. It equals ``geomloss.SamplesLoss("sinkhorn", p=1, blur=0.05, scaling=0.9,
debias=False)`` for one pair with these weights; for a blur of 0 its limit is `exact`. The authors'
code ranks by `plan_cost`.

Differences from the authors' code: temperatures start from the diameter of the pair; geomloss
starts from that of the whole batch, so that a distance depends on the rest of the batch. geomloss
raises distances below 0.0001 to 0.0001. Weights below e^-500 are e^-500 here.

[Mysore2022] S. Mysore, A. Cohan, T. Hope: Multi-Vector Models with Textual Guidance for
    Fine-Grained Scientific Document Similarity, NAACL 2022 (ASPIRE).
"""

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from . import l2
from .array_checks import check_real
from .maxsim import Lengths
from .sinkhorn import Problems, blocks, diameters, padded, schedules, solve

# Logarithm of no weight: in double precision e^-500 does not change a sum of weights, and unlike
# -inf it gives no NaN. Padding has this weight, so it never wins a match or changes a figure.
NOTHING = -500.0


def sinkhorn(
    query: np.ndarray, rows: np.ndarray, lengths: Lengths, **settings: float
) -> np.ndarray:
    """Compute OT-ASPIRE's distance of a query to each document.

    Args:
        query, rows, lengths: see `maxsim.best_matches`.
        temperature: of the softmax for the weights, in units of distance, above 0; default 1.
        blur: the last temperature of the transport, in units of distance, above 0; default 0.05.
            A smaller blur is nearer to `exact`.
        scaling: the factor of this temperature per step, between 0 and 1; default 0.9.

    Returns:
        (k,), float64, from 0; inf for a document without sentences.

    Raises:
        ValueError: a query without sentences, a parameter out of its range.
    """
    distances = np.full(len(lengths), np.inf)
    for pairs in _solved(query, rows, lengths, **settings):
        sides = (pairs.problems.log_a, pairs.f), (pairs.problems.log_b, pairs.g)
        distances[pairs.chosen] = sum((np.exp(log) * dual).sum(axis=0) for log, dual in sides)
    return distances


def sinkhorn_plans(
    query: np.ndarray, rows: np.ndarray, lengths: Lengths, **settings: float
) -> list[np.ndarray]:
    """Compute the transport plans behind `sinkhorn`; see there for arguments and errors.

    Returns:
        k arrays (m, sentences of the document): the weight that moves between two sentences. It is
        0 or more; the sum is 1 up to a percent, because the schedule ends before convergence.
    """
    plans = [np.zeros((len(query), 0))] * len(lengths)
    for pairs in _solved(query, rows, lengths, **settings):
        for place, plan in zip(pairs.chosen, np.moveaxis(pairs.plans, -1, 0)):
            plans[place] = plan[:, : lengths[place]].copy()
    return plans


def plan_cost(
    query: np.ndarray, rows: np.ndarray, lengths: Lengths, **settings: float
) -> np.ndarray:
    """Compute the sum of plan times distance, without entropy, as the authors' code does.

    Plans are those of `sinkhorn_plans`. Their sum is not exactly 1, so the cost can be below
    `exact`. Arguments, range and errors: see `sinkhorn`.
    """
    distances = np.full(len(lengths), np.inf)
    for pairs in _solved(query, rows, lengths, **settings):
        distances[pairs.chosen] = (pairs.plans * pairs.problems.costs).sum(axis=(0, 1))
    return distances


def exact(
    query: np.ndarray, rows: np.ndarray, lengths: Lengths, temperature: float = 1.0
) -> np.ndarray:
    """Compute the distance of the cheapest transport: `sinkhorn` without blur.

    A linear program per pair makes it about thirty times slower than `sinkhorn`. Arguments, range
    and errors: see there.
    """
    return np.array([cost for cost, _ in _cheapest(query, rows, lengths, temperature)])


def exact_plans(
    query: np.ndarray, rows: np.ndarray, lengths: Lengths, temperature: float = 1.0
) -> list[np.ndarray]:
    """Compute the cheapest plans; see `sinkhorn` for arguments and errors.

    Returns:
        k arrays (m, sentences of the document) with sum 1, or empty. At most m + n - 1 of m x n
        numbers are above 0: few enough to draw as matches.
    """
    return [plan for _, plan in _cheapest(query, rows, lengths, temperature)]


def log_weights(costs: np.ndarray, axis: int, temperature: float = 1.0) -> np.ndarray:
    """Compute logarithms of sentence weights: a softmax over minus the smallest distance.

    Args:
        costs: (m, n, …), distances, inf beyond the end of a document.
        axis: that of the other side: 1 for the weights of the m sentences, 0 for those of the n.
        temperature: in units of distance, above 0.

    Returns:
        (m, …) or (n, …), from NOTHING, the value of padding, to 0.
    """
    nearness = -costs.min(axis=axis) / temperature
    nearness -= nearness.max(axis=0)
    nearness -= np.log(np.exp(nearness).sum(axis=0))
    return np.maximum(nearness, NOTHING)


def check(query: np.ndarray, **distances: float) -> None:
    """Raise ValueError if a query has no sentences, or one of `distances` is not above 0."""
    check_real(query)
    if not len(query):
        raise ValueError("A query without sentences has nothing to move: pass at least one.")
    positive(**distances)


def positive(**distances: float) -> None:
    """Raise ValueError with its name if one of `distances` is not above 0."""
    for name, value in distances.items():
        if not value > 0:
            raise ValueError(f"{name} is {value}: pass a distance above 0.")


class _Solved(NamedTuple):
    """A query and k documents: the documents' positions, problems and potentials."""

    chosen: np.ndarray
    problems: Problems
    f: np.ndarray
    g: np.ndarray
    blur: float

    @property
    def plans(self) -> np.ndarray:
        """The transport plans (m, longest, k)."""
        return self.problems.plans(self.blur, self.f, self.g)


def _solved(
    query: np.ndarray,
    rows: np.ndarray,
    lengths: Lengths,
    temperature: float = 1.0,
    blur: float = 0.05,
    scaling: float = 0.9,
) -> Iterator[_Solved]:
    """Solve all documents with sentences, block by block."""
    check(query, temperature=temperature, blur=blur)
    if not 0 < scaling < 1:
        raise ValueError(f"scaling is {scaling}: pass a ratio between 0 and 1.")
    lengths = np.asarray(lengths, dtype=np.intp)
    starts = np.cumsum(lengths) - lengths
    distances = l2(query, rows) if len(rows) else np.empty((len(query), 0))
    for chosen in blocks(len(query), lengths):
        documents = starts[chosen], lengths[chosen]
        costs = padded(distances, *documents)
        log_a, log_b = (log_weights(costs, axis, temperature) for axis in (1, 0))
        costs[np.isinf(costs)] = 0  # padding has no weight, so any finite cost will do
        schedule = schedules(diameters(query, rows, *documents), blur, scaling)
        problems = Problems(costs, log_a, log_b)
        yield _Solved(chosen, problems, *solve(problems, *schedule), blur)


def _cheapest(
    query: np.ndarray, rows: np.ndarray, lengths: Lengths, temperature: float
) -> Iterator[tuple[float, np.ndarray]]:
    """Compute cost and plan of each document."""
    check(query, temperature=temperature)
    ends = np.cumsum(lengths, dtype=np.intp)
    for end, length in zip(ends, lengths):
        if length:
            yield _linear_program(l2(query, rows[end - length : end]), temperature)
        else:
            yield np.inf, np.zeros((len(query), 0))


def _linear_program(costs: np.ndarray, temperature: float) -> tuple[float, np.ndarray]:
    from scipy.optimize import linprog

    m, n = costs.shape
    # constraints: the weight that leaves each sentence, the weight that reaches each
    leaving = np.repeat(np.eye(m), n, axis=1)
    arriving = np.tile(np.eye(n), m)
    weights = [np.exp(log_weights(costs, axis, temperature)) for axis in (1, 0)]
    # One equation follows from the others, and with rounding they could contradict each other. The
    # heaviest sentence's is dropped: rounding cannot make its weight negative.
    kept = np.arange(n) != weights[1].argmax()
    solution = linprog(
        costs.ravel(),
        A_eq=np.concatenate([leaving, arriving[kept]]),
        b_eq=np.concatenate([weights[0], weights[1][kept]]),
    )
    assert solution.success, solution.message  # weights with equal sums always have a plan
    return solution.fun, solution.x.reshape(costs.shape)

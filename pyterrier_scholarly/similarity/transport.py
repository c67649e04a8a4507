"""Optimal transport: the cost of moving a query's sentences to a document's.

    >>> query = np.array([[0.0, 0.0], [10.0, 0.0]])  # two sentences
    >>> rows = np.array([[0.0, 3.0], [10.0, 3.0], [0.0, 4.0], [10.0, 4.0]])  # of two documents
    >>> exact(query, rows, lengths=[2, 2]).round(3)
    array([3., 4.])

Each sentence of the query moves 3 to the first document's nearest sentence, 4 to the second's.

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

from .array_checks import check_real
from .comparisons import l2
from .maxsim import Lengths
from .sinkhorn import (
    Potentials,
    Problems,
    group_documents,
    measure_diameters,
    pad_costs,
    plan_temperatures,
    solve,
)

# Logarithm of no weight: in double precision e^-500 does not change a sum of weights, and unlike
# -inf it gives no NaN. Padding has this weight, so it never wins a match or changes a figure.
LOG_OF_NOTHING = -500.0


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
    for solution in _solve_blocks(query, rows, lengths, **settings):
        # by duality, a distance is the sum of both sides' weights times their potentials
        query_weights = np.exp(solution.problems.log_query_weights)  # (m, documents of the block)
        query_sums = (query_weights * solution.potentials.query).sum(axis=0)
        document_weights = np.exp(solution.problems.log_document_weights)  # (longest, documents)
        document_sums = (document_weights * solution.potentials.document).sum(axis=0)
        distances[solution.documents] = query_sums + document_sums
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
    for solution in _solve_blocks(query, rows, lengths, **settings):
        plans_first = np.moveaxis(solution.plans, -1, 0)  # (documents of the block, m, longest)
        for document, padded_plan in zip(solution.documents, plans_first):
            plan = padded_plan[:, : lengths[document]]
            plans[document] = plan.copy()  # a view would keep the whole block in memory
    return plans


def plan_cost(
    query: np.ndarray, rows: np.ndarray, lengths: Lengths, **settings: float
) -> np.ndarray:
    """Compute the cost of each document's plan: (k,), the sum of plan times distance.

    Unlike `sinkhorn`, it has no entropy; so the authors' code computes it. Plans are those of
    `sinkhorn_plans`. Their sum is not exactly 1, so the cost can be below `exact`. Arguments, range
    and errors: see `sinkhorn`.
    """
    costs_of_plans = np.full(len(lengths), np.inf)  # of a document without sentences
    for solution in _solve_blocks(query, rows, lengths, **settings):
        # (m, longest, documents of the block): weight that moves between two sentences, times cost
        moved_costs = solution.plans * solution.problems.costs
        costs_of_plans[solution.documents] = moved_costs.sum(axis=(0, 1))
    return costs_of_plans


def exact(
    query: np.ndarray, rows: np.ndarray, lengths: Lengths, temperature: float = 1.0
) -> np.ndarray:
    """Compute the distance of the cheapest transport: `sinkhorn` without blur.

    A linear program per pair makes it about thirty times slower than `sinkhorn`. Arguments, range
    and errors: see there.
    """
    transports = _find_cheapest(query, rows, lengths, temperature)
    return np.array([transport.cost for transport in transports])


def exact_plans(
    query: np.ndarray, rows: np.ndarray, lengths: Lengths, temperature: float = 1.0
) -> list[np.ndarray]:
    """Compute the cheapest plans; see `sinkhorn` for arguments and errors.

    Returns:
        k arrays (m, sentences of the document) with sum 1, or empty. At most m + n - 1 of m x n
        numbers are above 0: few enough to draw as matches.
    """
    transports = _find_cheapest(query, rows, lengths, temperature)
    return [transport.plan for transport in transports]


def log_weights(costs: np.ndarray, axis: int, temperature: float = 1.0) -> np.ndarray:
    """Compute logarithms of one side's weights: a softmax over minus the smallest distance.

    Args:
        costs: (m, n, …), distances, inf beyond the end of a document.
        axis: that of the other side: 1 for the weights of the m sentences, 0 for those of the n.
        temperature: in units of distance, above 0.

    Returns:
        (m, …) or (n, …), from LOG_OF_NOTHING, the value of padding, to 0.
    """
    smallest_distances = costs.min(axis=axis)  # without this axis, sentences are the first one
    logits = -smallest_distances / temperature
    logits -= logits.max(axis=0)  # so that no exponential overflows; the softmax is the same

    logarithms_of_sums = np.log(np.exp(logits).sum(axis=0))
    logarithms = logits - logarithms_of_sums
    return np.maximum(logarithms, LOG_OF_NOTHING)


class LogWeights(NamedTuple):
    """Logarithms of the sentences' weights of both sides; see `log_weights`.

    Attributes:
        query: (m, …).
        document: (n, …).
    """

    query: np.ndarray
    document: np.ndarray


def weigh_sides(costs: np.ndarray, temperature: float) -> LogWeights:
    """Compute logarithms of both sides' weights from distances (m, n, …); see `log_weights`."""
    return LogWeights(
        query=log_weights(costs, axis=1, temperature=temperature),
        document=log_weights(costs, axis=0, temperature=temperature),
    )


class Solution(NamedTuple):
    """The solved problems of a query and some documents.

    Attributes:
        documents: positions of the documents among all.
        problems: theirs, in that order, padded to the longest document.
        potentials: of the problems, at the temperature `blur`.
        blur: the last temperature.
    """

    documents: np.ndarray
    problems: Problems
    potentials: Potentials
    blur: float

    @property
    def plans(self) -> np.ndarray:
        """The transport plans (m, longest, documents)."""
        return self.problems.plans(self.blur, self.potentials)


def _solve_blocks(
    query: np.ndarray,
    rows: np.ndarray,
    lengths: Lengths,
    temperature: float = 1.0,
    blur: float = 0.05,
    scaling: float = 0.9,
) -> Iterator[Solution]:
    """Yield the solved transport problems of all documents with sentences, block by block."""
    _check_query(query)
    _check_above_zero("temperature", temperature)
    _check_above_zero("blur", blur)
    if not 0 < scaling < 1:
        raise ValueError(f"scaling is {scaling}: pass a ratio between 0 and 1.")

    lengths = np.asarray(lengths, dtype=np.intp)
    starts = np.cumsum(lengths) - lengths  # each document starts where those before it end
    distances = np.empty((len(query), 0))  # (m, all sentences)
    if len(rows):
        distances = l2(query, rows)

    for documents in group_documents(len(query), lengths):
        block_starts = starts[documents]
        block_lengths = lengths[documents]
        problems = _make_problems(distances, block_starts, block_lengths, temperature)

        diameters = measure_diameters(query, rows, block_starts, block_lengths)
        schedules = plan_temperatures(diameters, blur, scaling)
        potentials = solve(problems, schedules)
        yield Solution(documents, problems, potentials, blur)


def _make_problems(
    distances: np.ndarray, starts: np.ndarray, lengths: np.ndarray, temperature: float
) -> Problems:
    """Make the transport problems of a block of documents, padded to the longest of them.

    distances, starts, lengths: see `pad_costs`.
    """
    costs = pad_costs(distances, starts, lengths)  # (m, longest, k)
    # from costs that are still inf in padding, so that it gets no weight
    log_weights_of_sides = weigh_sides(costs, temperature)
    costs[np.isinf(costs)] = 0  # padding moves nothing, so any finite cost will do
    return Problems(
        costs,
        log_query_weights=log_weights_of_sides.query,
        log_document_weights=log_weights_of_sides.document,
    )


class Transport(NamedTuple):
    """The cheapest transport to one document.

    Attributes:
        cost: weight times distance, added up; inf for a document without sentences.
        plan: (m, sentences of the document), the weight that moves between two sentences.
    """

    cost: float
    plan: np.ndarray


def _find_cheapest(
    query: np.ndarray, rows: np.ndarray, lengths: Lengths, temperature: float
) -> Iterator[Transport]:
    """Find the cheapest transport to each document."""
    _check_query(query)
    _check_above_zero("temperature", temperature)
    ends = np.cumsum(lengths, dtype=np.intp)
    for end, length in zip(ends, lengths):
        if length:
            costs = l2(query, rows[end - length : end])
            yield _solve_linear_program(costs, temperature)
        else:
            yield Transport(np.inf, np.zeros((len(query), 0)))


def _solve_linear_program(costs: np.ndarray, temperature: float) -> Transport:
    """Find the cheapest transport for costs (m, n)."""
    from scipy.optimize import linprog

    log_weights_of_sides = weigh_sides(costs, temperature)
    query_weights = np.exp(log_weights_of_sides.query)  # (m,)
    document_weights = np.exp(log_weights_of_sides.document)  # (n,)

    # a plan's m * n weights are the unknowns; each row below adds up those of one sentence
    m, n = costs.shape
    leaving = np.repeat(np.eye(m), n, axis=1)  # (m, m * n)
    arriving = np.tile(np.eye(n), m)  # (n, m * n)

    # One equation follows from the others, and with rounding they could contradict each other. The
    # heaviest sentence's is dropped: rounding cannot make its weight negative.
    is_kept = np.arange(n) != document_weights.argmax()
    solution = linprog(
        costs.ravel(),
        A_eq=np.concatenate([leaving, arriving[is_kept]]),
        b_eq=np.concatenate([query_weights, document_weights[is_kept]]),
    )
    assert solution.success, solution.message  # weights with equal sums always have a plan
    return Transport(solution.fun, solution.x.reshape(costs.shape))


def _check_query(query: np.ndarray) -> None:
    """Raise ValueError if a query has no sentences, or vectors that are not of real numbers."""
    check_real(query)
    if not len(query):
        raise ValueError("A query without sentences has nothing to move: pass at least one.")


def _check_above_zero(name: str, distance: float) -> None:
    """Raise ValueError, with the parameter's name, for a distance that is not above 0."""
    if not distance > 0:
        raise ValueError(f"{name} is {distance}: pass a distance above 0.")

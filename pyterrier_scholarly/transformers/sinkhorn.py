"""Solve many small problems of optimal transport at once, with entropy [Mysore2022].

    for documents, costs, sentences in make_blocks(query, rows, lengths):
        diameters = measure_diameters(query, rows[sentences])
        solve(costs, diameters, temperature=1.0, blur=0.05).distances  # (k,)

A query has m sentences. k documents of similar lengths are solved together, padded to the longest,
of n sentences: k problems with costs (m, n, k), the distances of all pairs of sentences. Arrays end
in the axis of the problems, because it is the longest: numpy is fastest along it. The sentences of
each side have weights with sum 1: a softmax over minus the distance to the best match on the other
side.

`solve` is algorithm 3.5 of J. Feydy: Geometric data analysis, beyond convolutions, PhD thesis,
2020: symmetric updates while the temperature falls, then one update at the last temperature. It
equals ``geomloss.SamplesLoss("sinkhorn", p=1, blur=0.05, scaling=0.9, debias=False)`` for one pair
with these weights. Differences from the authors' code: temperatures start from the diameter of the
pair; geomloss starts from that of the whole batch, so that a distance depends on the rest of the
batch. geomloss raises distances below 0.0001 to 0.0001. Weights below e^-500 are e^-500 here.
"""

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from ..similarity.vectors import l2

NUMBERS_IN_BLOCK = 1 << 15  # of padded costs: a quarter of a megabyte, which fits into the cache
LEAST_NUMBERS = 64  # a document counts as at least so many, to limit the documents in a block
SCALING = 0.9  # the factor of the temperature per step
#: logarithm of no weight: in double precision e^-500 does not change a sum of weights, and unlike
#: -inf it gives no NaN; padding has this weight
LOG_OF_NOTHING = -500.0


class Solution(NamedTuple):
    """k solved problems of m sentences against n.

    Attributes:
        plans: (m, n, k), the weight that moves between two sentences. The sum is 1 up to a percent,
            because the schedule ends before convergence.
        plan_costs: (k,), weight times cost, added up.
        distances: (k,), with entropy.
    """

    plans: np.ndarray
    plan_costs: np.ndarray
    distances: np.ndarray


def make_blocks(
    query: np.ndarray, rows: np.ndarray, lengths: np.ndarray
) -> Iterator[tuple[np.ndarray, np.ndarray, np.ndarray]]:
    """Divide documents with sentences into blocks of similar lengths, longest first.

    Args:
        query, rows: (m, d) and (all sentences, d), one document after the other.
        lengths: (documents,), in sentences.

    Yields:
        The positions in `lengths` of k documents. Their costs (m, n, k), inf beyond the end of a
        document. And the rows (n, k) of their sentences; shorter documents repeat the last one. A
        block has one document, or at most NUMBERS_IN_BLOCK costs.
    """
    distances = l2(query, rows)  # (m, all sentences)
    first_rows = np.cumsum(lengths) - lengths
    longest_first = np.argsort(-lengths, kind="stable")[: np.count_nonzero(lengths)]
    start = 0
    while start < len(longest_first):
        longest = lengths[longest_first[start]]
        count = NUMBERS_IN_BLOCK // max(len(query) * longest, LEAST_NUMBERS)
        documents = longest_first[start : start + max(1, count)]

        positions = np.arange(longest)[:, None]  # (n, 1)
        last_positions = lengths[documents] - 1  # (k,)
        sentences = first_rows[documents] + np.minimum(positions, last_positions)  # (n, k)
        costs = distances[:, sentences]
        costs[:, positions > last_positions] = np.inf

        yield documents, costs, sentences
        start += len(documents)


def measure_diameters(query: np.ndarray, documents: np.ndarray) -> np.ndarray:
    """Return geomloss's upper bounds (k,) of the distances between a query and documents.

    They are the diagonals of the bounding boxes of the query and each document.

    Args:
        query, documents: (m, d) and (n, k, d).
    """
    low_corners = np.minimum(documents.min(axis=0), query.min(axis=0))  # (k, d)
    high_corners = np.maximum(documents.max(axis=0), query.max(axis=0))
    diagonals = np.subtract(high_corners, low_corners, dtype=np.float64)
    return np.linalg.norm(diagonals, axis=1)


def solve(costs: np.ndarray, diameters: np.ndarray, temperature: float, blur: float) -> Solution:
    """Solve k problems of transport.

    Args:
        costs: (m, n, k), inf beyond the end of a document.
        diameters: (k,), upper bounds of the costs; the first temperatures.
        temperature: of the softmax for the sentences' weights.
        blur: the last temperature.
    """
    log_query, log_document = weigh_sentences(costs, temperature)  # (m, k) and (n, k)
    finite_costs = np.where(np.isinf(costs), 0, costs)  # padding moves nothing, at any cost
    temperatures, step_counts = plan_temperatures(diameters, blur)

    def make_plans(temperatures: np.ndarray, f: np.ndarray, g: np.ndarray) -> np.ndarray:
        """Return the weights (m, n, k) that the dual potentials f (m, k) and g (n, k) move.

        A logarithm is the sum of both weights' and of (both potentials - cost) / temperature.
        """
        query_terms = f / temperatures + log_query
        document_terms = g / temperatures + log_document
        log_plans = finite_costs / -temperatures
        log_plans += query_terms[:, None] + document_terms
        return np.exp(log_plans, out=log_plans)

    def update(
        temperatures: np.ndarray, f: np.ndarray, g: np.ndarray
    ) -> tuple[np.ndarray, np.ndarray]:
        """Return the potentials after a Sinkhorn step of both sides at once.

        A sentence's is the old one - temperature * log(what the plan moves / its weight). With one
        side's new potentials, and the other side's old ones, a plan moves exactly the weights of
        the first side's sentences.
        """
        plans = make_plans(temperatures, f, g)
        new_f = f - temperatures * (np.log(plans.sum(axis=1)) - log_query)
        new_g = g - temperatures * (np.log(plans.sum(axis=0)) - log_document)
        return new_f, new_g

    f, g = update(temperatures[0], np.zeros_like(log_query), np.zeros_like(log_document))
    for step, step_temperatures in enumerate(temperatures):
        new_f, new_g = update(step_temperatures, f, g)
        # half the way, as geomloss; a problem whose schedule has ended stays, while others go on
        is_running = step < step_counts
        f = np.where(is_running, (f + new_f) / 2, f)
        g = np.where(is_running, (g + new_g) / 2, g)
    f, g = update(temperatures[-1], f, g)

    plans = make_plans(temperatures[-1], f, g)
    plan_costs = (plans * finite_costs).sum(axis=(0, 1))
    # by duality, a distance is the sum of both sides' weights times their potentials
    query_sums = (np.exp(log_query) * f).sum(axis=0)
    document_sums = (np.exp(log_document) * g).sum(axis=0)
    return Solution(plans, plan_costs, query_sums + document_sums)


def weigh_sentences(costs: np.ndarray, temperature: float) -> tuple[np.ndarray, np.ndarray]:
    """Return logarithms of the weights of both sides' sentences, (m, …) and (n, …).

    costs: (m, n, …), inf beyond the end of a document.
    """
    logarithms = []
    for axis_of_other_side in (1, 0):
        logits = -costs.min(axis=axis_of_other_side) / temperature
        logits -= logits.max(axis=0)  # so that no exponential overflows; the softmax is the same
        logits -= np.log(np.exp(logits).sum(axis=0))
        logarithms.append(np.maximum(logits, LOG_OF_NOTHING))
    return logarithms[0], logarithms[1]


def plan_temperatures(diameters: np.ndarray, blur: float) -> tuple[np.ndarray, np.ndarray]:
    """Return the temperatures (steps, k) of k problems, and the number of steps (k,) of each.

    As in geomloss: the diameter twice, falling temperatures above the blur, then the blur. For a
    diameter of 4, a blur of 1 and a factor of 0.5 that is 4, 4, 2, 1. Shorter schedules are filled
    up with the blur.
    """
    # a pair of equal points moves nothing, at any temperature
    first_temperatures = np.where(diameters > 0, diameters, blur)

    # how often to scale the first temperature until it is no longer above the blur
    exact_counts = np.log(blur / first_temperatures) / np.log(SCALING)
    scaling_counts = np.ceil(exact_counts).clip(min=0).astype(int)
    step_counts = scaling_counts + 2  # steps 0 and 1 have the first temperature

    steps = np.arange(step_counts.max())[:, None]  # (steps, 1)
    powers = np.maximum(steps - 1, 0)
    falling_temperatures = first_temperatures * SCALING**powers
    is_last = steps >= step_counts - 1  # and behind the end, where other schedules go on
    return np.where(is_last, blur, falling_temperatures), step_counts

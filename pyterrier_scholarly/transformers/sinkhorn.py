"""Solve many small problems of optimal transport at once, with entropy [Mysore2022].

    costs = pad_costs(distances, first_rows, lengths)  # (m, n, k)
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

NUMBERS_IN_BLOCK = 1 << 15  # of padded costs: a quarter of a megabyte, which fits into the cache
LEAST_NUMBERS = 64  # a document counts as at least so many, to limit the documents in a block
SCALING = 0.9  # the factor of the temperature per step
#: logarithm of no weight: in double precision e^-500 does not change a sum of weights, and unlike
#: -inf it gives no NaN; padding has this weight
LOG_OF_NOTHING = -500.0


class Sides(NamedTuple):
    """A number for each sentence of both sides.

    Attributes:
        query: (m, k), of the query's sentences.
        document: (n, k), of the documents' sentences.
    """

    query: np.ndarray
    document: np.ndarray


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


def solve(costs: np.ndarray, diameters: np.ndarray, temperature: float, blur: float) -> Solution:
    """Solve k problems of transport.

    Args:
        costs: (m, n, k), inf beyond the end of a document.
        diameters: (k,), upper bounds of the costs; the first temperatures.
        temperature: of the softmax for the sentences' weights.
        blur: the last temperature.
    """
    log_weights = weigh_sentences(costs, temperature)
    finite_costs = np.where(np.isinf(costs), 0, costs)  # padding moves nothing, at any cost
    temperatures, step_counts = plan_temperatures(diameters, blur)
    potentials = _find_potentials(finite_costs, log_weights, temperatures, step_counts)

    plans = _make_plans(finite_costs, log_weights, temperatures[-1], potentials)
    plan_costs = (plans * finite_costs).sum(axis=(0, 1))
    # by duality, a distance is the sum of both sides' weights times their potentials
    query_sums = (np.exp(log_weights.query) * potentials.query).sum(axis=0)
    document_sums = (np.exp(log_weights.document) * potentials.document).sum(axis=0)
    return Solution(plans, plan_costs, query_sums + document_sums)


def _find_potentials(
    costs: np.ndarray, log_weights: Sides, temperatures: np.ndarray, step_counts: np.ndarray
) -> Sides:
    """Return the dual potentials of k problems, f and g in the thesis.

    Each step moves the potentials half the way to their update, as geomloss does.

    Args:
        costs: (m, n, k), finite.
        log_weights: of the sentences.
        temperatures: (steps, k).
        step_counts: (k,), the number of steps of each problem.
    """
    zeros = Sides(np.zeros_like(log_weights.query), np.zeros_like(log_weights.document))
    potentials = _update(costs, log_weights, temperatures[0], zeros)
    for step, step_temperatures in enumerate(temperatures):
        update = _update(costs, log_weights, step_temperatures, potentials)
        half_way_query = (potentials.query + update.query) / 2
        half_way_document = (potentials.document + update.document) / 2

        # a problem whose schedule has ended stays as it is, while others go on
        is_running = step < step_counts
        potentials = Sides(
            query=np.where(is_running, half_way_query, potentials.query),
            document=np.where(is_running, half_way_document, potentials.document),
        )
    return _update(costs, log_weights, temperatures[-1], potentials)


def _update(
    costs: np.ndarray, log_weights: Sides, temperatures: np.ndarray, potentials: Sides
) -> Sides:
    """Return the potentials after a Sinkhorn step of both sides at once.

    A sentence's new potential is the old one - temperature * log(what the plan moves / its weight).
    With one side's new potentials, and the other side's old ones, a plan moves exactly the weights
    of the first side's sentences.
    """
    plans = _make_plans(costs, log_weights, temperatures, potentials)
    query_excess = np.log(plans.sum(axis=1)) - log_weights.query  # (m, k)
    document_excess = np.log(plans.sum(axis=0)) - log_weights.document  # (n, k)
    return Sides(
        query=potentials.query - temperatures * query_excess,
        document=potentials.document - temperatures * document_excess,
    )


def _make_plans(
    costs: np.ndarray, log_weights: Sides, temperatures: np.ndarray, potentials: Sides
) -> np.ndarray:
    """Return the weight that the potentials move from each of m sentences to each of n: (m, n, k).

    Its logarithm is the sum of both weights' and of (both potentials - cost) / temperature.
    """
    query_terms = potentials.query / temperatures + log_weights.query  # (m, k)
    document_terms = potentials.document / temperatures + log_weights.document  # (n, k)
    log_plans = costs / -temperatures
    log_plans += query_terms[:, None] + document_terms
    return np.exp(log_plans, out=log_plans)


def weigh_sentences(costs: np.ndarray, temperature: float) -> Sides:
    """Return logarithms of the weights of both sides' sentences, (m, …) and (n, …).

    costs: (m, n, …), inf beyond the end of a document.
    """
    logarithms = []
    for axis_of_other_side in (1, 0):
        logits = -costs.min(axis=axis_of_other_side) / temperature
        logits -= logits.max(axis=0)  # so that no exponential overflows; the softmax is the same
        logits -= np.log(np.exp(logits).sum(axis=0))
        logarithms.append(np.maximum(logits, LOG_OF_NOTHING))
    return Sides(*logarithms)


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


def group_documents(m: int, lengths: np.ndarray) -> Iterator[np.ndarray]:
    """Group the documents with sentences into blocks of similar lengths, shortest first.

    Args:
        m: sentences of the query.
        lengths: (k,), sentences per document.

    Yields:
        Positions in `lengths`. A block has one document, or at most NUMBERS_IN_BLOCK numbers, m for
        each sentence of its longest document.
    """
    with_sentences = np.flatnonzero(lengths)
    shortest_first = with_sentences[np.argsort(lengths[with_sentences], kind="stable")]
    start = 0
    while start < len(shortest_first):
        # how many numbers a block has that begins at `start`, and ends with each document
        numbers = np.maximum(m * lengths[shortest_first[start:]], LEAST_NUMBERS)
        block_sizes = numbers * np.arange(1, len(numbers) + 1)
        count = max(1, int(np.searchsorted(block_sizes, NUMBERS_IN_BLOCK, side="right")))
        yield shortest_first[start : start + count]
        start += count


def pad_costs(distances: np.ndarray, first_columns: np.ndarray, lengths: np.ndarray) -> np.ndarray:
    """Return the distances of each document alone, padded to the longest one: (m, longest, k).

    Args:
        distances: (m, n), of the query's sentences and those of all documents.
        first_columns, lengths: (k,), the column of each document's first sentence, and how many
            it has.

    Returns:
        (m, longest, k), inf beyond the end of a document.
    """
    positions = np.arange(lengths.max())[:, None]  # (longest, 1), of sentences in their document
    is_inside = positions < lengths  # (longest, k)
    columns = np.where(is_inside, first_columns + positions, 0)  # padding: any, is overwritten
    costs = distances[:, columns]
    costs[:, ~is_inside] = np.inf
    return costs


def measure_diameters(
    query: np.ndarray, rows: np.ndarray, first_rows: np.ndarray, lengths: np.ndarray
) -> np.ndarray:
    """Return the diagonal (k,) of the bounding box of the query and each document.

    It is geomloss's upper bound of all distances in a pair.

    Args:
        query, rows: (m, d) and (n, d).
        first_rows, lengths: (k,), of each document; lengths are ascending.
    """
    # the boxes of the query alone; each sentence of a document then widens its document's box
    low_corners = np.tile(query.min(axis=0), (len(first_rows), 1))  # (k, d)
    high_corners = np.tile(query.max(axis=0), (len(first_rows), 1))

    # all first sentences, then all second ones, …: nine times as fast as reduceat along axis 0
    for position in range(lengths[-1]):
        # lengths ascend, so a binary search finds the first document with a sentence there
        first_document = np.searchsorted(lengths, position, side="right")
        vectors = rows[first_rows[first_document:] + position]
        low_corners_of_longer = low_corners[first_document:]  # a view, as is the next
        high_corners_of_longer = high_corners[first_document:]
        np.minimum(low_corners_of_longer, vectors, out=low_corners_of_longer)
        np.maximum(high_corners_of_longer, vectors, out=high_corners_of_longer)

    return np.linalg.norm(np.subtract(high_corners, low_corners, dtype=np.float64), axis=1)

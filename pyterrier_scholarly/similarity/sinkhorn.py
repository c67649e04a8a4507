"""Solve many small transport problems at once: padded blocks, and the Sinkhorn iteration.

    costs = pad_costs(distances, starts, lengths)  # (m, longest, k), inf beyond a document's end
    log_query_weights, log_document_weights = ...
    costs[np.isinf(costs)] = 0  # once the weights of padding are nothing
    schedules = plan_temperatures(diameters, blur=0.05, scaling=0.9)
    problems = Problems(costs, log_query_weights, log_document_weights)
    potentials = solve(problems, schedules)

Algorithm 3.5 of J. Feydy: Geometric data analysis, beyond convolutions, PhD thesis, 2020, as in
geomloss: symmetric updates while the temperature falls, then one update at the last temperature.

Conventions: a query has m sentences, and each of k documents up to n. A pair is the query and one
document. Arrays end in the axis of the pairs, because it is the longest: numpy is fastest along it.
"""

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

NUMBERS_IN_BLOCK = 1 << 15  # padded: a quarter of a megabyte, which fits into the cache
LEAST_NUMBERS = 64  # a document counts as at least so many, to limit the documents in a block


def group_documents(m: int, lengths: np.ndarray) -> Iterator[np.ndarray]:
    """Group the documents with sentences into blocks of similar lengths.

    Args:
        m: sentences of the query.
        lengths: (k,), sentences per document.

    Yields:
        Positions of documents in `lengths`, shortest first. A block has one document, or at most
        NUMBERS_IN_BLOCK numbers, m for each sentence of its longest document.
    """
    with_sentences = np.flatnonzero(lengths)
    shortest_first = with_sentences[np.argsort(lengths[with_sentences], kind="stable")]

    block_start = 0
    for position, document in enumerate(shortest_first):
        count_with_document = position + 1 - block_start
        is_alone = count_with_document == 1
        # the document would be the longest of the block, so all others are padded to its length
        if not is_alone and _is_too_large(count_with_document, m * lengths[document]):
            yield shortest_first[block_start:position]
            block_start = position  # the document begins the next block

    if block_start < len(shortest_first):
        yield shortest_first[block_start:]


def _is_too_large(document_count: int, numbers_per_document: int) -> bool:
    """Return whether so many documents, padded to so many numbers each, exceed a block."""
    return max(numbers_per_document, LEAST_NUMBERS) * document_count > NUMBERS_IN_BLOCK


def pad_costs(distances: np.ndarray, starts: np.ndarray, lengths: np.ndarray) -> np.ndarray:
    """Return the distances of each document alone, padded to the longest one: (m, longest, k).

    Args:
        distances: (m, n), of the query's sentences and those of all documents.
        starts: (k,), the column of each document's first sentence.
        lengths: (k,), the number of each document's sentences.

    Returns:
        (m, longest, k), inf beyond the end of a document.
    """
    positions = np.arange(lengths.max())[:, None]  # (longest, 1), of sentences in their document
    is_inside = positions < lengths  # (longest, k)

    # padding takes any column, and is overwritten
    columns = np.where(is_inside, starts + positions, 0)  # (longest, k)
    costs = distances[:, columns]
    costs[:, ~is_inside] = np.inf
    return costs


def measure_diameters(
    query: np.ndarray, rows: np.ndarray, starts: np.ndarray, lengths: np.ndarray
) -> np.ndarray:
    """Compute the diagonal of the bounding box of the query and each document: (k,), float64.

    It is geomloss's upper bound of all distances in a pair.

    Args:
        query: (m, d).
        rows: (n, d).
        starts, lengths: (k,), see `pad_costs`; lengths are ascending.
    """
    # the boxes of the query alone; each sentence of a document then widens its document's box
    low_corners = np.tile(query.min(axis=0), (len(starts), 1))  # (k, d)
    high_corners = np.tile(query.max(axis=0), (len(starts), 1))

    # all first sentences, then all second ones, …: nine times as fast as reduceat along axis 0
    for position in range(lengths[-1]):
        # lengths ascend, so a binary search finds the first document with a sentence there
        first_document = np.searchsorted(lengths, position, side="right")
        sentence_rows = starts[first_document:] + position
        vectors = rows[sentence_rows]  # (documents with a sentence there, d)

        low_corners_of_longer = low_corners[first_document:]  # a view, as is the next
        high_corners_of_longer = high_corners[first_document:]
        np.minimum(low_corners_of_longer, vectors, out=low_corners_of_longer)
        np.maximum(high_corners_of_longer, vectors, out=high_corners_of_longer)

    diagonals = np.subtract(high_corners, low_corners, dtype=np.float64)
    return np.linalg.norm(diagonals, axis=1)


class Schedules(NamedTuple):
    """The temperatures of k pairs, step by step.

    Attributes:
        temperatures: (steps of the longest schedule, k); the blur after a schedule's end.
        step_counts: (k,), the number of steps of each pair.
    """

    temperatures: np.ndarray
    step_counts: np.ndarray


def plan_temperatures(diameters: np.ndarray, blur: float, scaling: float) -> Schedules:
    """Plan the temperatures of all steps for each pair, from its diameter down to the blur.

    As in geomloss: the diameter twice, falling temperatures above the blur, then the blur. For a
    diameter of 4, a blur of 1 and a scaling of 0.5 that is 4, 4, 2, 1.

    Args:
        diameters: (k,), from 0.
        blur: the last temperature, above 0.
        scaling: the ratio of a temperature to the previous one, between 0 and 1.
    """
    # a pair of equal points moves nothing, at any temperature
    first_temperatures = np.where(diameters > 0, diameters, blur)

    # how often to scale the first temperature until it is no longer above the blur
    exact_counts = np.log(blur / first_temperatures) / np.log(scaling)
    scaling_counts = np.ceil(exact_counts).clip(min=0).astype(int)  # (k,); 2 for 4, 2, 1

    # steps 0 and 1 have the first temperature; from step 2 on, each step scales it once more
    step_counts = scaling_counts + 2
    steps = np.arange(step_counts.max())[:, None]  # (steps, 1)
    powers = np.maximum(steps - 1, 0)
    falling_temperatures = first_temperatures * scaling**powers  # (steps, k)

    is_last = steps >= step_counts - 1  # and behind the end, where other schedules go on
    temperatures = np.where(is_last, blur, falling_temperatures)
    return Schedules(temperatures, step_counts)


class Potentials(NamedTuple):
    """The dual potentials of k pairs, a number for each sentence: f and g in the thesis.

    The cost of a pair is the sum over both sides' sentences of weight times potential.

    Attributes:
        query: (m, k), of the query's sentences.
        document: (n, k), of the documents' sentences.
    """

    query: np.ndarray
    document: np.ndarray


class Problems(NamedTuple):
    """k problems of m sentences against n; all numbers are finite.

    Attributes:
        costs: (m, n, k).
        log_query_weights: (m, k), logarithms of the weights of the query's sentences.
        log_document_weights: (n, k), of the documents' sentences.
    """

    costs: np.ndarray
    log_query_weights: np.ndarray
    log_document_weights: np.ndarray

    def plans(self, temperature: np.ndarray | float, potentials: Potentials) -> np.ndarray:
        """Compute the weight that the potentials move from each of m to each of n: (m, n, k)."""
        # log plan = log of both weights + (both potentials - cost) / temperature
        query_terms = potentials.query / temperature + self.log_query_weights  # (m, k)
        document_terms = potentials.document / temperature + self.log_document_weights  # (n, k)
        log_plans = self.costs / -temperature  # (m, n, k)
        log_plans += query_terms[:, None] + document_terms
        return np.exp(log_plans, out=log_plans)


def solve(problems: Problems, schedules: Schedules) -> Potentials:
    """Return the dual potentials of k problems, each solved by its own schedule of temperatures.

    Each step moves the potentials half the way to their update, as geomloss does.
    """
    zeros = Potentials(
        query=np.zeros_like(problems.log_query_weights),
        document=np.zeros_like(problems.log_document_weights),
    )
    first_temperatures = schedules.temperatures[0]
    potentials = _update(problems, first_temperatures, zeros)

    for step, temperatures in enumerate(schedules.temperatures):
        update = _update(problems, temperatures, potentials)
        half_way_query = (potentials.query + update.query) / 2
        half_way_document = (potentials.document + update.document) / 2

        # a problem whose schedule has ended stays as it is, while others go on
        is_running = step < schedules.step_counts  # (k,)
        potentials = Potentials(
            query=np.where(is_running, half_way_query, potentials.query),
            document=np.where(is_running, half_way_document, potentials.document),
        )

    last_temperatures = schedules.temperatures[-1]
    return _update(problems, last_temperatures, potentials)


def _update(problems: Problems, temperatures: np.ndarray, potentials: Potentials) -> Potentials:
    """Return the potentials after a Sinkhorn step of both sides at once.

    A sentence's new potential is the old one - temperature * log(what the plan moves / its weight).
    Plans have the factor exp(potential / temperature). So with one side's new potentials, and the
    other side's old ones, a plan moves exactly the weights of the first side's sentences.

    temperatures: (k,).
    """
    plans = problems.plans(temperatures, potentials)  # (m, n, k)
    log_moved_by_query = np.log(plans.sum(axis=1))  # (m, k)
    log_moved_by_document = np.log(plans.sum(axis=0))  # (n, k)

    query_excess = log_moved_by_query - problems.log_query_weights
    document_excess = log_moved_by_document - problems.log_document_weights
    return Potentials(
        query=potentials.query - temperatures * query_excess,
        document=potentials.document - temperatures * document_excess,
    )

"""Solve many small transport problems at once: padded blocks, and the Sinkhorn iteration.

    costs = pad_costs(distances, starts, lengths)  # (m, longest, k), inf beyond a document's end
    log_a, log_b = ...  # logarithms of the weights of both sides
    costs[np.isinf(costs)] = 0  # once the weights of padding are nothing
    schedules = plan_temperatures(diameters, blur=0.05, scaling=0.9)
    potentials = solve(Problems(costs, log_a, log_b), schedules)

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
    by_length = with_sentences[np.argsort(lengths[with_sentences], kind="stable")]

    block_start = 0
    for position, document in enumerate(by_length):
        # with this document, which would be the longest: all others are padded to its length
        numbers_per_document = max(m * lengths[document], LEAST_NUMBERS)
        document_count = position + 1 - block_start
        is_too_large = numbers_per_document * document_count > NUMBERS_IN_BLOCK
        has_others = block_start < position
        if is_too_large and has_others:  # so this document begins the next block
            yield by_length[block_start:position]
            block_start = position

    if block_start < len(by_length):
        yield by_length[block_start:]


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
    low_corners = np.tile(query.min(axis=0), (len(starts), 1))  # (k, d)
    high_corners = np.tile(query.max(axis=0), (len(starts), 1))

    # sentence by sentence, which is nine times as fast as reduceat along the first axis
    for position in range(lengths[-1]):
        # lengths ascend, so a binary search finds the first document with a sentence there
        first = np.searchsorted(lengths, position, side="right")
        vectors = rows[starts[first:] + position]
        np.minimum(low_corners[first:], vectors, out=low_corners[first:])
        np.maximum(high_corners[first:], vectors, out=high_corners[first:])

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

    As in geomloss: the diameter twice, falling temperatures above the blur, then the blur.

    Args:
        diameters: (k,), from 0.
        blur: the last temperature, above 0.
        scaling: the ratio of a temperature to the previous one, between 0 and 1.
    """
    # a pair of equal points moves nothing, at any temperature
    first_temperatures = np.where(diameters > 0, diameters, blur)

    # first * scaling ** falls is the first temperature that is not above the blur
    exact_falls = np.log(blur / first_temperatures) / np.log(scaling)
    falls = np.ceil(exact_falls).clip(min=0).astype(int)  # (k,)

    steps = np.arange(falls.max() + 2)[:, None]  # (steps, 1)
    powers = np.maximum(steps - 1, 0)  # 0 for the first two steps, which have the diameter
    falling_temperatures = first_temperatures * scaling**powers
    is_blur = (steps > falls) & (steps > 0)
    temperatures = np.where(is_blur, blur, falling_temperatures)
    return Schedules(temperatures, step_counts=falls + 2)


class Potentials(NamedTuple):
    """The dual potentials of k pairs; a pair's cost is ``a @ f + b @ g``, with both sides' weights.

    Attributes:
        f: (m, k), of the query's sentences.
        g: (n, k), of the documents' sentences.
    """

    f: np.ndarray
    g: np.ndarray


class Problems(NamedTuple):
    """k problems of m sentences against n; all numbers are finite.

    Attributes:
        costs: (m, n, k).
        log_a: (m, k), logarithms of the weights of the query's sentences.
        log_b: (n, k), of the documents' sentences.
    """

    costs: np.ndarray
    log_a: np.ndarray
    log_b: np.ndarray

    def plans(self, temperature: np.ndarray | float, potentials: Potentials) -> np.ndarray:
        """Compute the weight that the potentials move from each of m to each of n: (m, n, k)."""
        log_leaving = potentials.f / temperature + self.log_a
        log_arriving = potentials.g / temperature + self.log_b
        plans = self.costs / -temperature
        plans += log_leaving[:, None] + log_arriving
        return np.exp(plans, out=plans)


def solve(problems: Problems, schedules: Schedules) -> Potentials:
    """Return the dual potentials of k problems, each solved by its own schedule of temperatures.

    Each step moves the potentials half the way to their update, as geomloss does.
    """
    zeros = Potentials(np.zeros_like(problems.log_a), np.zeros_like(problems.log_b))
    first_temperatures = schedules.temperatures[0]
    potentials = _update(problems, first_temperatures, zeros)

    for step, temperatures in enumerate(schedules.temperatures):
        update = _update(problems, temperatures, potentials)
        half_way_f = (potentials.f + update.f) / 2
        half_way_g = (potentials.g + update.g) / 2

        # a problem whose schedule has ended stays as it is, while others go on
        is_running = step < schedules.step_counts
        f = np.where(is_running, half_way_f, potentials.f)
        g = np.where(is_running, half_way_g, potentials.g)
        potentials = Potentials(f, g)

    last_temperatures = schedules.temperatures[-1]
    return _update(problems, last_temperatures, potentials)


def _update(problems: Problems, temperatures: np.ndarray, potentials: Potentials) -> Potentials:
    """Return potentials at which plans move exactly the weights of a side.

    Each side is updated as if the other one stayed as it is: a Sinkhorn step of both at once.

    temperatures: (k,).
    """
    plans = problems.plans(temperatures, potentials)
    log_leaving = np.log(plans.sum(axis=1))  # (m, k), should be log_a
    log_arriving = np.log(plans.sum(axis=0))  # (n, k), should be log_b

    # plans have the factor exp(potential / temperature): a potential lowered by x temperatures
    # divides by exp(x) what they move
    f = potentials.f - temperatures * (log_leaving - problems.log_a)
    g = potentials.g - temperatures * (log_arriving - problems.log_b)
    return Potentials(f, g)

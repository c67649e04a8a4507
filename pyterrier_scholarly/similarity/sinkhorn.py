"""Solve many small transport problems at once: padded blocks, and the Sinkhorn iteration.

Algorithm 3.5 of J. Feydy: Geometric data analysis, beyond convolutions, PhD thesis, 2020, as in
geomloss: symmetric updates while the temperature falls, then one update at the last temperature.

Arrays end in the axis of the pairs, because it is the longest: numpy is fastest along it.
"""

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

BLOCK = 1 << 15  # padded numbers in a block: a quarter of a megabyte, which fits into the cache
LEAST = 64  # a document counts as at least so many numbers, to limit the documents in a block


def blocks(m: int, lengths: np.ndarray) -> Iterator[np.ndarray]:
    """Group the documents with sentences into blocks of similar lengths.

    Args:
        m: sentences of the query.
        lengths: (k,), sentences per document.

    Yields:
        Positions of documents in `lengths`, shortest first. A block has one document, or at most
        BLOCK numbers, m for each sentence of its longest document.
    """
    filled = np.flatnonzero(lengths)
    filled = filled[np.argsort(lengths[filled], kind="stable")]
    first = 0
    for last, place in enumerate(filled):
        if first < last and max(m * lengths[place], LEAST) * (last + 1 - first) > BLOCK:
            yield filled[first:last]
            first = last
    if first < len(filled):
        yield filled[first:]


def padded(distances: np.ndarray, starts: np.ndarray, lengths: np.ndarray) -> np.ndarray:
    """Cut distances (m, n) of the query's and all documents' sentences into one problem each.

    starts, lengths: (k,), the first sentence of each document among the n, and its sentences.

    Returns (m, longest, k), inf beyond the end of a document.
    """
    sentence = np.arange(lengths.max())[:, None]
    inside = sentence < lengths
    costs = distances[:, np.where(inside, starts + sentence, 0)]
    costs[:, ~inside] = np.inf
    return costs


def diameters(
    query: np.ndarray, rows: np.ndarray, starts: np.ndarray, lengths: np.ndarray
) -> np.ndarray:
    """Compute the diagonal of the bounding box of the query and each document: (k,), float64.

    It is geomloss's upper bound of all distances in a pair.

    Args:
        query: (m, d).
        rows: (n, d).
        starts, lengths: (k,), see `padded`; lengths are ascending.
    """
    low = np.tile(query.min(axis=0), (len(starts), 1))
    high = np.tile(query.max(axis=0), (len(starts), 1))
    for sentence in range(lengths[-1]):  # nine times as fast as reduceat along the first axis
        first = np.searchsorted(lengths, sentence, side="right")
        vectors = rows[starts[first:] + sentence]
        np.minimum(low[first:], vectors, out=low[first:])
        np.maximum(high[first:], vectors, out=high[first:])
    return np.linalg.norm(np.subtract(high, low, dtype=np.float64), axis=1)


def schedules(diameters: np.ndarray, blur: float, scaling: float) -> tuple[np.ndarray, np.ndarray]:
    """Compute the temperatures of all steps for each pair, from its diameter down to the blur.

    As in geomloss: the diameter twice, falling temperatures above the blur, then the blur.

    Args:
        diameters: (k,), from 0.
        blur: the last temperature, above 0.
        scaling: the ratio of a temperature to the previous one, between 0 and 1.

    Returns:
        temperatures (steps of the longest schedule, k), the blur after a schedule's end; and the
        number of steps of each (k,).
    """
    # a pair of equal points moves nothing, at any temperature
    first = np.where(diameters > 0, diameters, blur)
    falls = np.ceil(np.log(blur / first) / np.log(scaling)).clip(min=0).astype(int)
    step = np.arange(falls.max() + 2)[:, None]
    falling = first * scaling ** np.maximum(step - 1, 0)
    return np.where((step > falls) & (step > 0), blur, falling), falls + 2


class Problems(NamedTuple):
    """k problems of m sentences against n: costs, and logarithms of weights, all finite."""

    costs: np.ndarray  #: (m, n, k)
    log_a: np.ndarray  #: (m, k)
    log_b: np.ndarray  #: (n, k)

    def plans(self, temperature: np.ndarray | float, f: np.ndarray, g: np.ndarray) -> np.ndarray:
        """Compute the weight that the potentials move from each of m to each of n: (m, n, k)."""
        plan = self.costs / -temperature
        plan += (f / temperature + self.log_a)[:, None] + (g / temperature + self.log_b)
        return np.exp(plan, out=plan)


def solve(
    problems: Problems, temperatures: np.ndarray, steps: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """Compute the dual potentials f (m, k) and g (n, k); the cost is ``a @ f + b @ g``.

    temperatures, steps: from `schedules`.
    """
    f, g = np.zeros_like(problems.log_a), np.zeros_like(problems.log_b)
    f, g = _updates(problems, temperatures[0], f, g)
    for step, temperature in enumerate(temperatures):
        update_f, update_g = _updates(problems, temperature, f, g)
        running = step < steps  # after the end of its schedule, a pair does not change
        f = np.where(running, (f + update_f) / 2, f)
        g = np.where(running, (g + update_g) / 2, g)
    return _updates(problems, temperatures[-1], f, g)


def _updates(
    problems: Problems, temperature: np.ndarray, f: np.ndarray, g: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """Update each side's potentials, for its exact weights with the other side unchanged."""
    plan = problems.plans(temperature, f, g)
    return (
        f - temperature * (np.log(plan.sum(axis=1)) - problems.log_a),
        g - temperature * (np.log(plan.sum(axis=0)) - problems.log_b),
    )

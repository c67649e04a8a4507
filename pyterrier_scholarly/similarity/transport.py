"""Optimal transport: what it costs to move a query's sentences onto a document's.

Conventions: those of `maxsim` (`rows` and `lengths` are a ragged batch of documents), and
*distances*: lower is nearer, and a document without sentences is infinitely far. Either side's
sentences have weights that sum to 1: a softmax over minus the distance to each one's best match on
the other side [Mysore2022, temperature 1]. Moving weight costs the L2 distance.

`sinkhorn` is OT-ASPIRE: what ``geomloss.SamplesLoss("sinkhorn", p=1, blur=0.05, scaling=0.9,
debias=False)`` gives for one pair with these weights. Its limit for a blur of 0 is `exact`, in
`exact_transport`. `plan_cost` is what the authors' code ranks by.

Where we differ from the authors' code: a pair's temperatures fall from the diameter of that pair,
where geomloss over a batch starts from the diameter of the whole batch, so that a distance depends
on what else is in the batch. geomloss takes distances below 0.0001 for 0.0001; here they are what
they are. Weights below e^-500, of sentences hundreds of units farther than the nearest, are e^-500.

[Mysore2022] S. Mysore, A. Cohan, T. Hope: Multi-Vector Models with Textual Guidance for
    Fine-Grained Scientific Document Similarity, NAACL 2022 (ASPIRE).
"""

from typing import NamedTuple

import numpy as np

from ._padded import blocks, diameters, padded
from ._sinkhorn import moved, schedules, solve
from .pairwise import l2

# The logarithm of no weight: a sum of real weights does not see e^-500 in double precision, and
# unlike -inf it makes no NaN. Padding has it, so it cannot win a match or change a figure.
NOTHING = -500.0


def sinkhorn(query, rows, lengths, temperature=1.0, blur=0.05, scaling=0.9):
    """OT-ASPIRE's distance of a query to each document.

    Args:
        query: (m, d), vectors of the query's sentences.
        rows: (n, d), vectors of all documents' sentences, one document after the other.
        lengths: (k,), sentences per document.
        temperature: of the softmax that weights sentences, in units of distance, above 0.
        blur: the temperature at which transport ends, in units of distance, above 0; the smaller,
            the nearer to `exact`.
        scaling: what this temperature is multiplied with at each step, between 0 and 1.

    Returns:
        (k,), float64, from 0; inf for a document without sentences.

    Raises:
        ValueError: a query without sentences, a parameter out of its range.
    """
    distances = np.full(len(lengths), np.inf)
    for pairs in _solved(query, rows, lengths, temperature, blur, scaling):
        from_query = (np.exp(pairs.log_a) * pairs.f).sum(axis=0)
        to_document = (np.exp(pairs.log_b) * pairs.g).sum(axis=0)
        distances[pairs.chosen] = from_query + to_document
    return distances


def sinkhorn_plans(query, rows, lengths, temperature=1.0, blur=0.05, scaling=0.9):
    """The transport plans behind `sinkhorn`, whose arguments and errors these are.

    Returns:
        list of k arrays (m, sentences of the document): how much weight goes from where to where,
        from 0, summing to 1 up to a percent, because the schedule ends before all is settled.
    """
    plans = [np.zeros((len(query), 0))] * len(lengths)
    for pairs in _solved(query, rows, lengths, temperature, blur, scaling):
        for place, plan in zip(pairs.chosen, np.moveaxis(pairs.plans(blur), -1, 0)):
            plans[place] = plan[:, : lengths[place]].copy()
    return plans


def plan_cost(query, rows, lengths, temperature=1.0, blur=0.05, scaling=0.9):
    """Sum of plan times distance, without entropy: what the authors' code ranks by.

    Arguments, range and errors are those of `sinkhorn`, the plans those of `sinkhorn_plans`: as
    these do not quite sum to 1, it can be below the exact cost.
    """
    distances = np.full(len(lengths), np.inf)
    for pairs in _solved(query, rows, lengths, temperature, blur, scaling):
        distances[pairs.chosen] = (pairs.plans(blur) * pairs.costs).sum(axis=(0, 1))
    return distances


def log_weights(costs, axis, temperature=1.0):
    """Logarithms of sentence weights: a softmax over how near each one's best match is.

    Args:
        costs: (m, n, …), distances, inf where there is no sentence.
        axis: that of the other side: 1 for the weights of the m sentences, 0 for those of the n.
        temperature: in units of distance, above 0.

    Returns:
        (m, …) or (n, …), from NOTHING, which is what no sentence has, to 0.
    """
    nearness = -costs.min(axis=axis) / temperature
    nearness -= nearness.max(axis=0)
    nearness -= np.log(np.exp(nearness).sum(axis=0))
    return np.maximum(nearness, NOTHING)


def check(query, **distances):
    """Raise ValueError if a query has no sentences, or one of `distances` is not above 0."""
    if not len(query):
        raise ValueError("A query without sentences has nothing to move: give at least one.")
    positive(**distances)


def positive(**distances):
    """Raise ValueError, naming it, if one of `distances` is not above 0."""
    for name, value in distances.items():
        if not value > 0:
            raise ValueError(f"{name} is {value}: give a distance above 0.")


class _Pairs(NamedTuple):
    """A query beside k documents: their places, problems (see `solve`) and potentials."""

    chosen: np.ndarray
    costs: np.ndarray
    log_a: np.ndarray
    log_b: np.ndarray
    f: np.ndarray
    g: np.ndarray

    def plans(self, blur):
        """(m, longest, k)."""
        return moved(*self[1:4], blur, *self[4:])


def _solved(query, rows, lengths, temperature, blur, scaling):
    """All documents with sentences, as `_Pairs`."""
    check(query, temperature=temperature, blur=blur)
    if not 0 < scaling < 1:
        raise ValueError(f"scaling is {scaling}: give a ratio between 0 and 1.")
    lengths = np.asarray(lengths, dtype=np.intp)
    starts = np.cumsum(lengths) - lengths
    distances = l2(query, rows) if len(rows) else None
    for chosen in blocks(len(query), lengths):
        documents = starts[chosen], lengths[chosen]
        costs = padded(distances, *documents)
        log_a, log_b = (log_weights(costs, axis, temperature) for axis in (1, 0))
        costs[np.isinf(costs)] = 0  # what weighs nothing may cost anything that is a number
        schedule = schedules(diameters(query, rows, *documents), blur, scaling)
        yield _Pairs(chosen, costs, log_a, log_b, *solve(costs, log_a, log_b, *schedule))

"""Split a score into the contributions of all pairs of sentences.

Conventions: a query (m, d) and a document (n, d), m and n above 0. A score is a weighted sum over
their pairs, plus a rest that belongs to no pair:

    score = (weights * similarities).sum() + sum(rest.values())

Similarities are cosines or minus L2 distances, like those of the score; higher is nearer.
"""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from . import cosines, inverse_lengths, l2, similarity_called
from .maxsim import Lengths, factors_of, scoring
from .transport import exact_plans, log_weights, sinkhorn, sinkhorn_plans

COSINE, DISTANCE = "cosine", "minus the distance"
UNITS = {"cosine": COSINE, "unit": COSINE, "dot": "dot product", "l2": DISTANCE}
NOTHING = 1e-12  # smaller parts of a plan are not shown


class Matches(NamedTuple):
    """The parts of a score, by pairs of sentences: what a scorer's method `explained` returns.

    The score is ``(weights * similarities).sum() + sum(rest.values())``.

    Attributes:
        similarities: (m, n), of the query's m sentences and the document's n, float64.
        weights: (m, n), the weight of each pair in the score; mostly 0.
        matched: (m, n), bool, the pairs to show: those with weight, and the best match of each
            sentence of the query.
        unit: the kind of similarities: ``"cosine"``, ``"dot product"`` or ``"minus the distance"``.
        rest: parts of the score that belong to no pair, by name.
        columns: positions, among the document's sentences, of those that the n columns stand for;
            None for all. A scorer that reads a facet alone knows no similarity of the others.
    """

    similarities: np.ndarray
    weights: np.ndarray
    matched: np.ndarray
    unit: str = COSINE
    rest: dict[str, float] = {}
    columns: Sequence[int] | None = None

    @property
    def score(self) -> float:
        """The sum of all parts."""
        return float((self.weights * self.similarities).sum()) + sum(self.rest.values())


def of_max_sim(
    query: np.ndarray,
    document: np.ndarray,
    aggregate: str = "max",
    similarity: str = "cosine",
    sentence_weights: np.ndarray | None = None,
) -> Matches:
    """Split `maxsim.max_sim` or, for "symmetric", `maxsim.symmetric_max_sim`.

    Each sentence of the query has one match. Its weight is 1 (sum) or 1/m (mean), or what
    `maxsim.factors_of` makes of `sentence_weights` (m,); for max it is 1 for the best of them and 0
    for the others. For symmetric it is 1/(2m), and 1/(2n) for the matches of the document's
    sentences.

    Raises:
        ValueError: unknown aggregate or similarity, or weights that the aggregate does not take.
    """
    scoring(aggregate)
    compare, _ = similarity_called(similarity)

    similarities = _double(compare(query, document))
    query_size, document_size = similarities.shape
    query_matches = _best(similarities)
    matched = query_matches

    if sentence_weights is not None:
        weights = query_matches * factors_of(sentence_weights, aggregate)[:, None]
    elif aggregate == "max":
        weights = _nearest(similarities)
    elif aggregate == "sum":
        weights = query_matches.astype(np.float64)
    elif aggregate == "mean":
        weights = query_matches / query_size
    else:  # symmetric
        document_matches = _best(similarities.T).T
        query_weights = query_matches / (2 * query_size)
        document_weights = document_matches / (2 * document_size)
        weights = query_weights + document_weights
        matched = query_matches | document_matches

    return Matches(similarities, weights, matched, UNITS[similarity])


def of_centroids(
    query: np.ndarray, document: np.ndarray, counted: Lengths | None = None
) -> Matches:
    """Split `maxsim.centroid_cosines`: every pair has the same weight.

    The cosine of two sums of unit vectors is the sum of all their cosines, divided by the lengths
    of the two sums.

    Args:
        counted: positions of the sentences in the document's mean; None for all.
    """
    similarities = _double(cosines(query, document))
    weights = np.zeros_like(similarities)
    counted = list(range(len(document)) if counted is None else counted)
    sums = [_double(inverse_lengths(rows) @ rows) for rows in (query, document[counted])]
    weights[:, counted] = np.prod([inverse_lengths(vector[None])[0] for vector in sums])
    return Matches(similarities, weights, weights > 0)


def of_single_match(query: np.ndarray, document: np.ndarray) -> Matches:
    """Split minus `maxsim.single_match`: only the nearest pair has weight."""
    similarities = -l2(query, document)
    return Matches(similarities, _nearest(similarities), _best(similarities), DISTANCE)


def of_transport(
    query: np.ndarray,
    document: np.ndarray,
    method: str = "sinkhorn",
    temperature: float = 1.0,
    blur: float = 0.05,
) -> Matches:
    """Split minus `transport.sinkhorn`, `transport.plan_cost` or `transport.exact`.

    A pair's weight is the weight that the plan moves between its sentences. For "sinkhorn" `rest`
    has two more parts. *entropy* is minus the blur times the Kullback-Leibler divergence of the
    plan from the product of the sentences' weights. *not settled* is the effect of the plan's
    sums, which differ from these weights because the schedule ends before convergence.

    Args:
        method: ``"sinkhorn"``, ``"plan"`` or ``"exact"``.
        temperature, blur: see `transport.sinkhorn`.
    """
    pair = query, document, [len(document)]
    if method == "exact":
        (plan,) = exact_plans(*pair, temperature)
    else:
        (plan,) = sinkhorn_plans(*pair, temperature=temperature, blur=blur)
    costs = l2(query, document)
    matches = Matches(-costs, plan, (plan > NOTHING) | _best(-costs), DISTANCE)
    if method != "sinkhorn":
        return matches
    (distance,) = sinkhorn(*pair, temperature=temperature, blur=blur)
    entropy = -blur * _divergence(plan, *(log_weights(costs, side, temperature) for side in (1, 0)))
    rest = (plan * costs).sum() - entropy - distance
    return matches._replace(rest={"entropy": entropy, "not settled": rest})


def of_wholes(
    query: np.ndarray, document: np.ndarray, asked: Sequence[int], columns: Sequence[int]
) -> Matches:
    """Split the cosine of two passages among their pairs of sentences.

    A passage is (2 + k, d): the vectors of the whole, of the title, and of its k sentences, k above
    0. A whole is a mean of tokens, so it is a weighted sum of its parts and of tokens in no part.
    The weights of the parts are the weights of 0 or more with the smallest remainder. (For other
    wholes, this is the best approximation by their parts.)

    Args:
        query: the query's passage.
        document: the candidate's, with n sentences.
        asked: (m,), positions of the query's sentences in its passage, from 0.
        columns: (n,), positions of the candidate's passage's sentences in its paper.

    Returns:
        `Matches` (m, n). The `rest` has the parts of the *titles* on either side, of the query's
        *other sentences*, if any, and of tokens *in no part*.
    """
    query_scale = inverse_lengths(query[:1])[0]
    document_scale = inverse_lengths(document[:1])[0]

    # of the title and each sentence of the query, with the title and each of the document
    part_weights = np.outer(_weights(query), _weights(document))
    products = part_weights * (query[1:] @ document[1:].T) * query_scale * document_scale
    pairs = products[1:, 1:]

    similarities = _double(cosines(query[2:][asked], document[2:]))
    nothing = np.zeros_like(similarities)
    weights = np.divide(pairs[asked], similarities, nothing, where=similarities != 0)

    rest = {"titles": products[0].sum() + products[1:, 0].sum()}
    if len(asked) < len(pairs):
        rest["other sentences"] = pairs.sum() - pairs[asked].sum()
    whole = (query[0] * query_scale) @ (document[0] * document_scale)
    rest["in no part"] = whole - products.sum()
    matched = _best(similarities) | (weights > 0)
    return Matches(similarities, weights, matched, rest=rest, columns=columns)


def _weights(passage: np.ndarray) -> np.ndarray:
    """Compute the weight of each part in the whole: (1 + k,), 0 or more."""
    from scipy.optimize import nnls

    return nnls(_double(passage[1:].T), _double(passage[0]))[0]


def _divergence(plan: np.ndarray, log_a: np.ndarray, log_b: np.ndarray) -> float:
    """Compute the Kullback-Leibler divergence of a plan (m, n) from the product of weights."""
    moves = plan > 0
    return float((plan[moves] * (np.log(plan[moves]) - (log_a[:, None] + log_b)[moves])).sum())


def _best(similarities: np.ndarray) -> np.ndarray:
    """Mark the best match of each row."""
    return similarities.argmax(axis=1)[:, None] == np.arange(similarities.shape[1])


def _nearest(similarities: np.ndarray) -> np.ndarray:
    """Give the best pair the weight 1, all others 0."""
    weights = np.zeros_like(similarities)
    weights.flat[similarities.argmax()] = 1
    return weights


def _double(array: np.ndarray) -> np.ndarray:
    return np.asarray(array, dtype=np.float64)

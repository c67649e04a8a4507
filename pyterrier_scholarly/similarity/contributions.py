"""What every pair of sentences adds to a similarity: scores taken apart again.

Conventions: one query, `query` (m, d), against one document, `document` (n, d), m and n above 0. A
score is a weighted sum over their pairs, and perhaps a rest that belongs to no pair:

    score = (weights * similarities).sum() + sum(rest.values())

Similarities are cosines or minus L2 distances, as the score's own are; higher is nearer.
"""

from typing import NamedTuple

import numpy as np

from .exact_transport import exact_plans
from .maxsim import cosines, inverse_lengths, similarity_called
from .pairwise import l2
from .symmetric import SYMMETRIC, scoring
from .transport import log_weights, sinkhorn, sinkhorn_plans

COSINE, DISTANCE = "cosine", "minus the distance"
UNITS = {"cosine": COSINE, "unit": COSINE, "dot": "dot product", "l2": DISTANCE}
NOTHING = 1e-12  # what a plan moves from here to there, if anything


class Matches(NamedTuple):
    """A score taken apart.

    Attributes:
        similarities: (m, n), float64.
        weights: (m, n), how much each pair counts; 0 for most.
        matched: (m, n), bool, what is to be shown: pairs that count, and the best match of each
            sentence of the query.
        unit: what the similarities are, one of UNITS.
        rest: parts of the score that belong to no pair, by name.
    """

    similarities: np.ndarray
    weights: np.ndarray
    matched: np.ndarray
    unit: str = COSINE
    rest: dict = {}


def of_max_sim(query, document, aggregate="max", similarity="cosine") -> Matches:
    """Of `maxsim.max_sim` or, "symmetric", of `symmetric.symmetric_max_sim`.

    Each sentence of the query has its one match. These count 1 (sum), 1/m (mean), or the best of
    them 1 and the others 0 (max). Symmetric, they count 1/(2m), and those of the document's
    sentences 1/(2n).

    Raises:
        ValueError: unknown aggregate or similarity.
    """
    scoring(aggregate)
    of, _ = similarity_called(similarity)
    similarities = _double(of(query, document))
    best = matched = _best(similarities)
    if aggregate == "max":
        weights = _nearest(similarities)
    elif aggregate == SYMMETRIC:
        back = _best(similarities.T).T
        matched = best | back
        weights = best / (2 * query.shape[0]) + back / (2 * document.shape[0])
    else:
        weights = best / {"mean": query.shape[0], "sum": 1}[aggregate]
    return Matches(similarities, weights, matched, UNITS[similarity])


def of_centroids(query, document, counted=None) -> Matches:
    """Of `centroid.centroid_cosines`: every pair counts alike.

    The cosine of two sums of vectors of length 1 is the sum of all cosines of their pairs, over the
    lengths of the two sums.

    Args:
        counted: places of the document's sentences that are in its mean; None for all.
    """
    similarities = _double(cosines(query, document))
    weights = np.zeros_like(similarities)
    counted = list(range(len(document))) if counted is None else list(counted)
    sums = [_double(inverse_lengths(rows) @ rows) for rows in (query, document[counted])]
    scale = np.prod([inverse_lengths(one[None])[0] for one in sums])
    weights[:, counted] = scale
    return Matches(similarities, weights, weights > 0)


def of_single_match(query, document) -> Matches:
    """Of minus `single_match.single_match`: the nearest pair alone counts."""
    similarities = -l2(query, document)
    return Matches(similarities, _nearest(similarities), _best(similarities), DISTANCE)


def of_transport(query, document, method="sinkhorn", temperature=1.0, blur=0.05) -> Matches:
    """Of minus `transport.sinkhorn`, `transport.plan_cost` or `exact_transport.exact`.

    A pair's weight is what the plan moves between its sentences. "sinkhorn" is more than its plan's
    cost, and `rest` says what: *entropy*, which is minus the blur times the Kullback-Leibler
    divergence of the plan from the product of the sentences' weights; and *not settled*, what is
    due to the plan's not having quite these weights when the temperature has come down to the blur.

    Args:
        method: ``"sinkhorn"``, ``"plan"`` or ``"exact"``.
        temperature, blur: as in `transport.sinkhorn`.
    """
    settings = query, document, [len(document)], temperature
    (plan,) = exact_plans(*settings) if method == "exact" else sinkhorn_plans(*settings, blur)
    costs = l2(query, document)
    found = Matches(-costs, plan, (plan > NOTHING) | _best(-costs), DISTANCE)
    if method != "sinkhorn":
        return found
    (distance,) = sinkhorn(*settings, blur)
    entropy = -blur * _divergence(plan, *(log_weights(costs, side, temperature) for side in (1, 0)))
    settled = entropy - (plan * costs).sum()
    return found._replace(rest={"entropy": entropy, "not settled": -distance - settled})


def _divergence(plan, log_a, log_b):
    """Kullback-Leibler divergence of a plan (m, n) from the product of weights (m,), (n,)."""
    moves = plan > 0
    independent = log_a[:, None] + log_b
    return float((plan[moves] * (np.log(plan[moves]) - independent[moves])).sum())


def _best(similarities):
    """True at the best match of each row."""
    return similarities.argmax(axis=1)[:, None] == np.arange(similarities.shape[1])


def _nearest(similarities):
    """1 at the best pair of all."""
    weights = np.zeros_like(similarities)
    weights.flat[similarities.argmax()] = 1
    return weights


def _double(array):
    return np.asarray(array, dtype=np.float64)

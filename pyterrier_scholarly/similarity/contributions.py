"""Split a score into the contributions of all pairs of sentences.

    >>> query = np.array([[1.0, 0.0]])  # one sentence
    >>> document = np.array([[3.0, 4.0], [0.0, 1.0]])  # two
    >>> matches = split_max_sim(query, document)
    >>> matches.similarities
    array([[0.6, 0. ]])
    >>> matches.weights
    array([[1., 0.]])
    >>> round(matches.score, 3)
    0.6

Conventions: a query (m, d) and a document (n, d), m and n above 0. A score is a weighted sum over
their pairs, plus a rest that belongs to no pair:

    score = (weights * similarities).sum() + sum(rest.values())

Similarities are cosines or minus L2 distances, like those of the score; higher is nearer.
"""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from .comparisons import cosines, l2, similarity_called
from .maxsim import Lengths, choose_scorer, weigh_matches
from .transport import exact_plans, log_weights, sinkhorn, sinkhorn_plans
from .unit_vectors import measure

COSINE, DISTANCE = "cosine", "minus the distance"
#: similarity -> what `Matches.unit` calls it
UNITS = {"cosine": COSINE, "unit": COSINE, "dot": "dot product", "l2": DISTANCE}
LEAST_SHOWN_WEIGHT = 1e-12  # of a plan; pairs with less are not shown


class Matches(NamedTuple):
    """The parts of a score, by pairs of sentences: what a scorer's method `explained` returns.

    The score is ``(weights * similarities).sum() + sum(rest.values())``.

    Attributes:
        similarities: (m, n), of the query's m sentences and the document's n, float64.
        weights: (m, n), the weight of each pair in the score; mostly 0.
        matched: (m, n), bool, the pairs to show. Our scorers mark those with weight, and the best
            match of each sentence of the query. None: those with weight.
        unit: the kind of similarities: ``"cosine"``, ``"dot product"`` or ``"minus the distance"``.
        rest: parts of the score that belong to no pair, by name: ``{"length": -0.06}``.
        columns: positions, among the document's sentences, of those that the n columns stand for;
            None for all. A scorer that reads a facet alone knows no similarity of the others.
    """

    similarities: np.ndarray
    weights: np.ndarray
    matched: np.ndarray | None = None
    unit: str = COSINE
    rest: dict[str, float] = {}
    columns: Sequence[int] | None = None

    @property
    def score(self) -> float:
        """The sum of all parts."""
        return float((self.weights * self.similarities).sum()) + sum(self.rest.values())

    @property
    def shown(self) -> np.ndarray:
        """The pairs to show, (m, n): `matched`, or those with weight."""
        if self.matched is None:
            return np.asarray(self.weights) != 0
        return self.matched


def split_max_sim(
    query: np.ndarray,
    document: np.ndarray,
    aggregate: str = "max",
    similarity: str = "cosine",
    sentence_weights: np.ndarray | None = None,
) -> Matches:
    """Return what each pair adds to `maxsim.max_sim`; for "symmetric", to `symmetric_max_sim`.

    Each sentence of the query has one match. Its weight is 1 (sum) or 1/m (mean), or what
    `maxsim.weigh_matches` makes of `sentence_weights` (m,); for max it is 1 for the best of them
    and 0 for the others. For symmetric it is 1/(2m), and 1/(2n) for the matches of the document's
    sentences.

    Raises:
        ValueError: unknown aggregate or similarity, or weights that the aggregate does not take.
    """
    choose_scorer(aggregate)  # raises for an unknown aggregate
    compare = similarity_called(similarity)

    similarities = _to_double(compare(query, document))
    query_size, document_size = similarities.shape
    query_matches = _mark_best_of_rows(similarities)  # the match of each sentence of the query
    matched = query_matches

    # (m, n), the weight of each pair in the score
    if sentence_weights is not None:
        factors = weigh_matches(sentence_weights, aggregate)
        weights = query_matches * factors[:, None]
    elif aggregate == "max":
        weights = _weigh_best_pair(similarities)
    elif aggregate == "sum":
        weights = query_matches.astype(np.float64)
    elif aggregate == "mean":
        weights = query_matches / query_size
    else:  # symmetric
        document_matches = _mark_best_of_rows(similarities.T).T
        query_weights = query_matches / (2 * query_size)
        document_weights = document_matches / (2 * document_size)
        weights = query_weights + document_weights
        matched = query_matches | document_matches

    return Matches(similarities, weights, matched, UNITS[similarity])


def split_centroid_cosine(
    query: np.ndarray, document: np.ndarray, counted: Lengths | None = None
) -> Matches:
    """Return what each pair adds to `maxsim.centroid_cosines`: all have the same weight.

    The cosine of two sums of unit vectors is the sum of all their cosines, divided by the lengths
    of the two sums.

    Args:
        query, document: see the module.
        counted: positions of the sentences in the document's mean; None for all.
    """
    if counted is None:
        counted_positions = list(range(len(document)))
    else:
        counted_positions = list(counted)

    similarities = _to_double(cosines(query, document))
    query_factor = _invert_length_of_sum(query)
    document_factor = _invert_length_of_sum(document[counted_positions])

    weights = np.zeros_like(similarities)
    weights[:, counted_positions] = query_factor * document_factor
    return Matches(similarities, weights, matched=weights > 0)


def split_single_match(query: np.ndarray, document: np.ndarray) -> Matches:
    """Return what each pair adds to minus `maxsim.single_match`: the nearest alone has weight."""
    similarities = -l2(query, document)
    weights = _weigh_best_pair(similarities)
    return Matches(similarities, weights, _mark_best_of_rows(similarities), DISTANCE)


def split_transport(
    query: np.ndarray,
    document: np.ndarray,
    method: str = "sinkhorn",
    temperature: float = 1.0,
    blur: float = 0.05,
) -> Matches:
    """Return what each pair adds to minus `transport.sinkhorn`, `plan_cost` or `exact`.

    A pair's weight is the weight that the plan moves between its sentences. For "sinkhorn" `rest`
    has two more parts. *entropy* is minus the blur times the Kullback-Leibler divergence of the
    plan from the product of the sentences' weights. *not settled* is the effect of the plan's
    sums, which differ from these weights because the schedule ends before convergence.

    Args:
        query, document: see the module.
        method: ``"sinkhorn"``, ``"plan"`` or ``"exact"``.
        temperature, blur: see `transport.sinkhorn`.
    """
    lengths = [len(document)]
    if method == "exact":
        (plan,) = exact_plans(query, document, lengths, temperature)
    else:
        (plan,) = sinkhorn_plans(query, document, lengths, temperature=temperature, blur=blur)

    costs = l2(query, document)
    matched = (plan > LEAST_SHOWN_WEIGHT) | _mark_best_of_rows(-costs)
    matches = Matches(-costs, plan, matched, DISTANCE)
    if method != "sinkhorn":  # the score is minus the plan's cost, so there is no rest
        return matches

    # the score is minus the distance of `sinkhorn`: what is not the plan's cost is the rest
    (distance,) = sinkhorn(query, document, lengths, temperature=temperature, blur=blur)
    log_query_weights = log_weights(costs, 1, temperature)
    log_document_weights = log_weights(costs, 0, temperature)
    entropy = -blur * _compute_divergence(plan, log_query_weights, log_document_weights)
    plan_cost = (plan * costs).sum()
    not_settled = plan_cost - entropy - distance
    return matches._replace(rest={"entropy": entropy, "not settled": not_settled})


def split_passage_cosine(
    query: np.ndarray, document: np.ndarray, asked: Sequence[int], columns: Sequence[int]
) -> Matches:
    """Return what each pair of sentences adds to the cosine of two passages.

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
    query_passage = _name_vectors(query)
    document_passage = _name_vectors(document)

    shares = _share_cosine(query_passage, document_passage)
    asked_shares = shares.of_sentences[asked]  # (m, n)
    rest = {"titles": shares.of_titles}
    has_other_sentences = len(asked) < len(query_passage.sentences)
    if has_other_sentences:
        rest["other sentences"] = shares.of_sentences.sum() - asked_shares.sum()
    rest["in no part"] = shares.in_no_part

    asked_sentences = query_passage.sentences[asked]
    similarities = _to_double(cosines(asked_sentences, document_passage.sentences))
    # a share is weight times similarity; without similarity it is 0, and so is the weight here
    weights = np.zeros_like(similarities)
    np.divide(asked_shares, similarities, out=weights, where=similarities != 0)

    matched = _mark_best_of_rows(similarities) | (weights > 0)
    return Matches(similarities, weights, matched, rest=rest, columns=columns)


class PassageVectors(NamedTuple):
    """The vectors of a passage of k sentences, by what they stand for.

    Attributes:
        whole: (d,).
        parts: (1 + k, d), the title and then the sentences.
        sentences: (k, d).
    """

    whole: np.ndarray
    parts: np.ndarray
    sentences: np.ndarray


def _name_vectors(passage: np.ndarray) -> PassageVectors:
    """Return the rescaled vectors of a passage (2 + k, d): whole, title, k sentences."""
    rescaled = _rescale_passage(passage)
    return PassageVectors(whole=rescaled[0], parts=rescaled[1:], sentences=rescaled[2:])


class CosineShares(NamedTuple):
    """What adds up to the cosine of a query's and a document's passage.

    Attributes:
        of_titles: the share of all pairs of parts with a title on either side.
        of_sentences: (the query's sentences, the document's), the share of each pair.
        in_no_part: the share of tokens in no part, on either side.
    """

    of_titles: float
    of_sentences: np.ndarray
    in_no_part: float


def _share_cosine(query: PassageVectors, document: PassageVectors) -> CosineShares:
    """Return the shares of all pairs of parts in the cosine of two passages' wholes."""
    query_factor = measure(query.whole[None]).factors[0]  # one over the length of the whole
    document_factor = measure(document.whole[None]).factors[0]
    cosine = (query.whole * query_factor) @ (document.whole * document_factor)

    # each whole is the weighted sum of its parts, so the product of the wholes is the sum of the
    # products of all pairs of parts: (1 + the query's sentences, 1 + the document's)
    pair_weights = np.outer(_weigh_parts(query), _weigh_parts(document))
    pair_products = query.parts @ document.parts.T
    pair_shares = pair_weights * pair_products * query_factor * document_factor

    # part 0 is the title: the query's title with all parts, the document's with all sentences
    query_title_share = pair_shares[0].sum()
    document_title_share = pair_shares[1:, 0].sum()
    return CosineShares(
        of_titles=query_title_share + document_title_share,
        of_sentences=pair_shares[1:, 1:],
        in_no_part=cosine - pair_shares.sum(),
    )


def _mark_best_of_rows(similarities: np.ndarray) -> np.ndarray:
    """Return True at the highest similarity of each row, the first of equal ones: bool (m, n)."""
    best_columns = similarities.argmax(axis=1)  # (m,)
    return best_columns[:, None] == np.arange(similarities.shape[1])


def _weigh_best_pair(similarities: np.ndarray) -> np.ndarray:
    """Return weights (m, n): 1 for the pair of highest similarity, the first of equal; else 0."""
    weights = np.zeros_like(similarities)
    weights.flat[similarities.argmax()] = 1
    return weights


def _invert_length_of_sum(vectors: np.ndarray) -> float:
    """Return one over the length of the sum of `vectors` (n, d), each scaled to length 1 first.

    It is 0 if the sum is 0.
    """
    measured = measure(vectors)
    vector_sum = _to_double(measured.factors @ measured.vectors)  # (d,)
    return measure(vector_sum[None]).factors[0]


def _compute_divergence(
    plan: np.ndarray, log_query_weights: np.ndarray, log_document_weights: np.ndarray
) -> float:
    """Compute the Kullback-Leibler divergence of a plan (m, n) from the product of weights."""
    moves = plan > 0  # 0 log 0 is 0
    moved_weights = plan[moves]
    log_products = log_query_weights[:, None] + log_document_weights
    return float((moved_weights * (np.log(moved_weights) - log_products[moves])).sum())


def _rescale_passage(passage: np.ndarray) -> np.ndarray:
    """Multiply a passage by the power of two that brings its whole near length 1.

    It changes no cosine and rounds nothing. Without it, products of very long or short vectors
    would overflow or vanish.
    """
    largest_number = abs(passage[0]).max(initial=0)
    _, exponent = np.frexp(largest_number)
    return np.ldexp(passage, -exponent)


def _weigh_parts(passage: PassageVectors) -> np.ndarray:
    """Return the weight of each part in the whole: (1 + k,), 0 or more."""
    from scipy.optimize import nnls

    parts = _to_double(passage.parts)
    whole = _to_double(passage.whole)
    weights, _ = nnls(parts.T, whole)
    return weights


def _to_double(array: np.ndarray) -> np.ndarray:
    return np.asarray(array, dtype=np.float64)

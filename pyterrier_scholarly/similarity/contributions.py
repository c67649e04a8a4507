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
from .transport import LogWeights, exact_plans, sinkhorn, sinkhorn_plans, weigh_sides
from .unit_vectors import measure_lengths

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

    distances = l2(query, document)
    similarities = -distances
    matched = (plan > LEAST_SHOWN_WEIGHT) | _mark_best_of_rows(similarities)

    rest = {}  # for the other methods, minus the plan's cost is the whole score
    if method == "sinkhorn":
        (whole_distance,) = sinkhorn(query, document, lengths, temperature=temperature, blur=blur)
        rest = _split_rest_of_sinkhorn(whole_distance, plan, distances, temperature, blur)
    return Matches(similarities, plan, matched, DISTANCE, rest)


def _split_rest_of_sinkhorn(
    whole_distance: float,
    plan: np.ndarray,
    distances: np.ndarray,
    temperature: float,
    blur: float,
) -> dict[str, float]:
    """Return the two parts of minus `transport.sinkhorn` besides minus the cost of the plan.

    -whole_distance = -(cost of the plan) + entropy + not settled; see `split_transport`.

    Args:
        whole_distance: what `transport.sinkhorn` returns for the document.
        plan: (m, n), of the query's sentences and the document's.
        distances: (m, n), of the sentences.
        temperature, blur: see `transport.sinkhorn`.
    """
    entropy = -blur * _compute_divergence(plan, weigh_sides(distances, temperature))
    plan_cost = (plan * distances).sum()
    not_settled = plan_cost - entropy - whole_distance
    return {"entropy": entropy, "not settled": not_settled}


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
    query_passage = _name_vectors(_rescale_passage(query))
    document_passage = _name_vectors(_rescale_passage(document))

    asked_vectors = query_passage.sentences[asked]
    similarities = _to_double(cosines(asked_vectors, document_passage.sentences))  # (m, n)

    # the score is the sum of all shares: those of the pairs (m, n) become weights, others the rest
    shares = _share_cosine(query_passage, document_passage)
    weights = _turn_into_weights(shares.of_sentences[asked], similarities)
    rest = _collect_rest(shares, asked)

    matched = _mark_best_of_rows(similarities) | (weights > 0)
    return Matches(similarities, weights, matched, rest=rest, columns=columns)


def _turn_into_weights(shares: np.ndarray, similarities: np.ndarray) -> np.ndarray:
    """Return the weights (m, n) that give these shares of a score: weight * similarity = share.

    A pair without similarity has no share, so any weight will do; it gets 0.
    """
    weights = np.zeros_like(similarities)
    np.divide(shares, similarities, out=weights, where=similarities != 0)
    return weights


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
    """Return the vectors of a passage (2 + k, d) by what they stand for."""
    return PassageVectors(whole=passage[0], parts=passage[1:], sentences=passage[2:])


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
    query_scale = _invert_length(query.whole)
    document_scale = _invert_length(document.whole)
    cosine = (query.whole * query_scale) @ (document.whole * document_scale)
    shares = _multiply_parts(query, document) * query_scale * document_scale

    # a row for each part of the query, a column for each of the document; 0 is the title
    query_title_share = shares[0].sum()  # with the document's title and all its sentences
    document_title_share = shares[1:, 0].sum()  # with all of the query's sentences
    return CosineShares(
        of_titles=query_title_share + document_title_share,
        of_sentences=shares[1:, 1:],
        in_no_part=cosine - shares.sum(),
    )


def _multiply_parts(query: PassageVectors, document: PassageVectors) -> np.ndarray:
    """Return what each pair of parts adds to the inner product of two passages' wholes.

    A whole is the weighted sum of its parts, up to a remainder. So the product of two wholes is the
    sum, over all pairs of parts, of both weights times the product of the parts.

    Returns:
        (1 + the query's sentences, 1 + the document's): part 0 is the title.
    """
    weights = np.outer(_weigh_parts(query), _weigh_parts(document))
    return weights * (query.parts @ document.parts.T)


def _collect_rest(shares: CosineShares, asked: Sequence[int]) -> dict[str, float]:
    """Return the shares that belong to no pair of an asking sentence and a sentence, by name.

    asked: positions of the query's sentences that ask.
    """
    rest = {"titles": shares.of_titles}
    has_other_sentences = len(asked) < len(shares.of_sentences)
    if has_other_sentences:
        asked_sum = shares.of_sentences[asked].sum()
        rest["other sentences"] = shares.of_sentences.sum() - asked_sum
    rest["in no part"] = shares.in_no_part
    return rest


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
    measured = measure_lengths(vectors)
    vector_sum = measured.inverse_lengths @ measured.vectors  # (d,)
    return _invert_length(_to_double(vector_sum))


def _invert_length(vector: np.ndarray) -> float:
    """Return one over the length of a vector (d,), or 0 if it is 0."""
    measured = measure_lengths(vector[None])
    return measured.inverse_lengths[0]


def _compute_divergence(plan: np.ndarray, log_weights: LogWeights) -> float:
    """Compute the Kullback-Leibler divergence of a plan from the product of both sides' weights.

    It is the sum of plan * (log(plan) - log(product of the weights)) over all pairs (m, n).
    """
    has_weight = plan > 0  # other pairs add nothing, because 0 log 0 is 0
    moved_weights = plan[has_weight]
    log_products = log_weights.query[:, None] + log_weights.document  # (m, n)
    log_ratios = np.log(moved_weights) - log_products[has_weight]
    return float((moved_weights * log_ratios).sum())


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
    """Return an array of numbers in double precision."""
    return np.asarray(array, dtype=np.float64)

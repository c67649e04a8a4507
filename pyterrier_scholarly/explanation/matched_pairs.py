"""The matched pairs of sentences of a whole score, as an explanation's page shows them.

    shown_number = choose_shown_number(parts)
    pairs = collect_pairs(parts, shown_number)  # strongest first

Several parts of a score may match the same two sentences. They are one pair here.
"""

from collections.abc import Iterable
from dataclasses import dataclass, replace
from enum import Enum

from ..pages import format_fixed, format_signed
from ..similarity.matches import DISTANCE
from .score_parts import Part


class ShownNumber(Enum):
    """The number beside a sentence's match, and what the page calls it.

    The ribbon's thickness is the same number where possible.
    """

    SIMILARITY = "their similarity"
    WEIGHT = "the weight moved there"
    VALUE = "what they add to the score"


@dataclass(frozen=True)
class MatchedPair:
    """A matched pair of sentences, over all parts of the score."""

    query_id: int  #: of the query's sentence
    document_id: int  #: of the document's sentence
    least_similarity: float  #: over the parts
    greatest_similarity: float
    strength: float  #: of the ribbon, without a sign, as a share of the strongest
    weight: float  #: sum over the parts
    value: float  #: sum over the parts: what the pair adds to the score
    shown: str = ""  #: the number that stands at its sentences, as text


def choose_shown_number(parts: Iterable[Part]) -> ShownNumber:
    """Choose the number to show beside matches: one kind for all matches of the page."""
    units = [part.matches.unit for part in parts if part.matches is not None]

    # the nearer two sentences are, the smaller is their distance: it does not show what matches
    has_distances_only = set(units) == {DISTANCE}
    if has_distances_only:
        return ShownNumber.WEIGHT

    if len(units) == 1:
        return ShownNumber.SIMILARITY
    # a pair has a similarity in each part, but its contributions add up to one number
    return ShownNumber.VALUE


def collect_pairs(parts: Iterable[Part], shown_number: ShownNumber) -> list[MatchedPair]:
    """Return each matched pair over all parts, strongest first."""
    pair_of_ids: dict[tuple[int, int], MatchedPair] = {}
    for part in parts:
        for pair in _list_pairs(part):
            ids = (pair.query_id, pair.document_id)
            earlier_pair = pair_of_ids.get(ids)
            pair_of_ids[ids] = pair if earlier_pair is None else _add_pairs(earlier_pair, pair)

    strengths = [pair.strength for pair in pair_of_ids.values()]
    greatest_strength = max(strengths, default=0) or 1
    pairs = [
        replace(
            pair,
            strength=pair.strength / greatest_strength,
            shown=_format_number(pair, shown_number),
        )
        for pair in pair_of_ids.values()
    ]
    return sorted(pairs, key=lambda pair: -pair.strength)


def _list_pairs(part: Part) -> list[MatchedPair]:
    """Return the matched pairs of one part of a score.

    Their strength is not yet a share of the strongest, and `shown` is not filled.
    """
    if part.matches is None:
        return []

    # all are (the query's sentences, the document's)
    similarities = part.matches.similarities
    weights = part.matches.weights
    values = weights * similarities

    # A ribbon's thickness has no sign. A distance is smallest where sentences match best, so the
    # thickness is then the weight alone.
    if part.matches.unit == DISTANCE:
        strengths = abs(weights)
    else:
        strengths = abs(values)

    pairs = []
    matched_rows, matched_columns = part.matches.shown.nonzero()
    for row, column in zip(matched_rows, matched_columns):
        similarity = similarities[row, column]
        pair = MatchedPair(
            query_id=part.query_ids[row],
            document_id=part.document_ids[column],
            least_similarity=similarity,  # other parts may widen the range, see `_add_pairs`
            greatest_similarity=similarity,
            strength=float(strengths[row, column]),
            weight=float(weights[row, column]) + 0.0,  # + 0.0 turns -0.0 into 0.0
            value=float(values[row, column]) + 0.0,
        )
        pairs.append(pair)
    return pairs


def _add_pairs(first: MatchedPair, second: MatchedPair) -> MatchedPair:
    """Return one pair for the same sentences in two parts."""
    return MatchedPair(
        query_id=first.query_id,
        document_id=first.document_id,
        least_similarity=min(first.least_similarity, second.least_similarity),
        greatest_similarity=max(first.greatest_similarity, second.greatest_similarity),
        strength=first.strength + second.strength,
        weight=first.weight + second.weight,
        value=first.value + second.value,
    )


def _format_number(pair: MatchedPair, shown_number: ShownNumber) -> str:
    """Return the text beside a pair: its similarity, its weight in percent, or its contribution."""
    if shown_number is ShownNumber.SIMILARITY:
        return format_fixed(pair.greatest_similarity)
    if shown_number is ShownNumber.WEIGHT:
        return f"{100 * pair.weight:.1f} %"
    return format_signed(pair.value, 3)

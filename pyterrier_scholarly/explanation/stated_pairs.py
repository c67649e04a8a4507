"""Turn the pairs of sentences that a scorer states into parts of its score.

    parts = make_parts("SentenceMaxSim", scorer.explained(row), row, score)
    sum(part.value for part in parts)  # score, but for rounding

What a scorer states is checked first: its shapes, and that it adds up to the score.
"""

from collections.abc import Mapping
from numbers import Real
from textwrap import shorten

import numpy as np
import pandas as pd

from ..similarity.matches import COSINE, Matches
from ..step import list_chosen
from .score_parts import Part

# how far a sum of parts may be from the score, as a share of their size
EXACT = 1e-9
SINGLE_PRECISION = 1e-5


def make_parts(name: str, stated: Matches, row: pd.DataFrame, score: float) -> list[Part]:
    """Make the parts of a score: one of all the scorer's pairs, and one for each of its rests.

    A rest adds to the score but belongs to no pair, such as a penalty for length. The parts add up
    to the score: if they differ by rounding, the weights of pairs are changed that little.

    Args:
        name: of the scorer.
        stated: what its method `explained` returned.
        row: the candidate's, before the scorer.
        score: the candidate's, behind the scorer.

    Raises:
        TypeError, ValueError: the scorer states no `Matches`, or other sentences or another score.
    """
    checked_pairs = _check_matches(name, stated, row)
    pairs = _absorb_rounding(name, checked_pairs, score)

    value_of_pairs = float((pairs.weights * pairs.similarities).sum())
    query_ids = tuple(row["query_sentence_ids"].iloc[0])
    assert pairs.columns is not None, "checked pairs have them"
    parts = [Part(name, value_of_pairs, pairs, query_ids, tuple(pairs.columns), row)]
    for reason, value in pairs.rest.items():
        parts.append(Part(f"{name}: {reason}", value))
    return parts


def _check_matches(name: str, stated: Matches, row: pd.DataFrame) -> Matches:
    """Return the pairs that a scorer's method `explained` returned: arrays, and their columns.

    Args:
        name: the scorer's, for errors.
        stated: what the method returned.
        row: the candidate's, with the papers of both sides.

    Raises:
        TypeError: it is no `Matches`, or its `rest` is no dict of numbers.
        ValueError: not a row per sentence of the query, and a column per one of the document.
    """
    if not isinstance(stated, Matches):
        raise TypeError(
            f"{name}: its method `explained` returned {type(stated).__name__}; expected "
            "pyterrier_scholarly.explanation.Matches."
        )
    _check_rest(name, stated.rest)

    # `matched` may be None, for all pairs with weight: `shown` says which these are; and `columns`,
    # for all of the document's sentences that count
    columns = find_counted(row) if stated.columns is None else stated.columns
    pairs = stated._replace(
        similarities=np.asarray(stated.similarities, dtype=np.float64),
        weights=np.asarray(stated.weights, dtype=np.float64),
        matched=np.asarray(stated.shown, dtype=bool),
        columns=columns,
    )

    expected_shape = len(row["query_sentence_ids"].iloc[0]), len(columns)
    for field in ("similarities", "weights", "matched"):
        shape = getattr(pairs, field).shape
        if shape != expected_shape:
            raise ValueError(
                f"{name}: its method `explained` returned {field} of shape {shape}; expected "
                f"{expected_shape}, a row for each sentence of the query that asks and a column "
                "for each of the document."
            )
    return pairs


def find_counted(row: pd.DataFrame) -> list[int]:
    """Return the positions of the candidate's sentences that count, in its paper."""
    (chosen_positions,) = list_chosen(row)
    return row["paper"].iloc[0].find_or_all("", chosen_positions)


def _check_rest(name: str, rest: object) -> None:
    """Raise TypeError unless `rest` is a dict from names to numbers."""
    is_right = isinstance(rest, Mapping) and all(
        isinstance(reason, str) and isinstance(value, Real) for reason, value in rest.items()
    )
    if not is_right:
        raise TypeError(
            f"{name}: its method `explained` returned rest={shorten(repr(rest), 80)}; expected "
            "a dict from names to numbers, such as rest={'why': -0.06}, or {} for no rest."
        )


def _absorb_rounding(name: str, pairs: Matches, score: float) -> Matches:
    """Return pairs that add up to the score; the weights absorb a difference by rounding.

    A scorer that computes in single precision rounds differently for a whole pool than for one
    pair. So a weight changes in about its seventh digit.

    Args:
        name: the scorer's, for errors.
        pairs: what the scorer stated for the score.
        score: what the pipeline returned.

    Raises:
        ValueError: the difference is no rounding.
    """
    difference = score - pairs.score
    is_rounding = abs(difference) <= _find_tolerance(pairs, score)  # False for NaN
    if not is_rounding:
        raise ValueError(
            f"{name}: the pairs and the rest that its method `explained` returned add up to "
            f"{pairs.score!r}, but its score is {score!r}: a difference of {difference:.3g}. "
            "`Matches` must hold the whole score: (weights * similarities).sum() and, for what "
            "belongs to no pair of sentences, rest={'why': …}."
        )

    return pairs._replace(weights=_add_to_sum(difference, pairs.weights, pairs.similarities))


def _add_to_sum(difference: float, weights: np.ndarray, similarities: np.ndarray) -> np.ndarray:
    """Return weights with which ``(weights * similarities).sum()`` is larger by a difference.

    A weight of 0 stays 0. If all are 0, or their similarities, the sum cannot be changed.

    Args:
        difference: what is missing.
        weights, similarities: (the query's sentences, the document's).
    """
    # each weight gets c * similarity, which changes the sum by c * the sum of squared similarities
    adjustable_similarities = np.where(weights != 0, similarities, 0.0)
    sum_of_squares = (adjustable_similarities**2).sum()
    if not sum_of_squares:
        return weights
    return weights + difference * adjustable_similarities / sum_of_squares


def _find_tolerance(pairs: Matches, score: float) -> float:
    """Return how far the sum of pairs and rests may be from the score by rounding.

    Rounding grows with the numbers that are added, not with their sum, which may be near 0.
    """
    contributions = pairs.weights * pairs.similarities
    size_of_rests = sum(abs(value) for value in pairs.rest.values())
    size_of_terms = abs(contributions).sum() + size_of_rests
    size = max(size_of_terms, abs(score))

    # single precision keeps a score that was computed in it, and changes almost every other
    is_single_precision = score == float(np.float32(score))
    if is_single_precision:
        return SINGLE_PRECISION * max(size, _bound_rounded_size(pairs))
    return EXACT * size


def _bound_rounded_size(pairs: Matches) -> float:
    """Return the size of the numbers behind the pairs' contributions, before they cancelled out.

    A cosine is a sum of products of up to 1, so a small cosine has the error of a large one.
    """
    largest_similarity = abs(pairs.similarities).max()
    if pairs.unit == COSINE:
        largest_similarity = max(largest_similarity, 1.0)
    return float(abs(pairs.weights).sum() * largest_similarity)

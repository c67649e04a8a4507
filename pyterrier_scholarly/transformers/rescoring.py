"""Change the scores of candidates: a penalty, standardisation, a weighted sum.

candidates >> SentenceMaxSim(encoder) >> FacetMiss(0.1)
(candidates >> ZScore()) ** (others >> ZScore()) >> WeightedFeatures((0.8, 0.2))
"""

import warnings
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
import pandas as pd

from .. import frames
from ..arguments import NotNegative
from ..text.facet_sentences import labels_of
from .step import Step

REPRESENTED = "represented"  # column: the number of documents that a candidate stands for


@dataclass(eq=False, repr=False)
class FacetMiss(Step):
    """Subtract a penalty from the score of candidates without a sentence of the query's facet.

    The facet and the candidate's labels decide, so this is a step of Definition 1 [Mysore2021].
    Such candidates are rarely relevant: on CSFCube 0.10 on average, against 0.30 to 0.35. A
    candidate whose labels are all "" keeps its score, because nothing is known to be missing. If
    there is a facet but no candidate has a label, a warning says what has no effect.

    Columns in: `qid`, `docno`, `facet`, `labels`, `score`. Columns out: the same, with the new
    `score` and `rank`, rows by query and rank.

    Args:
        penalty: in units of the score; 0.1 suits cosines.

    Raises:
        ValueError: the penalty is negative.
    """

    penalty: NotNegative = 0.1

    def transform(self, results: pd.DataFrame) -> pd.DataFrame:
        """Score and rank."""
        results = frames.check(
            results,
            self,
            ["qid", "docno", "facet", "labels", "score"],
            remedy="Put FacetQuery(…), Sentences(…) and a scorer before it.",
        )
        asks_for_facet = any(results["facet"])
        has_labels = any(any(labels) for labels in results["labels"])
        if asks_for_facet and not has_labels:
            warnings.warn(
                "No candidate's sentences have labels: no penalty is applied, the context of a "
                "facet is the whole abstract, and centroids are those of all sentences. Add "
                "FacetLabeller() after Sentences(…).",
                stacklevel=2,
            )

        misses_facet = frames.per_key(results, ["labels", "facet"], _misses_facet)
        penalties = self.penalty * np.array(misses_facet, dtype=bool)
        scores = results["score"].astype(float) - penalties
        return frames.ranked(results.assign(score=scores))


def _misses_facet(labels: list[str], facet: str) -> bool:
    """Return whether a labelled candidate has no sentence of the query's facet."""
    if not facet or not any(labels):
        return False
    return set(labels_of(facet)).isdisjoint(labels)


@dataclass(eq=False, repr=False)
class ZScore(Step):
    """Standardise scores within each query's pool, so that those of several systems can be added.

    Columns in: `qid`, `docno`, `score`, and `represented` where candidates are a sample. Columns
    out: the same, with the new `score` and `rank`, rows by query and rank. The new scores of a
    query have mean 0 and (population) standard deviation 1. They are all 0 if the old ones are
    equal, or if there is only one. The order of a query's candidates stays.

    `represented` is the number of documents that a candidate stands for, above 0: 1 for one that
    was chosen, 30 for one of those that were drawn from 30 times as many. Mean and deviation, also
    those of the new scores, are then weighted by it: they estimate those of the whole collection.

    Raises:
        ValueError: a score is NaN or infinite, or `represented` is no finite number above 0; names
            the query.
    """

    def transform(self, results: pd.DataFrame) -> pd.DataFrame:
        """Score and rank."""
        results = frames.check(
            results,
            self,
            ["qid", "docno", "score"],
            optional=[REPRESENTED],
            remedy="Put a scorer before it.",
        )
        scores = results["score"].to_numpy(dtype=float)
        represented = read_represented(results)

        new_scores = np.empty(len(results))
        for rows in frames.rows_by_query(results):
            mean, deviation = measure_pool(scores[rows], represented[rows])
            new_scores[rows] = 0.0 if deviation == 0 else (scores[rows] - mean) / deviation
        return frames.ranked(results.assign(score=new_scores))


class PoolMoments(NamedTuple):
    """Mean and standard deviation of the scores of a query's candidates."""

    mean: float
    deviation: float


def read_represented(results: pd.DataFrame) -> np.ndarray:
    """Return how many documents each candidate (rows,) stands for: 1 without the column.

    Raises:
        ValueError: a value is no finite number above 0; names the query.
    """
    if REPRESENTED not in results.columns:
        return np.ones(len(results))

    is_bad = [not _is_positive(number) for number in results[REPRESENTED].tolist()]
    expected = "finite numbers above 0"
    frames.refuse_rows(results, REPRESENTED, "qid", is_bad, expected, "drop the column")
    return results[REPRESENTED].to_numpy(dtype=float)


def measure_pool(scores: np.ndarray, represented: np.ndarray) -> PoolMoments:
    """Return the moments of a query's scores (n,), n > 0, each weighted by what it represents."""
    if scores.min() == scores.max():  # the computed deviation of equal floats may differ from 0
        return PoolMoments(float(scores[0]), 0.0)
    if (represented == 1).all():
        return PoolMoments(float(scores.mean()), float(scores.std()))

    mean = np.average(scores, weights=represented)
    variance = np.average((scores - mean) ** 2, weights=represented)
    return PoolMoments(float(mean), float(np.sqrt(variance)))


def _is_positive(number: Any) -> bool:
    """Return whether a cell is a finite number above 0."""
    is_number = isinstance(number, (int, float, np.number)) and not isinstance(number, bool)
    return bool(is_number and 0 < number < np.inf)


@dataclass(eq=False, repr=False)
class WeightedFeatures(Step):
    """Score rows by the weighted sum of what PyTerrier's feature union (``**``) collected.

    So the parts of a system are computed once, and many weightings of them are tried:
    `pt.KFoldGridSearch` sets `weights`.

    Columns in: `qid`, `docno`, `features` (arrays of n numbers). Columns out: the same and `score`
    and `rank`, rows by query and rank.

    Args:
        weights: n numbers, in the order of the steps in the union.

    Raises:
        ValueError: a row with another number of features.
    """

    weights: tuple[float, ...]

    def transform(self, results: pd.DataFrame) -> pd.DataFrame:
        """Score and rank."""
        remedy = "Put a union of scorers before it: (one ** two) >> WeightedFeatures((0.8, 0.2))."
        results = frames.check(results, self, ["qid", "docno", "features"], remedy=remedy)
        count = len(self.weights)
        is_bad = [not _are_numbers(row, count) for row in results["features"]]
        expected = f"{count} numbers, all finite, one for each weight"
        remedy = "join as many scorers as weights"
        frames.refuse_rows(results, "features", "qid", is_bad, expected, remedy)

        if results.empty:  # numpy stacks no empty list
            return frames.ranked(results.assign(score=[]))
        features = np.stack(results["features"].tolist())  # (rows, weights)
        scores = features @ np.array(self.weights, dtype=float)
        return frames.ranked(results.assign(score=scores))


def _are_numbers(features: object, count: int) -> bool:
    """Return whether the features of a row are `count` finite numbers."""
    try:
        numbers = np.asarray(features)
    except ValueError:  # lists of several lengths
        return False
    if numbers.shape != (count,) or numbers.dtype.kind not in "iuf":
        return False
    return bool(np.isfinite(numbers).all())

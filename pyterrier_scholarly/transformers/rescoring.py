"""Change the scores of candidates: a penalty, standardisation, weighted sums.

candidates >> SentenceMaxSim(encoder) >> FacetMiss(0.1)
candidates >> WeightedSum([one >> ZScore(), two >> ZScore()], (0.8, 0.2))
"""

import warnings
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
import pandas as pd
import pyterrier as pt

from ..frames import refuse_rows
from ..step import NotNegative, Step, list_chosen, ranked, rows_by_query

REPRESENTED = "represented"  # column: the number of documents that a candidate stands for


class FacetMiss(Step):
    """Subtract a penalty from the score of candidates without a sentence of the query's facet.

    The facet and the candidate's labels decide, so this is a step of Definition 1 [Mysore2021].
    Such candidates are rarely relevant: on CSFCube 0.10 on average, against 0.30 to 0.35. A
    candidate whose labels are all "" keeps its score, because nothing is known to be missing. If
    there is a facet but no candidate has a label, a warning says what has no effect.

    Columns in: `qid`, `docno`, `facet`, `paper`, `score`; optional `sentence_ids`, the candidate's
    sentences that count. Columns out: the same, with the new `score` and `rank`, rows by query and
    rank.

    Args:
        penalty: in units of the score; 0.1 suits cosines.

    Raises:
        ValueError: the penalty is negative.
    """

    penalty: NotNegative = 0.1

    def transform(self, results: pd.DataFrame) -> pd.DataFrame:
        """Score and rank."""
        results = self.check(results, ["qid", "docno", "facet", "paper", "score"])
        papers = results["paper"].tolist()
        facets = results["facet"].tolist()

        has_labels = any(paper.is_labelled for paper in papers)
        if any(facets) and not has_labels:
            warnings.warn(
                "No candidate's sentences have labels: no penalty is applied, the context of a "
                "facet is the whole abstract, and centroids are those of all sentences. Add "
                "FacetLabeller() after PaperLoader(…).",
                stacklevel=2,
            )

        misses_facet = []  # of each row
        for paper, facet, chosen in zip(papers, facets, list_chosen(results)):
            counted_positions = paper.find_or_all("", chosen)
            has_facet = not set(paper.find(facet)).isdisjoint(counted_positions)
            # without labels, nothing is known to be missing
            misses_facet.append(paper.is_labelled and not has_facet)

        penalties = self.penalty * np.array(misses_facet, dtype=bool)
        scores = results["score"].to_numpy(dtype=float)
        return ranked(results.assign(score=scores - penalties))


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
        results = self.check(results, ["qid", "docno", "score"])
        scores = results["score"].to_numpy(dtype=float)
        represented = read_represented(results)

        new_scores = np.zeros(len(results))
        for rows in rows_by_query(results):
            mean, deviation = measure_pool(scores[rows], represented[rows])
            if deviation > 0:
                new_scores[rows] = (scores[rows] - mean) / deviation
        return ranked(results.assign(score=new_scores))


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

    numbers = pd.to_numeric(results[REPRESENTED], errors="coerce").to_numpy(dtype=float)
    is_bad = ~((numbers > 0) & (numbers < np.inf))
    remedy = "drop the column, or fill it"
    refuse_rows(results, REPRESENTED, "qid", is_bad.tolist(), "finite numbers above 0", remedy)
    return numbers


def measure_pool(scores: np.ndarray, represented: np.ndarray) -> PoolMoments:
    """Return the moments of a query's scores (n,), n > 0, each weighted by what it represents."""
    if scores.min() == scores.max():  # the computed deviation of equal floats may differ from 0
        return PoolMoments(float(scores[0]), 0.0)
    mean = np.average(scores, weights=represented)
    variance = np.average((scores - mean) ** 2, weights=represented)
    return PoolMoments(float(mean), float(np.sqrt(variance)))


class WeightedSum(Step):
    """Score by the weighted sum of several scorers, which all score the same candidates.

    Unlike PyTerrier's own sum it compares and prints by its parts, and keeps the candidates' order
    among equal scores. Columns in: `qid`, `docno`, and what the scorers read. Columns out: those
    that came in, and `score` and `rank`, rows by query and rank.

    Args:
        scorers: from results to results.
        weights: one for each of them.

    Raises:
        ValueError: more or fewer weights than scorers; a scorer that leaves out a candidate.
    """

    scorers: Sequence[pt.Transformer]
    weights: Sequence[float]

    def __post_init__(self) -> None:
        self._check_lengths()

    def _check_lengths(self) -> None:
        """Raise ValueError for more or fewer weights than scorers."""
        if len(self.scorers) != len(self.weights):
            raise ValueError(
                f"WeightedSum has {len(self.scorers)} scorers and {len(self.weights)} weights: "
                "pass one weight for each scorer."
            )

    def transform(self, results: pd.DataFrame) -> pd.DataFrame:
        """Score and rank."""
        self._check_lengths()  # again, because a grid search may have set the weights
        results = self.check(results, ["qid", "docno"])
        row_pairs = pd.MultiIndex.from_frame(results[["qid", "docno"]])

        weighted_sums = np.zeros(len(results))
        for scorer, weight in zip(self.scorers, self.weights):
            scored_rows = scorer.transform(results)
            score_of_pair = scored_rows.set_index(["qid", "docno"])["score"]
            # a scorer sorts by its scores: back to the order of `results`; NaN for a missing pair
            scores = score_of_pair.reindex(row_pairs).to_numpy(dtype=float)
            weighted_sums += weight * scores
        return ranked(results.assign(score=weighted_sums))

    def subtransformers(  # type: ignore[override]  # PyTerrier takes lists, too
        self,
    ) -> dict[str, list[pt.Transformer]]:
        """Return the scorers; PyTerrier draws them inside this step."""
        return {"scorers": list(self.scorers)}


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
        results = self.check(results, ["qid", "docno", "features"])
        features_of_rows = results["features"].tolist()
        weights = np.array(self.weights, dtype=float)
        is_bad = [
            np.shape(features) != weights.shape or not np.isfinite(features).all()
            for features in features_of_rows
        ]
        expected = f"{len(weights)} finite numbers, one for each weight"
        remedy = "join as many scorers as weights"
        refuse_rows(results, "features", "qid", is_bad, expected, remedy)
        # numpy stacks no empty list
        scores = np.stack(features_of_rows) @ weights if features_of_rows else []
        return ranked(results.assign(score=scores))

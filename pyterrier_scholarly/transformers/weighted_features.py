"""Scores as weighted sums of the scores of several steps."""

from dataclasses import dataclass

import numpy as np

from .. import frames
from .step import Step


@dataclass(eq=False, repr=False)
class WeightedFeatures(Step):
    """Scores rows by the weighted sum of what PyTerrier's feature union (``**``) collected.

    So the parts of a system are computed once, and many weightings of them are tried:
    `pt.KFoldGridSearch` sets `weights`.

    Columns in: `qid`, `docno`, `features` (arrays of n numbers). Columns out: the same and `score`
    and `rank`, rows by query and rank.

    Args:
        weights: n numbers, in the order of the steps in the union.

    Raises:
        ValueError: a row with another number of features.
    """

    weights: tuple

    def transform(self, results):
        """Score and rank."""
        remedy = "Put a union of scorers before it: (one ** two) >> WeightedFeatures((0.8, 0.2))."
        results = frames.check(results, self, ["qid", "docno", "features"], remedy=remedy)
        weights = np.array(self.weights, dtype=float)
        bad = [not _numbers(row, weights) for row in results["features"]]
        expected = f"{len(weights)} numbers, all finite, one for each weight"
        frames.refuse(results, "features", "qid", bad, expected, "join as many scorers as weights")
        scores = np.stack(list(results["features"])) @ weights if len(results) else []
        return frames.ranked(results.assign(score=scores))


def _numbers(row, weights) -> bool:
    try:
        row = np.asarray(row)
    except ValueError:  # of lists of several lengths
        return False
    return row.shape == weights.shape and row.dtype.kind in "iuf" and bool(np.isfinite(row).all())

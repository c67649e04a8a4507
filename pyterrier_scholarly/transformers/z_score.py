"""Making scores of different scales comparable."""

from dataclasses import dataclass

import numpy as np

from .. import frames
from .step import Step


@dataclass(eq=False, repr=False)
class ZScore(Step):
    """Standardises scores within each query's pool, so that those of several systems can be added.

    Columns in: `qid`, `docno`, `score`. Columns out: the same, with the new `score` and `rank`,
    rows by query and rank. The new scores of a query have mean 0 and (population) standard
    deviation 1; all are 0 where the old ones are equal, or where there is but one. The order of a
    query's candidates stays.

    Raises:
        ValueError: a score is NaN or infinite; names the query.
    """

    def transform(self, results):
        """Score and rank."""
        remedy = "Put a scorer before it."
        results = frames.check(results, self, ["qid", "docno", "score"], remedy=remedy)
        scores = results["score"].to_numpy(dtype=float)
        out = np.empty(len(results))
        for rows in frames.rows_by_query(results):
            out[rows] = standardised(scores[rows])
        return frames.ranked(results.assign(score=out))


def standardised(values):
    """`values` (n,), n > 0, less their mean, over their standard deviation; 0 if all are equal."""
    if values.min() == values.max():  # the deviation of equal floats need not come out as 0
        return np.zeros_like(values)
    return (values - values.mean()) / values.std()

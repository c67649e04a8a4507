"""The base of scorers: it checks a frame, has its rows scored, and ranks.

class Longest(Scorer):
    def check_results(self, results):
        return self.check(results, ["qid", "docno", "text"])

    def score_rows(self, results):
        return np.array([len(text) for text in results["text"]])
"""

import numpy as np
import pandas as pd

from ..step import Step, ranked


class Scorer(Step):
    """Score candidates and rank them; a scorer says what it needs, and how to score rows."""

    def check_results(self, results: pd.DataFrame) -> pd.DataFrame:
        """Return the frame, after checking the columns that it must have by `Step.check`."""
        raise NotImplementedError

    def score_rows(self, results: pd.DataFrame) -> np.ndarray:
        """Return the scores (rows,) of a checked frame of one row or more."""
        raise NotImplementedError

    def transform(self, results: pd.DataFrame) -> pd.DataFrame:
        """Score and rank."""
        results = self.check_results(results)
        scores = np.zeros(0)
        if len(results):  # zero rows need no model
            scores = self.score_rows(results)
        return ranked(results.assign(score=scores))

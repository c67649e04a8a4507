"""The base of scorers: it checks a frame, has its rows scored, and ranks.

class Longest(Scorer):
    def list_needs(self):
        return ["qid", "docno", "text"]

    def score_rows(self, results):
        return np.array([len(text) for text in results["text"]])
"""

import numpy as np
import pandas as pd

from ..step import Step, ranked


class Scorer(Step):
    """Score candidates and rank them; a scorer says what it needs, and how to score rows."""

    def list_needs(self) -> list[str]:
        """Return the columns that a frame must have."""
        raise NotImplementedError

    def score_rows(self, results: pd.DataFrame) -> np.ndarray:
        """Return the scores (rows,) of a checked frame of one row or more."""
        raise NotImplementedError

    def check_results(self, results: pd.DataFrame) -> pd.DataFrame:
        """Return the frame, after checking its columns."""
        return self.check(results, self.list_needs())

    def transform(self, results: pd.DataFrame) -> pd.DataFrame:
        """Score and rank."""
        results = self.check_results(results)
        scores = np.zeros(0)
        if len(results):  # zero rows need no model
            scores = self.score_rows(results)
        return ranked(results.assign(score=scores))

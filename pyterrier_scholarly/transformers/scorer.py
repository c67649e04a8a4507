"""The base of scorers: it checks a frame, has its rows scored, and ranks.

class Longest(Scorer):
    def check_results(self, results):
        return self.check(results, ["qid", "docno", "text"])

    def score_rows(self, results):
        return np.array([len(text) for text in results["text"]])
"""

from collections.abc import Sequence

import numpy as np
import pandas as pd

from ..choices import some
from ..step import Step, ranked


class Scorer(Step):
    """Score candidates and rank them; a scorer says how to check a frame, and to score its rows."""

    def check_results(self, results: pd.DataFrame) -> pd.DataFrame:
        """Return the frame, after checking its columns."""
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


def check_not_blank(frame: pd.DataFrame) -> None:
    """Raise ValueError for a query without text: it would match nothing."""
    check_texts("query", frame["query"].tolist(), frame["qid"])


def check_texts(
    name: str, values: Sequence[object], ids: pd.Series, may_be_blank: bool = False
) -> None:
    """Raise ValueError unless a column has a text in each row; `ids` name rows in the error."""
    is_right = [
        isinstance(value, str) and (may_be_blank or bool(value.strip())) for value in values
    ]
    if not all(is_right):
        expected = "a text" if may_be_blank else "a text that is not empty"
        wrong_ids = ids[np.logical_not(is_right)].drop_duplicates()
        raise ValueError(
            f"Column {name!r} must hold {expected}; it does not for {ids.name} {some(wrong_ids)}: "
            f"fill it, or drop these rows. Found: {values[is_right.index(False)]!r:.60}."
        )

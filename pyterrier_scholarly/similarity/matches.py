"""The parts of a score, by pairs of sentences: what a scorer's method `explained` returns.

>>> matches = Matches(similarities=np.array([[0.6, 0.2]]), weights=np.array([[1.0, 0.0]]))
>>> matches.score
0.6
"""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

COSINE, DISTANCE = "cosine", "minus the distance"  # kinds of similarities


class Matches(NamedTuple):
    """The parts of a score, by pairs of sentences.

    The score is ``(weights * similarities).sum() + sum(rest.values())``.

    Attributes:
        similarities: (m, n), of the query's m sentences and n of the document's, float64.
        weights: (m, n), the weight of each pair in the score; mostly 0.
        matched: (m, n), bool, the pairs to show. Our scorers mark those with weight, and the best
            match of each sentence of the query. None: those with weight.
        unit: the kind of similarities: ``"cosine"``, ``"dot product"`` or ``"minus the distance"``.
        rest: parts of the score that belong to no pair, by name: ``{"length": -0.06}``.
        columns: positions (n,), among the sentences of the document's paper, of those n; None if
            all of them count.
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


def mark_best(similarities: np.ndarray) -> np.ndarray:
    """Return True at the highest similarity of each row, the first of equal ones: bool (m, n)."""
    best_columns = similarities.argmax(axis=1)
    return best_columns[:, None] == np.arange(similarities.shape[1])

"""Turn scores into distances: the range of the scores, and how they are normalised in it.

>>> similar, random = distances([0.9, 0.8], [0.1, 0.4])
>>> similar.round(3).tolist(), random.round(3).tolist()
([0.0, 0.125], [1.0, 0.625])
"""

from typing import Literal, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import ArrayLike

from ..arguments import check_arguments
from .histogram import Histogram, numbers

#: how scores become distances, see `distances`
Normalisation: TypeAlias = Literal["reversed", "divided"]


class ScoreRange(NamedTuple):
    """The range of scores, and how they are normalised in it; see `distances`."""

    low: float
    high: float
    normalise: Normalisation

    @property
    def width(self) -> float:
        """The range's width; 1 if all scores are equal."""
        return (self.high - self.low) or 1.0

    @property
    def ends(self) -> tuple[float, float]:
        """The least and the greatest normalised value; they are 1 apart."""
        first = 0.0 if self.normalise == "reversed" else self.low / self.width
        return first, first + 1.0

    def normalise_scores(self, scores: np.ndarray) -> np.ndarray:
        """Normalise scores: a float array of their shape."""
        if self.normalise == "reversed":
            return (self.high - scores) / self.width
        return scores / self.width

    def count_scores(self, scores: np.ndarray, bins: int) -> Histogram:
        """Return the histogram of normalised scores, over exactly their range."""
        first, last = self.ends
        return Histogram(bins, first, last).add(self.normalise_scores(scores))


@check_arguments
def distances(
    similar: ArrayLike,
    random: ArrayLike,
    low: float | None = None,
    high: float | None = None,
    normalise: Normalisation = "reversed",
) -> tuple[np.ndarray, np.ndarray]:
    """Convert scores, high for similar documents, to distances from 0 (nearest) to 1.

    A distance is (max - s) / (max - min) over both samples, or (high - s) / (high - low). So 0 is
    nearest, as for divergences, and the slope of a good similarity is negative. The paper divides
    cosines by max - min only: ``normalise="divided"``. Then high values are near, from min / (max -
    min) on, and the slope has the same size and the other sign. `score_slope` does both steps.

    Args:
        similar, random: scores of similar and of random pairs, arrays (n,) and (m,).
        low, high: the range, if it is known; both or neither.
        normalise: "reversed", or "divided" as in the paper.

    Returns:
        Two float arrays, (n,) and (m,), for `histogram_slope`; all equal if all scores are.

    Raises:
        ValueError: a score is NaN, a score is infinite and no range was given, or the range is
            empty or not finite; an unknown `normalise`.
    """
    similar_scores = numbers(similar)
    random_scores = numbers(random)
    score_range = find_score_range(similar_scores, random_scores, low, high, normalise)

    similar_distances = score_range.normalise_scores(similar_scores)
    random_distances = score_range.normalise_scores(random_scores)
    return similar_distances, random_distances


def find_score_range(
    similar: np.ndarray,
    random: np.ndarray,
    low: float | None = None,
    high: float | None = None,
    normalise: Normalisation = "reversed",
) -> ScoreRange:
    """Return the range `low` to `high`, or that of both samples; errors: see `distances`."""
    if low is None and high is None:
        scores = np.concatenate([similar, random])
        if np.isinf(scores).any():
            raise ValueError(
                f"{np.isinf(scores).sum()} scores are infinite, so the range is undefined: drop "
                "these pairs, or pass the range (low=0, high=1)"
            )
        if not len(scores):
            return ScoreRange(0.0, 1.0, normalise)
        return ScoreRange(float(scores.min()), float(scores.max()), normalise)

    if low is None or high is None or not (low < high and np.isfinite(high - low)):
        raise ValueError(
            f"low={low!r}, high={high!r}: pass two finite numbers low < high, or neither"
        )
    return ScoreRange(float(low), float(high), normalise)

"""Turn scores into distances: the range of the scores, and how they are normalised in it.

>>> similar, random = distances([0.9, 0.8], [0.1, 0.4])
>>> similar.round(3).tolist(), random.round(3).tolist()
([0.0, 0.125], [1.0, 0.625])
"""

from typing import Literal, TypeAlias

import numpy as np
from numpy.typing import ArrayLike

from ..arguments import check_arguments
from .histogram import numbers

#: how scores become distances, see `distances`
Normalisation: TypeAlias = Literal["reversed", "divided"]


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
    similar_distances, random_distances, _ = normalise_scores(
        numbers(similar), numbers(random), low, high, normalise
    )
    return similar_distances, random_distances


def normalise_scores(
    similar: np.ndarray,
    random: np.ndarray,
    low: float | None = None,
    high: float | None = None,
    normalise: Normalisation = "reversed",
) -> tuple[np.ndarray, np.ndarray, float]:
    """Return `distances`, and the least value that they may have; the greatest is 1 more."""
    if low is None and high is None:
        scores = np.concatenate([similar, random])
        if np.isinf(scores).any():
            raise ValueError(
                f"{np.isinf(scores).sum()} scores are infinite, so the range is undefined: drop "
                "these pairs, or pass the range (low=0, high=1)"
            )
        low, high = (scores.min(), scores.max()) if len(scores) else (0.0, 1.0)
    elif low is None or high is None or not (low < high and np.isfinite(high - low)):
        raise ValueError(
            f"low={low!r}, high={high!r}: pass two finite numbers low < high, or neither"
        )

    width = (high - low) or 1.0  # 1 if all scores are equal
    if normalise == "divided":
        return similar / width, random / width, float(low / width)
    return (high - similar) / width, (high - random) / width, 0.0

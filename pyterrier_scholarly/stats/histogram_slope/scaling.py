"""From scores to distances."""

import numpy as np

from .histogram import numbers


def distances(similar, random, low=None, high=None):
    """Turn scores, high where documents are alike, into distances from 0 (nearest) to 1.

    A distance is (max - s) / (max - min), in the range of both samples together, or (high - s) /
    (high - low). (The paper divides cosines by max - min alone; turned round, 0 is nearest, as in
    the divergences beside them, and the slope falls where a similarity is good.)

    Args:
        similar, random: scores of similar and of random pairs, arrays (n,) and (m,).
        low, high: the range, where it is known; both or neither.

    Returns:
        Two float arrays, (n,) and (m,), for `rhsa`; scores that are all the same have distance 0.

    Raises:
        ValueError: a score is NaN, or infinite where it would be the range; a range that is none.
    """
    pair = [numbers(scores) for scores in (similar, random)]
    if low is None and high is None:
        both = np.concatenate(pair)
        low, high = (both.min(), both.max()) if len(both) else (0.0, 1.0)
        if not np.isfinite([low, high]).all():
            raise ValueError(
                f"{np.isinf(both).sum()} scores are infinite, so that there is no range: leave "
                "these pairs out, or say the range (low=0, high=1)"
            )
    elif low is None or high is None or not (low < high and np.isfinite(high - low)):
        raise ValueError(
            f"low={low!r}, high={high!r}: expected two finite numbers low < high, or neither"
        )
    return tuple((high - scores) / ((high - low) or 1.0) for scores in pair)

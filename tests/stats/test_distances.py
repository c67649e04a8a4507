"""Convert scores to distances."""

import numpy as np
import pytest

from pyterrier_scholarly.stats import distances, histogram_slope


def test_the_best_score_is_at_0_and_the_worst_at_1():
    """In the range of both samples together: (3 - s) / (3 - 1)."""
    similar, random = distances([3, 2], [1, 1.5, 3])
    assert similar.tolist() == [0, 0.5] and random.tolist() == [1, 0.75, 0]


def test_a_given_range():
    """(high - s) / (high - low), also outside the range; infinite scores stay infinite."""
    similar, random = distances([1, 0.5], [0, 1.2, -np.inf], low=0, high=1)
    assert similar.tolist() == [0, 0.5] and random.tolist() == pytest.approx([1, -0.2, np.inf])
    assert histogram_slope(similar, random).outside == (0, 2)


def test_constant_scores_have_no_slope():
    """All distances are 0, so rHSA is 0 with a reason; no scores give no distances."""
    similar, random = distances([0.4] * 9, [0.4] * 5)
    assert not similar.any() and not random.any()
    assert "one bin" in histogram_slope(similar, random).reason
    assert [len(side) for side in distances([], [])] == [0, 0]


def test_a_shift_or_a_scale_does_not_change_the_slope():
    """Scores can have any unit."""
    random = np.random.default_rng(0)
    similar, other = random.normal(1, 0.3, 5000), random.normal(0.5, 0.3, 5000)
    slope = histogram_slope(*distances(similar, other))
    assert histogram_slope(*distances(7 * similar - 3, 7 * other - 3)).value == pytest.approx(
        slope.value
    )
    assert slope.sign == -1


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (([0.1, np.nan], [0.2]), "1 of 2 values are NaN.*drop"),
        (([0.1], [np.nan]), "NaN"),
        (([0.1, np.inf], [-np.inf]), "2 scores are infinite.*low=0, high=1"),
        (([0.1], [0.2], 0), "low=0, high=None: pass two finite numbers"),
        (([0.1], [0.2], 1, 0), "low=1, high=0"),
        (([0.1], [0.2], 0, np.inf), "high=inf"),
        (([0.1], [0.2], np.nan, 1), "low=nan"),
    ],
)
def test_wrong_scores_raise(arguments, message):
    """The error names the remedy."""
    with pytest.raises(ValueError, match=message):
        distances(*arguments)

"""Convert scores to distances."""

import numpy as np
import pytest

from pyterrier_scholarly.protocols import KRSTOVSKI_2016
from pyterrier_scholarly.stats import distances, histogram_slope, score_slope


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


def test_the_paper_divides_cosines_by_their_range_alone():
    """Scores 3, 2, 1 and 1.5 have the range 2; a given range divides by its width."""
    similar, random = distances([3, 2], [1, 1.5], normalise="divided")
    assert similar.tolist() == [1.5, 1] and random.tolist() == [0.5, 0.75]
    similar, random = distances([1, 0.5], [0.2], low=-1, high=1, normalise="divided")
    assert similar.tolist() == [0.5, 0.25] and random.tolist() == [0.1]


@pytest.fixture
def cosines():
    """Cosines of similar pairs, higher, and of random pairs, between .05 and .95."""
    random = np.random.default_rng(1)
    similar = 0.05 + 0.9 * random.beta(4, 2, 20_000)
    return similar, 0.05 + 0.9 * random.beta(2, 4, 20_000)


def test_divided_cosines_have_the_slope_of_reversed_ones_with_the_other_sign(cosines):
    """With x = s / w and x' = (max - s) / w, x' = max / w - x: the line is mirrored."""
    reverse = score_slope(*cosines)
    divided = score_slope(*cosines, normalise="divided")
    assert (reverse.sign, divided.sign) == (-1, 1)
    assert divided.value == pytest.approx(reverse.value, rel=1e-6)
    assert divided.error == pytest.approx(reverse.error, rel=1e-6)
    lowest = min(map(np.min, cosines))
    highest = max(map(np.max, cosines))
    mirror = highest / (highest - lowest)
    assert divided.intercept == pytest.approx(
        reverse.intercept + reverse.sign * reverse.value * mirror, rel=1e-6
    )
    assert divided.similar.low == pytest.approx(lowest / (highest - lowest))
    assert divided.outside == reverse.outside == (0, 0)


def test_the_papers_setting_of_cosines_step_by_step(cosines):
    """Its range, its histograms and its line, computed here from its words."""
    similar, random = cosines
    width = max(similar.max(), random.max()) - min(similar.min(), random.min())
    first = min(similar.min(), random.min()) / width
    slope = histogram_slope(
        similar / width,
        random / width,
        low=first,
        high=first + 1,
        fit="observed",
        x_error="spread",
    )
    named = score_slope(*cosines, **KRSTOVSKI_2016.scores)
    assert (named.value, named.error, named.sign) == pytest.approx(
        (slope.value, slope.error, 1), rel=1e-9
    )


def test_scores_are_normalised_before_their_slope(cosines):
    """`score_slope` is `distances` and then `histogram_slope`, in the same choices."""
    choices = {"bins": 20, "fit": "binomial", "x_error": "none", "edge": "lower"}
    for ends in ({}, {"low": 0, "high": 1}):
        slope = histogram_slope(*distances(*cosines, **ends), **choices)
        assert score_slope(*cosines, **ends, **choices).value == slope.value


def test_an_unknown_normalisation_is_refused(cosines):
    """The error names the known ones."""
    for compute in (distances, score_slope):
        with pytest.raises(ValueError, match="normalise='z': expected one of 'reversed', 'div"):
            compute(*cosines, normalise="z")

"""Test coefficients of agreement: by hand, against other implementations, undefined cases."""

import json
from math import isnan
from pathlib import Path

import numpy as np
import pytest
from sklearn.metrics import cohen_kappa_score, precision_recall_fscore_support

from pyterrier_scholarly.stats import agreement

REFERENCE = json.loads(
    Path(__file__).parents[1].joinpath("reference", "krippendorff_alpha.json").read_text()
)
NAN = float("nan")
SCALE = (0, 1, 2, 3)


@pytest.fixture
def two():
    """Return two judges of 300 items who agree more than by chance."""
    random = np.random.default_rng(0)
    first = random.integers(0, 4, 300).astype(float)
    return first, np.where(random.random(300) < 0.5, first, random.integers(0, 4, 300))


def test_a_confusion_matrix_skips_missing_ratings():
    """The first judge is the row, the second the column; incomplete pairs are skipped."""
    first, second = np.array([0.0, 0, 2, NAN, 1]), np.array([0.0, 2, 2, 1, NAN])
    expected = [[1, 0, 1], [0, 0, 0], [0, 0, 1]]
    assert agreement.confusion(first, second, (0, 1, 2)).tolist() == expected


def test_kappa_by_hand():
    """Of 10 items 7 have equal grades; by chance the share is 0.6 · 0.5 + 0.4 · 0.5 = 0.5."""
    matrix = np.array([[4, 2], [1, 3]])
    assert agreement.percent(matrix) == 7 / 10
    assert agreement.cohen_kappa(matrix) == pytest.approx((0.7 - 0.5) / (1 - 0.5))


@pytest.mark.parametrize("weights", [None, "linear", "quadratic"])
def test_kappa_is_scikit_learns(two, weights):
    """Unweighted and with both weights."""
    own = agreement.cohen_kappa(agreement.confusion(*two, SCALE), weights)
    assert own == pytest.approx(cohen_kappa_score(*two, weights=weights), abs=1e-12)


def test_precision_recall_and_f1_are_scikit_learns(two):
    """Macro averages over the grades that occur; a grade missing on one side counts 0."""
    first, second = two
    second = np.where(second == 3, 2, second)
    kept = (first != 1) & (second != 1)  # 1 is not in use at all, 3 by the reference alone
    first, second = first[kept], second[kept]
    own = agreement.macro(agreement.confusion(first, second, SCALE))
    theirs = precision_recall_fscore_support(first, second, average="macro", zero_division=0)
    assert own == pytest.approx(theirs[:3], abs=1e-12)


def test_spearman_equals_that_of_the_ratings(two):
    """The matrix has the same ρ as the two series of ratings."""
    from scipy.stats import spearmanr

    own = agreement.spearman(agreement.confusion(*two, SCALE))
    assert own == pytest.approx(spearmanr(*two).statistic, abs=1e-12)


def test_alpha_by_hand():
    """Two items have equal grades (0 0, 1 1), one has not (0 1).

    Of 6 ordered pairs 2 disagree. There are 3 ratings of each grade, so by chance the share is
    2 · 3 · 3 / (6 · 5): α = 1 - (2 / 6) / (18 / 30).
    """
    together = agreement.coincidences(np.array([[0.0, 0], [1, 1], [0, 1]]), (0, 1))
    assert together.tolist() == [[2, 1], [1, 2]]
    for level in agreement.LEVELS:  # two grades have one distance
        alpha = agreement.krippendorff_alpha(together, (0, 1), level)
        assert alpha == pytest.approx(1 - (2 / 6) / (18 / 30))


def test_ordinal_distance_by_hand():
    """From 0 (2 ratings) over 1 (4) to 2 (2): 2/2 + 4 + 2/2 = 6; from 0 to 1: 2/2 + 4/2 = 3.

    Pairs 0 2, 0 1, 1 1, 1 2 cost 36, 9, 0, 9: observed 2 · 54 over 8. By chance the ordered pairs
    cost 2 · (2·4·9 + 2·2·36 + 4·2·9) over 8 · 7.
    """
    ratings = np.array([[0.0, 2], [0, 1], [1, 1], [1, 2]])
    alpha = agreement.krippendorff_alpha(agreement.coincidences(ratings, (0, 1, 2)), (0, 1, 2))
    chance = 2 * (2 * 4 * 9 + 2 * 2 * 36 + 4 * 2 * 9)
    assert alpha == pytest.approx(1 - (2 * 54 / 8) / (chance / (8 * 7)))


@pytest.mark.parametrize(("place", "level"), enumerate(agreement.LEVELS))
def test_alpha_of_four_judges_with_missing_ratings(place, level):
    """On Krippendorff's example α equals the reference package's, and his .743, .815, .849."""
    ratings = np.array(REFERENCE["four_judges"]["ratings"], dtype=float).T
    scale = (1, 2, 3, 4, 5)
    alpha = agreement.krippendorff_alpha(agreement.coincidences(ratings, scale), scale, level)
    assert alpha == pytest.approx(REFERENCE["four_judges"]["alpha"][place], abs=1e-12)
    assert round(alpha, 3) == (0.743, 0.815, 0.849)[place]


def test_unused_grades_change_nothing(two):
    """A longer scale gives the same coefficients."""
    few, many = (agreement.confusion(*two, scale) for scale in (SCALE, (-1, *SCALE, 7)))
    for measure in (agreement.cohen_kappa, agreement.spearman, agreement.percent):
        assert measure(few) == pytest.approx(measure(many))
    assert agreement.macro(few) == pytest.approx(agreement.macro(many))
    for level in agreement.LEVELS:
        short = agreement.krippendorff_alpha(few + few.T, SCALE, level)
        long = agreement.krippendorff_alpha(many + many.T, (-1, *SCALE, 7), level)
        assert short == pytest.approx(long)


def test_perfect_agreement_is_1(two):
    """Every coefficient of a judge with himself is 1."""
    matrix = agreement.confusion(two[0], two[0], SCALE)
    values = [agreement.cohen_kappa(matrix, weights) for weights in (None, "linear", "quadratic")]
    values += [agreement.krippendorff_alpha(2 * matrix, SCALE, level) for level in agreement.LEVELS]
    assert [*values, agreement.spearman(matrix), agreement.percent(matrix)] == [1.0] * 8
    assert agreement.macro(matrix) == (1.0, 1.0, 1.0)


def test_constant_ratings_have_no_coefficient():
    """All grades are equal, so κ, α and ρ are undefined."""
    matrix = np.array([[9, 0], [0, 0]])
    assert agreement.percent(matrix) == 1
    assert isnan(agreement.cohen_kappa(matrix)) and isnan(agreement.spearman(matrix))
    assert all(
        isnan(agreement.krippendorff_alpha(2 * matrix, (0, 1), level)) for level in agreement.LEVELS
    )


def test_one_constant_judge_agrees_by_chance_alone():
    """κ is 0; α is lower, because it uses one distribution for both judges; ρ is undefined."""
    matrix = np.array([[6, 3], [0, 0]])
    assert agreement.cohen_kappa(matrix) == 0
    assert isnan(agreement.spearman(matrix))
    # 18 ratings, 15 and 3; 6 of 18 ordered pairs disagree
    expected = 1 - (6 / 18) / (2 * 15 * 3 / (18 * 17))
    alpha = agreement.krippendorff_alpha(matrix + matrix.T, (0, 1), "nominal")
    assert alpha == pytest.approx(expected) and alpha < 0


def test_items_with_one_rating_have_no_coefficient():
    """Every coefficient is NaN."""
    together = agreement.coincidences(np.array([[0.0, NAN], [NAN, 1]]), (0, 1))
    assert together.sum() == 0
    assert isnan(agreement.krippendorff_alpha(together, (0, 1)))
    assert isnan(agreement.percent(together)) and all(map(isnan, agreement.macro(together)))

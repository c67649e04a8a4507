"""The lowest and the highest nDCG of one query that its judgements allow.

    form = read_form(nDCG @ 10, top_grade=3)
    grades = Grades(ranked=np.array([2, UNJUDGED, 0]), judged=np.array([0, 1, 2]))
    bound_query(grades, form, top_grade=3, outside=0)  # Bounds(lowest, highest)

Each unjudged result may deserve any grade. A relevant one raises DCG, but the ideal DCG, too.

The idea of the computation: a gain is a sum of steps, one for each level of grades that a document
reaches. With the gains 0, 1 and 3 for the grades 0, 1 and 2, the steps are 0, 1 and 2; a document
of grade 2 reaches all three levels, and its gain is 0 + 1 + 2. So both sums go over levels:

    DCG       = sum of step * (discounts of the results that reach the level)
    ideal DCG = sum of step * (as many first discounts as there are documents that reach the level)

What is certain of each level is computed once (`_Levels`). Then only the discounts and numbers of
unjudged documents that reach a level are tried.
"""

from collections.abc import Callable
from typing import NamedTuple

import ir_measures
import numpy as np

from ..measures.ndcg import DISCOUNTS, GAINS, NDCG

OUR_NDCG = type(NDCG)
UNJUDGED = -1  # in the place of a grade


class NdcgForm(NamedTuple):
    """How an nDCG is computed.

    compute_gains: from an int array of grades, at least 0, to gains up to a common factor.
    compute_discounts: from an array of ranks to discounts.
    cutoff, percent: where the ranking is cut; both None for nowhere.
    percent_of: what `percent` counts, "judged" documents or "ranked" ones.
    cut_ideal: whether the ideal ranking is cut, too.
    """

    compute_gains: Callable[[np.ndarray], np.ndarray]
    compute_discounts: Callable[[np.ndarray], np.ndarray]
    cutoff: int | None
    percent: int | None
    percent_of: str
    cut_ideal: bool

    def find_last_rank(self, judged_count: int, ranked_count: int) -> int | None:
        """Return the last rank of a query's ranking that this nDCG counts; None for no limit.

        Args:
            judged_count: number of the query's judged documents, which ``NDCG%20`` is 20 % of.
            ranked_count: number of its ranked documents, for the nDCG that has 20 % of these.
        """
        if self.percent is None:
            return self.cutoff

        pool_size = judged_count if self.percent_of == "judged" else ranked_count
        return self.percent * pool_size // 100


class Grades(NamedTuple):
    """A query's ranking with its grades, and all grades that its judgements have.

    ranked: int array (results,), in the order of ranks; UNJUDGED for an unjudged document.
    judged: int array (judgements,), at least 0.
    """

    ranked: np.ndarray
    judged: np.ndarray


class Bounds(NamedTuple):
    """The lowest and the highest value that judgements allow."""

    lowest: float
    highest: float


def is_ndcg(measure: ir_measures.Measure) -> bool:
    """Return whether a measure is nDCG of ir_measures, or a form of ours."""
    return isinstance(measure, OUR_NDCG) or measure.NAME == "nDCG"


def read_form(measure: ir_measures.Measure, top_grade: int) -> NdcgForm:
    """Return how a form of nDCG is computed.

    top_grade: the highest grade of any document, on which some gains depend.
    """
    cutoff = measure.params.get("cutoff")
    if isinstance(measure, OUR_NDCG):
        discount = DISCOUNTS[measure["discount"]]
        return NdcgForm(
            compute_gains=_fix_top_grade(GAINS[measure["gain"]], top_grade),
            compute_discounts=discount.factor,
            cutoff=cutoff,
            percent=measure.params.get("percent"),
            percent_of=measure["pool"],
            cut_ideal=discount.cut_ideal,
        )

    # nDCG of ir_measures
    gain_name = "exp2-1" if measure["dcg"] == "exp-log2" else "linear"
    return NdcgForm(
        compute_gains=_fix_top_grade(GAINS[gain_name], top_grade),
        compute_discounts=DISCOUNTS["log2"].factor,
        cutoff=cutoff,
        percent=None,
        percent_of="judged",
        cut_ideal=True,
    )


def _fix_top_grade(
    compute_gains: Callable[[np.ndarray, np.ndarray], np.ndarray], top_grade: int
) -> Callable[[np.ndarray], np.ndarray]:
    """Return a function from grades to gains, where `top_grade` is the highest grade of each query.

    compute_gains: from grades, and the highest grade of each one's query, to gains.
    """

    def compute(grades: np.ndarray) -> np.ndarray:
        top_grades = np.full(len(grades), top_grade)
        return compute_gains(grades, top_grades)

    return compute


def bound_query(grades: Grades, form: NdcgForm, top_grade: int, outside: int) -> Bounds:
    """Return the lowest and the highest nDCG of one query.

    Args:
        grades: of its results and judgements.
        form: how nDCG is computed.
        top_grade: the highest grade that an unjudged document may have.
        outside: number of relevant documents that may hide outside the results.
    """
    is_unjudged = grades.ranked == UNJUDGED
    result_count = len(grades.ranked)
    document_count = len(grades.judged) + int(is_unjudged.sum())

    limit = form.find_last_rank(document_count, result_count)
    ideal_limit = limit if form.cut_ideal else None
    discounts = _discount_ranks(form, result_count, limit)
    ideal_discounts = _discount_ranks(form, document_count + outside, ideal_limit)

    gain_levels = _find_levels(grades, form, top_grade, discounts, ideal_discounts)
    unjudged_discounts = discounts[is_unjudged]  # in the order of ranks, so the largest first
    return Bounds(
        lowest=_find_lowest(gain_levels, unjudged_discounts, outside),
        highest=_find_highest(gain_levels, unjudged_discounts),
    )


class _Levels(NamedTuple):
    """What is certain of a query's levels of grades, whatever grades unjudged documents have.

    The first three are (levels,), level 0 first. All documents are certain to reach level 0, and
    only judged ones are certain to reach a higher level.

    steps: how much more gain a document has at the level than at the one below it.
    certain_discounts: sum of the discounts of the results that are certain to reach the level.
    certain_counts: number of the documents that are certain to reach it, ranked or not.
    ideal_sums: (documents + outside + 1,), the sum of the first n discounts of the ideal ranking.
        It is long enough for all documents, also those outside the results.
    """

    steps: np.ndarray
    certain_discounts: np.ndarray
    certain_counts: np.ndarray
    ideal_sums: np.ndarray

    def compute_ndcg(self, added_discounts: np.ndarray, added_counts: np.ndarray) -> float:
        """Return nDCG if some unjudged documents reach some levels.

        Args:
            added_discounts: (levels,), sum of the discounts of those that reach each level.
            added_counts: (levels,), number of those that reach each level.
        """
        dcg = self.steps @ (self.certain_discounts + added_discounts)
        counts = self.certain_counts + added_counts
        ideal_dcg = self.steps @ self.ideal_sums[counts]
        return float(dcg / ideal_dcg) if ideal_dcg > 0 else 0.0


def _find_levels(
    grades: Grades,
    form: NdcgForm,
    top_grade: int,
    discounts: np.ndarray,
    ideal_discounts: np.ndarray,
) -> _Levels:
    """Return a query's levels, and what its judgements say of each.

    Args:
        grades: of its results and judgements.
        form: has the gains of grades.
        top_grade: the highest grade that an unjudged document may have.
        discounts: (results,), by rank.
        ideal_discounts: (documents + outside,), of the ideal ranking.
    """
    # the grades that occur; those between two of them are reached by the same documents
    level_grades = np.unique([0, top_grade, *grades.judged])
    steps = np.diff(form.compute_gains(level_grades), prepend=0.0)

    discount_sums = []
    counts = []
    for level_grade in level_grades:
        discount_sums.append(discounts[grades.ranked >= level_grade].sum())
        counts.append((grades.judged >= level_grade).sum())
    certain_discounts = np.array(discount_sums)
    certain_counts = np.array(counts)

    # an unjudged document has grade 0 at least
    certain_discounts[0] = discounts.sum()
    certain_counts[0] += (grades.ranked == UNJUDGED).sum()
    return _Levels(steps, certain_discounts, certain_counts, _sum_first(ideal_discounts))


def _discount_ranks(form: NdcgForm, count: int, limit: int | None) -> np.ndarray:
    """Return the discounts of ranks 1 to `count`; 0 behind the rank `limit`."""
    ranks = np.arange(1, count + 1)
    discounts = np.asarray(form.compute_discounts(ranks), dtype=float)
    if limit is not None:
        discounts[ranks > limit] = 0.0
    return discounts


def _sum_first(discounts: np.ndarray) -> np.ndarray:
    """Return the sums of the first 0, 1, … and all n discounts, (n + 1,)."""
    return np.concatenate([[0.0], discounts.cumsum()])


def _find_lowest(levels: _Levels, unjudged_discounts: np.ndarray, outside: int) -> float:
    """Return the lowest nDCG, over all grades that the unjudged documents may have.

    DCG is linear in gains and the ideal DCG convex, so nDCG is lowest where each unjudged document
    has either grade 0 or the highest grade. If a given number of them have the highest, nDCG is
    lowest for those that add least to DCG: those outside the results, then those ranked last. So
    each number is tried, and the lowest value is taken.

    Args:
        levels: what is certain.
        unjudged_discounts: of the unjudged results, the largest first.
        outside: number of relevant documents that may hide outside the results.
    """
    discounts_outside = np.zeros(outside)
    smallest_discounts_first = np.concatenate([discounts_outside, unjudged_discounts[::-1]])
    discount_sums = _sum_first(smallest_discounts_first)
    is_above_zero = np.arange(len(levels.steps)) > 0  # all documents reach level 0 already

    values = []
    for highest_count, discount_sum in enumerate(discount_sums):
        # a document with the highest grade reaches every level
        added_discounts = np.where(is_above_zero, discount_sum, 0.0)
        added_counts = np.where(is_above_zero, highest_count, 0)
        values.append(levels.compute_ndcg(added_discounts, added_counts))
    return min(values)


def _find_highest(levels: _Levels, unjudged_discounts: np.ndarray) -> float:
    """Return the highest nDCG, by Dinkelbach's method for the largest ratio of two sums.

    For a ratio that is reached, the method looks for grades that exceed it: those with the largest
    DCG - ratio * ideal DCG. At each level it chooses how many of the first unjudged documents reach
    it. A higher level never has more of them than a lower one, as its ideal ranking is shorter and
    so costs more. Without grades that exceed the ratio, it is the highest.

    Args:
        levels: what is certain.
        unjudged_discounts: of the unjudged results, the largest first.
    """
    discount_sums = _sum_first(unjudged_discounts)  # (unjudged documents + 1,)
    possible_counts = np.arange(len(discount_sums))  # of unjudged documents that reach a level
    level_count = len(levels.steps)

    no_document = np.zeros(level_count, dtype=np.int64)
    highest = levels.compute_ndcg(discount_sums[no_document], no_document)
    while True:
        best_counts = no_document.copy()
        for level in range(1, level_count):  # level 0 has all documents already
            # for each possible count; a step multiplies both sums, so it is left out
            ideal_sums = levels.ideal_sums[levels.certain_counts[level] + possible_counts]
            excess = discount_sums - highest * ideal_sums
            best_counts[level] = np.argmax(excess)

        value = levels.compute_ndcg(discount_sums[best_counts], best_counts)
        if value <= highest:
            return highest
        highest = value

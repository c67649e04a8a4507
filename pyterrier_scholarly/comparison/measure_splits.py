"""How a query's value of a measure splits by paper: one function for each measure.

A measure splits by paper if a query's value is a sum in which each ranked paper has one summand:

- nDCG in all our forms and ir_measures': the paper's discounted gain over the ideal sum;
- precision at k: 1/k for a relevant paper among the first k;
- recall at k and R-precision: 1/R, with R the number of relevant papers;
- average precision: the precision at the paper's rank, over R. It moves when others move;
- reciprocal rank: all of it belongs to the first relevant paper.
"""

from collections.abc import Callable
from typing import Any, NamedTuple, TypeAlias

import numpy as np
from ir_measures import Measure
from ir_measures.providers.base import NOT_PROVIDED

from ..measures import NDCG
from ..measures.ndcg import DISCOUNTS, GAINS


class RankedGrades(NamedTuple):
    """One query's ranking as a measure sees it.

    grades: (ranked papers,) ints, best paper first; 0 for an unjudged paper.
    is_judged: (ranked papers,) bools.
    pool_grades: (judged papers,) ints, the highest first.
    """

    grades: np.ndarray
    is_judged: np.ndarray
    pool_grades: np.ndarray

    @property
    def ranks(self) -> np.ndarray:
        """The rank of each ranked paper, from 1."""
        return np.arange(1, len(self.grades) + 1)


#: function from a measure and a query's ranking to the contribution of each ranked paper
Split: TypeAlias = Callable[[Measure, RankedGrades], np.ndarray]


def describe_indivisible(measure: Measure) -> str:
    """Return why a measure has no shares; "" if it has some."""
    name = str(measure.NAME)
    if name in SPLITS:
        return ""
    reason = INDIVISIBLE.get(name, "it is not known to be a sum over papers")
    return (
        f"{measure} shows no shares of papers: {reason}. nDCG, recall, precision, average "
        "precision and reciprocal rank have shares."
    )


def read_parameter(measure: Measure, name: str, default: float) -> float:
    """Return a parameter's value, `default` if the measure lacks it or it was not passed."""
    if name not in measure.SUPPORTED_PARAMS:
        return default
    value = measure[name]
    return default if value is NOT_PROVIDED or value is None else value


# --- nDCG ---------------------------------------------------------------------------------------


def _split_our_ndcg(measure: Measure, ranking: RankedGrades) -> np.ndarray:
    """Split `pyterrier_scholarly.NDCG`, also of a share of the pool."""
    discount = DISCOUNTS[measure["discount"]]
    compute_gains = GAINS[measure["gain"]]
    limit = _find_limit(measure, ranking)

    # all gains have a common factor, against overflow, which cancels in the division
    largest_grade: Any = np.int64(max(0, ranking.pool_grades.max()))
    ranks = ranking.ranks
    gains = compute_gains(ranking.grades.clip(0), largest_grade) * discount.factor(ranks)
    gains = np.where(ranking.is_judged & (ranks <= limit), gains, 0.0)

    ideal_ranks = np.arange(1, len(ranking.pool_grades) + 1)
    ideal_gains = compute_gains(ranking.pool_grades.clip(0), largest_grade)
    ideal_gains = ideal_gains * discount.factor(ideal_ranks)
    if discount.cut_ideal:
        ideal_gains = ideal_gains[ideal_ranks <= limit]
    return _divide(gains, ideal_gains.sum())


def _find_limit(measure: Measure, ranking: RankedGrades) -> float:
    """Return the last rank that counts for our nDCG: its cut-off, or a percentage of papers."""
    if "percent" not in measure.params:
        return _read_cutoff(measure)
    if measure["pool"] == "judged":
        paper_count = len(ranking.pool_grades)
    else:
        paper_count = int(ranking.is_judged.sum())
    return float(measure["percent"] * paper_count // 100)


def _split_ndcg(measure: Measure, ranking: RankedGrades) -> np.ndarray:
    """Split ir_measures' nDCG: gains are grades (or 2**grade - 1), discounts 1/log2(rank + 1)."""
    gains = _discount_gains(measure, ranking.grades)
    ideal_gains = _discount_gains(measure, ranking.pool_grades)
    return _divide(gains, ideal_gains.sum())


def _discount_gains(measure: Measure, grades: np.ndarray) -> np.ndarray:
    """Return each paper's discounted gain in ir_measures' nDCG; 0 behind the cut-off.

    grades: (papers,) in the order of their ranks; a negative one counts as 0.
    """
    gains = grades.clip(0)
    if measure["dcg"] == "exp-log2":
        gains = 2.0**gains - 1

    ranks = np.arange(1, len(grades) + 1)
    discounted_gains = gains / np.log2(ranks + 1)
    return np.where(ranks <= _read_cutoff(measure), discounted_gains, 0.0)


def _divide(gains: np.ndarray, ideal: float) -> np.ndarray:
    """Divide gains by the ideal sum; zeros if that is 0."""
    return gains / ideal if ideal > 0 else np.zeros(len(gains))


# --- measures of relevant papers ----------------------------------------------------------------


def _split_precision(measure: Measure, ranking: RankedGrades) -> np.ndarray:
    """Split precision at k: 1/k each."""
    is_counted = _mark_relevant(measure, ranking) & (ranking.ranks <= _read_cutoff(measure))
    return is_counted / _read_cutoff(measure)


def _split_recall(measure: Measure, ranking: RankedGrades) -> np.ndarray:
    """Split recall at k, or of the whole ranking: 1/R each."""
    is_counted = _mark_relevant(measure, ranking) & (ranking.ranks <= _read_cutoff(measure))
    return is_counted / _count_relevant(measure, ranking)


def _split_r_precision(measure: Measure, ranking: RankedGrades) -> np.ndarray:
    """Split recall at rank R: 1/R each."""
    relevant_count = _count_relevant(measure, ranking)
    is_counted = _mark_relevant(measure, ranking) & (ranking.ranks <= relevant_count)
    return is_counted / relevant_count


def _split_average_precision(measure: Measure, ranking: RankedGrades) -> np.ndarray:
    """Split average precision: the precision at each relevant paper's rank, over R."""
    is_relevant = _mark_relevant(measure, ranking) & (ranking.ranks <= _read_cutoff(measure))
    precisions = np.cumsum(is_relevant) / ranking.ranks
    return np.where(is_relevant, precisions, 0.0) / _count_relevant(measure, ranking)


def _split_reciprocal_rank(measure: Measure, ranking: RankedGrades) -> np.ndarray:
    """Split reciprocal rank: 1/rank for the first relevant paper, 0 for all others."""
    return _credit_first(measure, ranking, _mark_relevant(measure, ranking))


def _split_doris_reciprocal_rank(measure: Measure, ranking: RankedGrades) -> np.ndarray:
    """Split DORIS-MAE's reciprocal rank, in which only papers of the highest grade count."""
    has_highest_grade = ranking.grades == ranking.pool_grades.max()
    return _credit_first(measure, ranking, ranking.is_judged & has_highest_grade)


def _credit_first(measure: Measure, ranking: RankedGrades, is_relevant: np.ndarray) -> np.ndarray:
    """Return 1/rank for the first relevant paper, if it is within the cut-off; else 0.

    is_relevant: (ranked papers,) bools.
    """
    is_first = is_relevant & (np.cumsum(is_relevant) == 1)
    is_within_cutoff = ranking.ranks <= _read_cutoff(measure)
    return np.where(is_first & is_within_cutoff, 1 / ranking.ranks, 0.0)


def _read_cutoff(measure: Measure) -> float:
    """Return a measure's cut-off; infinity if it has none."""
    return read_parameter(measure, "cutoff", np.inf)


def _mark_relevant(measure: Measure, ranking: RankedGrades) -> np.ndarray:
    """Mark the ranked papers that are relevant for a measure with a lowest grade."""
    return ranking.is_judged & (ranking.grades >= read_parameter(measure, "rel", 1))


def _count_relevant(measure: Measure, ranking: RankedGrades) -> int:
    """Return R, the number of a query's relevant papers, at least 1 to divide by."""
    lowest = read_parameter(measure, "rel", 1)
    return max(1, int((ranking.pool_grades >= lowest).sum()))


# --- all measures -------------------------------------------------------------------------------

#: name of a measure -> how it splits
SPLITS: dict[str, Split] = {
    NDCG.NAME: _split_our_ndcg,
    "nDCG": _split_ndcg,
    "P": _split_precision,
    "R": _split_recall,
    "Rprec": _split_r_precision,
    "AP": _split_average_precision,
    "RR": _split_reciprocal_rank,
    "DorisR": _split_recall,
    "DorisRprec": _split_r_precision,
    "DorisAP": _split_average_precision,
    "DorisRR": _split_doris_reciprocal_rank,
}
#: name of a measure -> why it does not split
INDIVISIBLE = {
    "PLastRel": "it depends on the rank of the last relevant paper alone",
    "rHSA": "it is the slope of a line through histograms of scores",
    "Success": "one relevant paper counts as much as ten",
    "Bpref": "a paper counts by the papers above it that are judged and not relevant",
    "infAP": "it is estimated from a sample of judgements",
    "ERR": "a paper counts by what the papers above it leave to be found",
    "RBP": "it is computed by a program that does not state its sums",
}

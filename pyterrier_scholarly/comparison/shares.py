"""Each paper's share of a measure, and of the difference of a measure between two rankings.

    contributions(measure_of("NDCG%20"), qrels, run)  # qid, docno, contribution

A measure splits by paper if a query's value is a sum in which each ranked paper has one summand:

- nDCG in all our forms and ir_measures': the paper's discounted gain over the ideal sum;
- precision at k: 1/k for a relevant paper among the first k;
- recall at k and R-precision: 1/R, with R the number of relevant papers;
- average precision: the precision at the paper's rank, over R. It moves when others move;
- reciprocal rank: all of it belongs to the first relevant paper.

A paper's share of a difference is its contribution in one ranking minus that in the other, so that
shares add up to the difference. Ties are broken as the measure's own code breaks them.
"""

from collections.abc import Callable
from typing import NamedTuple, TypeAlias

import ir_measures
import numpy as np
import pandas as pd
from ir_measures import Measure
from ir_measures.providers.base import NOT_PROVIDED

from ..measures import NDCG
from ..measures.ndcg import DISCOUNTS, GAINS

EXACT = 1e-9  #: how far a query's contributions may be from its value
KEY = ["qid", "docno"]
#: what `iteration` of DORIS-MAE's judgements says, and other judgements need not have
OPTIONAL_COLUMN = "iteration"


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


# --- public -------------------------------------------------------------------------------------


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


def contributions(measure: Measure, qrels: pd.DataFrame, run: pd.DataFrame) -> pd.DataFrame:
    """Split each query's value of a measure by paper.

    Args:
        measure: one with shares, see `describe_indivisible`.
        qrels: frame `qid`, `docno`, `label`, and `iteration` for DORIS-MAE's measures.
        run: frame `qid`, `docno`, `score`; each paper once for a query.

    Returns:
        Frame `qid`, `docno`, `contribution`, a row for each paper that contributes. Those of a
        query add up to its value of the measure.

    Raises:
        ValueError: a measure without shares, or one whose code on this computer computes something
            else than its contributions add up to.
    """
    reason = describe_indivisible(measure)
    if reason:
        raise ValueError(reason)

    split = SPLITS[str(measure.NAME)]
    grade_of_pair = _read_grades(measure, qrels)
    judged_qids = grade_of_pair.index.get_level_values("qid")
    ranked = _rank(measure, run[run["qid"].isin(judged_qids)], grade_of_pair)
    pools = {qid: np.sort(grades)[::-1] for qid, grades in grade_of_pair.groupby("qid")}

    parts = []
    for qid, rows in ranked.groupby("qid", sort=False):
        ranking = RankedGrades(
            grades=rows["grade"].to_numpy(dtype=np.int64),
            is_judged=rows["is_judged"].to_numpy(),
            pool_grades=np.asarray(pools[qid], dtype=np.int64),
        )
        parts.append(rows[KEY].assign(contribution=split(measure, ranking)))
    if not parts:
        return pd.DataFrame({"qid": [], "docno": [], "contribution": []})

    split_values = pd.concat(parts, ignore_index=True)
    _check_sums(measure, qrels, run, split_values)
    return split_values[split_values["contribution"] != 0].reset_index(drop=True)


def shares_of_difference(
    measure: Measure, qrels: pd.DataFrame, run: pd.DataFrame, baseline: pd.DataFrame
) -> pd.DataFrame:
    """Split the difference of two rankings, for each query, by paper.

    Args:
        measure, qrels: see `contributions`.
        run, baseline: frames `qid`, `docno`, `score`.

    Returns:
        Frame `qid`, `docno`, `contribution` (in `run`), `baseline_contribution` and `share`, their
        difference. Shares of a query add up to the difference of its two values.
    """
    of_run = contributions(measure, qrels, run)
    of_baseline = contributions(measure, qrels, baseline)
    of_baseline = of_baseline.rename(columns={"contribution": "baseline_contribution"})

    both = of_run.merge(of_baseline, on=KEY, how="outer").fillna(
        {"contribution": 0.0, "baseline_contribution": 0.0}
    )
    return both.assign(share=both["contribution"] - both["baseline_contribution"])


def values_by_query(measure: Measure, qrels: pd.DataFrame, run: pd.DataFrame) -> pd.Series:
    """Compute a measure for each query with judgements: a series by `qid`; 0 without results.

    NaN for a query that the measure leaves out.
    """
    metrics = ir_measures.iter_calc([measure], _for_ir_measures(qrels), _for_ir_measures(run))
    value_by_query = {metric.query_id: float(metric.value) for metric in metrics}
    values = pd.Series(value_by_query, dtype=float)
    return values.reindex(qrels["qid"].drop_duplicates()).rename_axis("qid")


# --- rankings and grades ------------------------------------------------------------------------


def _for_ir_measures(frame: pd.DataFrame) -> pd.DataFrame:
    """Return a frame with ir_measures' names of columns."""
    return frame.rename(columns={"qid": "query_id", "docno": "doc_id", "label": "relevance"})


def _read_grades(measure: Measure, qrels: pd.DataFrame) -> pd.Series:
    """Return the grade of each judged pair as the measure sees it; the last judgement counts."""
    columns = [*KEY, "label"]
    if OPTIONAL_COLUMN in qrels:
        columns.append(OPTIONAL_COLUMN)
    judged = qrels[columns].drop_duplicates(KEY, keep="last")

    grades = judged["label"]
    if hasattr(measure, "read_relevance"):  # ours: DORIS-MAE's measures derive it from two columns
        grades = measure.read_relevance(_for_ir_measures(judged))
    elif "gains" in measure.params:
        gain_of_grade = measure["gains"]
        grades = [gain_of_grade.get(grade, grade) for grade in judged["label"]]

    pairs = pd.MultiIndex.from_frame(judged[KEY])
    return pd.Series(np.asarray(grades, dtype=np.int64), pairs)


def _rank(measure: Measure, run: pd.DataFrame, grade_of_pair: pd.Series) -> pd.DataFrame:
    """Return `qid`, `docno`, `grade`, `is_judged`, best paper first, as the measure ranks."""
    grades = grade_of_pair.reindex(pd.MultiIndex.from_frame(run[KEY])).to_numpy()
    is_judged = ~np.isnan(grades.astype(float))
    scores = run["score"].to_numpy(dtype=float)
    if not _is_ours(measure) and not _is_ms_marco(measure):
        scores = scores.astype(np.float32)  # trec_eval's scores have single precision

    ranked = run[KEY].assign(
        score=scores, grade=np.where(is_judged, grades, 0), is_judged=is_judged
    )
    if _parameter(measure, "judged_only", False):
        ranked = ranked[ranked["is_judged"]]

    ties_ascend = _is_ms_marco(measure)
    return ranked.sort_values(
        ["qid", "score", "docno"], ascending=[True, False, ties_ascend], kind="stable"
    )


def _is_ours(measure: Measure) -> bool:
    return hasattr(measure, "read_relevance")


def _is_ms_marco(measure: Measure) -> bool:
    """Return whether MS MARCO's script computes a measure: it alone has RR with a cut-off."""
    return measure.NAME == "RR" and "cutoff" in measure.params


def _parameter(measure: Measure, name: str, default: float) -> float:
    """Return a parameter's value, `default` if the measure lacks it or it was not passed."""
    if name not in measure.SUPPORTED_PARAMS:
        return default
    value = measure[name]
    return default if value is NOT_PROVIDED or value is None else value


def _check_sums(
    measure: Measure, qrels: pd.DataFrame, run: pd.DataFrame, split_values: pd.DataFrame
) -> None:
    """Raise ValueError unless contributions add up to the values that ir_measures computes."""
    values = values_by_query(measure, qrels, run).dropna()
    sums = split_values.groupby("qid")["contribution"].sum().reindex(values.index, fill_value=0.0)
    differences = (sums - values).abs()
    if differences.empty or differences.max() <= EXACT:
        return
    qid = differences.idxmax()
    raise ValueError(
        f"{measure} shows no shares of papers: for query {qid!r} its code computes "
        f"{values[qid]!r}, but its papers add up to {sums[qid]!r}."
    )


# --- one function a measure ---------------------------------------------------------------------


def _cutoff(measure: Measure) -> float:
    """Return a measure's cut-off; infinity if it has none."""
    return _parameter(measure, "cutoff", np.inf)


def _mark_relevant(measure: Measure, ranking: RankedGrades) -> np.ndarray:
    """Mark the ranked papers that are relevant for a measure with a lowest grade."""
    return ranking.is_judged & (ranking.grades >= _parameter(measure, "rel", 1))


def _count_relevant(measure: Measure, ranking: RankedGrades) -> int:
    """Return R, the number of a query's relevant papers, at least 1 to divide by."""
    lowest = _parameter(measure, "rel", 1)
    return max(1, int((ranking.pool_grades >= lowest).sum()))


def _split_our_ndcg(measure: Measure, ranking: RankedGrades) -> np.ndarray:
    """Split `pyterrier_scholarly.NDCG`, also of a share of the pool."""
    discount = DISCOUNTS[measure["discount"]]
    find_gains = GAINS[measure["gain"]]
    limit = _cutoff(measure)
    if "percent" in measure.params:
        counts_pool = measure["pool"] == "judged"
        size = len(ranking.pool_grades) if counts_pool else int(ranking.is_judged.sum())
        limit = measure["percent"] * size // 100

    # a common factor of all gains, against overflow, which cancels in the division
    largest = np.int64(max(0, ranking.pool_grades.max()))
    ranks = ranking.ranks
    gains = find_gains(ranking.grades.clip(0), largest) * discount.factor(ranks)
    gains = np.where(ranking.is_judged & (ranks <= limit), gains, 0.0)

    ideal_ranks = np.arange(1, len(ranking.pool_grades) + 1)
    ideal_gains = find_gains(ranking.pool_grades.clip(0), largest) * discount.factor(ideal_ranks)
    if discount.cut_ideal:
        ideal_gains = ideal_gains[ideal_ranks <= limit]
    return _divide(gains, ideal_gains.sum())


def _split_ndcg(measure: Measure, ranking: RankedGrades) -> np.ndarray:
    """Split ir_measures' nDCG: gains are grades (or 2**grade - 1), discounts 1/log2(rank + 1)."""
    is_exponential = measure["dcg"] == "exp-log2"

    def discount_gains(grades: np.ndarray) -> np.ndarray:
        gains = grades.clip(0)
        if is_exponential:
            gains = 2.0**gains - 1
        ranks = np.arange(1, len(grades) + 1)
        return np.where(ranks <= _cutoff(measure), gains / np.log2(ranks + 1), 0.0)

    ideal = discount_gains(ranking.pool_grades).sum()
    return _divide(discount_gains(ranking.grades), ideal)


def _divide(gains: np.ndarray, ideal: float) -> np.ndarray:
    """Divide gains by the ideal sum; zeros if that is 0."""
    return gains / ideal if ideal > 0 else np.zeros(len(gains))


def _split_precision(measure: Measure, ranking: RankedGrades) -> np.ndarray:
    """Split precision at k: 1/k each."""
    counts = _mark_relevant(measure, ranking) & (ranking.ranks <= _cutoff(measure))
    return counts / _cutoff(measure)


def _split_recall(measure: Measure, ranking: RankedGrades) -> np.ndarray:
    """Split recall at k, or of the whole ranking: 1/R each."""
    counts = _mark_relevant(measure, ranking) & (ranking.ranks <= _cutoff(measure))
    return counts / _count_relevant(measure, ranking)


def _split_r_precision(measure: Measure, ranking: RankedGrades) -> np.ndarray:
    """Split recall at rank R: 1/R each."""
    relevant_count = _count_relevant(measure, ranking)
    counts = _mark_relevant(measure, ranking) & (ranking.ranks <= relevant_count)
    return counts / relevant_count


def _split_average_precision(measure: Measure, ranking: RankedGrades) -> np.ndarray:
    """Split average precision: the precision at each relevant paper's rank, over R."""
    is_relevant = _mark_relevant(measure, ranking) & (ranking.ranks <= _cutoff(measure))
    precisions = np.cumsum(is_relevant) / ranking.ranks
    return np.where(is_relevant, precisions, 0.0) / _count_relevant(measure, ranking)


def _split_reciprocal_rank(measure: Measure, ranking: RankedGrades) -> np.ndarray:
    """Give all to the first relevant paper; of DORIS-MAE's, the first with the highest total."""
    if measure.NAME == "DorisRR":
        is_relevant = ranking.is_judged & (ranking.grades == ranking.pool_grades.max())
    else:
        is_relevant = _mark_relevant(measure, ranking)
    is_first = is_relevant & (np.cumsum(is_relevant) == 1)
    return np.where(is_first & (ranking.ranks <= _cutoff(measure)), 1 / ranking.ranks, 0.0)


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
    "DorisRR": _split_reciprocal_rank,
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

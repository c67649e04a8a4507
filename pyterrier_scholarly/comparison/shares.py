"""Each paper's share of a measure, and of the difference of a measure between two rankings.

    split_measure(measure_of("NDCG%20"), qrels, run)  # qid, docno, contribution

A paper's share of a difference is its contribution in one ranking minus that in the other, so that
shares add up to the difference. Ties are broken as the measure's own code breaks them.
"""

import numpy as np
import pandas as pd
from ir_measures import Measure

from ..evaluation.checks import PAIR
from ..evaluation.measure_names import measure_queries
from .graded_rankings import rank_as_measured, read_grades
from .measure_splits import SPLITS, RankedGrades, describe_indivisible

EXACT = 1e-9  #: how far a query's contributions may be from its value


def split_measure(measure: Measure, qrels: pd.DataFrame, run: pd.DataFrame) -> pd.DataFrame:
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
    grade_of_pair = read_grades(measure, qrels)
    pools = {qid: np.sort(grades)[::-1] for qid, grades in grade_of_pair.groupby("qid")}
    judged_run = run[run["qid"].isin(list(pools))]
    ranked = rank_as_measured(measure, judged_run, grade_of_pair)

    contributions_by_query = []
    for qid, rows in ranked.groupby("qid", sort=False):
        ranking = RankedGrades(
            grades=rows["grade"].to_numpy(dtype=np.int64),
            is_judged=rows["is_judged"].to_numpy(),
            pool_grades=np.asarray(pools[qid], dtype=np.int64),
        )
        contributions_by_query.append(rows[PAIR].assign(contribution=split(measure, ranking)))
    if not contributions_by_query:
        return pd.DataFrame({"qid": [], "docno": [], "contribution": []})

    all_contributions = pd.concat(contributions_by_query, ignore_index=True)
    _check_sums(measure, qrels, run, all_contributions)
    return all_contributions[all_contributions["contribution"] != 0].reset_index(drop=True)


def split_difference(
    measure: Measure, qrels: pd.DataFrame, run: pd.DataFrame, baseline: pd.DataFrame
) -> pd.DataFrame:
    """Split the difference of two rankings, for each query, by paper.

    Args:
        measure, qrels: see `split_measure`.
        run, baseline: frames `qid`, `docno`, `score`.

    Returns:
        Frame `qid`, `docno`, `contribution` (in `run`), `baseline_contribution` and `share`, their
        difference. Shares of a query add up to the difference of its two values.
    """
    of_run = split_measure(measure, qrels, run)
    of_baseline = split_measure(measure, qrels, baseline)
    of_baseline = of_baseline.rename(columns={"contribution": "baseline_contribution"})

    shares = of_run.merge(of_baseline, on=PAIR, how="outer")
    # a paper that one ranking alone has contributes nothing in the other
    shares = shares.fillna({"contribution": 0.0, "baseline_contribution": 0.0})
    return shares.assign(share=shares["contribution"] - shares["baseline_contribution"])


def _check_sums(
    measure: Measure, qrels: pd.DataFrame, run: pd.DataFrame, all_contributions: pd.DataFrame
) -> None:
    """Raise ValueError unless contributions add up to the values that ir_measures computes."""
    values = measure_queries(measure, qrels, run).dropna()
    sums = all_contributions.groupby("qid")["contribution"].sum()
    sums = sums.reindex(values.index, fill_value=0.0)
    differences = (sums - values).abs()
    if differences.empty or differences.max() <= EXACT:
        return
    qid = differences.idxmax()
    raise ValueError(
        f"{measure} shows no shares of papers: for query {qid!r} its code computes "
        f"{values[qid]!r}, but its papers add up to {sums[qid]!r}."
    )

"""What unjudged documents may hide: how far a figure would move if they were judged.

    unjudged_effects(run, qrels, ["nDCG@10", "P@20"])   # per query: share, condensed, bounds
    bound_ndcg(run, qrels, "nDCG@10")                   # per query: lowest and highest
    condense(run, qrels)                                # the run without unjudged documents

A first-stage system finds documents that no pool had. Measures count them as not relevant, so its
figure is too low by an unknown amount.

Conventions: runs have the columns `qid`, `docno`, `score`; judgements `qid`, `docno`, `label`.
Results are ordered as measures order them: by score, equal scores by document id, descending.
"""

from collections.abc import Callable
from typing import NamedTuple

import ir_measures
import numpy as np
import pandas as pd

from .. import frames
from ..arguments import Count, Natural, check_arguments
from ..measures.ndcg import DISCOUNTS, GAINS, NDCG
from .measure_names import Measures, Named, measure_of

PAIR = ["qid", "docno"]
RUN_COLUMNS = [*PAIR, "score"]
QREL_COLUMNS = [*PAIR, "label"]
EFFECTS = ["judged_share", "condensed", "lowest", "highest"]
OUR_NDCG = type(NDCG)


class NdcgForm(NamedTuple):
    """How an nDCG is computed.

    compute_gains: from an int array of grades, at least 0, to gains up to a common factor.
    compute_factors: from an array of ranks to discounts.
    cutoff, percent: where the ranking is cut; both None for nowhere.
    percent_of: what `percent` counts, "judged" documents or "ranked" ones.
    cut_ideal: whether the ideal ranking is cut, too.
    """

    compute_gains: Callable[[np.ndarray], np.ndarray]
    compute_factors: Callable[[np.ndarray], np.ndarray]
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


UNJUDGED = -1  # in the place of a grade


@check_arguments
def condense(run: pd.DataFrame, qrels: pd.DataFrame) -> pd.DataFrame:
    """Return a run without its unjudged documents, ranked anew [Sakai 2007, condensed lists].

    Measures on it do not punish a system for documents that nobody judged. They favour systems that
    find few judged ones, so report both.

    Args:
        run: frame with `qid`, `docno`, `score`.
        qrels: frame with `qid`, `docno`.
    """
    frames.check(run, "condense, run", RUN_COLUMNS)
    frames.check(qrels, "condense, qrels", PAIR)
    return frames.ranked(run[_find_judged(run, qrels)].reset_index(drop=True))


@check_arguments
def unjudged_effects(
    run: pd.DataFrame,
    qrels: pd.DataFrame,
    measures: Measures,
    *,
    highest_grade: Count | None = None,
) -> pd.DataFrame:
    """Compute what unjudged documents may hide, for each query and measure.

    Args:
        run: frame with `qid`, `docno`, `score`.
        qrels: frame with `qid`, `docno`, `label`.
        measures: objects or strings.
        highest_grade: that an unjudged document may deserve; None for the highest of `qrels`.

    Returns:
        Frame `qid` (each of `qrels`), `measure`, `value`; `judged_share` (of the results up to the
        measure's cut-off; NaN without results); `condensed` (the value of `condense(run)`; NaN if
        `qrels` hold relevant documents alone, as LitSearch's: it would always be perfect); `lowest`
        and `highest` (see `bound_ndcg`; NaN for measures other than nDCG).

    Raises:
        ValueError: an unknown measure, or no judgements.
    """
    _check_frames(run, qrels, "unjudged_effects")
    all_grades = qrels["label"]
    has_negatives = bool((all_grades <= 0).any())
    condensed_run = run[_find_judged(run, qrels)]

    effects = []
    for name in measures:
        measure = measure_of(name)
        values = _compute_values(measure, run, qrels)
        effect = pd.DataFrame({"qid": values.index, "measure": str(measure), "value": values})

        shares = _compute_judged_shares(run, qrels, measure.params.get("cutoff"))
        effect["judged_share"] = effect["qid"].map(shares)

        effect["condensed"] = np.nan
        if has_negatives:
            effect["condensed"] = effect["qid"].map(_compute_values(measure, condensed_run, qrels))

        effect["lowest"] = np.nan
        effect["highest"] = np.nan
        if is_ndcg(measure):
            bounds = bound_ndcg(run, qrels, measure, highest_grade=highest_grade).set_index("qid")
            effect["lowest"] = effect["qid"].map(bounds["lowest"])
            effect["highest"] = effect["qid"].map(bounds["highest"])
        effects.append(effect)
    return pd.concat(effects, ignore_index=True)


@check_arguments
def bound_ndcg(
    run: pd.DataFrame,
    qrels: pd.DataFrame,
    measure: Named = "nDCG@10",
    *,
    highest_grade: Count | None = None,
    outside: Natural = 0,
) -> pd.DataFrame:
    """Compute the lowest and the highest nDCG that the judgements allow, for each query.

    Each unjudged result may deserve any grade from 0 to `highest_grade`. The bounds are exact: no
    choice of grades gives a value beyond them. A relevant one raises the ideal ranking, too, so the
    highest value needs only some of them to be relevant, and the lowest is below the figure.

    Args:
        run: frame with `qid`, `docno`, `score`.
        qrels: frame with `qid`, `docno`, `label`.
        measure: nDCG of ir_measures, or our NDCG in any form. A percentage counts all results as
            judged.
        highest_grade: None for the highest of `qrels`.
        outside: how many documents of the highest grade may hide outside the results. They lower
            `lowest` alone.

    Returns:
        Frame `qid` (each of `qrels`), `lowest`, `highest`.

    Raises:
        ValueError: another measure, no judgements, or a judged grade above `highest_grade`.
    """
    _check_frames(run, qrels, "bound_ndcg")
    parsed_measure = measure_of(measure)
    reason = describe_unbounded(parsed_measure)
    if reason:
        raise ValueError(
            f"bound_ndcg, measure={measure!r}: expected a form of nDCG, such as 'nDCG@10' or "
            f"'LitSearchNDCG@10'. {reason}"
        )

    highest_judged = int(qrels["label"].max())
    top_grade = max(highest_judged, 1) if highest_grade is None else highest_grade
    if top_grade < highest_judged:
        raise ValueError(
            f"highest_grade={top_grade} is below {highest_judged}, which a document of qrels has. "
            f"Pass {highest_judged} or more."
        )

    form = _read_form(parsed_measure, top_grade)
    rows = []
    for qid, grades in _collect_grades(run, qrels).items():
        bounds = _bound_query(grades, form, top_grade, outside)
        rows.append({"qid": qid, "lowest": bounds.lowest, "highest": bounds.highest})
    return pd.DataFrame(rows)


def are_all_judged(run: pd.DataFrame, qrels: pd.DataFrame) -> bool:
    """Return whether every result of a run is judged for its query."""
    return bool(_find_judged(run, qrels).all())


def describe_unbounded(measure: ir_measures.Measure) -> str:
    """Return why a measure has no bounds; "" if it has some."""
    if is_ndcg(measure):
        return ""
    return (
        f"{measure} has no bounds: which grades of unjudged documents give its lowest and highest "
        "value is known here for nDCG alone. Compare the value and that of condense(run)."
    )


def is_ndcg(measure: ir_measures.Measure) -> bool:
    """Return whether a measure is nDCG of ir_measures, or a form of ours."""
    return isinstance(measure, OUR_NDCG) or measure.NAME == "nDCG"


def _check_frames(run: pd.DataFrame, qrels: pd.DataFrame, function: str) -> None:
    """Raise an error unless both frames have their columns, and there are judgements."""
    frames.check(run, f"{function}, run", RUN_COLUMNS)
    frames.check(qrels, f"{function}, qrels", QREL_COLUMNS)
    if qrels.empty:
        raise ValueError(f"{function}: qrels has no judgement. Pass those of the run's queries.")


def _find_judged(run: pd.DataFrame, qrels: pd.DataFrame) -> np.ndarray:
    """Return a bool array (results,): whether the document is judged for the query."""
    judged_pairs = pd.MultiIndex.from_frame(qrels[PAIR])
    return pd.MultiIndex.from_frame(run[PAIR]).isin(judged_pairs)


def _compute_values(
    measure: ir_measures.Measure, run: pd.DataFrame, qrels: pd.DataFrame
) -> pd.Series:
    """Return the measure's value for each query of `qrels`, by query; 0 without results."""
    run = run.rename(columns={"qid": "query_id", "docno": "doc_id"})
    qrels = qrels.rename(columns={"qid": "query_id", "docno": "doc_id", "label": "relevance"})

    value_by_query = dict.fromkeys(qrels["query_id"], 0.0)
    for metric in ir_measures.iter_calc([measure], qrels, run):
        value_by_query[metric.query_id] = metric.value
    return pd.Series(value_by_query)


def _order_results(run: pd.DataFrame) -> pd.DataFrame:
    """Return results as measures order them, those of a query together."""
    return run.sort_values(["qid", "score", "docno"], ascending=[True, False, False])


def _compute_judged_shares(run: pd.DataFrame, qrels: pd.DataFrame, cutoff: int | None) -> pd.Series:
    """Return, for each query with results, the share of judged ones among the first `cutoff`."""
    results = _order_results(run)
    if cutoff is not None:
        results = results.groupby("qid").head(cutoff)
    is_judged = pd.Series(_find_judged(results, qrels), index=results.index)
    return is_judged.groupby(results["qid"]).mean()


def _collect_grades(run: pd.DataFrame, qrels: pd.DataFrame) -> dict[str, Grades]:
    """Return the grades of each query of `qrels`."""
    # of two judgements of a document the last counts, as in ir_measures
    judgements = qrels.drop_duplicates(PAIR, keep="last")
    judgements = judgements.assign(label=judgements["label"].clip(0))
    results = _order_results(run).merge(judgements[QREL_COLUMNS], on=PAIR, how="left")

    ranked_by_query = {
        qid: labels.fillna(UNJUDGED).to_numpy(dtype=np.int64)
        for qid, labels in results.groupby("qid", sort=False)["label"]
    }
    no_results = np.array([], dtype=np.int64)
    return {
        str(qid): Grades(ranked_by_query.get(qid, no_results), labels.to_numpy(dtype=np.int64))
        for qid, labels in judgements.groupby("qid", sort=False)["label"]
    }


def _read_form(measure: ir_measures.Measure, top_grade: int) -> NdcgForm:
    """Return how a form of nDCG is computed."""
    if isinstance(measure, OUR_NDCG):
        discount = DISCOUNTS[measure["discount"]]
        gain = GAINS[measure["gain"]]
        return NdcgForm(
            compute_gains=lambda grades: gain(grades, np.full(len(grades), top_grade)),
            compute_factors=discount.factor,
            cutoff=measure.params.get("cutoff"),
            percent=measure.params.get("percent"),
            percent_of=measure["pool"],
            cut_ideal=discount.cut_ideal,
        )

    gain_name = "exp2-1" if measure["dcg"] == "exp-log2" else "linear"
    gain = GAINS[gain_name]
    return NdcgForm(
        compute_gains=lambda grades: gain(grades, np.full(len(grades), top_grade)),
        compute_factors=DISCOUNTS["log2"].factor,
        cutoff=measure.params.get("cutoff"),
        percent=None,
        percent_of="judged",
        cut_ideal=True,
    )


def _bound_query(grades: Grades, form: NdcgForm, top_grade: int, outside: int) -> Bounds:
    """Return the bounds of one query.

    A gain is a sum of steps, one for each level of grades that the document reaches. So DCG is a
    sum over levels of (step of the level) * (discounts of the documents that reach it), and the
    ideal DCG is a sum over levels of (step) * (discounts of as many first ranks).
    """
    is_unjudged = grades.ranked == UNJUDGED
    unjudged_count = int(is_unjudged.sum())
    document_count = len(grades.judged) + unjudged_count

    limit = form.find_last_rank(document_count, len(grades.ranked))
    ideal_limit = limit if form.cut_ideal else None
    factors = _discount_ranks(form, len(grades.ranked), limit)
    ideal_factors = _discount_ranks(form, document_count + outside, ideal_limit)
    # sum of the first n discounts, (documents + 1,)
    ideal_sums = np.concatenate([[0.0], ideal_factors.cumsum()])

    # grades between two of these are reached by the same documents, so they are one step
    levels = np.unique([0, top_grade, *grades.judged])
    steps = np.diff(form.compute_gains(levels), prepend=0.0)
    reached_dcg = np.array([factors[grades.ranked >= level].sum() for level in levels])
    reached_counts = np.array([(grades.judged >= level).sum() for level in levels])
    # an unjudged document has grade 0 at least
    reached_dcg[0] = factors.sum()
    reached_counts[0] = document_count

    unjudged_factors = factors[is_unjudged]  # in the order of ranks, so the largest first
    fixed = _Fixed(steps, reached_dcg, reached_counts, ideal_sums)
    return Bounds(
        lowest=_find_lowest(fixed, unjudged_factors, outside),
        highest=_find_highest(fixed, unjudged_factors),
    )


class _Fixed(NamedTuple):
    """What the grades of unjudged documents do not change; arrays (levels,), level 0 first.

    steps: of the gain from the level below.
    dcg: discounts of the judged results that reach the level; at level 0, of all results.
    counts: number of the judged documents that reach it; at level 0, of all documents.
    ideal_sums: sums of the first n discounts of the ideal ranking, (documents + 1,).
    """

    steps: np.ndarray
    dcg: np.ndarray
    counts: np.ndarray
    ideal_sums: np.ndarray

    def compute_ndcg(self, added_dcg: np.ndarray, added_counts: np.ndarray) -> float:
        """Return nDCG if unjudged documents add these discounts and numbers, (levels,)."""
        last = len(self.ideal_sums) - 1
        ideal_counts = (self.counts + added_counts).clip(max=last)
        dcg = self.steps @ (self.dcg + added_dcg)
        ideal_dcg = self.steps @ self.ideal_sums[ideal_counts]
        return float(dcg / ideal_dcg) if ideal_dcg > 0 else 0.0


def _discount_ranks(form: NdcgForm, count: int, limit: int | None) -> np.ndarray:
    """Return the discounts of ranks 1 to `count`; 0 behind `limit`."""
    ranks = np.arange(1, count + 1)
    factors = np.asarray(form.compute_factors(ranks), dtype=float)
    if limit is not None:
        factors[ranks > limit] = 0.0
    return factors


def _find_lowest(fixed: _Fixed, unjudged_factors: np.ndarray, outside: int) -> float:
    """Return the lowest nDCG.

    DCG is linear in gains and the ideal DCG convex, so the lowest ratio is at a corner: some
    documents have the highest grade, all others 0. Of each number of documents, those with the
    smallest discounts are worst: first those outside the results, then from the last rank upwards.
    """
    smallest_first = np.concatenate([np.zeros(outside), unjudged_factors[::-1]])
    sums = np.concatenate([[0.0], smallest_first.cumsum()])

    values = []
    is_graded = np.arange(len(fixed.steps)) > 0  # level 0 has all documents already
    for count, added_dcg in enumerate(sums):
        values.append(fixed.compute_ndcg(added_dcg * is_graded, count * is_graded))
    return min(values)


def _find_highest(fixed: _Fixed, unjudged_factors: np.ndarray) -> float:
    """Return the highest nDCG, by Dinkelbach's method for the largest ratio of two sums.

    For a ratio that is reached, the method looks for grades that exceed it: those with the largest
    DCG - ratio * ideal DCG. At each level it chooses how many of the first unjudged documents reach
    it. A higher level never has more of them than a lower one, as its ideal ranking is shorter and
    so costs more. Without grades that exceed the ratio, it is the highest.
    """
    sums = np.concatenate([[0.0], unjudged_factors.cumsum()])  # (unjudged documents + 1,)
    added_counts = np.arange(len(sums))
    no_document = np.zeros(len(fixed.steps), dtype=np.int64)

    highest = fixed.compute_ndcg(sums[no_document], no_document)
    while True:
        chosen_counts = no_document.copy()
        for level in range(1, len(fixed.steps)):
            ideal_sums = fixed.ideal_sums[fixed.counts[level] + added_counts]
            chosen_counts[level] = np.argmax(sums - highest * ideal_sums)

        value = fixed.compute_ndcg(sums[chosen_counts], chosen_counts)
        if value <= highest:
            return highest
        highest = value

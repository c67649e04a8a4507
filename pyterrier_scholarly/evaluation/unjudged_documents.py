"""What unjudged documents may hide: how far a figure would move if they were judged.

    unjudged_effects(run, qrels, ["nDCG@10", "P@20"])   # per query: value, judged share, condensed
    condense(run, qrels)                                # the run without unjudged documents
    bound_ndcg(run, qrels, "nDCG@10")                   # per query: lowest and highest

A first-stage system finds documents that no pool had. Measures count them as not relevant, so its
figure is too low by an unknown amount.

Conventions: runs have the columns `qid`, `docno`, `score`; judgements `qid`, `docno`, `label`.
Results are ordered as measures order them: by score, equal scores by document id, descending.
"""

from typing import Any

import ir_measures
import numpy as np
import pandas as pd

from .. import frames
from ..measures.ndcg import DISCOUNTS, GAINS, NDCG
from ..step import best_first, ranked
from .checks import PAIR, mark_pairs
from .measure_names import Measures, Named, measure_of, measure_runs, parse_measures

OUR_NDCG = type(NDCG)
UNJUDGED = -1  # in the place of a grade
EFFECT_COLUMNS = ["qid", "measure", "value", "judged_share", "condensed"]
NO_CUTOFF = 10**9  # the largest that our nDCG takes


def condense(run: pd.DataFrame, qrels: pd.DataFrame) -> pd.DataFrame:
    """Return a run without its unjudged documents, ranked anew [Sakai 2007, condensed lists].

    Measures on it do not punish a system for documents that nobody judged. They favour systems that
    find few judged ones, so report both.

    Args:
        run: frame with `qid`, `docno`, `score`.
        qrels: frame with `qid`, `docno`.
    """
    run = frames.check(run, "condense, run", [*PAIR, "score"])
    qrels = frames.check(qrels, "condense, qrels", PAIR)
    is_judged = mark_pairs(run, qrels)
    judged_results = run[is_judged].reset_index(drop=True)
    return ranked(judged_results)


def unjudged_effects(run: pd.DataFrame, qrels: pd.DataFrame, measures: Measures) -> pd.DataFrame:
    """Compute what unjudged documents may hide, for each query and measure.

    Args:
        run: frame with `qid`, `docno`, `score`.
        qrels: frame with `qid`, `docno`, `label`.
        measures: objects or strings.

    Returns:
        Frame `qid` (each of `qrels`), `measure`, `value`; `judged_share` (of the results up to the
        measure's cut-off; NaN without results); `condensed` (the value of `condense(run)`; NaN if
        `qrels` hold relevant documents alone, as LitSearch's: it would always be perfect).

    Raises:
        ValueError: an unknown measure, or no judgements.
    """
    run, qrels = _check_frames(run, qrels)
    results = mark_judged(run, qrels)
    has_negatives = bool((qrels["label"] <= 0).any())

    # a measure in two spellings is one
    parsed_measures = list(dict.fromkeys(parse_measures(measures).values()))
    runs = {"value": run}
    if has_negatives:
        runs["condensed"] = results[results["is_judged"]]
    values = measure_runs(runs, qrels, parsed_measures)

    effects = []
    for measure in parsed_measures:
        values_of_measure = values[values["measure"] == str(measure)]
        effect = values_of_measure.pivot(index="qid", columns="name", values="value")
        effect = effect.reindex(qrels["qid"].unique())
        effect["measure"] = str(measure)
        effect["judged_share"] = find_judged_shares(results, measure)
        effects.append(effect.reset_index())
    frame = pd.concat(effects, ignore_index=True).rename_axis(columns=None)
    return frame.reindex(columns=EFFECT_COLUMNS)


def mark_judged(run: pd.DataFrame, qrels: pd.DataFrame) -> pd.DataFrame:
    """Return a run's results, best first, with `rank` from 0 and whether each `is_judged`."""
    results = best_first(run)
    ranks = results.groupby("qid").cumcount()
    return results.assign(rank=ranks, is_judged=mark_pairs(results, qrels))


def find_judged_shares(results: pd.DataFrame, measure: ir_measures.Measure) -> pd.Series:
    """Return the judged share of each query's results, up to the measure's cut-off if it has one.

    results: of `mark_judged`.
    """
    is_counted = results["rank"] < measure.params.get("cutoff", np.inf)
    return results[is_counted].groupby("qid")["is_judged"].mean()


def _check_frames(run: pd.DataFrame, qrels: pd.DataFrame) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Return both frames, or raise an error: a missing column, or no judgements."""
    run = frames.check(run, "run", [*PAIR, "score"])
    qrels = frames.check(qrels, "qrels", [*PAIR, "label"])
    if qrels.empty:
        raise ValueError("qrels has no judgement. Pass those of the run's queries.")
    return run, qrels


# --- bounds of nDCG -----------------------------------------------------------------------------


def is_ndcg(measure: ir_measures.Measure) -> bool:
    """Return whether a measure is nDCG of ir_measures in a form of ours, too."""
    has_other_values = measure.params.get("gains") or measure.params.get("judged_only")
    return isinstance(measure, OUR_NDCG) or (measure.NAME == "nDCG" and not has_other_values)


def describe_unbounded(measure: ir_measures.Measure) -> str:
    """Return why a measure has no bounds; "" if it has some."""
    if is_ndcg(measure):
        return ""
    return (
        f"{measure} has no bounds: which grades of unjudged documents give its lowest and highest "
        "value is known here for nDCG alone, without gains= and judged_only=. Compare the value "
        "and that of condense(run)."
    )


def bound_ndcg(run: pd.DataFrame, qrels: pd.DataFrame, measure: Named = "nDCG@10") -> pd.DataFrame:
    """Compute the lowest and the highest nDCG that the judgements allow, for each query.

    Each unjudged result may deserve any grade from 0 to the highest of `qrels`. The bounds are
    exact: no choice of grades gives a value beyond them. A relevant one raises the ideal ranking,
    too, so the highest value needs only some of them to be relevant, and the lowest is below the
    figure.

    Args:
        run: frame with `qid`, `docno`, `score`.
        qrels: frame with `qid`, `docno`, `label`.
        measure: nDCG of ir_measures, or our NDCG in any form. A percentage counts all results as
            judged.

    Returns:
        Frame `qid` (each of `qrels`), `lowest`, `highest`.

    Raises:
        ValueError: another measure, or no judgements.
    """
    run, qrels = _check_frames(run, qrels)
    form = measure_of(measure)
    if not is_ndcg(form):
        raise ValueError(
            f"bound_ndcg, measure={measure!r}: expected a form of nDCG, such as 'nDCG@10' or "
            f"'LitSearchNDCG@10'. {describe_unbounded(form)}"
        )
    if not isinstance(form, OUR_NDCG):  # of ir_measures: the form of ours that is the same
        gain = {"log2": "linear", "exp-log2": "exp2-1"}[form["dcg"]]
        form = NDCG(discount="log2", gain=gain, cutoff=form.params.get("cutoff", NO_CUTOFF))

    # of two judgements of a document the last counts, as in ir_measures; below 0 is 0
    judgements = qrels.drop_duplicates(PAIR, keep="last")[[*PAIR, "label"]]
    judgements["label"] = judgements["label"].clip(0).astype(int)
    results = best_first(run).merge(judgements, on=PAIR, how="left")
    grades_of_results = results["label"].fillna(UNJUDGED).groupby(results["qid"])
    grades_by_query = {query_id: grades.to_numpy() for query_id, grades in grades_of_results}
    top_grade = max(judgements["label"].max(), 1)

    bounds = []
    for query_id, judged_grades in judgements.groupby("qid", sort=False)["label"]:
        ranked_grades = grades_by_query.get(query_id, np.empty(0))
        lowest, highest = _bound_query(ranked_grades, judged_grades.to_numpy(), form, top_grade)
        bounds.append((query_id, lowest, highest))
    return pd.DataFrame(bounds, columns=["qid", "lowest", "highest"])


def _bound_query(
    ranked_grades: np.ndarray,
    judged_grades: np.ndarray,
    form: Any,
    top_grade: int,
) -> tuple[float, float]:
    """Return the lowest and the highest nDCG of one query.

    A document of grade g reaches each level up to g, and its gain is the sum of their steps: with
    the gains 0, 1 and 3 for the grades 0, 1 and 2, the steps of these levels are 0, 1 and 2. So
    DCG and the ideal DCG are sums over levels:

        DCG       = sum of step * (discounts of the results that reach the level)
        ideal DCG = sum of step * (as many first discounts as documents reach the level)

    What has to be chosen is how many unjudged documents reach each level, from none to all.

    Args:
        ranked_grades: (results,), in the order of ranks; UNJUDGED for an unjudged document.
        judged_grades: (judgements,), at least 0.
        form: of our NDCG, whose class has no public name.
        top_grade: the highest grade that an unjudged document may have.
    """
    is_unjudged = ranked_grades == UNJUDGED
    unjudged_count = int(is_unjudged.sum())
    document_count = len(judged_grades) + unjudged_count
    discounts, ideal_sums = _discount_ranks(form, len(ranked_grades), document_count)

    # the levels of the judged documents, and of an unjudged one of the highest grade
    levels = np.unique([0, top_grade, *judged_grades])[:, None]  # (levels, 1)
    steps = _measure_steps(form, levels, top_grade)

    # what judged documents add to both sums at each level
    judged_counts = (judged_grades >= levels).sum(axis=1, keepdims=True)  # (levels, 1)
    reaches_level = ranked_grades >= levels  # (levels, results); no unjudged result reaches any
    judged_sums = (reaches_level * discounts).sum(axis=1, keepdims=True)

    # the choices: how many unjudged documents reach a level; all of them reach grade 0
    counts = np.tile(np.arange(unjudged_count + 1), (len(levels), 1))  # (levels, choices)
    counts[0] = unjudged_count
    ideal_dcgs = steps * ideal_sums[judged_counts + counts]

    # DCG is linear in gains and the ideal DCG convex, so nDCG is lowest where each unjudged
    # document has either grade 0 or the highest one, and the latter are ranked last
    unjudged_discounts = discounts[is_unjudged]  # in the order of ranks, so the largest first
    smallest_sums = _sum_first(unjudged_discounts[::-1])
    lowest_dcgs = steps * (judged_sums + smallest_sums[counts])
    lowest = _divide(lowest_dcgs.sum(axis=0), ideal_dcgs.sum(axis=0)).min()

    # it is highest where the first ones reach a level; how many, each level has for itself. A
    # higher one never has more of them: its ideal sums are shorter, so each costs more
    largest_sums = _sum_first(unjudged_discounts)
    highest_dcgs = steps * (judged_sums + largest_sums[counts])
    return float(lowest), _find_highest_ratio(highest_dcgs, ideal_dcgs)


def _measure_steps(form: Any, levels: np.ndarray, top_grade: int) -> np.ndarray:
    """Return by how much the gain of each level exceeds that of the level before it, (levels, 1).

    levels: grades (levels, 1), ascending.
    """
    # some forms divide gains by that of the best document of a query, here by that of the top
    # grade: such a factor cancels out when DCG is divided by the ideal DCG
    top_grades = np.full_like(levels, top_grade)
    gains = GAINS[form["gain"]](levels, top_grades)
    return np.diff(gains, prepend=0.0, axis=0)


def _discount_ranks(
    form: Any, result_count: int, document_count: int
) -> tuple[np.ndarray, np.ndarray]:
    """Return discounts by a form of our NDCG.

    document_count: of documents that are judged or may be.

    Returns:
        The discounts of the results (results,); and of the ideal ranking the sums of the first 0,
        1, … and all discounts, (documents + 1,).
    """
    discount = DISCOUNTS[form["discount"]]
    pool_size = document_count if form["pool"] == "judged" else result_count
    ranks = np.arange(1, document_count + 1)
    uncut_discounts = discount.factor(ranks)
    cut_discounts = uncut_discounts * (ranks <= form.find_limits(pool_size))

    # some forms cut the run alone, and not the ideal ranking
    ideal_discounts = cut_discounts if discount.cut_ideal else uncut_discounts
    return cut_discounts[:result_count], _sum_first(ideal_discounts)


def _find_highest_ratio(dcgs: np.ndarray, ideal_dcgs: np.ndarray) -> float:
    """Return the highest ratio of two sums, to which each level adds one of its choices.

    This is Dinkelbach's method: choose what exceeds a ratio most, take the ratio of this choice,
    and repeat until none exceeds it. A choice exceeds a ratio by DCG - ratio * ideal DCG, and of
    that difference each level has its own part.

    Args:
        dcgs, ideal_dcgs: what each choice adds to both sums, (levels, choices).
    """
    levels = np.arange(len(dcgs))
    highest = -1.0
    ratio = 0.0
    while ratio > highest:
        highest = ratio
        choices = (dcgs - highest * ideal_dcgs).argmax(axis=1)  # (levels,)
        ratio = float(_divide(dcgs[levels, choices].sum(), ideal_dcgs[levels, choices].sum()))
    return highest


def _sum_first(discounts: np.ndarray) -> np.ndarray:
    """Return the sums of the first 0, 1, … and all n discounts, (n + 1,)."""
    return np.append(0.0, discounts.cumsum())


def _divide(dcg: Any, ideal_dcg: Any) -> Any:
    """Return nDCG; 0 where the ideal is 0, because then DCG is 0, too.

    Both are numbers, or arrays of one shape.
    """
    return dcg / np.maximum(ideal_dcg, np.finfo(float).tiny)

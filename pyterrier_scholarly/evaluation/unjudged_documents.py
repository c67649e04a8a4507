"""What unjudged documents may hide: how far a figure would move if they were judged.

    unjudged_effects(run, qrels, ["nDCG@10", "P@20"])   # per query: value, judged share, condensed
    condense(run, qrels)                                # the run without unjudged documents
    bound_ndcg(run, qrels, "nDCG@10")                   # per query: lowest and highest

A first-stage system finds documents that no pool had. Measures count them as not relevant, so its
figure is too low by an unknown amount.

Conventions: runs have the columns `qid`, `docno`, `score`; judgements `qid`, `docno`, `label`.
Results are ordered as measures order them: by score, equal scores by document id, descending.
"""

import ir_measures
import numpy as np
import pandas as pd

from .. import frames
from ..measures.ndcg import DISCOUNTS, GAINS, NDCG
from ..step import best_first, ranked
from .checks import PAIR, mark_pairs
from .measure_names import Measures, Named, list_measures, measure_of, measure_queries

OUR_NDCG = type(NDCG)
UNJUDGED = -1  # in the place of a grade


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


def are_all_judged(run: pd.DataFrame, qrels: pd.DataFrame) -> bool:
    """Return whether every result of a run is judged for its query."""
    return bool(mark_pairs(run, qrels).all())


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
    run, qrels = _check_frames(run, qrels, "unjudged_effects")
    results = best_first(run)
    rank = results.groupby("qid").cumcount()
    is_judged = mark_pairs(results, qrels)
    judged_results = results[is_judged]
    has_negatives = bool((qrels["label"] <= 0).any())

    effects = []
    for measure in map(measure_of, list_measures(measures)):
        values = measure_queries(measure, qrels, run)
        effect = values.to_frame("value").reset_index().assign(measure=str(measure))

        # the mean of True and False is the share of True
        is_counted = rank < measure.params.get("cutoff", np.inf)
        query_of_counted = results["qid"][is_counted]
        judged_shares = is_judged[is_counted].groupby(query_of_counted).mean()
        effect["judged_share"] = effect["qid"].map(judged_shares)

        effect["condensed"] = np.nan
        if has_negatives:
            condensed_values = measure_queries(measure, qrels, judged_results)
            effect["condensed"] = effect["qid"].map(condensed_values)
        effects.append(effect)
    return pd.concat(effects, ignore_index=True)


def _check_frames(
    run: pd.DataFrame, qrels: pd.DataFrame, function: str
) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Return both frames, or raise an error: a missing column, or no judgements."""
    run = frames.check(run, f"{function}, run", [*PAIR, "score"])
    qrels = frames.check(qrels, f"{function}, qrels", [*PAIR, "label"])
    if qrels.empty:
        raise ValueError(f"{function}: qrels has no judgement. Pass those of the run's queries.")
    return run, qrels


# --- bounds of nDCG -----------------------------------------------------------------------------


def is_ndcg(measure: ir_measures.Measure) -> bool:
    """Return whether a measure is nDCG of ir_measures, or a form of ours."""
    return isinstance(measure, OUR_NDCG) or measure.NAME == "nDCG"


def describe_unbounded(measure: ir_measures.Measure) -> str:
    """Return why a measure has no bounds; "" if it has some."""
    if is_ndcg(measure):
        return ""
    return (
        f"{measure} has no bounds: which grades of unjudged documents give its lowest and highest "
        "value is known here for nDCG alone. Compare the value and that of condense(run)."
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
    run, qrels = _check_frames(run, qrels, "bound_ndcg")
    parsed_measure = measure_of(measure)
    reason = describe_unbounded(parsed_measure)
    if reason:
        raise ValueError(
            f"bound_ndcg, measure={measure!r}: expected a form of nDCG, such as 'nDCG@10' or "
            f"'LitSearchNDCG@10'. {reason}"
        )

    # of two judgements of a document the last counts, as in ir_measures; below 0 is 0
    judgements = qrels.drop_duplicates(PAIR, keep="last")
    judgements = judgements.assign(label=judgements["label"].clip(0))
    results = best_first(run).merge(judgements[[*PAIR, "label"]], on=PAIR, how="left")
    grades_of_results = results["label"].fillna(UNJUDGED).astype(np.int64)
    ranked_by_query = dict(iter(grades_of_results.groupby(results["qid"])))
    top_grade = max(int(judgements["label"].max()), 1)

    form = _express_as_ours(parsed_measure)
    rows = []
    for query_id, grades in judgements.groupby("qid", sort=False)["label"]:
        ranked_grades = np.asarray(ranked_by_query.get(query_id, ()), dtype=np.int64)
        judged_grades = grades.to_numpy(dtype=np.int64)
        lowest, highest = _bound_query(ranked_grades, judged_grades, form, top_grade)
        rows.append((str(query_id), lowest, highest))
    return pd.DataFrame(rows, columns=["qid", "lowest", "highest"])


def _express_as_ours(measure: ir_measures.Measure) -> ir_measures.Measure:
    """Return nDCG of ir_measures as a form of our NDCG, which is returned unchanged."""
    if isinstance(measure, OUR_NDCG):
        return measure
    gain = "exp2-1" if measure["dcg"] == "exp-log2" else "linear"
    form = NDCG(discount="log2", gain=gain)
    if "cutoff" in measure.params:
        return form(cutoff=measure["cutoff"])
    return form


def _bound_query(
    ranked_grades: np.ndarray,
    judged_grades: np.ndarray,
    measure: ir_measures.Measure,
    top_grade: int,
) -> tuple[float, float]:
    """Return the lowest and the highest nDCG of one query.

    A document of grade g reaches each level up to g, and its gain is the sum of their steps: with
    the gains 0, 1 and 3 for the grades 0, 1 and 2, the steps of these levels are 0, 1 and 2. So
    DCG and the ideal DCG are sums over levels:

        DCG       = sum of step * (discounts of the results that reach the level)
        ideal DCG = sum of step * (as many first discounts as documents reach the level)

    What the judged documents add to both sums is certain. What has to be chosen is how many
    unjudged documents reach each level above 0, from none to all.

    Args:
        ranked_grades: (results,), in the order of ranks; UNJUDGED for an unjudged document.
        judged_grades: (judgements,), at least 0.
        measure: a form of our NDCG.
        top_grade: the highest grade that an unjudged document may have.
    """
    is_unjudged = ranked_grades == UNJUDGED
    unjudged_count = int(is_unjudged.sum())
    document_count = len(judged_grades) + unjudged_count

    # some forms of nDCG cut the run alone, and not the ideal ranking
    last_rank = _find_last_rank(measure, len(ranked_grades), document_count)
    is_ideal_cut = DISCOUNTS[measure["discount"]].cut_ideal
    last_ideal_rank = last_rank if is_ideal_cut else np.inf
    discounts = _compute_discounts(measure, len(ranked_grades), last_rank)
    ideal_discounts = _compute_discounts(measure, document_count, last_ideal_rank)
    ideal_sums = _sum_first(ideal_discounts)

    # gains have a common factor, which cancels out when DCG is divided by the ideal DCG
    levels = np.unique([0, top_grade, *judged_grades])  # ascending
    compute_gains = GAINS[measure["gain"]]
    gains = compute_gains(levels, np.full(len(levels), top_grade))
    steps = np.diff(gains, prepend=0.0)  # to each level from the one below

    judged_sums = []  # of each level, the discounts of the judged results that reach it
    ideal_sums_by_level = []  # of each level, its ideal sums with 0, 1, … unjudged documents more
    for level in levels:
        reached_discounts = np.where(ranked_grades >= level, discounts, 0.0)
        judged_sums.append(reached_discounts.sum())

        reaching_count = np.count_nonzero(judged_grades >= level)
        largest_count = reaching_count + unjudged_count
        ideal_sums_by_level.append(ideal_sums[reaching_count : largest_count + 1])

    # every document reaches level 0, so the unjudged ones add to both sums what is certain there
    unjudged_discounts = discounts[is_unjudged]  # in the order of ranks, so the largest first
    certain_dcg = steps @ judged_sums + steps[0] * unjudged_discounts.sum()
    certain_ideal = steps[0] * ideal_sums[document_count]
    higher_steps = steps[1:]
    higher_ideals = np.array(ideal_sums_by_level[1:])

    lowest = _find_lowest(
        certain_dcg, certain_ideal, higher_steps, higher_ideals, unjudged_discounts
    )
    highest = _find_highest(
        certain_dcg, certain_ideal, higher_steps, higher_ideals, unjudged_discounts
    )
    return lowest, highest


def _find_last_rank(measure: ir_measures.Measure, ranked_count: int, document_count: int) -> float:
    """Return the last rank that counts; infinity for a measure without a cut-off.

    document_count: number of the query's documents that are judged, or counted so.
    """
    if "percent" in measure.params:
        pool_size = document_count if measure["pool"] == "judged" else ranked_count
        return measure.params["percent"] * pool_size // 100
    return measure.params.get("cutoff", np.inf)


def _compute_discounts(measure: ir_measures.Measure, count: int, last_rank: float) -> np.ndarray:
    """Return the discounts of the ranks 1 to `count`, (count,); 0 behind the last that counts."""
    ranks = np.arange(1, count + 1)
    factors = DISCOUNTS[measure["discount"]].factor(ranks)
    return np.where(ranks <= last_rank, factors, 0.0)


def _sum_first(discounts: np.ndarray) -> np.ndarray:
    """Return the sums of the first 0, 1, … and all n discounts, (n + 1,)."""
    return np.concatenate([[0.0], discounts.cumsum()])


def _find_lowest(
    certain_dcg: float,
    certain_ideal: float,
    steps: np.ndarray,
    ideal_sums: np.ndarray,
    unjudged_discounts: np.ndarray,
) -> float:
    """Return the lowest nDCG, over all grades that the unjudged documents may have.

    DCG is linear in gains and the ideal DCG convex, so nDCG is lowest where each unjudged document
    has either grade 0 or the highest grade, and the latter are ranked last. So each number of these
    is tried.

    Args:
        certain_dcg, certain_ideal: what both sums have, whatever the grades.
        steps: (levels,), of those above 0.
        ideal_sums: (levels, u + 1), of each level with 0 to u unjudged documents more.
        unjudged_discounts: (u,), the largest first.
    """
    # a document of the highest grade reaches every level, so its gain is the sum of all steps
    added_sums = _sum_first(unjudged_discounts[::-1])
    dcgs = certain_dcg + steps.sum() * added_sums
    ideal_dcgs = certain_ideal + steps @ ideal_sums

    values = np.zeros_like(dcgs)  # 0 where the ideal is 0
    np.divide(dcgs, ideal_dcgs, out=values, where=ideal_dcgs > 0)
    return float(values.min())


def _find_highest(
    certain_dcg: float,
    certain_ideal: float,
    steps: np.ndarray,
    ideal_sums: np.ndarray,
    unjudged_discounts: np.ndarray,
) -> float:
    """Return the highest nDCG, over all grades that the unjudged documents may have.

    It is found by Dinkelbach's method for the largest ratio of two sums: choose what exceeds a
    ratio most, take the ratio of this choice, and repeat until no choice exceeds it. DCG / ideal
    exceeds a ratio where DCG - ratio * ideal is above 0, and of that difference each level has its
    own part. So the best number of unjudged documents is chosen for each level alone. A higher
    level never gets more of them than a lower one: its ideal sums are shorter, so each costs more.

    Arguments are as for `_find_lowest`.
    """
    # of any number that reach a level, the first ones do, because their discounts are the largest
    added_sums = _sum_first(unjudged_discounts)

    # begin with the figure itself: no unjudged document is relevant
    first_ideals = [sums[0] for sums in ideal_sums]
    value = _divide_or_zero(certain_dcg, certain_ideal + steps @ first_ideals)
    highest = -1.0  # below all values
    while value > highest:
        highest = value

        # the step of a level multiplies both sums, so it does not change which number is best
        differences = added_sums - highest * ideal_sums  # (levels, u + 1)
        counts = differences.argmax(axis=1)
        chosen_ideals = [sums[count] for sums, count in zip(ideal_sums, counts)]

        dcg = certain_dcg + steps @ added_sums[counts]
        ideal_dcg = certain_ideal + steps @ chosen_ideals
        value = _divide_or_zero(dcg, ideal_dcg)
    return float(highest)


def _divide_or_zero(dcg: float, ideal_dcg: float) -> float:
    return dcg / ideal_dcg if ideal_dcg > 0 else 0.0

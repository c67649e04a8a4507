"""What unjudged documents may hide: how far a figure would move if they were judged.

    unjudged_effects(run, qrels, ["nDCG@10", "P@20"])   # per query: share, condensed, bounds
    bound_ndcg(run, qrels, "nDCG@10")                   # per query: lowest and highest
    condense(run, qrels)                                # the run without unjudged documents

A first-stage system finds documents that no pool had. Measures count them as not relevant, so its
figure is too low by an unknown amount. How the bounds of one query are computed: `ndcg_bounds`.

Conventions: runs have the columns `qid`, `docno`, `score`; judgements `qid`, `docno`, `label`.
Results are ordered as measures order them: by score, equal scores by document id, descending.
"""

import ir_measures
import numpy as np
import pandas as pd

from .. import frames
from ..arguments import Count, Natural, check_arguments
from .measure_names import Measures, Named, measure_of
from .measure_values import measure_queries
from .ndcg_bounds import UNJUDGED, Grades, bound_query, is_ndcg, read_form

PAIR = ["qid", "docno"]
RUN_COLUMNS = [*PAIR, "score"]
QREL_COLUMNS = [*PAIR, "label"]
EFFECTS = ["judged_share", "condensed", "lowest", "highest"]


@check_arguments
def condense(run: pd.DataFrame, qrels: pd.DataFrame) -> pd.DataFrame:
    """Return a run without its unjudged documents, ranked anew [Sakai 2007, condensed lists].

    Measures on it do not punish a system for documents that nobody judged. They favour systems that
    find few judged ones, so report both.

    Args:
        run: frame with `qid`, `docno`, `score`.
        qrels: frame with `qid`, `docno`.
    """
    run = frames.check(run, "condense, run", RUN_COLUMNS)
    qrels = frames.check(qrels, "condense, qrels", PAIR)
    judged_results = run[_find_judged(run, qrels)].reset_index(drop=True)
    return frames.ranked(judged_results)


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
    run, qrels = _check_frames(run, qrels, "unjudged_effects")
    has_negatives = bool((qrels["label"] <= 0).any())
    condensed_run = run[_find_judged(run, qrels)] if has_negatives else None

    effects = []
    for name in measures:
        effect = _compute_effect(measure_of(name), run, qrels, condensed_run, highest_grade)
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
    run, qrels = _check_frames(run, qrels, "bound_ndcg")
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

    form = read_form(parsed_measure, top_grade)
    rows = []
    for qid, grades in _collect_grades(run, qrels).items():
        bounds = bound_query(grades, form, top_grade, outside)
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


def _compute_effect(
    measure: ir_measures.Measure,
    run: pd.DataFrame,
    qrels: pd.DataFrame,
    condensed_run: pd.DataFrame | None,
    highest_grade: int | None,
) -> pd.DataFrame:
    """Return the rows of one measure, as `unjudged_effects` does.

    condensed_run: the run without unjudged documents; None if no measure on it makes sense.
    """
    values = measure_queries(measure, qrels, run)
    effect = values.to_frame("value").reset_index().assign(measure=str(measure))

    shares = _compute_judged_shares(run, qrels, measure.params.get("cutoff"))
    effect["judged_share"] = effect["qid"].map(shares)

    effect["condensed"] = np.nan
    if condensed_run is not None:
        condensed_values = measure_queries(measure, qrels, condensed_run)
        effect["condensed"] = effect["qid"].map(condensed_values)

    effect["lowest"] = np.nan
    effect["highest"] = np.nan
    if is_ndcg(measure):
        bounds = bound_ndcg(run, qrels, measure, highest_grade=highest_grade).set_index("qid")
        effect["lowest"] = effect["qid"].map(bounds["lowest"])
        effect["highest"] = effect["qid"].map(bounds["highest"])
    return effect


def _check_frames(
    run: pd.DataFrame, qrels: pd.DataFrame, function: str
) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Return both frames, or raise an error: a missing column, or no judgements."""
    run = frames.check(run, f"{function}, run", RUN_COLUMNS)
    qrels = frames.check(qrels, f"{function}, qrels", QREL_COLUMNS)
    if qrels.empty:
        raise ValueError(f"{function}: qrels has no judgement. Pass those of the run's queries.")
    return run, qrels


def _find_judged(run: pd.DataFrame, qrels: pd.DataFrame) -> np.ndarray:
    """Return a bool array (results,): whether the document is judged for the query."""
    judged_pairs = pd.MultiIndex.from_frame(qrels[PAIR])
    return pd.MultiIndex.from_frame(run[PAIR]).isin(judged_pairs)


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
    """Return the grades of each query of `qrels`, by its id; a grade below 0 counts as 0."""
    # of two judgements of a document the last counts, as in ir_measures
    judgements = qrels.drop_duplicates(PAIR, keep="last")
    judgements = judgements.assign(label=judgements["label"].clip(0))
    results = _order_results(run).merge(judgements[QREL_COLUMNS], on=PAIR, how="left")

    ranked_by_query = {}
    for qid, labels in results.groupby("qid", sort=False)["label"]:
        ranked_by_query[qid] = labels.fillna(UNJUDGED).to_numpy(dtype=np.int64)

    no_results = np.array([], dtype=np.int64)
    grades_by_query = {}
    for qid, labels in judgements.groupby("qid", sort=False)["label"]:
        grades_by_query[str(qid)] = Grades(
            ranked=ranked_by_query.get(qid, no_results),
            judged=labels.to_numpy(dtype=np.int64),
        )
    return grades_by_query

"""Values that figures draw: at many cut-offs, of each query, and of two measures over systems.

by_cutoff(runs, "csfcube/all", "NDCG", percents=range(5, 101, 5))   # plot_cutoffs draws it
by_query(perquery, "csfcube/all", "NDCG%20")                        # plot_queries draws it
correlate(averages, "AP", "rHSA")                                   # plot_correlation draws it
"""

from collections.abc import Sequence

import ir_measures
import pandas as pd
import pyterrier as pt

from ..choices import describe_unknown
from ..datasets import DatasetLike, irds
from ..measures import NDCG
from ..settings import dataset_id
from ..stats.correlation import pearson, spearman
from .checks import Runs, check_runs
from .figures import check_values, describe
from .groups import ALL, By, make_groups, name_subset, queries_by
from .measure_names import Named, column_of, measure_of, measure_runs

PERCENTS = tuple(range(5, 101, 5))
CURVE_COLUMNS = ["name", "subset", "cutoff", "measure", "value", "low", "high", "queries"]
QUERY_COLUMNS = ["name", "subset", "qid", "value"]


def by_cutoff(
    runs: Runs,
    dataset: DatasetLike,
    measure: Named = NDCG,
    percents: Sequence[int] = PERCENTS,
    *,
    by: By | None = None,
    resamples: int = 1000,
    seed: int = 0,
) -> pd.DataFrame:
    """Compute a measure at many cut-offs, such as NDCG%k over k.

    A measure at a single cut-off hides where systems differ: at the top, or further down.

    Args:
        runs: dict from a system's name to its results (`qid`, `docno`, `score`).
        dataset: id or dataset object with the judgements.
        measure: our `NDCG` in any form, cut after percents of the pool; or a measure that takes a
            cut-off, such as ``R`` or ``"nDCG"`` of ir_measures, which is cut at ranks.
        percents: the cut-offs, percents or ranks.
        by: groups of queries, as for `queries_by` ("facet"); None for all queries alone.
        resamples, seed: of `bootstrap`.

    Returns:
        Frame `name`, `subset` ("all", then the groups), `cutoff`, `measure`, `value` (the mean over
        queries), `low`, `high` (95 % bootstrap interval), `queries` (their number).

    Raises:
        ValueError: no run; a run without results for the dataset's queries; a measure without
            cut-off, or a cut-off that it does not take.
    """
    source = irds(dataset)
    qrels = pt.model.from_ir_measures(pd.DataFrame(source.qrels_iter()))
    owner = dataset_id(source) or "the dataset"  # one without an id is allowed
    checked_runs = check_runs(runs, qrels[["qid"]], owner)

    # the values of each query, of each cut measure
    cut_measures = []
    cutoff_of_measure = {}
    for cutoff in dict.fromkeys(percents):  # each once
        cut_measure = _cut(measure_of(measure), cutoff)
        cut_measures.append(cut_measure)
        cutoff_of_measure[str(cut_measure)] = cutoff
    values = measure_runs(checked_runs, qrels, cut_measures)

    # the queries of each subset, without those that have no judgements, and so no values
    ids_by_subset = {ALL: qrels["qid"].unique().tolist()}
    if by is not None:
        for group, query_ids in queries_by(dataset, by).items():
            ids_by_subset[name_subset(group)] = query_ids
    groups = make_groups(ids_by_subset)
    evaluated_groups = groups[groups["qid"].isin(values["qid"].unique())]

    points = describe(values, evaluated_groups, resamples, seed)
    points["cutoff"] = points["measure"].map(cutoff_of_measure)

    # subsets and systems are in order already; the points of each curve go by rising cut-offs
    points["curve"] = points.groupby(["subset", "name"], sort=False).ngroup()
    points_in_order = points.sort_values(["curve", "cutoff"], ignore_index=True)
    return points_in_order[CURVE_COLUMNS]


def _cut(measure: ir_measures.Measure, cutoff: int) -> ir_measures.Measure:
    """Return the measure cut at a percentage, or at a rank if it takes no percentage."""
    if cutoff <= 0:  # pytrec_eval would end the process
        raise ValueError(f"percents, {cutoff}: expected numbers above 0. Pass such as [10, 20].")
    for parameter in ("percent", "cutoff"):
        if parameter in measure.SUPPORTED_PARAMS:
            return measure(**{parameter: cutoff})
    raise ValueError(
        describe_unknown(
            "measure", str(measure), ["NDCG", "nDCG", "R", "P"], of="those with a cut-off"
        )
    )


def by_query(
    perquery: pd.DataFrame,
    dataset: DatasetLike,
    measure: Named = "NDCG%20",
    *,
    by: By | None = None,
) -> pd.DataFrame:
    """List each query's value with its group, for each system.

    Args:
        perquery: frame of ``pt.Experiment(…, perquery=True)``: `name`, `qid`, `measure`, `value`.
        dataset: id or dataset object whose queries the values are of.
        measure: one of its measures.
        by: groups of queries, as for `queries_by` ("facet"); None for one group, "all".

    Returns:
        Frame `name`, `subset` (in the order of `queries_by`), `qid`, `value`; without queries that
        the measure leaves out.

    Raises:
        ValueError: a missing measure, or no query of the dataset.
    """
    values = check_values(perquery)
    column = column_of(measure, values["measure"].unique())
    values = values[values["measure"] == column].dropna(subset="value")

    groups = make_groups(queries_by(dataset, (lambda query: ALL) if by is None else by))
    listed = values[values["qid"].isin(groups["qid"])]
    if listed.empty:
        raise ValueError(
            f"The values are of no query of {irds(dataset).dataset_id()}. Pass the dataset that "
            "they are of."
        )
    subset_of_query = groups.set_index("qid")["subset"]
    listed = listed.assign(subset=listed["qid"].map(subset_of_query))
    return listed.sort_values("subset", kind="stable", ignore_index=True)[QUERY_COLUMNS]


def correlate(results: pd.DataFrame, x: Named, y: Named, confidence: float = 0.95) -> pd.DataFrame:
    """Measure how well one measure predicts another across systems.

    Args:
        results: averages of `pt.Experiment`, a row per system; or any frame with the two columns.
        x, y: the measures, as objects or strings ("map" or "AP"), or names of columns.
        confidence: of the intervals, within 0..1.

    Returns:
        Frame of two rows: `coefficient` ("R", Pearson's, and "ρ", Spearman's, in which tied systems
        share a rank), `value`, `low`, `high` (Fisher's interval; for ρ with Bonett and Wright's
        variance), `systems` (their number, without those with a NaN). `low` and `high` are NaN for
        fewer than four systems and for coefficients of ±1. Few systems give wide intervals.

    Raises:
        ValueError: a missing column, one that is no number, or `confidence` out of range.
    """
    points = select_points(results, x, y)
    x_values, y_values = points.to_numpy().T
    coefficients = [compute(x_values, y_values, confidence) for compute in (pearson, spearman)]
    table = pd.DataFrame(coefficients)
    table.insert(0, "coefficient", ["R", "ρ"])  # as papers print them
    return table.assign(systems=len(points))


def select_points(results: pd.DataFrame, x: Named, y: Named) -> pd.DataFrame:
    """Return the columns of two measures as floats, without rows that have a NaN."""
    columns = [
        measure if measure in results.columns else column_of(measure, results.columns)
        for measure in (x, y)
    ]
    return results[columns].dropna().astype(float)

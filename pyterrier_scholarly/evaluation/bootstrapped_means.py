"""Bootstrap an experiment's means over its queries.

::

    perquery = pt.Experiment(systems, topics, qrels, measures, names=names, perquery=True)
    bootstrap(perquery, ["NDCG%20"])  # a row per system: value, std, low, high, queries
"""

from collections.abc import Iterable

import ir_measures
import pandas as pd

from ..arguments import InnerShare, Repeats, Seed, check_arguments
from ..stats import resample_means
from ..stats.resampling import Draw
from .folds import SYSTEM
from .measure_names import check_perquery, column_of, warn_of_means


@check_arguments
def bootstrap(
    perquery: pd.DataFrame,
    measures: Iterable[str | ir_measures.Measure] | None = None,
    resamples: Repeats = 1000,
    seed: Seed = 0,
    confidence: InnerShare = 0.95,
    *,
    draw: Draw = "counted",
) -> pd.DataFrame:
    """Bootstrap an experiment's means over queries.

    Each resample draws queries with replacement, the same ones for all systems. A query with a NaN
    value, which its collection leaves out, does not count. DORIS-MAE's ± is `std` with
    ``draw="all"`` [Wang et al. 2023; the authors' evaluation.py]: they draw 100 of the 100 queries,
    and average over the drawn ones with a relevant abstract.

    Args:
        perquery: frame of `pt.Experiment(..., perquery=True)`: `name`, `qid`, `measure`, `value`.
        measures: objects or strings to report, in this order (`pt.Experiment` does not keep it),
            such as ``official_measures(dataset)``; None for all in the frame.
        resamples: their number, at least 1.
        seed: equal seeds give equal figures.
        confidence: share of the resampled means between `low` and `high`, within 0..1.
        draw: ``"counted"`` draws as many queries as count for a measure, from these; ``"all"``, as
            many as the frame has, from all.

    Returns:
        Frame `name`, `measure`, `value` (the mean), `std` (standard deviation of the resampled
        means), `low`, `high` (percentile interval), `queries` (number that count).

    Raises:
        ValueError: a missing measure, two values of a system for one query, a number out of range.
    """
    perquery = check_perquery(perquery)
    present_measures = list(perquery["measure"].unique())
    if measures is None:
        reported_measures = present_measures
    else:
        reported_measures = [column_of(measure, present_measures) for measure in measures]
    warn_of_means(reported_measures, stacklevel=4)

    # (systems and measures, queries); NaN where a system has no value
    systems = pd.MultiIndex.from_product(
        [perquery["name"].unique(), reported_measures], names=SYSTEM
    )
    values = perquery.pivot(index=SYSTEM, columns="qid", values="value").reindex(systems)

    means = resample_means(values.to_numpy(dtype=float), resamples, seed, confidence, draw)
    figures = pd.DataFrame(
        {
            "value": means.mean,
            "std": means.std,
            "low": means.low,
            "high": means.high,
            "queries": values.count(axis=1),
        },
        index=values.index,
    )
    return figures.reset_index()

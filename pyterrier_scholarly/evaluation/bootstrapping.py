"""How far a mean over queries can be trusted: bootstrap figures of an experiment."""

import pandas as pd
import pyterrier as pt

from ..stats import resample_means
from .measures import column_of, warn_of_means


def bootstrap(perquery, measures=None, resamples=1000, seed=0, confidence=0.95, *, draw="counted"):
    """Bootstrap the means over queries of an experiment.

    The queries are drawn with replacement `resamples` times. A query with a NaN value, which its
    collection leaves out, does not count. All systems see the same queries in each resample.
    DORIS-MAE's ± is `std` with ``draw="all"`` [Wang et al. 2023; the authors' evaluation.py]: they
    draw 100 of the 100 queries, and average over those drawn that have a relevant abstract.

    Args:
        perquery: frame of `pt.Experiment(..., perquery=True)`: `name`, `qid`, `measure`, `value`.
        measures: those to report, as objects or strings, in this order (`pt.Experiment` keeps none:
            ``measures=official_measures(dataset)`` has the papers'); without it, all in the frame.
        resamples: their number, at least 1.
        seed: equal seeds give equal figures.
        confidence: share of the resampled means that lie between `low` and `high`, within 0..1.
        draw: ``"counted"`` draws a measure's queries that count, as many as these; ``"all"`` draws
            from all queries of the frame, as many as these, as the paper's ± does.

    Returns:
        Frame `name`, `measure`, `value` (the mean), `std` (the standard deviation of the resampled
        means), `low`, `high` (percentile interval), `queries` (how many count): a row for each
        system and measure.

    Raises:
        ValueError: a measure that the frame does not have, two values of a system for one query,
            or a number out of range.
    """
    pt.validate.columns(perquery, includes=["name", "qid", "measure", "value"])
    if resamples < 1 or not 0 < confidence < 1:
        raise ValueError(
            f"resamples={resamples}, confidence={confidence}: expected 1 or more, and a number "
            "between 0 and 1"
        )
    if draw not in ("counted", "all"):
        raise ValueError(f"draw={draw!r}: choose 'counted' or 'all'")
    if perquery.duplicated(["name", "measure", "qid"]).any():
        raise ValueError("a system has two values for one query: give systems distinct `names`")
    present = list(perquery["measure"].unique())
    wanted = present if measures is None else [column_of(m, present) for m in measures]
    warn_of_means(wanted)
    rows = [perquery["name"].unique(), wanted]
    table = perquery.pivot(index=["name", "measure"], columns="qid", values="value")
    table = table.reindex(pd.MultiIndex.from_product(rows, names=["name", "measure"]))
    found = resample_means(table.to_numpy(dtype=float), resamples, seed, confidence, draw)
    figures = {"value": found.mean, "std": found.std, "low": found.low, "high": found.high}
    described = pd.DataFrame(figures, index=table.index).assign(queries=table.count(axis=1))
    return described.reset_index()

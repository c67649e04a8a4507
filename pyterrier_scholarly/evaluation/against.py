"""Systems against a baseline, and weights chosen on development queries."""

from collections.abc import Iterable, Sequence
from contextlib import redirect_stdout
from io import StringIO

import ir_measures
import pandas as pd
import pyterrier as pt

from ir_datasets_ext.facets import split

from ..arguments import InnerShare, Repeats, Seed, check_arguments
from ..datasets import irds
from ..stats import paired_t, resample_means
from ..stats.inference import Draw
from ..transformers import WeightedFeatures
from .folds import SYSTEM, by_subset, fold_mean, folds
from .measures import check_perquery, column_of, warn_of_means

TESTED = ["difference", "p", "better", "worse"]


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
    check_perquery(perquery)
    present = list(perquery["measure"].unique())
    wanted = present if measures is None else [column_of(m, present) for m in measures]
    warn_of_means(wanted, stacklevel=4)
    rows = pd.MultiIndex.from_product([perquery["name"].unique(), wanted], names=SYSTEM)
    table = perquery.pivot(index=SYSTEM, columns="qid", values="value").reindex(rows)
    means = resample_means(table.to_numpy(dtype=float), resamples, seed, confidence, draw)
    figures = {"value": means.mean, "std": means.std, "low": means.low, "high": means.high}
    return pd.DataFrame({**figures, "queries": table.count(axis=1)}, table.index).reset_index()


@check_arguments
def against_baseline(
    perquery: pd.DataFrame,
    dataset: object,
    baseline: str,
    resamples: Repeats = 1000,
    seed: Seed = 0,
) -> pd.DataFrame:
    """Compare systems with one of them on the test parts, over all facets and in each.

    Args:
        perquery, resamples, seed: as for `bootstrap`.
        dataset: the `all` subset of a faceted collection with folds (``"irds:csfcube/all"``).
        baseline: name of the system that the others are compared with.

    Returns:
        Frame `name`, `measure`, `subset` ("all", then the facets), `value` (the mean of the two
        folds' test means), `low`, `high` (95 % bootstrap interval of the mean over queries),
        `difference` (to the baseline, mean over queries), `p` (two-sided paired t-test; NaN for the
        baseline itself), `better`, `worse` (numbers of queries).

    Raises:
        ValueError: an unknown `baseline`, a dataset without folds, a missing query.
    """
    check_perquery(perquery)
    names = list(perquery["name"].unique())
    if baseline not in names:
        raise ValueError(f"baseline={baseline!r}: choose one of {', '.join(names)}.")
    means = [fold_mean(perquery, dataset).assign(subset="all"), by_subset(perquery, dataset)]
    official = pd.concat(means).query("split == 'test'")
    facets = perquery["qid"].map(lambda qid: split(qid)[1])
    rows = {subset: perquery[facets == subset] for subset in facets.unique()} | {"all": perquery}
    tested = [
        compared(rows[subset], baseline, resamples, seed).assign(subset=subset)
        for subset in official["subset"].unique()
    ]
    keys = [*SYSTEM, "subset"]
    tests = pd.concat(tested)[[*keys, "low", "high", *TESTED]]
    return official[[*keys, "value"]].merge(tests, on=keys).reset_index(drop=True)


def compared(
    perquery: pd.DataFrame, baseline: str, resamples: Repeats = 1000, seed: Seed = 0
) -> pd.DataFrame:
    """Add TESTED to the frame of `bootstrap`; NaN for a measure that the baseline lacks."""
    figures = bootstrap(perquery, resamples=resamples, seed=seed)
    table = perquery.pivot(index=SYSTEM, columns="qid", values="value")
    rows = [_difference(table, baseline, *row) for row in figures[SYSTEM].itertuples(index=False)]
    return pd.concat([figures, pd.DataFrame(rows, columns=TESTED)], axis=1)


def _difference(table: pd.DataFrame, baseline: str, name: str, measure: str) -> tuple:
    if (baseline, measure) not in table.index:
        return (float("nan"),) * 4
    values, base = table.loc[(name, measure)], table.loc[(baseline, measure)]
    gains = values - base
    p = float("nan") if name == baseline else paired_t(values, base).pvalue
    return gains.mean(), p, (gains > 0).sum(), (gains < 0).sum()


@check_arguments
def chosen_on_dev(
    scored: pd.DataFrame,
    dataset: object,
    grid: Sequence[tuple[float, ...]],
    metric: str = "NDCG%20",
    qrels: pd.DataFrame | None = None,
) -> tuple[pd.DataFrame, list[tuple]]:
    """Rank each fold's test queries with the weights that are best on its dev queries.

    This is `pt.KFoldGridSearch` over weights of the features of a union (``**``), by the mean of
    `metric`; of equally good weights, the first in `grid`. Judgements of a fold's test queries do
    not influence its weights.

    Args:
        scored: frame `qid`, `docno`, `features` with the candidates of all queries of `dataset`.
        dataset: one with folds and qrels, such as ``"csfcube/all"``.
        grid: weights to choose from: tuples with a number for each feature.
        metric: a measure as a string, which grid search needs.
        qrels: judgements (`qid`, `docno`, `label`); None for the dataset's own.

    Returns the ranking (`qid`, `docno`, `score`, `rank`) and both folds' weights. Raises ValueError
    for a dataset without folds or a wrong number of weights.
    """
    pt.validate.columns(scored, includes=["qid", "docno", "features"])
    tests = folds(dataset)
    if qrels is None:
        qrels = pt.get_dataset(f"irds:{irds(dataset).dataset_id()}").get_qrels()
    pt.validate.columns(qrels, includes=["qid", "docno", "label"])
    frames = scored[["qid", "docno", "features"]], qrels
    rows, judged = ([f[f["qid"].isin(fold["qid"])] for fold in tests] for f in frames)
    step = WeightedFeatures(grid[0])
    searched: dict = {step: {"weights": list(grid)}}
    with redirect_stdout(StringIO()):  # grid search prints what is returned here
        ranking, settings = pt.KFoldGridSearch(step, searched, rows, judged, metric)
    weights: list = [setting[0][2] for setting in settings]
    return ranking[["qid", "docno", "score", "rank"]].reset_index(drop=True), weights

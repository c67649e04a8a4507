"""Systems against a baseline, and weights chosen on development queries."""

from collections.abc import Iterable, Mapping, Sequence
from contextlib import redirect_stdout
from io import StringIO

import ir_measures
import pandas as pd
import pyterrier as pt

from ir_datasets_ext.choices import describe_unknown
from ir_datasets_ext.facets import FACETS

from ..arguments import InnerShare, Repeats, Seed, check_arguments
from ..datasets import DatasetLike, irds
from ..frames import some
from ..stats import paired_t, resample_means
from ..stats.resampling import Draw
from ..transformers import WeightedFeatures
from .folds import SYSTEM, By, by_subset, fold_mean, folds, has_folds, queries_by
from .measure_names import check_perquery, column_of, warn_of_means
from .run_checks import Reference, check_against

ALL = "all"  # the subset of all queries
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
    dataset: DatasetLike,
    baseline: str,
    resamples: Repeats = 1000,
    seed: Seed = 0,
    *,
    by: By | None = None,
) -> pd.DataFrame:
    """Compare systems with one of them, over all queries and over groups of them.

    Args:
        perquery, resamples, seed: as for `bootstrap`.
        dataset: an id or dataset object whose queries the values are of, such as
            ``"irds:csfcube/all"``, ``"doris-mae/dev"``, ``"litsearch"`` or ``"made/mine"``.
        baseline: name of the system that the others are compared with.
        by: groups of queries, as for `queries_by`: ``"query_type"``, LitSearch's ``"source"``. None
            for the facets of ``csfcube/all`` and the like, and for no groups elsewhere.

    Returns:
        Frame `name`, `measure`, `subset` ("all", then the groups), `value` (with folds, the mean of
        the two folds' test means, for all queries and for facets; else the mean over queries),
        `low`, `high` (95 % bootstrap interval of the mean over queries), `queries` (their number),
        `difference` (to the baseline, mean over queries), `p` (two-sided paired t-test; NaN for the
        baseline itself), `better`, `worse` (numbers of queries).

    Raises:
        ValueError: an unknown `baseline` or field, no query of the dataset, a missing query.
    """
    check_perquery(perquery)
    names = list(perquery["name"].unique())
    if baseline not in names:
        raise ValueError(describe_unknown("baseline", baseline, names))
    subsets = _subsets(perquery, dataset, by)

    means = _means_over(subsets, perquery, dataset, by)
    tests = [
        compared(perquery[perquery["qid"].isin(qids)], baseline, resamples, seed).assign(
            subset=subset
        )
        for subset, qids in subsets.items()
    ]

    keys = [*SYSTEM, "subset"]
    columns = [*keys, "low", "high", "queries", *TESTED]
    return means.merge(pd.concat(tests)[columns], on=keys).reset_index(drop=True)


def _subsets(
    perquery: pd.DataFrame, dataset: DatasetLike, by: By | None
) -> dict[object, Sequence[str]]:
    """Return the queries of each subset that have values: "all", then the groups or facets."""
    evaluated = set(perquery["qid"])
    query_ids = [query.query_id for query in irds(dataset).queries_iter()]
    query_ids = [query_id for query_id in query_ids if query_id in evaluated]
    if not query_ids:
        name = irds(dataset).dataset_id()
        raise ValueError(
            f"The values are of no query of {name}: they are of {some(perquery['qid'].unique())}. "
            "Pass the dataset that they are of."
        )

    groups: dict = {}
    if by is not None:
        groups = queries_by(dataset, by)
    elif has_folds(dataset) and _end_in_facets(query_ids):
        groups = queries_by(dataset, "facet")

    subsets: dict[object, Sequence[str]] = {ALL: query_ids}
    for group, group_ids in groups.items():
        with_values = [query_id for query_id in group_ids if query_id in evaluated]
        if with_values:
            subsets[group] = with_values
    return subsets


def _end_in_facets(query_ids: Iterable[str]) -> bool:
    """Return whether query ids are `<paper>_<facet>`, as in ``csfcube/all``."""
    return all(query_id.rpartition("_")[2] in FACETS for query_id in query_ids)


def _means_over(
    subsets: Mapping[object, Sequence[str]],
    perquery: pd.DataFrame,
    dataset: DatasetLike,
    by: By | None,
) -> pd.DataFrame:
    """Return `name`, `measure`, `subset`, `value`: fold means where there are folds."""
    if not has_folds(dataset):
        return by_subset(perquery, subsets)

    whole = fold_mean(perquery, dataset).assign(subset=ALL)
    groups = {subset: qids for subset, qids in subsets.items() if subset != ALL}
    if not groups:
        means = [whole]
    elif by is None:
        means = [whole, by_subset(perquery, dataset)]
    else:
        means = [whole, by_subset(perquery, groups).assign(split="test")]
    official = pd.concat(means).query("split == 'test'")
    return official[[*SYSTEM, "subset", "value"]]


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
    dataset: DatasetLike,
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
    for a dataset without folds, candidates of other queries or documents, or a wrong number of
    weights.
    """
    pt.validate.columns(scored, includes=["qid", "docno", "features"])
    test_topics = folds(dataset)
    if qrels is None:
        qrels = pt.get_dataset(f"irds:{irds(dataset).dataset_id()}").get_qrels()
    pt.validate.columns(qrels, includes=["qid", "docno", "label"])
    check_against(scored[["qid", "docno"]], Reference.of(dataset, qrels), "scored")

    candidates = scored[["qid", "docno", "features"]]
    fold_candidates = [candidates[candidates["qid"].isin(topics["qid"])] for topics in test_topics]
    fold_qrels = [qrels[qrels["qid"].isin(topics["qid"])] for topics in test_topics]

    step = WeightedFeatures(grid[0])
    searched: dict = {step: {"weights": list(grid)}}
    with redirect_stdout(StringIO()):  # grid search prints what is returned here
        ranking, settings = pt.KFoldGridSearch(step, searched, fold_candidates, fold_qrels, metric)

    weights: list = [setting[0][2] for setting in settings]
    return ranking[["qid", "docno", "score", "rank"]].reset_index(drop=True), weights

"""What figures owe to pools: one method's papers removed, or candidates in random order."""

from collections.abc import Mapping

import ir_datasets
import ir_measures
import numpy as np
import pandas as pd
import pyterrier as pt

from ..arguments import Repeats, Seed, check_arguments
from ..datasets import DatasetLike, irds, pool_sources
from ..frames import check, without_pairs
from .folds import SYSTEM, fold_mean, has_folds
from .measure_names import Measures, measure_of, official_measures
from .run_checks import Reference, check_against, warn_of_misfit


@check_arguments
def leave_one_out(
    runs: Mapping[str, pd.DataFrame],
    dataset: DatasetLike,
    measures: Measures | None = None,
    pools: pd.DataFrame | None = None,
    rerank: bool = True,
) -> pd.DataFrame:
    """Measure systems without the papers of one pool method, for each method in turn.

    A method's papers are those that only it listed and that are not cited (CSFCube does not say
    which methods list cited papers). If the judgements can be reused, this costs a system similar
    to the method no more than others.

    Args:
        runs: dict from a system's name to its results for all queries of `dataset` (`qid`, `docno`,
            `score`).
        dataset: an id or dataset with judgements, such as ``"csfcube/method"``.
        measures: objects or strings; None for `official_measures`.
        pools: frame of `qid`, `docno`, `sources`; None for the dataset's own.
        rerank: whether systems re-rank the pool, so that the papers leave the rankings, too. Else
            they stay, unjudged, as in a retrieval from the collection.

    Returns:
        Frame `name`, `measure`, `left_out` (a method; "" for the whole pool), `removed` (number of
        judged pairs), `value` (CSFCube's mean of both folds' test means if there are folds, else
        the mean over queries), `change` (from the whole pool's).

    Raises:
        ValueError: a dataset without pool sources, or a run that does not fit (see `check_run`).

    Warns:
        UserWarning: for a run that fits in part.
    """
    if not runs:
        raise ValueError("runs={}: expected the results of one system or more.")
    source = irds(dataset)
    reference = Reference.of(source)
    for name, run in runs.items():
        warn_of_misfit(check_against(run, reference, name))

    sources = pool_sources(source) if pools is None else pools
    sources = check(sources, "leave_one_out(pools=…)", ["qid", "docno", "sources"])
    judged = pd.DataFrame(
        [(row.query_id, row.doc_id, row.relevance) for row in source.qrels_iter()],
        columns=["qid", "docno", "label"],
    )
    topics = pd.DataFrame(
        [(query.query_id, query.default_text()) for query in source.queries_iter()],
        columns=["qid", "query"],
    )
    asked = list(map(measure_of, measures or official_measures(source)))
    parts = []
    for method, pairs in _alone(sources).items():
        left = without_pairs(judged, pairs)
        kept = {name: without_pairs(run, pairs) if rerank else run for name, run in runs.items()}
        figures = _means(pt.Experiment(kept, topics, left, asked, perquery=True), source)
        parts.append(figures.assign(left_out=method, removed=len(judged) - len(left)))
    table = pd.concat(parts, ignore_index=True)
    whole = table.groupby(SYSTEM)["value"].transform(lambda values: values.iloc[0])
    columns = [*SYSTEM, "left_out", "removed", "value", "change"]
    return table.assign(change=table["value"] - whole)[columns]


def _alone(sources: pd.DataFrame) -> dict[str, set[tuple[str, str]]]:
    """Return the pairs that only one method lists, by method; no pairs for ""."""
    names = [tuple(dict.fromkeys(listed)) for listed in sources["sources"]]
    pairs = list(zip(sources["qid"], sources["docno"], names))
    methods = sorted({name for listed in names for name in listed} - {"cited"})
    return {"": set()} | {
        method: {(qid, docno) for qid, docno, listed in pairs if listed == (method,)}
        for method in methods
    }


def _means(perquery: pd.DataFrame, dataset: ir_datasets.Dataset) -> pd.DataFrame:
    if has_folds(dataset):
        return fold_mean(perquery, dataset).query("split == 'test'").drop(columns="split")
    return perquery.groupby(SYSTEM, sort=False)["value"].mean().reset_index()


@check_arguments
def random_baseline(
    pools: object, measures: Measures | None = None, trials: Repeats = 100, seed: Seed = 0
) -> pd.DataFrame:
    """Estimate the expected value of measures over shuffled candidate pools.

    Each trial ranks the whole pool of every query in random order. DORIS-MAE's printed rows
    "random" are such figures: ``random_baseline("doris-mae")`` of table 11, and of
    ``"doris-mae/aspect-queries"``, ``"doris-mae/test"`` and ``"doris-mae/subqueries-2"`` of tables
    13, 14 and 15.

    Args:
        pools: a dataset with candidate pools (``"irds:doris-mae/dev"``), or a frame of judgements
            (`qid`, `docno`, `label`), whose documents are then the pools.
        measures: objects or strings; None for a dataset's `official_measures`.
        trials: number of shuffles, at least 1.
        seed: equal seeds give equal figures.

    Returns:
        Frame `name` ("random"), `measure`, `value` (the mean over trials of the mean over queries),
        `std` (standard deviation over trials; that of `value` is this / sqrt(trials)).

    Raises:
        ValueError: a dataset without pools or judgements, a frame without `measures`, or `trials`
            below 1.
    """
    if measures is None and isinstance(pools, pd.DataFrame):
        raise ValueError(
            "A frame of judgements has no official measures: pass some, as measures=['R@5']."
        )
    if measures is None:
        measures = official_measures(pools)

    qrels, pool = _judged_pools(pools)
    asked = [measure_of(measure) for measure in measures]
    evaluator = ir_measures.evaluator(asked, qrels)
    random = np.random.default_rng(seed)

    trial_means = []
    for _ in range(trials):
        run = pool.assign(score=random.random(len(pool)))
        mean_of = evaluator.calc_aggregate(run)
        trial_means.append([mean_of[measure] for measure in asked])

    return pd.DataFrame(
        {
            "name": "random",
            "measure": [str(measure) for measure in measures],
            "value": np.mean(trial_means, axis=0),
            "std": np.std(trial_means, axis=0),
        }
    )


def _judged_pools(pools: object) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Return judgements and candidates as frames with ir_measures' columns."""
    if isinstance(pools, pd.DataFrame):
        qrels = pt.model.to_ir_measures(pools)
        return qrels, qrels[["query_id", "doc_id"]].drop_duplicates()
    dataset = irds(pools)
    if not (dataset.has_scoreddocs() and dataset.has_qrels()):
        raise ValueError(
            f"{pools} has no candidate pools with judgements: pass a dataset that has both, such "
            "as csfcube/method or doris-mae/dev, or a frame of judgements"
        )
    candidates = pd.DataFrame(dataset.scoreddocs_iter())
    return pd.DataFrame(dataset.qrels_iter()), candidates[["query_id", "doc_id"]]

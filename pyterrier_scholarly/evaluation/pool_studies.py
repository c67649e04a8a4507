"""What figures owe to candidate pools: leave-one-out, other pools, and pools in random order.

    leave_one_out({"bm25": run}, "csfcube/method")   # without the papers of each pool method
    pool_sensitivity({"bm25": run}, qrels, {"whole": candidates, "half": 0.5}, ["R@5"])
    random_baseline("doris-mae")                     # what chance would give

Conventions: runs have the columns `qid`, `docno`, `score`. A *pair* is a query and a candidate.
"""

import warnings
from collections.abc import Mapping
from typing import NamedTuple

import ir_measures
import numpy as np
import pandas as pd
import pyterrier as pt

from .. import frames
from ..datasets import DatasetLike, irds, pool_sources
from .checks import PAIR, Reference, Runs, check_run, check_runs, mark_pairs
from .figures import SYSTEM, average
from .groups import ALL, group_facets
from .measure_names import Measures, measure_runs, official_measures, parse_measures

NOTHING_LEFT_OUT = ""  # in place of a method's name: the whole pool


# --- without the papers of one method ---------------------------------------------------------


def leave_one_out(
    runs: Runs,
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
    reference = Reference(source)
    for name, run in runs.items():
        for remark in check_run(run, reference, name=name).remarks:
            warnings.warn(f"{name}: {remark}", stacklevel=2)

    sources = pool_sources(source) if pools is None else pools
    sources = frames.check(sources, "leave_one_out(pools=…)", ["qid", "docno", "sources"])
    qrels = reference.judgements
    chosen_measures = official_measures(source) if measures is None else measures
    parsed_measures = list(parse_measures(chosen_measures).values())
    groups = group_facets(source, [ALL])

    tables = []
    for method, pairs in _find_pairs_of_single_methods(sources).items():
        remaining_qrels = qrels[~mark_pairs(qrels, pairs)]
        remaining_runs = {
            name: run[~mark_pairs(run, pairs)] if rerank else run for name, run in runs.items()
        }
        values = measure_runs(remaining_runs, remaining_qrels, parsed_measures)
        means = average(values, groups)
        removed_count = len(qrels) - len(remaining_qrels)
        tables.append(means.assign(left_out=method, removed=removed_count))

    table = pd.concat(tables, ignore_index=True)
    table["change"] = table["value"] - _find_first_values(table)
    return table[[*SYSTEM, "left_out", "removed", "value", "change"]]


def _find_pairs_of_single_methods(sources: pd.DataFrame) -> dict[str, pd.DataFrame]:
    """Return the pairs that one method alone lists, by that method, behind NOTHING_LEFT_OUT.

    A paper that is cited has a reason to be in the pool, and is never of one method alone.
    """
    methods = sources["sources"].map(frozenset)
    names = sorted(frozenset().union(*methods) - {"cited"})
    pairs_by_method = {NOTHING_LEFT_OUT: sources[PAIR].head(0)}
    return pairs_by_method | {name: sources[PAIR][methods == {name}] for name in names}


def _find_first_values(table: pd.DataFrame) -> pd.Series:
    """Return, for each row, the value of its system's first row; NaN if that is NaN."""
    return table.groupby(SYSTEM, sort=False)["value"].transform(lambda values: values.iloc[0])


# --- smaller and larger pools -----------------------------------------------------------------


class PoolSensitivity(NamedTuple):
    """Hold changes with the pool, compared with the first one.

    figures: rows `pool`, `measure`, `name`, `value`, `rank` (1 is best; equal values share the
        better one), `change` (value minus the first pool's), `missing` (candidates that the system
        does not rank).
    rankings: rows `pool`, `measure`, `tau` (Kendall's τ-b of the systems' values with the first
        pool's; NaN if either is constant).
    pools: rows `pool`, `candidates`, `unjudged` (candidates), and for the best judged candidate of
        each query against the first pool's: `relative` (mean of best / first - 1), `better` (share
        of queries with a higher best), `improvement` (mean of best / first - 1 over these).
    """

    figures: pd.DataFrame
    rankings: pd.DataFrame
    pools: pd.DataFrame

    def __repr__(self) -> str:
        return frames.fit_screen(self)


def pool_sensitivity(
    runs: Runs,
    qrels: pd.DataFrame,
    pools: Mapping[str, pd.DataFrame | float],
    measures: Measures,
    seed: int = 0,
) -> PoolSensitivity:
    """Evaluate runs over several candidate pools, with only the judgements of each pool.

    Ideal rankings and numbers of relevant documents are those of the pool. DORIS-MAE compares its
    pools by keywords with 150 other abstracts per query, from E5 and SPECTER-v2. The paper does not
    say how it averages the best scores' differences [Wang et al. 2023, appendix C.6, Table 16].

    Args:
        runs: dict from a system's name to a frame of `qid`, `docno`, `score`, which ranks the
            candidates of all pools. It is restricted to each pool.
        qrels: frame of `qid`, `docno`, `label` (and `iteration`), over all pools.
        pools: dict from names to frames of `qid`, `docno`; or to a share within 0..1, which draws
            that part of each query's first pool at random.
        measures: objects or strings.
        seed: of the shares.

    Raises:
        ValueError: no runs, a share as the first pool, or a share out of range; a run without a
            query, or without a document, of judgements and pools.
        pt.validate.InputValidationError: a missing column.
    """
    pt.validate.columns(qrels, includes=[*PAIR, "label"])
    pairs_by_pool = _choose_pairs(pools, seed)
    known_pairs = pd.concat([qrels[PAIR], *pairs_by_pool.values()])
    checked_runs = check_runs(runs, known_pairs, "the judgements and pools")
    measure_by_name = parse_measures(measures)

    figures = _evaluate_in_pools(checked_runs, qrels, pairs_by_pool, measure_by_name)

    # beside each value, that of the same system and measure in the first pool
    figures["first_value"] = _find_first_values(figures)
    figures["change"] = figures["value"] - figures["first_value"]

    # systems are ranked within a pool, and their order there is compared with that in the first
    figures_by_ranking = figures.groupby(["pool", "measure"], sort=False)
    ranks = figures_by_ranking["value"].rank(ascending=False, method="min")
    figures["rank"] = ranks.astype("Int64")
    rankings = []
    for (pool, measure), ranking in figures_by_ranking:
        tau = ranking["value"].corr(ranking["first_value"], method="kendall")
        rankings.append((pool, measure, tau))

    return PoolSensitivity(
        figures[["pool", "measure", "name", "value", "rank", "change", "missing"]],
        pd.DataFrame(rankings, columns=["pool", "measure", "tau"]),
        _compare_pools(qrels, pairs_by_pool),
    )


def _evaluate_in_pools(
    runs: Runs,
    qrels: pd.DataFrame,
    pairs_by_pool: Mapping[str, pd.DataFrame],
    measure_by_name: Mapping[str, ir_measures.Measure],
) -> pd.DataFrame:
    """Return `pool`, `measure`, `name`, `value` and `missing`, see `PoolSensitivity.figures`.

    Documents outside of a pool count there neither as ranked nor as judged.
    """
    rows = []
    for pool, pairs in pairs_by_pool.items():
        judged_pairs = pt.model.to_ir_measures(qrels.merge(pairs))
        evaluator = ir_measures.evaluator(list(measure_by_name.values()), judged_pairs)

        for name, run in runs.items():
            run_in_pool = run.merge(pairs)
            missing_count = len(pairs) - len(run_in_pool)
            means = evaluator.calc_aggregate(pt.model.to_ir_measures(run_in_pool))
            for measure_name, measure in measure_by_name.items():
                rows.append((pool, measure_name, name, means[measure], missing_count))
    return pd.DataFrame(rows, columns=["pool", "measure", "name", "value", "missing"])


def _choose_pairs(pools: Mapping[str, pd.DataFrame | float], seed: int) -> dict[str, pd.DataFrame]:
    """Return the pairs of each pool, each once; shares are drawn from the first pool."""
    if not pools:
        raise ValueError("pools={}: expected a frame of qid and docno for one pool or more.")

    pairs_by_pool: dict[str, pd.DataFrame] = {}
    for name, pool in pools.items():
        if isinstance(pool, pd.DataFrame):
            pt.validate.columns(pool, includes=PAIR)
            pairs_by_pool[name] = pool[PAIR].drop_duplicates()
        elif pairs_by_pool and 0 < pool < 1:
            first_pairs = next(iter(pairs_by_pool.values()))
            pairs_of_query = first_pairs.groupby("qid")
            pairs_by_pool[name] = pairs_of_query.sample(frac=pool, random_state=seed)
        else:
            raise ValueError(
                f"pool {name!r} is {pool!r}: expected a frame of qid and docno, or, after a "
                "first frame, a share between 0 and 1"
            )
    return pairs_by_pool


def _compare_pools(qrels: pd.DataFrame, pairs_by_pool: Mapping[str, pd.DataFrame]) -> pd.DataFrame:
    """Return `PoolSensitivity.pools`: how each pool's best candidates differ from the first pool's.

    A query's best candidate is the one with the highest grade.
    """
    rows = []
    first_pool_grades: pd.Series | None = None
    for pool, pairs in pairs_by_pool.items():
        judged_pairs = qrels.merge(pairs)
        best_grades = judged_pairs.groupby("qid")["label"].max()
        if first_pool_grades is None:
            first_pool_grades = best_grades[best_grades > 0]  # a grade of 0 has no relative change

        changes = (best_grades / first_pool_grades - 1).dropna()
        is_better = changes > 0
        rows.append(
            {
                "pool": pool,
                "candidates": len(pairs),
                "unjudged": len(pairs) - len(judged_pairs),
                "relative": changes.mean(),
                "better": is_better.mean(),
                "improvement": changes[is_better].mean(),
            }
        )
    return pd.DataFrame(rows)


# --- pools in random order --------------------------------------------------------------------


def random_baseline(
    pools: DatasetLike | pd.DataFrame,
    measures: Measures | None = None,
    trials: int = 100,
    seed: int = 0,
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
    if trials < 1:
        raise ValueError(f"trials={trials}: expected a whole number of at least 1.")
    if isinstance(pools, pd.DataFrame):
        if measures is None:
            raise ValueError(
                "A frame of judgements has no official measures: pass some, as measures=['R@5']."
            )
        judgements = candidates = pt.model.to_ir_measures(pools)
    else:
        dataset = irds(pools)
        if not (dataset.has_scoreddocs() and dataset.has_qrels()):
            raise ValueError(
                f"{pools} has no candidate pools with judgements: pass a dataset that has both, "
                "such as csfcube/method or doris-mae/dev, or a frame of judgements"
            )
        measures = official_measures(dataset) if measures is None else measures
        judgements = pd.DataFrame(dataset.qrels_iter())
        candidates = pd.DataFrame(dataset.scoreddocs_iter())

    candidates = candidates[["query_id", "doc_id"]].drop_duplicates()
    measure_by_name = parse_measures(measures)
    evaluator = ir_measures.evaluator(list(measure_by_name.values()), judgements)
    random = np.random.default_rng(seed)
    means_of_trials = []  # dicts from a measure to its mean
    for _ in range(trials):
        run = candidates.assign(score=random.random(len(candidates)))
        means_of_trials.append(evaluator.calc_aggregate(run))

    # (trials, measures), in the order of the names
    means = pd.DataFrame(means_of_trials)[list(measure_by_name.values())].to_numpy()
    return pd.DataFrame(
        {
            "name": "random",
            "measure": list(measure_by_name),
            "value": means.mean(axis=0),
            "std": means.std(axis=0),
        }
    )

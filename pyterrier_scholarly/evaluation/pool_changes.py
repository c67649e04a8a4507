"""Evaluate systems on smaller or larger candidate pools.

    pools = {"whole": candidates, "half": 0.5}  # a frame of pairs, and a share of it
    changes = pool_sensitivity({"bm25": run}, qrels, pools, ["R@5"])
    changes.figures  # value, rank and change of each system on each pool

Conventions: a *pair* is a query and a candidate. All is compared with the first pool.
"""

from collections.abc import Mapping
from typing import NamedTuple

import ir_measures
import pandas as pd
import pyterrier as pt

from .. import frames
from ..arguments import Seed, check_arguments
from .measure_names import Measures, measure_of
from .run_checks import check_against
from .run_reference import Reference

PAIR = ["qid", "docno"]
FIGURE = ["pool", "measure", "name"]


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


@check_arguments
def pool_sensitivity(
    runs: Mapping[str, pd.DataFrame],
    qrels: pd.DataFrame,
    pools: Mapping[str, pd.DataFrame | float],
    measures: Measures,
    seed: Seed = 0,
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
    if not runs:
        raise ValueError("runs is empty: pass at least one system's results")
    pt.validate.columns(qrels, includes=[*PAIR, "label"])

    pairs_by_pool = _choose_pairs(pools, seed)
    _check_runs(runs, qrels, pairs_by_pool)

    figures = [
        _evaluate_on_pool(runs, qrels, pool, pairs, measures)
        for pool, pairs in pairs_by_pool.items()
    ]
    compared_figures = _compare_figures(pd.concat(figures, ignore_index=True))
    return PoolSensitivity(
        figures=compared_figures,
        rankings=_compare_rankings(compared_figures),
        pools=_compare_pools(qrels, pairs_by_pool),
    )


def _choose_pairs(pools: Mapping[str, pd.DataFrame | float], seed: Seed) -> dict[str, pd.DataFrame]:
    """Return the pairs of each pool, each once; shares are drawn from the first pool."""
    pairs_by_pool: dict[str, pd.DataFrame] = {}
    first_pairs: pd.DataFrame | None = None
    for name, pool in pools.items():
        if isinstance(pool, pd.DataFrame):
            chosen = pool
        elif first_pairs is not None and 0 < pool < 1:
            chosen = first_pairs.groupby("qid").sample(frac=pool, random_state=seed)
        else:
            raise ValueError(
                f"pool {name!r} is {pool!r}: expected a frame of qid and docno, or, after a "
                "first frame, a share between 0 and 1"
            )
        pt.validate.columns(chosen, includes=PAIR)

        pairs_by_pool[name] = chosen[PAIR].drop_duplicates()
        if first_pairs is None:
            first_pairs = pairs_by_pool[name]
    return pairs_by_pool


def _check_runs(
    runs: Mapping[str, pd.DataFrame], qrels: pd.DataFrame, pairs_by_pool: Mapping[str, pd.DataFrame]
) -> None:
    """Raise ValueError for a run without a query, or a document, of judgements and pools."""
    all_candidates = pd.concat(list(pairs_by_pool.values()), ignore_index=True)
    reference = Reference(
        name="the judgements and pools",
        query_ids=frozenset(qrels["qid"]) | frozenset(all_candidates["qid"]),
        judgements=qrels[PAIR],
        pools=all_candidates,
        query_papers={},
        dataset=None,
    )
    for name, run in runs.items():
        pt.validate.columns(run, includes=[*PAIR, "score"])
        check_against(run, reference, name)


def _evaluate_on_pool(
    runs: Mapping[str, pd.DataFrame],
    qrels: pd.DataFrame,
    pool: str,
    pairs: pd.DataFrame,
    measures: Measures,
) -> pd.DataFrame:
    """Evaluate all runs on one pool: documents outside of it count neither as ranked nor as judged.

    Args:
        runs: dict from a system's name to its run.
        qrels: judgements.
        pool: the pool's name.
        pairs: the pool's pairs, a frame of `qid` and `docno`.
        measures: objects or strings.

    Returns:
        Frame with a row per run and measure: `pool`, `measure`, `name`, `value` and `missing`, the
        number of the pool's pairs that the run does not rank.
    """
    parsed_measures = {str(measure): measure_of(measure) for measure in measures}
    judged_pairs = pt.model.to_ir_measures(qrels.merge(pairs))
    evaluator = ir_measures.evaluator(list(parsed_measures.values()), judged_pairs)

    rows = []
    for name, run in runs.items():
        run_in_pool = run.merge(pairs)
        missing_count = len(pairs) - len(run_in_pool)
        means = evaluator.calc_aggregate(pt.model.to_ir_measures(run_in_pool))
        for measure_text, measure in parsed_measures.items():
            rows.append(
                {
                    "pool": pool,
                    "measure": measure_text,
                    "name": name,
                    "value": means[measure],
                    "missing": missing_count,
                }
            )
    return pd.DataFrame(rows)


def _compare_figures(figures: pd.DataFrame) -> pd.DataFrame:
    """Add `rank` and `change`; the first pool's rows come first."""
    values_on_pool = figures.groupby(["pool", "measure"], sort=False)["value"]
    rank = values_on_pool.rank(ascending=False, method="min").astype("Int64")

    values_of_system = figures.groupby(["measure", "name"], sort=False)["value"]
    first_pool_value = values_of_system.transform(lambda values: values.iloc[0])
    change = figures["value"] - first_pool_value

    columns = [*FIGURE, "value", "rank", "change", "missing"]
    return figures.assign(rank=rank, change=change)[columns]


def _compare_rankings(figures: pd.DataFrame) -> pd.DataFrame:
    """Return Kendall's τ of the systems' values on each pool with those on the first one.

    figures: from `_compare_figures`.
    """
    rows = []
    for (pool, measure), systems in figures.groupby(["pool", "measure"], sort=False):
        # `change` is a value less that on the first pool
        first_pool_values = systems["value"] - systems["change"]
        tau = systems["value"].corr(first_pool_values, method="kendall")
        rows.append({"pool": pool, "measure": measure, "tau": tau})
    return pd.DataFrame(rows)


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
            first_pool_grades = best_grades

        # the relative change of each query's best grade; a grade of 0 has none
        compared_grades = first_pool_grades[first_pool_grades > 0]
        changes = (best_grades / compared_grades - 1).dropna()
        is_better = changes > 0
        improvements = changes[is_better]
        rows.append(
            {
                "pool": pool,
                "candidates": len(pairs),
                "unjudged": len(pairs) - len(judged_pairs),
                "relative": changes.mean(),
                "better": is_better.mean(),
                "improvement": improvements.mean(),
            }
        )
    return pd.DataFrame(rows)

"""The figures of systems on smaller or larger candidate pools."""

from collections.abc import Mapping
from typing import NamedTuple

import ir_measures
import pandas as pd
import pyterrier as pt

from .. import frames
from ..arguments import Seed, check_arguments
from .measure_names import Measures, measure_of
from .run_checks import Reference, check_against

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
    by_pool, rows = _pairs(pools, seed), []
    reference = _reference(qrels, by_pool)
    for name, run in runs.items():
        pt.validate.columns(run, includes=[*PAIR, "score"])
        check_against(run, reference, name)
    asked = {str(measure): measure_of(measure) for measure in measures}
    for pool, pairs in by_pool.items():
        judged = pt.model.to_ir_measures(qrels.merge(pairs))
        evaluator = ir_measures.evaluator(list(asked.values()), judged)
        for name, run in runs.items():
            inside = run.merge(pairs)
            means = evaluator.calc_aggregate(pt.model.to_ir_measures(inside))
            missing = len(pairs) - len(inside)
            rows += [(pool, text, name, means[m], missing) for text, m in asked.items()]
    figures = _with_changes(pd.DataFrame(rows, columns=[*FIGURE, "value", "missing"]))
    return PoolSensitivity(figures, _rankings(figures), _bests(qrels, by_pool))


def _reference(qrels: pd.DataFrame, pools: Mapping[str, pd.DataFrame]) -> Reference:
    """Return what runs are checked against: the queries and documents of judgements and pools."""
    all_candidates = pd.concat(list(pools.values()), ignore_index=True)
    return Reference(
        name="the judgements and pools",
        query_ids=frozenset(qrels["qid"]) | frozenset(all_candidates["qid"]),
        judgements=qrels[PAIR],
        pools=all_candidates,
        query_papers={},
        dataset=None,
    )


def _pairs(pools: Mapping[str, pd.DataFrame | float], seed: Seed) -> dict[str, pd.DataFrame]:
    """Return the pairs of each pool, each once; shares are drawn."""
    by_pool: dict[str, pd.DataFrame] = {}
    for name, pool in pools.items():
        if not isinstance(pool, pd.DataFrame):
            if not by_pool or not 0 < pool < 1:
                raise ValueError(
                    f"pool {name!r} is {pool!r}: expected a frame of qid and docno, or, after a "
                    "first frame, a share between 0 and 1"
                )
            first = next(iter(by_pool.values()))
            pool = first.groupby("qid").sample(frac=pool, random_state=seed)
        pt.validate.columns(pool, includes=PAIR)
        by_pool[name] = pool[PAIR].drop_duplicates()
    return by_pool


def _with_changes(figures: pd.DataFrame) -> pd.DataFrame:
    """Add `rank` and `change`; the first pool's rows come first."""
    systems = figures.groupby(["pool", "measure"], sort=False)["value"]
    rank = systems.rank(ascending=False, method="min").astype("Int64")
    pools = figures.groupby(["measure", "name"], sort=False)["value"]
    change = figures["value"] - pools.transform(lambda values: values.iloc[0])
    columns = [*FIGURE, "value", "rank", "change", "missing"]
    return figures.assign(rank=rank, change=change)[columns]


def _rankings(figures: pd.DataFrame) -> pd.DataFrame:
    rows = [
        (*pair, systems["value"].corr(systems["value"] - systems["change"], method="kendall"))
        for pair, systems in figures.groupby(["pool", "measure"], sort=False)
    ]
    return pd.DataFrame(rows, columns=["pool", "measure", "tau"])


def _bests(qrels: pd.DataFrame, by_pool: dict[str, pd.DataFrame]) -> pd.DataFrame:
    rows, first = [], None
    for name, pairs in by_pool.items():
        judged = qrels.merge(pairs)
        best = judged.groupby("qid")["label"].max()
        first = best if first is None else first
        gain = (best / first[first > 0] - 1).dropna()
        counts = len(pairs), len(pairs) - len(judged)
        rows.append((name, *counts, gain.mean(), (gain > 0).mean(), gain[gain > 0].mean()))
    return pd.DataFrame(
        rows,
        columns=["pool", "candidates", "unjudged", "relative", "better", "improvement"],
    )

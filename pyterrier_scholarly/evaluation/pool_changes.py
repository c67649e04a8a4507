"""How systems fare when pools shrink or grow."""

from typing import NamedTuple

import ir_measures
import pandas as pd
import pyterrier as pt

from .measures import measure_of

PAIR = ["qid", "docno"]


class PoolSensitivity(NamedTuple):
    """What changes with the pool; the first one is compared with.

    figures: rows `pool`, `measure`, `name`, `value`, `rank` (1 is best; equal values share the
        better one), `change` (value less the first pool's), `missing` (candidates that the system
        does not rank).
    rankings: rows `pool`, `measure`, `tau` (Kendall's τ-b of the systems' values with the first
        pool's; NaN where either does not vary).
    pools: rows `pool`, `candidates`, `unjudged` (candidates), and of the best judged candidate of
        each query against the first pool's: `relative` (mean of best / first − 1), `better` (share
        of queries with a higher best), `improvement` (the mean of best / first − 1 over these).
    """

    figures: pd.DataFrame
    rankings: pd.DataFrame
    pools: pd.DataFrame


def pool_sensitivity(runs, qrels, pools, measures, seed=0):
    """Evaluate runs over several candidate pools, with the judgements of each pool alone.

    Ideal rankings and numbers of relevant documents are those of the pool. DORIS-MAE compares its
    pools by keywords with 150 other abstracts per query, from E5 and SPECTER-v2; how it averages
    the best scores' differences is not printed [Wang et al. 2023, appendix C.6, Table 16].

    Args:
        runs: dict from names of systems to frames of `qid`, `docno`, `score`; they are cut to each
            pool, so they are to rank the candidates of all.
        qrels: frame of `qid`, `docno`, `label` (and `iteration`), over all pools.
        pools: dict from names to frames of `qid`, `docno`; or to a share within 0..1, which draws
            that part of each query's first pool at random.
        measures: objects or strings.
        seed: of the shares.

    Returns:
        `PoolSensitivity`.

    Raises:
        ValueError: there is no run, the first pool is a share, or a share is out of range.
        pt.validate.InputValidationError: a column is missing.
    """
    pools, names = _frames(pools, seed), [str(measure) for measure in measures]
    asked = [measure_of(measure) for measure in measures]
    if not runs:
        raise ValueError("runs is empty: pass at least one system's results")
    pt.validate.columns(qrels, includes=[*PAIR, "label"])
    for run in runs.values():
        pt.validate.columns(run, includes=[*PAIR, "score"])
    rows = []
    for pool, pairs in pools.items():
        evaluator = ir_measures.evaluator(asked, pt.model.to_ir_measures(qrels.merge(pairs)))
        for name, run in runs.items():
            cut = run.merge(pairs)
            means = evaluator.calc_aggregate(pt.model.to_ir_measures(cut))
            missing = len(pairs) - len(cut)
            rows += [(pool, m, name, means[a], missing) for m, a in zip(names, asked)]
    figures = pd.DataFrame(rows, columns=["pool", "measure", "name", "value", "missing"])
    values = figures.groupby(["pool", "measure"], sort=False)["value"]
    first = figures[figures["pool"] == next(iter(pools))].set_index(["measure", "name"])["value"]
    base = first.loc[list(zip(figures["measure"], figures["name"]))].to_numpy()
    rank = values.rank(ascending=False, method="min").astype("Int64")
    figures = figures.assign(rank=rank, change=figures["value"] - base)
    columns = ["pool", "measure", "name", "value", "rank", "change", "missing"]
    return PoolSensitivity(figures[columns], _rankings(figures), _bests(qrels, pools))


def _frames(pools, seed):
    """Name -> frame of pairs, each once; shares are drawn."""
    found = {}
    for name, pool in pools.items():
        if not isinstance(pool, pd.DataFrame):
            if not found or not 0 < pool < 1:
                raise ValueError(
                    f"pool {name!r} is {pool!r}: expected a frame of qid and docno, or, behind a "
                    "first frame, a share between 0 and 1"
                )
            first = next(iter(found.values()))
            pool = first.groupby("qid").sample(frac=pool, random_state=seed)
        pt.validate.columns(pool, includes=PAIR)
        found[name] = pool[PAIR].drop_duplicates()
    return found


def _rankings(figures):
    from scipy.stats import kendalltau

    rows = []
    for pair, of_it in figures.groupby(["pool", "measure"], sort=False):
        tau = kendalltau(of_it["value"], of_it["value"] - of_it["change"]).statistic
        rows.append((*pair, tau))
    return pd.DataFrame(rows, columns=["pool", "measure", "tau"])


def _bests(qrels, pools):
    rows, first = [], None
    for name, pairs in pools.items():
        judged = qrels.merge(pairs)
        best = judged.groupby("qid")["label"].max()
        first = best if first is None else first
        gain = (best / first[first > 0] - 1).dropna()
        better = gain[gain > 0]
        unjudged = len(pairs) - len(judged)
        rows.append(
            (name, len(pairs), unjudged, gain.mean(), len(better) / len(gain), better.mean())
        )
    columns = ["pool", "candidates", "unjudged", "relative", "better", "improvement"]
    return pd.DataFrame(rows, columns=columns)

"""What no system at all reaches: measures of shuffled candidate pools."""

import ir_measures
import numpy as np
import pandas as pd
import pyterrier as pt

from ..datasets import irds
from .measures import measure_of


def random_baseline(pools, measures, trials=100, seed=0):
    """Estimate the expected value of measures over shuffled candidate pools.

    Each trial ranks every query's whole pool in random order.

    Args:
        pools: a dataset with candidate pools (``"irds:doris-mae/dev"``), or a frame of judgements
            (`qid`, `docno`, `label`), whose documents are then the pools.
        measures: objects or strings.
        trials: number of shuffles, at least 1.
        seed: equal seeds give equal figures.

    Returns:
        Frame `name` ("random"), `measure`, `value` (the mean over trials of the mean over queries),
        `std` (standard deviation over trials; that of `value` is this / sqrt(trials)).

    Raises:
        ValueError: the dataset has no pools or no judgements, or `trials` is below 1.
    """
    if trials < 1:
        raise ValueError(f"trials={trials}: expected 1 or more")
    qrels, pool = _pools(pools)
    asked = [measure_of(measure) for measure in measures]
    evaluator, random = ir_measures.evaluator(asked, qrels), np.random.default_rng(seed)
    figures = []
    for _ in range(trials):
        means = evaluator.calc_aggregate(pool.assign(score=random.random(len(pool))))
        figures.append([means[measure] for measure in asked])
    return pd.DataFrame(
        {
            "name": "random",
            "measure": [str(measure) for measure in measures],
            "value": np.mean(figures, axis=0),
            "std": np.std(figures, axis=0),
        }
    )


def _pools(pools):
    """Judgements and candidates as frames with ir_measures' columns."""
    if isinstance(pools, pd.DataFrame):
        qrels = pt.model.to_ir_measures(pools)
        return qrels, qrels[["query_id", "doc_id"]].drop_duplicates()
    dataset = irds(pools)
    if not (dataset.has_scoreddocs() and dataset.has_qrels()):
        raise ValueError(
            f"{pools} has no candidate pools with judgements: give a dataset that has both, such "
            "as csfcube/method or doris-mae/dev, or a frame of judgements"
        )
    candidates = pd.DataFrame(dataset.scoreddocs_iter())
    return pd.DataFrame(dataset.qrels_iter()), candidates[["query_id", "doc_id"]]

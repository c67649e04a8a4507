"""Estimate what chance would give: measures over candidate pools in random order.

::

    random_baseline("doris-mae")  # value and std of each official measure
"""

import ir_measures
import numpy as np
import pandas as pd
import pyterrier as pt

from ..arguments import Repeats, Seed, check_arguments
from ..datasets import DatasetLike, irds
from .measure_names import Measures, measure_of
from .official_measures import official_measures


@check_arguments
def random_baseline(
    pools: DatasetLike | pd.DataFrame,
    measures: Measures | None = None,
    trials: Repeats = 100,
    seed: Seed = 0,
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

    judgements = _read_judgements(pools)
    candidates = _read_candidates(pools, judgements)
    parsed_measures = [measure_of(measure) for measure in measures]
    evaluator = ir_measures.evaluator(parsed_measures, judgements)
    random = np.random.default_rng(seed)

    trial_means = []  # (trials, measures)
    for _ in range(trials):
        run = candidates.assign(score=random.random(len(candidates)))
        means = evaluator.calc_aggregate(run)
        trial_means.append([means[measure] for measure in parsed_measures])

    return pd.DataFrame(
        {
            "name": "random",
            "measure": [str(measure) for measure in measures],
            "value": np.mean(trial_means, axis=0),
            "std": np.std(trial_means, axis=0),
        }
    )


def _read_judgements(pools: DatasetLike | pd.DataFrame) -> pd.DataFrame:
    """Return the judgements of a dataset, or of a frame, with ir_measures' columns."""
    if isinstance(pools, pd.DataFrame):
        return pt.model.to_ir_measures(pools)

    dataset = irds(pools)
    if not (dataset.has_scoreddocs() and dataset.has_qrels()):
        raise ValueError(
            f"{pools} has no candidate pools with judgements: pass a dataset that has both, such "
            "as csfcube/method or doris-mae/dev, or a frame of judgements"
        )
    return pd.DataFrame(dataset.qrels_iter())


def _read_candidates(pools: DatasetLike | pd.DataFrame, judgements: pd.DataFrame) -> pd.DataFrame:
    """Return `query_id` and `doc_id` of each candidate.

    Args:
        pools: a dataset with candidate pools, or a frame of judgements.
        judgements: read from `pools`. If this is a frame, its judged documents are the candidates.
    """
    columns = ["query_id", "doc_id"]
    if isinstance(pools, pd.DataFrame):
        return judgements[columns].drop_duplicates()
    return pd.DataFrame(irds(pools).scoreddocs_iter())[columns]

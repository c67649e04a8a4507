"""Choose the weights of a combination on development queries.

::

    scored = (bm25 ** dense)(topics)  # `features`: both scores of each candidate
    ranking, weights = chosen_on_dev(scored, "csfcube/all", [(1.0, 0.5), (1.0, 1.0)])
"""

from collections.abc import Sequence
from contextlib import redirect_stdout
from io import StringIO

import pandas as pd
import pyterrier as pt

from ..datasets import DatasetLike
from ..transformers import WeightedFeatures
from .checks import Reference, check_run
from .groups import folds


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
    topics_of_folds = folds(dataset)
    reference = Reference(dataset, qrels)
    check_run(scored[["qid", "docno"]], reference, name="scored")

    # each fold has its own test queries, which are the dev queries of the other fold
    candidates = scored[["qid", "docno", "features"]]
    qrels = reference.judgements
    ids_of_folds = [topics["qid"] for topics in topics_of_folds]
    fold_candidates = [candidates[candidates["qid"].isin(ids)] for ids in ids_of_folds]
    fold_qrels = [qrels[qrels["qid"].isin(ids)] for ids in ids_of_folds]

    # grid search ranks each fold's queries with the weights that are best on the other fold's
    weighted_sum = WeightedFeatures(grid[0])  # grid search sets other weights
    choices: dict = {weighted_sum: {"weights": list(grid)}}
    with redirect_stdout(StringIO()):  # grid search prints what is returned here
        ranking, fold_settings = pt.KFoldGridSearch(
            weighted_sum, choices, fold_candidates, fold_qrels, metric
        )

    fold_weights: list = []
    for (setting,) in fold_settings:  # one, because weights are the only parameter
        _transformer, _parameter, weights = setting
        fold_weights.append(weights)
    ranking = ranking[["qid", "docno", "score", "rank"]].reset_index(drop=True)
    return ranking, fold_weights

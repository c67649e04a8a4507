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

from ..arguments import check_arguments
from ..datasets import DatasetLike, irds
from ..transformers import WeightedFeatures
from .folds import folds
from .run_checks import check_against
from .run_reference import Reference


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
        dataset_name = irds(dataset).dataset_id()
        qrels = pt.get_dataset(f"irds:{dataset_name}").get_qrels()
    pt.validate.columns(qrels, includes=["qid", "docno", "label"])
    check_against(scored[["qid", "docno"]], Reference.of(dataset, qrels), "scored")

    candidates = scored[["qid", "docno", "features"]]
    fold_candidates = _divide_by_fold(candidates, test_topics)
    fold_qrels = _divide_by_fold(qrels, test_topics)
    ranking, fold_weights = _search_weights(fold_candidates, fold_qrels, grid, metric)
    return ranking[["qid", "docno", "score", "rank"]].reset_index(drop=True), fold_weights


def _divide_by_fold(rows: pd.DataFrame, test_topics: Sequence[pd.DataFrame]) -> list[pd.DataFrame]:
    """Return, for each fold, those rows that are of its test queries."""
    return [rows[rows["qid"].isin(topics["qid"])] for topics in test_topics]


def _search_weights(
    fold_candidates: list[pd.DataFrame],
    fold_qrels: list[pd.DataFrame],
    grid: Sequence[tuple[float, ...]],
    metric: str,
) -> tuple[pd.DataFrame, list[tuple]]:
    """Return the ranking of all folds' candidates, and the weights that each fold was ranked with.

    Each fold is ranked with the weights of `grid` that are best on the other fold.
    """
    weighted_sum = WeightedFeatures(grid[0])  # grid search sets other weights
    choices: dict = {weighted_sum: {"weights": list(grid)}}
    with redirect_stdout(StringIO()):  # grid search prints what is returned here
        ranking, settings = pt.KFoldGridSearch(
            weighted_sum, choices, fold_candidates, fold_qrels, metric
        )

    fold_weights: list = []
    for fold_settings in settings:
        # a fold has one setting: (transformer, name of the parameter, value)
        _, _, weights = fold_settings[0]
        fold_weights.append(weights)
    return ranking, fold_weights

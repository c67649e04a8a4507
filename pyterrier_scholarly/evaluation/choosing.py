"""Weights that are chosen on the dev queries of each fold."""

from contextlib import redirect_stdout
from io import StringIO

import pyterrier as pt

from ..datasets import irds
from ..transformers import WeightedFeatures
from .folds import folds

METRIC = "NDCG%20"  # as a string, which grid search asks for


def chosen_on_dev(scored, dataset, grid, metric=METRIC, qrels=None):
    """Rank each fold's test queries with the weights that are best on its dev queries.

    `pt.KFoldGridSearch` over weights of what a feature union (``**``) collected, by the mean of
    `metric`; among equally good ones the first of `grid`. The relevance of a fold's test queries
    has no part in the choice of its weights.

    Args:
        scored: frame `qid`, `docno`, `features` with the candidates of all queries of `dataset`.
        dataset: one with folds and qrels, such as ``"csfcube/all"``.
        grid: weightings to choose from, tuples as long as the features.
        metric: a measure as a string.
        qrels: judgements (`qid`, `docno`, `label`) other than the dataset's own.

    Returns:
        The ranking of all queries' candidates (`qid`, `docno`, `score`, `rank`), and a list of the
        weights that were chosen for fold 1 and for fold 2.

    Raises:
        ValueError: the dataset has no folds, or weights are not as many as features.
    """
    pt.validate.columns(scored, includes=["qid", "docno", "features"])
    tests = folds(dataset)
    rows = _per_fold(scored[["qid", "docno", "features"]], tests)
    if qrels is None:
        qrels = pt.get_dataset(f"irds:{irds(dataset).dataset_id()}").get_qrels()
    step = WeightedFeatures(grid[0])
    searched = {step: {"weights": list(grid)}}
    with redirect_stdout(StringIO()):  # grid search prints what is returned here
        ranking, settings = pt.KFoldGridSearch(
            step, searched, rows, _per_fold(qrels, tests), metric
        )
    columns = ["qid", "docno", "score", "rank"]
    return ranking[columns].reset_index(drop=True), [setting[0][2] for setting in settings]


def _per_fold(frame, tests):
    return [frame[frame["qid"].isin(fold["qid"])] for fold in tests]

"""Weights that are chosen on the dev queries of each fold."""

from collections.abc import Sequence
from contextlib import redirect_stdout
from io import StringIO

import pandas as pd
import pyterrier as pt

from ..datasets import irds
from ..transformers import WeightedFeatures
from .folds import folds


def chosen_on_dev(
    scored: pd.DataFrame,
    dataset: object,
    grid: Sequence[tuple],
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

    Returns:
        The ranking of all queries' candidates (`qid`, `docno`, `score`, `rank`), and the list of
        the weights for fold 1 and for fold 2.

    Raises:
        ValueError: a dataset without folds, or a wrong number of weights.
    """
    pt.validate.columns(scored, includes=["qid", "docno", "features"])
    tests = folds(dataset)
    if qrels is None:
        qrels = pt.get_dataset(f"irds:{irds(dataset).dataset_id()}").get_qrels()
    rows, judged = (
        [frame[frame["qid"].isin(fold["qid"])] for fold in tests]
        for frame in (scored[["qid", "docno", "features"]], qrels)
    )
    step = WeightedFeatures(grid[0])
    searched: dict = {step: {"weights": list(grid)}}
    with redirect_stdout(StringIO()):  # grid search prints what is returned here
        ranking, settings = pt.KFoldGridSearch(step, searched, rows, judged, metric)
    weights: list = [setting[0][2] for setting in settings]
    return ranking[["qid", "docno", "score", "rank"]].reset_index(drop=True), weights

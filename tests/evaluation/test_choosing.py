"""Weights that are chosen on the dev queries of each fold."""

import numpy as np
import pandas as pd
import pyterrier as pt
import pytest

from pyterrier_scholarly import NDCG
from pyterrier_scholarly.evaluation import chosen_on_dev, folds

MINI = "scholarly-mini/all"
GRID = [(1.0, 0.0), (0.0, 1.0), (0.5, 0.5), (0.75, 0.25)]


@pytest.fixture
def qrels():
    """The embedded collection's judgements."""
    return pt.get_dataset(f"irds:{MINI}").get_qrels()


@pytest.fixture
def scored(qrels):
    """Two features: noise, and the relevance for the queries of fold 1's test, or its opposite."""
    first = qrels["qid"].isin(folds(MINI)[0]["qid"])
    truth = np.where(first, qrels["label"], -qrels["label"])
    noise = np.random.default_rng(0).random(len(qrels))
    return qrels[["qid", "docno"]].assign(features=list(np.stack([noise, truth], axis=1)))


def test_weights_are_the_best_of_the_other_folds_queries(scored):
    """A feature that predicts relevance only in fold 1's queries is chosen for fold 2."""
    _, weights = chosen_on_dev(scored, MINI, GRID)
    assert weights == [(1.0, 0.0), (0.0, 1.0)]


def test_the_choice_is_that_of_every_weightings_mean(scored, qrels):
    """Each weighting evaluated by itself on a fold's dev queries: the chosen one has the top."""
    _, weights = chosen_on_dev(scored, MINI, GRID)
    tests = folds(MINI)
    for chosen, dev in zip(weights, reversed(tests), strict=True):
        means = {}
        for one in GRID:
            rows = scored[scored["qid"].isin(dev["qid"])]
            run = rows.assign(score=np.stack(list(rows["features"])) @ np.array(one))
            values = [value.value for value in (NDCG % 20).iter_calc(irm(qrels, dev), irm(run))]
            means[one] = np.mean(values)
        assert means[chosen] == max(means.values())


def test_a_fold_does_not_see_the_relevance_of_its_test_queries(scored, qrels):
    """Turn the relevance of fold 1's test queries around: its weights stay, fold 2's change.

    The same the other way round. (That the other fold's weights change says that it would have been
    seen.)
    """
    before = chosen_on_dev(scored, MINI, GRID)[1]
    for fold, other in ((0, 1), (1, 0)):
        inside = qrels["qid"].isin(folds(MINI)[fold]["qid"])
        labels = np.where(inside, qrels["label"].max() - qrels["label"], qrels["label"])
        turned = qrels.assign(label=labels)
        after = chosen_on_dev(scored, MINI, GRID, qrels=turned)[1]
        assert after[fold] == before[fold]
        assert after[other] != before[other]


def test_each_query_is_ranked_with_its_folds_weights(scored):
    """The ranking has every candidate once, scored by the weights that its fold was given."""
    ranking, weights = chosen_on_dev(scored, MINI, GRID)
    expected = []
    for fold, own in zip(folds(MINI), weights, strict=True):
        rows = scored[scored["qid"].isin(fold["qid"])]
        scores = np.stack(list(rows["features"])) @ np.array(own)
        expected.append(rows.assign(score=scores)[["qid", "docno", "score"]])
    both = ranking.merge(pd.concat(expected), on=["qid", "docno"])
    assert len(both) == len(ranking) == len(scored)
    assert both["score_x"].to_numpy() == pytest.approx(both["score_y"].to_numpy())


def test_weights_of_another_length(scored):
    """Three weights for two features: says how many are expected, and where they are not."""
    with pytest.raises(ValueError, match="must hold 3 finite numbers"):
        chosen_on_dev(scored, MINI, [(1, 1, 1)])


def irm(frame, topics=None):
    """A frame as ir_measures takes it, of some topics' queries."""
    if topics is not None:
        frame = frame[frame["qid"].isin(topics["qid"])]
    names = {"qid": "query_id", "docno": "doc_id", "label": "relevance"}
    return frame.rename(columns=names).drop(columns=["features"], errors="ignore")

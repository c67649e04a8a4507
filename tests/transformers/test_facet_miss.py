"""Subtract a penalty from candidates without the facet, standardise scores, add them up."""

import warnings

import pandas as pd
import pyterrier as pt
import pytest

from pyterrier_scholarly.paper import Paper
from pyterrier_scholarly.transformers import FacetMiss, WeightedSum, ZScore


def make_papers(*labels_of_papers):
    """Papers of sentences with these labels."""
    return [Paper("", "", ["A sentence."] * len(labels), labels) for labels in labels_of_papers]


def frame(**columns):
    """Three candidates of one query."""
    made = {"qid": "1", "docno": list("abc"), "facet": "background", "score": [0.5, 0.45, 0.44]}
    made["paper"] = make_papers(["method"], ["method", "objective"], ["", ""])
    return pd.DataFrame(made | columns)


def scores(transformer, results):
    """Score by document."""
    out = transformer(results)
    assert out["rank"].tolist() == list(range(len(out)))
    return dict(zip(out["docno"], out["score"]))


def test_a_candidate_without_the_facet_is_demoted():
    """Objective counts as background; without labels there is no penalty."""
    assert scores(FacetMiss(), frame()) == pytest.approx({"a": 0.4, "b": 0.45, "c": 0.44})
    assert scores(FacetMiss(0.2), frame())["a"] == pytest.approx(0.3)
    assert scores(FacetMiss(), frame(facet=""))["a"] == 0.5
    assert scores(FacetMiss(0), frame())["a"] == 0.5


def test_chosen_sentences_are_positions():
    """Only chosen sentences count, so what is no list of positions is refused."""
    chosen = frame(sentence_ids=[[0], [0], [0]])
    assert scores(FacetMiss(), chosen) == pytest.approx({"a": 0.4, "b": 0.35, "c": 0.44})
    with pytest.raises(ValueError, match=r"sentence_ids is \['0'\] for .*pass a list of positions"):
        FacetMiss()(frame(sentence_ids=[["0"], [0], [0]]))


def test_without_labels_it_is_said_what_falls_away():
    """It warns if there is a facet but no candidate has labels, and else not."""
    unlabelled = frame(paper=make_papers([""], [], ["", ""]))
    with pytest.warns(UserWarning, match=r"no penalty.*whole abstract.*centroids.*Labeller"):
        assert scores(FacetMiss(), unlabelled) == {"a": 0.5, "b": 0.45, "c": 0.44}
    with warnings.catch_warnings():
        warnings.filterwarnings("error", message="No candidate")
        FacetMiss()(frame())
        FacetMiss()(unlabelled.assign(facet=""))
        FacetMiss()(unlabelled.iloc[:0])


def test_a_penalty_is_no_reward():
    """A negative penalty would raise the scores of misses."""
    with pytest.raises(ValueError, match=r"penalty=-1: expected a number of at least 0"):
        FacetMiss(-1)(frame())


def test_z_scores_by_hand():
    """1, 2, 3 have mean 2 and deviation sqrt(2/3); each query counts alone."""
    two = pd.concat([frame(score=[1, 2, 3]), frame(qid="2", score=[10, 30, 20])])
    out = ZScore()(two)
    z = (3 / 2) ** 0.5
    assert out["score"].tolist() == pytest.approx([z, 0, -z] * 2)
    assert out["docno"].tolist() == list("cbabca")


def test_a_sample_is_standardised_as_the_pool_that_it_stands_for():
    """A candidate that represents three counts as three candidates with its score would."""
    sample = frame(score=[1.0, 5, 2]).assign(represented=[1, 1, 3])
    pool = pd.concat([sample, sample[2:].assign(docno="c2"), sample[2:].assign(docno="c3")])
    expected = scores(ZScore(), pool.drop(columns="represented"))
    found = scores(ZScore(), sample)
    assert found == pytest.approx({docno: expected[docno] for docno in "abc"}, abs=1e-12)
    assert found != pytest.approx(scores(ZScore(), sample.drop(columns="represented")), abs=0.01)


@pytest.mark.parametrize("broken", [0, -1, float("nan"), float("inf"), "three", None])
def test_a_candidate_that_represents_nothing(broken):
    """The error names the column and the query."""
    with pytest.raises(ValueError, match=r"'represented' must hold finite numbers above 0.* qid 1"):
        ZScore()(frame(score=[1, 2, 3]).assign(represented=[1, 1, broken]))


@pytest.mark.parametrize("score", [[0.1, 0.1, 0.1], [1e9 + 0.1] * 3])
def test_equal_scores_are_zero(score):
    """Equal scores become exactly 0: no NaN, no rounding error."""
    assert scores(ZScore(), frame(score=score)) == {"a": 0, "b": 0, "c": 0}
    assert ZScore()(frame(score=score)[:1])["score"].tolist() == [0]


@pytest.mark.parametrize("broken", [float("nan"), float("inf")])
def test_scores_that_are_no_numbers(broken):
    """The error names the query."""
    with pytest.raises(ValueError, match=r"finite.* qid 1"):
        ZScore()(frame(score=[1, 2, broken]))


def by_docno(**values):
    """A scorer that gives each document its value."""
    return pt.apply.doc_score(lambda row: values[row["docno"]])


def test_a_weighted_sum_by_hand():
    """2 x 1 - 0.5 x 4 is 0, and so on; among equal scores the candidates keep their order."""
    total = WeightedSum([by_docno(a=1, b=2, c=1), by_docno(a=4, b=2, c=4)], (2, -0.5))
    out = total(frame())
    assert list(zip(out["docno"], out["score"], out["rank"])) == [
        ("b", 3.0, 0),
        ("a", 0.0, 1),
        ("c", 0.0, 2),
    ]
    expected = (2 * total.scorers[0] + -0.5 * total.scorers[1])(frame())  # PyTerrier's own sum
    assert scores(total, frame()) == dict(zip(expected["docno"], expected["score"]))


def test_each_scorer_has_a_weight():
    """One that has none, and a scorer that leaves out a candidate, are refused."""
    with pytest.raises(ValueError, match="has 2 scorers and 1 weights: pass one weight for each"):
        WeightedSum([ZScore(), ZScore()], [1.0])
    with pytest.raises(ValueError, match="NaN for qid and docno 1 c"):
        WeightedSum([ZScore() % 2], [1.0])(frame())


def test_sums_of_equal_scorers_are_equal():
    """They compare and print by their parts."""
    assert WeightedSum([ZScore()], [1.0]) == WeightedSum((ZScore(),), (1.0,))
    assert repr(WeightedSum([ZScore()], [1.0])) == "WeightedSum([ZScore()], [1.0])"
    assert pt.inspect.subtransformers(WeightedSum([ZScore()], [1.0])) == {"scorers": [ZScore()]}

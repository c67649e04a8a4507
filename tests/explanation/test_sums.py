"""Contributions add up to the score, to 1e-9 of their size, for all systems and all scorers."""

import numpy as np
import pandas as pd
import pyterrier as pt
import pytest

from pyterrier_scholarly import FacetQuery, PaperLoader, SentenceMaxSim, explain
from pyterrier_scholarly.explanation import Matches

from ..recipes.stand_ins import stand_ins
from .sums import COLLECTIONS, EXACT, explained_rows

PAIRS = ["east", "north"], ["up", "down", "east"]


@pytest.mark.slow
@pytest.mark.torch
@pytest.mark.parametrize("collection", COLLECTIONS)
def test_every_system_of_the_papers(collection, real_home, offline, tiny, tmp_path):
    """Each that compares sentences, with a tiny model of its architecture."""
    pytest.importorskip("torch")
    models = stand_ins(collection.partition("/")[0], tiny, tmp_path / "adapter")
    rows = list(explained_rows(collection, models))
    assert len(rows) > 2
    assert {row.key: row.difference for row in rows if not row.difference <= EXACT} == {}


class Scorer(pt.Transformer):
    """A scorer of one's own: the mean of the pairs' similarities, and a tenth per document."""

    def __init__(self, score, pairs):
        self.score, self.pairs = score, pairs

    def transform(self, results):
        """Rank."""
        return results.assign(score=self.score, rank=0)

    def explained(self, row):
        """What it was made with."""
        return self.pairs


def matches(*weights, rest=None):
    """Pairs (2, 3) with these weights, whose similarities are all 0.75."""
    weights = np.array(weights).reshape(2, 3)
    return Matches(np.full((2, 3), 0.75), weights, weights > 0, rest=rest or {})


ONE = 1.0, 0, 0, 0, 0, 0


def test_a_part_that_is_left_out():
    """The error has the score, what was explained, their difference, and what is expected."""
    with pytest.raises(ValueError, match=r"0\.75, but its score is 0\.78: a .* 0\.03") as e:
        explain(Scorer(0.78, matches(*ONE)), *PAIRS)
    assert "rest={'why': …}" in str(e.value)
    told = explain(Scorer(0.78, matches(*ONE, rest={"a bonus": 0.03})), *PAIRS)
    assert told.frame["contribution"].sum() == pytest.approx(0.78, abs=1e-12)
    assert told.frame["part"].tolist()[-1].endswith(": a bonus")


@pytest.mark.parametrize(
    ("score", "left_out", "fits"),
    [
        (0.78, 1e-8, False),  # a score in double precision
        (0.78, 1e-11, True),
        (float(np.float32(0.78)), 3e-7, True),  # the rounding of a score in single precision
        (float(np.float32(0.78)), 3e-4, False),
    ],
)
def test_what_is_rounding(score, left_out, fits):
    """Of a score in double precision 1e-9, in single precision 1e-5; then it adds up exactly."""
    scorer = Scorer(score, matches(*ONE, rest={"a bonus": score - 0.75 - left_out}))
    if not fits:
        with pytest.raises(ValueError, match=f"a difference of {left_out:.3g}"):
            explain(scorer, *PAIRS)
        return
    told = explain(scorer, *PAIRS)
    assert abs(told.frame["contribution"].sum() - score) <= EXACT * score


@pytest.mark.parametrize(
    ("returned", "error", "said"),
    [
        (matches(*ONE)._replace(weights=np.ones((1, 3))), ValueError, r"weights of shape \(1, 3\)"),
        (
            matches(*ONE)._replace(columns=[0, 1]),
            ValueError,
            r"similarities.*expected \(2, 2\)",
        ),
        (matches(float("nan"), 0, 0, 0, 0, 0), ValueError, "add up to nan"),
        (matches(*ONE)._replace(weights=[[1.0] * 3]), ValueError, r"weights of shape \(1, 3\)"),
        ({"weights": [[1.0]]}, TypeError, "returned dict; expected .*Matches"),
        *(
            (matches(*ONE)._replace(rest=rest), TypeError, r"such as rest=\{'why': -0\.06\}")
            for rest in (-0.06, {"why": "-0.06"}, {1: -0.06})
        ),
    ],
)
def test_what_explained_must_return(returned, error, said):
    """Matches with a row per sentence of the query and a column per sentence of the document."""
    with pytest.raises(error, match=said):
        explain(Scorer(0.75, returned), *PAIRS)


def test_pairs_with_weight_are_shown():
    """Without `matched`, the pairs with weight are shown, also those of a weight below 0."""
    weights = np.array([[1, -0.5, 0], [0, 0, 0]])
    pairs = Matches(np.full((2, 3), 0.5), weights)
    told = explain(Scorer(0.25, pairs), *PAIRS)
    assert told.frame["contribution"].tolist() == [0.5, -0.25]


def test_lists_are_arrays_too():
    """What a scorer of one's own returns may be lists."""
    pairs = Matches([[0.75] * 3] * 2, [[1, 0, 0], [0, 0, 0]], [[True, False, False]] * 2)
    told = explain(Scorer(0.75, pairs), *PAIRS)
    assert told.frame["contribution"].tolist() == [0.75, 0]


def test_chosen_sentences():
    """Of chosen sentences, a scorer without `columns` has a column for each; ids tell which."""
    frame = pd.DataFrame({"qid": "q", "docno": "d", "query_sentences": [PAIRS[0]]})
    frame = FacetQuery()(frame.assign(sentences=[PAIRS[1]])).assign(sentence_ids=[[2, 0]])
    pairs = Matches(np.array([[0.5, 0], [1.0, 0]]), np.full((2, 2), 0.5))
    told = explain(PaperLoader() >> Scorer(0.75, pairs), frame, "d")
    assert told.parts[0].document_ids == (2, 0)
    assert told.frame["sentence"].unique().tolist() == ["east", "up"]

    # without a choice for this row, all of its sentences count
    all_pairs = Matches(np.full((2, 3), 0.5), np.full((2, 3), 0.25))
    frame["sentence_ids"] = pd.Series([None], dtype=object)
    told = explain(PaperLoader() >> Scorer(0.75, all_pairs), frame, "d")
    assert told.parts[0].document_ids == (0, 1, 2)


@pytest.mark.parametrize(("column", "sentence"), [(0, "up"), (2, "east")])
def test_some_of_the_documents_sentences(column, sentence):
    """A scorer that read some of them says which, by a list or an array of positions."""
    pairs = Matches(np.array([[0.5], [1.0]]), np.full((2, 1), 0.5), np.ones((2, 1), bool))
    told = explain(Scorer(0.75, pairs._replace(columns=np.array([column]))), *PAIRS)
    assert told.frame["sentence"].tolist() == [sentence] * 2
    assert told.matrix.columns.tolist() == [column]


def test_weights_are_explained():
    """A sentence's weight is in its pair's: 3/4 of a mean, 3 of a sum."""
    vectors = {"east": (1, 0), "north": (0, 1), "up": (0.6, 0.8), "down": (0.8, -0.6)}

    def plane(texts):
        return np.array([vectors[text] for text in texts])

    columns = {"query_sentences": [PAIRS[0]], "sentences": [PAIRS[1][:2]]}
    texts = pd.DataFrame({"qid": "q", "docno": "d", **columns})
    row = (FacetQuery() >> PaperLoader())(texts.assign(query_sentence_weights=[[3, 1]]))
    for aggregate, weights in (("mean", [0.75, 0.25]), ("sum", [3, 1])):
        told = explain(SentenceMaxSim(plane, aggregate=aggregate), row, "d")
        assert told.frame["weight"].tolist() == pytest.approx(weights)
        assert told.score == pytest.approx(weights[0] * 0.8 + weights[1] * 0.8)
        assert abs(told.frame["contribution"].sum() - told.score) < EXACT

"""Scorers of sentences in context, with passages whose vectors are known."""

import numpy as np
import pandas as pd
import pytest

from pyterrier_scholarly.paper import Paper
from pyterrier_scholarly.transformers import SentenceCentroid, SentenceMaxSim

#: directions in the plane: east, north, west, (3, 4)
PLANE = {"e": (1, 0), "n": (0, 1), "w": (-1, 0), "u": (0.6, 0.8)}
LABELS = {"m": "method", "r": "result"}


class Turned:
    """Passages in the plane: a title "r" swaps the axes of what is read with it.

    The whole of a passage is the sum of its sentences.
    """

    def __init__(self):
        self.seen = []

    def encode_passages(self, passages):
        """The whole, then the parts."""
        self.seen.extend(passages)
        return [self._vectors(*passage) for passage in passages]

    def _vectors(self, title, *sentences):
        rows = np.array([PLANE[one] for one in sentences], dtype=np.float32).reshape(-1, 2)
        rows = rows[:, ::-1] if title == "r" else rows
        return np.vstack([rows.sum(0), [9, 9], rows])


def in_paper(doc_id, title, sentences, labels):
    """Return a paper with a character per sentence and label."""
    return Paper(doc_id, title, list(sentences), [LABELS[label] for label in labels])


def frame(*papers):
    """Return candidates of one query: east, a method, in a paper of two sentences."""
    return pd.DataFrame(
        {
            "qid": "1",
            "facet": "method",
            "query_paper": [in_paper("q", "t", "en", "mr")] * len(papers),
            "query_sentence_ids": [[0]] * len(papers),
            "docno": [paper.doc_id for paper in papers],
            "paper": papers,
        }
    )


def scores(transformer, results):
    """Score by document."""
    out = transformer(results)
    return dict(zip(out["docno"], out["score"]))


RESULTS = frame(
    in_paper("a", "t", "wu", "mr"), in_paper("b", "r", "n", "r"), in_paper("c", "t", "", "")
)


@pytest.mark.parametrize(
    ("scorer", "a"),
    [
        # of all sentences, u (a result) is best for e
        (SentenceMaxSim(Turned(), "title", aggregate="mean"), 0.6),
        # forward .6, back the mean of -1 and .6
        (SentenceMaxSim(Turned(), "title", aggregate="symmetric"), (0.6 + (-1 + 0.6) / 2) / 2),
        # w alone is a method
        (SentenceCentroid(Turned(), "title"), -1),
    ],
)
def test_scores_by_hand(scorer, a):
    """The title of b turns its n into e; b has no method, so all counts; c has no sentence."""
    assert scores(scorer, RESULTS) == pytest.approx({"a": a, "b": 1, "c": -1})


def test_centroids_without_a_facet():
    """Of all sentences: w + u = (-0.4, 0.8), against e."""
    found = scores(SentenceCentroid(Turned(), "title"), RESULTS.assign(facet=""))
    assert found["a"] == pytest.approx(-0.4 / np.hypot(0.4, 0.8))


@pytest.mark.parametrize(
    ("context", "passages"),
    [
        ("abstract", {("t", "e", "n"), ("t", "w", "u"), ("r", "n")}),
        ("facet", {("t", "e"), ("t", "n"), ("t", "w"), ("t", "u"), ("r", "n")}),
        ("title", {("t", "e"), ("t", "w"), ("t", "u"), ("r", "n")}),
        ("sentence", {("e",), ("w",), ("u",), ("n",)}),
    ],
)
def test_what_is_read_together(context, passages):
    """The query's paper is read like a document; each passage once, however many rows share it."""
    encoder = Turned()
    SentenceMaxSim(encoder, context)(pd.concat([RESULTS, RESULTS.assign(qid="2")]))
    assert passages <= set(encoder.seen)
    assert len(encoder.seen) == len(set(encoder.seen))


def test_chosen_sentences_are_read_in_their_paper():
    """Those at `sentence_ids` count, and a whole paper is read."""
    encoder = Turned()
    chosen = RESULTS[:1].assign(sentence_ids=[[0]])
    assert scores(SentenceMaxSim(encoder, "abstract"), chosen) == pytest.approx({"a": -1})
    assert ("t", "w", "u") in encoder.seen


def test_parts_combine_with_pyterriers_operators():
    """Weighted sums of scores, with the columns that later steps need."""
    parts = 0.8 * SentenceMaxSim(Turned(), "title", aggregate="mean") + 0.2 * SentenceCentroid(
        Turned(), "title"
    )
    out = parts(RESULTS)
    found = dict(zip(out["docno"], out["score"]))
    assert found == pytest.approx({"a": 0.8 * 0.6 - 0.2, "b": 1, "c": -1})
    assert set(RESULTS.columns) <= set(out.columns)
    assert dict(zip(out["docno"], out["rank"])) == {"b": 0, "a": 1, "c": 2}


@pytest.mark.parametrize("context", ["sentence", "title"])
def test_functions_are_encoders_too(context):
    """Any function from texts to vectors ranks, without context."""

    def encode(texts):
        return [PLANE.get(text, (0, 0)) for text in texts]

    found = scores(SentenceMaxSim(encode, context, aggregate="mean"), RESULTS)
    assert found == pytest.approx({"a": 0.6, "b": 0, "c": -1})


@pytest.mark.parametrize(
    ("setting", "message"),
    [
        ({"context": "page"}, "context='page': expected one of 'abstract', 'facet', 'title'"),
        ({"aggregate": "means"}, "aggregate='means': expected .* did you mean 'mean'"),
        ({"similarity": "near"}, "similarity='near': expected one of 'cosine', 'dot', 'l2'"),
    ],
)
def test_unknown_settings(setting, message):
    """The error lists the options, before anything is encoded."""
    encoder = Turned()
    with pytest.raises(ValueError, match=message):
        SentenceMaxSim(encoder, **setting)(RESULTS)
    assert not encoder.seen

"""Scorers of sentences in context, with passages whose vectors are known."""

import numpy as np
import pandas as pd
import pyterrier as pt
import pytest

from pyterrier_scholarly.transformers import (
    SentenceCentroid,
    SentenceMaxSim,
    TextSimilarity,
)

#: directions in the plane: east, north, west, (3, 4)
PLANE = {"e": (1, 0), "n": (0, 1), "w": (-1, 0), "u": (0.6, 0.8)}


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


def frame(*rows, facet="method", query="en", chosen=(0,)):
    """Results for one query from a paper whose sentences are methods, results behind.

    Rows are (docno, title, sentences, labels), a character per sentence and label.
    """
    sentences, kind = list(query), {"m": "method", "r": "result", "-": ""}
    out = pd.DataFrame(
        [
            (docno, title, list(own), [kind[k] for k in labels])
            for docno, title, own, labels in rows
        ],
        columns=["docno", "title", "sentences", "labels"],
    )
    repeated = {
        "query_sentences": [sentences[place] for place in chosen],
        "query_labels": ["method"] * len(chosen),
        "query_sentence_ids": list(chosen),
        "query_paper_sentences": sentences,
        "query_paper_labels": ["method"] * len(sentences),
    }
    out = out.assign(qid="1", query="q", facet=facet, query_title="t")
    return out.assign(**{name: [value] * len(out) for name, value in repeated.items()})


def scores(transformer, results):
    """Score by document."""
    out = transformer(results)
    return dict(zip(out["docno"], out["score"]))


RESULTS = frame(("a", "t", "wu", "mr"), ("b", "r", "n", "r"), ("c", "t", "", ""))


def test_symmetric_by_hand():
    """East against west and up: forward .6, back the mean of -1 and .6; b's north is turned."""
    found = scores(SentenceMaxSim(Turned(), "title", aggregate="symmetric"), RESULTS)
    assert found == pytest.approx({"a": (0.6 + (-1 + 0.6) / 2) / 2, "b": 1, "c": -1})


def test_max_sim_is_over_all_sentences():
    """Of a, u (a result) is best for e: 0.6. The title of b turns its n into e: 1."""
    assert scores(SentenceMaxSim(Turned(), "title", aggregate="mean"), RESULTS) == pytest.approx(
        {"a": 0.6, "b": 1, "c": -1}
    )


def test_aggregates():
    """Over e and n, a's best are 0.6 and 0.8."""
    both = frame(("a", "t", "wu", "mr"), chosen=(0, 1))
    for aggregate, expected in (("mean", 0.7), ("max", 0.8), ("sum", 1.4)):
        found = scores(SentenceMaxSim(Turned(), "title", aggregate=aggregate), both)
        assert found == pytest.approx({"a": expected})


def test_sentences_alone_are_those_of_sentence_max_sim():
    """Context "sentence" leaves the title out: the same scores as isolated sentences have."""

    def letters(texts):
        return np.array([PLANE.get(text, (0, 0)) for text in texts])

    alone = scores(SentenceMaxSim(letters, "sentence", aggregate="mean"), RESULTS)
    assert alone == pytest.approx(scores(SentenceMaxSim(letters, aggregate="mean"), RESULTS))


def test_centroids_are_of_the_facet():
    """Of a, w alone is a method; b has none, so all count; c has no sentence."""
    found = scores(SentenceCentroid(Turned(), "title"), RESULTS)
    assert found == pytest.approx({"a": -1, "b": 1, "c": -1})


def test_centroids_without_a_facet():
    """Of all sentences: w + u = (-0.4, 0.8), against e."""
    found = scores(SentenceCentroid(Turned(), "title"), RESULTS.assign(facet=""))
    assert found["a"] == pytest.approx(-0.4 / np.hypot(0.4, 0.8))


def test_passages():
    """The facet's passage of a is w; the abstract's is w + u, against e + n of the query's."""
    assert scores(TextSimilarity(Turned(), context="facet"), RESULTS)["a"] == pytest.approx(-1)
    found = scores(TextSimilarity(Turned(), context="abstract"), RESULTS)
    assert found["a"] == pytest.approx((-0.4 + 0.8) / np.hypot(0.4, 0.8) / 2**0.5)
    assert found["c"] == 0


@pytest.mark.parametrize("context", ["facet", "abstract"])
def test_a_passage_without_text(context):
    """A candidate without text is last and not encoded; a title alone is encoded."""
    encoder = Turned()
    results = frame(("a", "", "", ""), ("b", " ", "", ""), ("c", "t", "", ""), ("d", "t", "w", "m"))
    found = scores(TextSimilarity(encoder, context=context), results)
    assert (found["a"], found["b"], found["c"]) == (-1, -1, 0)
    assert found["d"] < 0
    assert not {("",), (" ",)} & set(encoder.seen)


def test_the_querys_sentences_come_from_its_paper():
    """The query's paper is read as a document: in context "abstract" with all its sentences."""
    encoder = Turned()
    SentenceMaxSim(encoder, "abstract", aggregate="mean")(RESULTS)
    assert ("t", "e", "n") in encoder.seen
    encoder = Turned()
    SentenceMaxSim(encoder, "title", aggregate="mean")(RESULTS)
    assert ("t", "e") in encoder.seen


def test_each_passage_is_asked_for_once():
    """A candidate is encoded once, however many queries share it."""
    encoder = Turned()
    SentenceMaxSim(encoder, "title", aggregate="mean")(
        pd.concat([RESULTS, RESULTS.assign(qid="2")])
    )
    assert len(encoder.seen) == len(set(encoder.seen))


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


def test_functions_are_encoders_too():
    """Any function from texts to vectors ranks, without context."""
    found = scores(
        SentenceMaxSim(lambda ts: [PLANE.get(t, (0, 0)) for t in ts], "title", aggregate="mean"),
        RESULTS,
    )
    assert found == pytest.approx({"a": 0.6, "b": 0, "c": -1})


@pytest.mark.parametrize("context", ["title", "page"])
def test_unknown_contexts(context):
    """The error lists the options; a title is no passage."""
    with pytest.raises(ValueError, match=f"'{context}': choose one of facet, abstract"):
        TextSimilarity(Turned(), context=context)(RESULTS)
    with pytest.raises(ValueError, match="'page': choose one of abstract, facet, title"):
        SentenceMaxSim(Turned(), "page", aggregate="mean")(RESULTS)
    with pytest.raises(ValueError, match="'least': choose one of max, mean, sum"):
        SentenceMaxSim(Turned(), "title", aggregate="least")(RESULTS)


@pytest.mark.parametrize("places", [[2], []])
def test_a_query_sentence_that_is_not_the_papers(places):
    """The error names the query, and the step that sets positions."""
    foreign = RESULTS.assign(query_sentence_ids=[places] * 3)
    with pytest.raises(ValueError, match=r"Query 1 .* paper of 2: .*FacetQuery"):
        SentenceMaxSim(Turned(), "title", aggregate="mean")(foreign)


def test_what_must_come_before():
    """The steps that bring the columns are named."""
    with pytest.raises(pt.validate.InputValidationError, match=r"FacetQuery.*Sentences"):
        SentenceMaxSim(Turned(), "title", aggregate="mean")(RESULTS.drop(columns="query_title"))

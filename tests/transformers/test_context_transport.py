"""ASPIRE: distances between sentences that are read in their abstract."""

import numpy as np
import pandas as pd
import pytest

from pyterrier_scholarly import SentenceTransport
from pyterrier_scholarly.encoders import Contextual
from pyterrier_scholarly.similarity.transport import sinkhorn

torch = pytest.importorskip("torch")
pytestmark = pytest.mark.torch


@pytest.fixture
def results():
    """A query of the second sentence of its paper; two candidates, one without sentences."""
    query = {
        "qid": "q",
        "facet": "method",
        "query_sentences": ["c d"],
        "query_labels": ["method"],
        "query_sentence_ids": [1],
        "query_title": "t",
        "query_paper_sentences": ["a b", "c d"],
        "query_paper_labels": ["result", "method"],
    }
    own = [("x", "u", ["c d", "e f g"]), ("y", "v", [])]
    return pd.DataFrame(
        [
            {**query, "docno": n, "title": t, "sentences": s, "labels": [""] * len(s)}
            for n, t, s in own
        ]
    )


def rows(encoder, title, *sentences):
    """Vectors of the sentences, read with the title before them."""
    return encoder.encode_passages([(title, *sentences)])[0][2:]


@pytest.mark.parametrize("method", ["single", "sinkhorn"])
def test_distances_are_of_sentences_in_their_abstracts(tiny, results, method):
    """From the facet, read in the query's paper, to all sentences; vectors are not scaled."""
    encoder = Contextual(tiny("bert"))
    ours = rows(encoder, "t [SEP]", "a b", "c d")[1:]
    theirs = rows(encoder, "u [SEP]", "c d", "e f g")
    expected = {
        "single": np.linalg.norm(ours - theirs, axis=1).min(),
        "sinkhorn": sinkhorn(ours, theirs, [2])[0],
    }[method]
    run = SentenceTransport(encoder, "abstract", method=method)(results).set_index("docno")
    assert run.loc["x", "score"] == pytest.approx(-expected, abs=1e-4)
    assert run.loc["y", "score"] == pytest.approx(-expected - 1, abs=1e-4)


def test_the_title_may_be_left_out(tiny, results):
    """With `title="[SEP]"` titles change no score."""
    step = SentenceTransport(tiny("bert"), "abstract", title="[SEP]", method="single")
    other = results.assign(title="another", query_title="one more")
    assert step(results)["score"].tolist() == step(other)["score"].tolist()
    read = SentenceTransport(tiny("bert"), "abstract", method="single")
    assert read(results)["score"].tolist() != read(other)["score"].tolist()


def test_an_unknown_method(results):
    """It is refused, and the error lists the methods."""
    with pytest.raises(ValueError, match="method='ot': choose one of sinkhorn, plan"):
        SentenceTransport(None, "abstract", method="ot")(results)

"""ASPIRE: distances between sentences that are read in their abstract."""

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

from pyterrier_scholarly import SentenceTransport
from pyterrier_scholarly.encoders import Contextual
from pyterrier_scholarly.paper import Paper

torch = pytest.importorskip("torch")
pytestmark = pytest.mark.torch


@pytest.fixture
def results():
    """A query of the second sentence of its paper; two candidates, one without sentences."""
    papers = [Paper("x", "u", ["c d", "e f g"]), Paper("y", "v", [])]
    return pd.DataFrame(
        {
            "qid": "q",
            "query_paper": [Paper("q", "t", ["a b", "c d"])] * 2,
            "query_sentence_ids": [[1]] * 2,
            "docno": ["x", "y"],
            "paper": papers,
        }
    )


def encode(encoder, title, *sentences):
    """Return vectors of the sentences, read with the title before them."""
    return encoder.encode_passages([(title, *sentences)])[0][2:]


@pytest.mark.parametrize("method", ["single", "sinkhorn"])
def test_distances_are_of_sentences_in_their_abstracts(tiny, results, method):
    """From the facet, read in the query's paper, to all sentences; vectors are not scaled."""
    encoder = Contextual(tiny("bert"))
    query = encode(encoder, "t [SEP]", "a b", "c d")[1:]
    document = encode(encoder, "u [SEP]", "c d", "e f g")
    (expected,) = SentenceTransport(method=method).score(query, document, np.array([2]))
    run = SentenceTransport(encoder, "abstract", method=method)(results).set_index("docno")
    assert run.loc["x", "score"] == pytest.approx(expected, abs=1e-4)
    assert run.loc["y", "score"] == pytest.approx(expected - 1, abs=1e-4)


def test_the_title_may_be_left_out(tiny, results):
    """With `title="[SEP]"` titles change no score."""
    other = results.assign(
        query_paper=[replace(paper, title="one more") for paper in results["query_paper"]],
        paper=[replace(paper, title="another") for paper in results["paper"]],
    )
    step = SentenceTransport(tiny("bert"), "abstract", title="[SEP]", method="single")
    assert step(results)["score"].tolist() == step(other)["score"].tolist()
    read = SentenceTransport(tiny("bert"), "abstract", method="single")
    assert read(results)["score"].tolist() != read(other)["score"].tolist()

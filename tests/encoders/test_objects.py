"""Models passed as objects: nothing is kept without a name."""

import numpy as np
import pytest

from pyterrier_scholarly import CrossEncoder, SentenceMaxSim, SparseEncoder
from pyterrier_scholarly.encoders import (
    Contextual,
    MultiVector,
    SentenceTransformer,
    as_token_encoder,
)
from pyterrier_scholarly.paper import Paper

torch = pytest.importorskip("torch")
pytestmark = [pytest.mark.torch, pytest.mark.usefixtures("offline")]

TEXTS = ["the model", "data of results"]

#: encoder -> architecture, class in sentence_transformers, what it makes of TEXTS
WAYS = {
    SentenceTransformer: ("bert", "SentenceTransformer", lambda one: one.encode(TEXTS, "document")),
    Contextual: (
        "bert",
        "SentenceTransformer",
        lambda one: one.encode_passages([tuple(TEXTS)])[0],
    ),
    SparseEncoder: ("masked", "SparseEncoder", lambda one: one.encode(TEXTS, "query").toarray()),
    CrossEncoder: ("cross", "CrossEncoder", lambda one: one.score([tuple(TEXTS)])),
    MultiVector: ("bert", "MultiVectorEncoder", lambda one: one.encode_tokens(TEXTS, "query")[0]),
}
EVERY = pytest.mark.parametrize("kind", WAYS)


@pytest.fixture
def given(tiny):
    """Return a model for a class of encoders, and a function that encodes TEXTS."""
    import sentence_transformers

    def of(kind):
        architecture, name, encoded = WAYS[kind]
        return getattr(sentence_transformers, name)(tiny(architecture), device="cpu"), encoded

    return of


def train(model):
    """Move all weights in place, as a trainer does."""
    steps = torch.optim.SGD(model.parameters(), lr=0.5)
    sum((weight**2).sum() + weight.sum() for weight in model.parameters()).backward()
    steps.step()


@pytest.mark.parametrize("precision", ["fp32", "bf16"])
@EVERY
def test_a_model_trained_in_place_gives_new_vectors(kind, precision, given):
    """After training, an encoder equals a new encoder of the model."""
    model, encoded = given(kind)
    encoder = kind(model, precision=precision)
    before = encoded(encoder)
    train(model)
    after = encoded(encoder)
    assert not np.allclose(before, after, atol=1e-3)
    assert np.allclose(after, encoded(kind(model, precision=precision)), atol=1e-6)


def test_a_model_trained_in_place_gives_new_scores(given):
    """After training, a step gives new scores."""
    import pandas as pd

    model, _ = given(Contextual)
    paper = Paper("", "a title", ("of a model", "for data"), ("method", "result"))
    row = {"qid": "1", "docno": "d", "query_paper": paper, "query_sentence_ids": [0]}
    row["paper"] = Paper("d", "models", ("results", "the data"))
    step, frame = SentenceMaxSim(model, "title", aggregate="mean"), pd.DataFrame([row])
    before = step(frame)["score"].iloc[0]
    assert step(frame)["score"].iloc[0] == pytest.approx(before, abs=1e-6)
    train(model)
    after = step(frame)["score"].iloc[0]
    assert after != pytest.approx(before, abs=1e-3)
    fresh = SentenceMaxSim(model, "title", aggregate="mean")
    assert after == pytest.approx(fresh(frame)["score"].iloc[0], abs=1e-6)


@pytest.mark.parametrize("kind", [SentenceTransformer, SparseEncoder])
def test_a_model_of_one_vector_is_no_encoder_of_tokens(kind, given):
    """Only a MultiVectorEncoder is, though all models of the library have its methods."""
    model, _ = given(kind)
    with pytest.raises(ValueError, match=r"(?s)is no encoder of tokens\. Pass a sentence_transf"):
        as_token_encoder(model)
    assert isinstance(as_token_encoder(given(MultiVector)[0]), MultiVector)


def test_a_model_that_returns_too_few_arrays_is_refused(given, monkeypatch):
    """The error says how many were expected."""
    model, _ = given(MultiVector)
    monkeypatch.setattr(model, "encode_query", lambda texts, **_: [np.ones((2, 4))])
    with pytest.raises(ValueError, match="expected a list of arrays, one for each of 2 texts"):
        MultiVector(model).encode_tokens(TEXTS, "query")


@EVERY
def test_a_cache_needs_a_name(kind, given, tmp_path):
    """A cache for an object without a name raises."""
    model, encoded = given(kind)
    with pytest.raises(ValueError, match=r"by an object.*pass name="):
        encoded(kind(model, cache=tmp_path))
    assert not list(tmp_path.iterdir())


@EVERY
def test_with_a_name_the_user_vouches(kind, given, tmp_path):
    """Arrays under a name are reused, in memory and on disk."""
    model, encoded = given(kind)
    encoder = kind(model, name="mine", memory=2**20)
    before, kept = encoded(encoder), encoded(kind(model, name="mine", cache=tmp_path))
    train(model)
    for again in (encoder, kind(model, name="mine", cache=tmp_path)):
        assert np.allclose(encoded(again), before, atol=1e-6)
    assert np.allclose(kept, before, atol=1e-6)
    assert not np.allclose(encoded(kind(model, name="mine-2", cache=tmp_path)), before, atol=1e-3)


def test_copies_hold_nothing(tiny, passes):
    """Pickled and replaced encoders hold nothing; a released one loads its model again."""
    import pickle
    from dataclasses import replace

    encoder = SentenceTransformer(tiny("bert"))
    encoder.encode(TEXTS, "query")
    encoder.encode(TEXTS, "query")
    assert sum(passes) == len(TEXTS)
    for copy in (pickle.loads(pickle.dumps(encoder)), replace(encoder, memory=9)):
        assert copy == encoder
        passes.clear()
        copy.encode(TEXTS, "query")
        assert sum(passes) == len(TEXTS)
    encoder.release()
    passes.clear()
    encoder.encode(TEXTS, "query")
    assert sum(passes) == len(TEXTS)

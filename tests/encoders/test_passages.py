"""Encoders of passages without context, and embeddings of papers."""

from dataclasses import fields
from pathlib import Path

import numpy as np
import pytest

from pyterrier_scholarly.encoders import (
    LSA,
    Contextual,
    Isolated,
    SentenceTransformer,
    as_passage_encoder,
    passage_arrays,
    sentence_vectors,
)
from pyterrier_scholarly.encoders.encoder_choice import SETTINGS_WITHOUT_CONTEXT
from pyterrier_scholarly.paper import Paper


class Plane:
    """An encoder (letters, blanks) that logs its texts."""

    def __init__(self):
        self.seen = []

    def __call__(self, texts):
        """Vectors (n, 2)."""
        self.seen.extend(texts)
        return np.array([[len(t.replace(" ", "")), t.count(" ")] for t in texts], dtype=float)


def test_isolated_texts():
    """Whole and parts are encoded by themselves, each once."""
    plane = Plane()
    found = as_passage_encoder(plane).encode_passages([("ab", "", "c"), ("c",)])
    assert [one.tolist() for one in found] == [
        [[3, 1], [2, 0], [0, 0], [1, 0]],
        [[1, 0], [1, 0]],
    ]
    assert sorted(plane.seen) == ["", "ab", "ab c", "c"]


def test_a_context_changes_nothing_for_an_isolated_encoder():
    """Rows are scaled to length 1."""
    paper = Paper("", "t", ("a a", "b"), ("method", "other"))
    for context in ("title", "abstract", "facet"):
        (found,) = sentence_vectors(as_passage_encoder(Plane()), [paper], context)
        assert np.allclose(found, [[2 / 5**0.5, 1 / 5**0.5], [1, 0]])


def test_a_passage_may_come_twice():
    """Each passage has its array; an equal passage is encoded once."""
    plane = Plane()
    found = passage_arrays(as_passage_encoder(plane), [("a", "a"), ("b",), ("a", "a")])
    assert [array[0].tolist() for array in found] == [[2, 1], [1, 0], [2, 1]]
    assert sorted(plane.seen) == ["a", "a a", "b"]


def test_each_kind_finds_its_encoder():
    """Names and models become contextual encoders; encoders and functions do not."""
    assert as_passage_encoder("some/model") == Contextual("some/model")
    assert as_passage_encoder(LSA(["a b"])) == Isolated(LSA(["a b"]))
    ready = Isolated(LSA(["a b"]))
    assert as_passage_encoder(ready) is ready
    with pytest.raises(ValueError, match="3 is no encoder"):
        as_passage_encoder(3)


def test_an_unknown_context():
    """An unknown context raises with the known ones."""
    with pytest.raises(ValueError, match=r"'page'\. Choose one of: abstract, facet, title"):
        sentence_vectors(as_passage_encoder(Plane()), [], "page")


class Own:
    """A user's passage encoder, made of the function `encode_passages`."""

    def __init__(self, encode):
        self.encode_passages = encode


PAPER = Paper("", "t", ("a a", "b"), ("method", "other"))
WAYS = [
    lambda encoder: sentence_vectors(encoder, [PAPER], "facet"),
    lambda encoder: passage_arrays(encoder, [("t", "a a", "b"), ("t",)]),
]


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize(
    "encode",
    [
        lambda passages: [np.ones((len(one), 2)) for one in passages],  # the whole is forgotten
        lambda passages: [np.ones(1 + len(one)) for one in passages],
        lambda passages: [np.ones((1 + len(one), n + 2)) for n, one in enumerate(passages)][::-1],
        lambda passages: [np.ones((1 + len(one), 2)) for one in passages][1:],
    ],
)
def test_arrays_of_other_shapes(way, encode):
    """Wrong shapes raise with the expected ones."""
    with pytest.raises(ValueError, match=r"The encoder .* returned .*expected"):
        way(Own(encode))


@pytest.mark.parametrize(
    ("way", "passage", "row", "text"),
    [(WAYS[0], 1, 3, "'t' and 'a a'"), (WAYS[1], 0, 0, "'t' and 'a a'")],
)
def test_nan_of_a_passage_encoder_is_said(way, passage, row, text):
    """NaN raises and names the text."""

    def encode(passages):
        made = [np.ones((1 + len(one), 2)) for one in passages]
        made[passage][row] = np.nan
        return made

    with pytest.raises(ValueError, match=f"NaN or infinity for 1 of 2 passages, first for {text}"):
        way(Own(encode))


@pytest.mark.torch
def test_an_encoder_of_texts_reads_contexts_where_its_model_can(tiny):
    """A model that was wrapped for its cache is read in context; one with a pooling is not."""
    wrapped = SentenceTransformer(tiny("bert"), name="mine", memory=5, max_length=9)
    in_context = as_passage_encoder(wrapped)
    assert in_context == Contextual(tiny("bert"), name="mine", max_length=9)
    assert in_context.memory == 5
    assert as_passage_encoder(wrapped) is in_context

    pooled = SentenceTransformer(tiny("bert"), pooling="cls")
    assert as_passage_encoder(pooled) == Isolated(pooled)


def test_settings_that_are_lost_in_context_are_known():
    """A new setting of `SentenceTransformer` is one of `Contextual`, or it keeps a text alone."""
    names, names_in_context = (
        {setting.name for setting in fields(kind)} for kind in (SentenceTransformer, Contextual)
    )
    assert names - names_in_context == set(SETTINGS_WITHOUT_CONTEXT)
    assert names_in_context < names


@pytest.mark.torch
def test_two_wrapped_models_keep_their_own_settings(tiny, tmp_path, passes):
    """Equal encoders may differ in cache, memory and batches: each is read with its own."""
    folder = tiny("bert")
    others = [SentenceTransformer(folder, memory=7), folder]
    in_use = [as_passage_encoder(other) for other in others]
    wrapped = SentenceTransformer(folder, memory=5, batch_tokens=64, cache=tmp_path)
    found = as_passage_encoder(wrapped)
    assert (found.memory, found.batch_tokens, found.cache) == (5, 64, wrapped.cache)
    assert as_passage_encoder(Path(folder)) is in_use[1]

    wrapped = SentenceTransformer(folder)
    for _ in range(2):
        as_passage_encoder(wrapped).encode_passages([("a", "b")])
    assert len(passes) == 1


@pytest.mark.torch
@pytest.mark.usefixtures("offline")
def test_a_sparse_model_is_read_in_context(tiny):
    """Of a SparseEncoder of sentence-transformers, the network reads sentences in context."""
    from sentence_transformers import SparseEncoder as Model

    model = Model(tiny("masked"), device="cpu")
    assert as_passage_encoder(model) == Contextual(model)

"""Which arguments are encoders, and what an encoder must return."""

import numpy as np
import pytest

from pyterrier_scholarly.encoders import (
    LSA,
    BiEncoder,
    Contextual,
    Function,
    MultiVector,
    SentenceTransformer,
    as_encoder,
    as_passage_encoder,
    as_token_encoder,
    vectors,
)


def lengths(texts):
    """An encoder of one dimension: the number of characters."""
    return np.array([[len(text)] for text in texts])


class Dr:
    """The methods of pyterrier_dr's bi-encoders; like theirs it can be called."""

    def encode_queries(self, texts, batch_size=None):
        """Show the side and the batch size."""
        return lengths(texts) + 100 * batch_size

    def encode_docs(self, texts, batch_size=None):
        """As `lengths`."""
        return lengths(texts)

    def __call__(self, frame):
        """Fail: this is not the method to call."""
        raise AssertionError("a bi-encoder is no function from texts to vectors")


class Model:
    """The method that every sentence-transformers model has, and every version."""

    def encode(self, texts, batch_size=32, show_progress_bar=None):
        """As `lengths`."""
        return lengths(texts)

    def __call__(self, batch):
        """Fail: this is not the method to call."""
        raise AssertionError("a model is no function from texts to vectors")


@pytest.mark.parametrize(
    ("source", "kind"),
    [(lengths, Function), (Dr(), BiEncoder), (Model(), SentenceTransformer)],
)
def test_each_kind_finds_its_encoder(source, kind):
    """Functions, bi-encoders and models get their own encoders, though all are callable."""
    encoder = as_encoder(source)
    assert type(encoder) is kind
    assert vectors(encoder.encode_documents, ["a", "bcd"]).tolist() == [[1], [3]]


def test_a_name_is_a_model_and_an_encoder_is_itself():
    """A string names a sentence-transformers model; naming it loads nothing."""
    assert as_encoder("some/model") == SentenceTransformer("some/model")
    lsa = LSA(["some texts"])
    assert as_encoder(lsa) is lsa


def test_a_folder_may_be_a_path(tmp_path):
    """A path is the same model as its string."""
    assert (
        as_encoder(tmp_path) == SentenceTransformer(str(tmp_path)) == SentenceTransformer(tmp_path)
    )
    assert as_passage_encoder(tmp_path) == Contextual(str(tmp_path))
    assert as_token_encoder(tmp_path) == MultiVector(str(tmp_path))


def test_what_is_no_encoder():
    """The error lists what is an encoder."""
    with pytest.raises(ValueError, match=r"3 is no encoder.*sentence-transformers"):
        as_encoder(3)


def test_a_bi_encoder_has_two_sides_and_the_batch_size():
    """Queries go through the model's query side, with the batch size."""
    encoder = as_encoder(Dr(), batch_size=7)
    assert vectors(encoder.encode_queries, ["ab"]).tolist() == [[702]]
    assert not encoder.symmetric


def test_a_function_gets_batches():
    """A function gets each text once, in order, at most `batch_size` at a time."""
    seen = []
    encoder = as_encoder(lambda texts: seen.append(list(texts)) or lengths(texts), batch_size=2)
    assert vectors(encoder.encode_queries, ["a", "bb", "ccc"]).tolist() == [[1], [2], [3]]
    assert seen == [["a", "bb"], ["ccc"]]


def test_no_texts_need_no_call():
    """No texts give no rows, for any encoder."""
    assert vectors(Dr(), []).shape == (0, 0)


@pytest.mark.parametrize("wrong", [[1.0, 2.0], [[1.0]], [[[1.0]], [[2.0]]]])
def test_the_shape_is_checked(wrong):
    """An answer without one row per text raises with the shapes."""
    with pytest.raises(ValueError, match=r"for 2 texts; expected \(2, dimensions\)"):
        vectors(lambda texts: wrong, ["a", "b"])


@pytest.mark.parametrize("wrong", [float("nan"), float("inf")])
def test_broken_vectors_are_named(wrong):
    """NaN raises and names the first text."""
    with pytest.raises(ValueError, match="NaN or infinity for 1 of 2 texts, first for 'b'"):
        vectors(lambda texts: [[1.0], [wrong]], ["a", "b"])


def test_sentence_transformers_missing(monkeypatch):
    """A missing library raises with the extra's name."""
    monkeypatch.setitem(__import__("sys").modules, "sentence_transformers", None)
    with pytest.raises(ImportError, match=r"pyterrier-scholarly\[dense\]"):
        as_encoder("no/such-model").encode_queries(["a"])


def test_prompts_tell_the_sides_apart():
    """A model with a prompt for queries only is not symmetric."""
    model = Model()
    assert SentenceTransformer(model).symmetric
    model.prompts = {"query": "query: ", "document": ""}
    assert not SentenceTransformer(model).symmetric


@pytest.mark.torch
def test_a_missing_folder_is_not_looked_for_on_the_hub(tmp_path):
    """Who passes a path is not advised to download it."""
    pytest.importorskip("sentence_transformers")
    with pytest.raises(FileNotFoundError, match="There is no folder") as caught:
        as_encoder(str(tmp_path / "nothing")).encode_documents(["a"])
    assert "download" not in str(caught.value)

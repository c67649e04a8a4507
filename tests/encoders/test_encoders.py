"""Which arguments are encoders, and what an encoder must return."""

import gc
import weakref

import numpy as np
import pandas as pd
import pytest
from scipy.sparse import csr_array, csr_matrix

from pyterrier_scholarly import SentenceMaxSim
from pyterrier_scholarly.encoders import (
    LSA,
    BiEncoder,
    Contextual,
    Function,
    Isolated,
    MultiVector,
    SentenceTransformer,
    as_encoder,
    as_passage_encoder,
    as_token_encoder,
    vectors,
)
from pyterrier_scholarly.paper import Paper


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
    assert vectors(encoder, ["a", "bcd"]).tolist() == [[1], [3]]


def test_a_name_is_a_model_and_an_encoder_is_itself():
    """A string names a sentence-transformers model; naming it loads nothing."""
    assert as_encoder("some/model") == SentenceTransformer("some/model")
    for encoder in (LSA(["some texts"]), SentenceTransformer("some/model"), Function(lengths)):
        assert as_encoder(encoder) is encoder


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


def test_a_model_with_queries_only_is_no_bi_encoder():
    """BEIR's models name their documents' method otherwise: they are refused, or called."""

    class Beir:
        def encode_queries(self, texts, batch_size=None):
            return lengths(texts)

        encode_corpus = encode_queries

    with pytest.raises(ValueError, match="is no encoder"):
        as_encoder(Beir())
    Beir.__call__ = lambda self, texts: lengths(texts)
    assert vectors(as_encoder(Beir()), ["a", "bc"]).tolist() == lengths(["a", "bc"]).tolist()


def test_a_bi_encoder_has_two_sides_and_the_batch_size():
    """Queries go through the model's query side, with the batch size."""
    encoder = as_encoder(Dr(), batch_size=7)
    assert vectors(encoder, ["ab"], "query").tolist() == [[702]]
    assert vectors(encoder, ["ab"]).tolist() == [[2]]


def test_a_function_gets_batches():
    """A function gets each text once, in order, at most `batch_size` at a time."""
    seen = []
    encoder = as_encoder(lambda texts: seen.append(list(texts)) or lengths(texts), batch_size=2)
    assert vectors(encoder, ["a", "bb", "ccc"]).tolist() == [[1], [2], [3]]
    assert seen == [["a", "bb"], ["ccc"]]


@pytest.fixture
def counted():
    """Return the log of texts, and a function and an object that encode and log them."""
    log = []

    def encode_alike(texts):
        log.extend(texts)
        return lengths(texts)

    class Own:
        def encode(self, texts, side):
            log.extend(f"{side}: {text}" for text in texts)
            return lengths(texts) + (side == "query")

    return log, encode_alike, Own()


def test_a_function_with_a_name_encodes_nothing_twice(counted, tmp_path):
    """Two encoders of one name share the cache; under another name the texts are new."""
    log, encode_alike, _ = counted
    found = []
    for texts in (["a", "bb", "a"], ["bb", "ccc"]):
        encoder = Function(encode_alike, name="lengths", cache=tmp_path)
        found.append(encoder.encode(texts, "document").tolist())
        assert np.array_equal(encoder.encode(texts, "document"), found[-1])
    assert found == [[[1], [2], [1]], [[2], [3]]]
    assert log == ["a", "bb", "ccc"]

    Function(encode_alike, name="others", cache=tmp_path).encode(["a"], "document")
    assert log[3:] == ["a"]
    with pytest.raises(ValueError, match=r"To keep its embeddings.*pass name="):
        Function(encode_alike, cache=tmp_path).encode(["a"], "document")


def test_two_functions_of_one_name_are_told_by_their_widths(tmp_path):
    """The error says that something changed, and how to start again; nothing wrong is kept."""
    Function(lengths, name="mine", cache=tmp_path).encode(["a"], "document")
    wider = Function(lambda texts: np.ones((len(texts), 2)), name="mine", cache=tmp_path)
    with pytest.raises(ValueError, match=r"of 2 numbers after those of 1.*\.clear\(\)"):
        wider.encode(["a", "bb"], "document")
    assert Function(lengths, name="mine", cache=tmp_path).encode(["bb"], "document") == [[2]]


def test_a_function_may_return_a_sparse_array():
    """Its rows are those of the dense array."""
    encoder = as_encoder(lambda texts: csr_array(lengths(texts)), batch_size=2)
    assert vectors(encoder, ["a", "bb", "ccc"], sparse=True).tolist() == [[1], [2], [3]]


def test_an_own_encoder_gets_memory_and_cache(counted, tmp_path):
    """A `Function` of an object with the method `encode` keeps its sides apart."""
    log, _, own = counted
    for _ in range(2):
        encoder = Function(own, name="own", cache=tmp_path)
        assert vectors(encoder, ["a", "bb"], "query").tolist() == [[2], [3]]
        assert vectors(encoder, ["a", "bb"]).tolist() == [[1], [2]]
    assert log == ["query: a", "query: bb", "document: a", "document: bb"]


def test_two_steps_with_one_function_encode_a_text_once(counted):
    """With a name, the second step of a pipeline finds the first step's embeddings in memory."""
    log, encode_alike, _ = counted
    row = {
        "qid": "q",
        "docno": "d",
        "paper": Paper("d", "A title", ("One.", "Another sentence.")),
        "query_paper": Paper("p", "T", ("A query.",)),
        "query_sentence_ids": [0],
    }
    encoder = Function(encode_alike, name="lengths")
    pipeline = SentenceMaxSim(encoder) >> SentenceMaxSim(encoder, aggregate="mean")
    assert len(pipeline(pd.DataFrame([row]))) == 1
    assert sorted(log) == ["A query.", "Another sentence.", "One."]


def test_steps_with_one_models_name_share_its_encoder():
    """An encoder that nothing uses is dropped, with its model."""
    encoder = as_encoder("some/model")
    assert as_encoder("some/model") is encoder
    assert as_encoder("another/model") is not encoder

    reference = weakref.ref(encoder)
    del encoder
    gc.collect()
    assert reference() is None


def test_no_texts_need_no_call():
    """No texts give no rows, for any encoder."""
    assert vectors(Dr(), []).shape == (0, 0)


@pytest.mark.parametrize("wrong", [[1.0, 2.0], [[1.0]], [[[1.0]], [[2.0]]]])
def test_the_shape_is_checked(wrong):
    """An answer without one row per text raises with the shapes."""
    with pytest.raises(ValueError, match=r"expected numbers of shape \(2, dimensions\)"):
        vectors(as_encoder(lambda texts: wrong), ["a", "b"])


@pytest.mark.parametrize("wrong", [float("nan"), float("inf")])
def test_broken_vectors_are_named(wrong):
    """NaN raises and names the first text."""

    class Broken:
        def encode(self, texts, side):
            return [[1.0], [wrong]]

    with pytest.raises(ValueError, match="NaN or infinity for 1 of 2 texts, first for 'b'"):
        vectors(Broken(), ["a", "b"])
    with pytest.raises(ValueError, match=r"NaN or infinity .* first for 'b'"):
        vectors(as_encoder(lambda texts: [[1.0], [wrong]]), ["a", "b"])


def test_sentence_transformers_missing(monkeypatch):
    """A missing library raises with the extra's name."""
    monkeypatch.setitem(__import__("sys").modules, "sentence_transformers", None)
    with pytest.raises(ImportError, match=r"pyterrier-scholarly\[dense\]"):
        as_encoder("no/such-model").encode(["a"], "query")


@pytest.mark.torch
def test_a_missing_folder_is_not_looked_for_on_the_hub(tmp_path):
    """Who passes a path is not advised to download it."""
    pytest.importorskip("sentence_transformers")
    with pytest.raises(FileNotFoundError, match="There is no folder") as caught:
        as_encoder(str(tmp_path / "nothing")).encode(["a"], "document")
    assert "download" not in str(caught.value)


def test_an_older_matrix_of_scipy_is_an_array():
    """Of scipy's matrices, `*` multiplies matrices: cosines of them would be wrong."""

    class Older:
        def encode(self, texts, side):
            return csr_matrix(np.eye(2))

    rows = vectors(Older(), ["a", "b"], sparse=True)
    assert isinstance(rows, csr_array)


def test_an_encoder_of_texts_has_its_cache_for_passages_too():
    """Recipes keep other things in the cache of the encoder that they are given."""

    class Own:
        cache = "folder"

        def encode(self, texts, side):
            return np.ones((len(texts), 1))

    assert as_passage_encoder(Own()).cache == "folder"
    assert as_passage_encoder(lambda texts: np.ones((len(texts), 1))).cache is None


class Alike:
    """A function with a method `encode` of its own, without sides, or another `encode`."""

    def __init__(self, encode):
        self.encode = encode

    def __call__(self, texts):
        """Return lengths (n, 1)."""
        return lengths(texts)


def encode_one_text(text):
    """Return a text's bytes, as tokenizers do."""
    return text.encode()


@pytest.mark.parametrize("encode", [encode_one_text, "utf8", None])
def test_a_function_with_another_encode_is_called(encode):
    """Only a method `encode` with a side is called in place of the object."""
    assert Function(Alike(encode)).encode(["a", "bb"], "query").tolist() == [[1], [2]]


def test_an_encode_that_cannot_be_called_is_none():
    """An attribute of the name `encode` makes no model."""
    assert as_encoder(Alike("utf8")).encode(["a", "bb"], "query").tolist() == [[1], [2]]
    assert isinstance(as_passage_encoder(Alike("utf8")), Isolated)

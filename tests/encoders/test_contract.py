"""What every exported encoder guarantees; a new one fails here until it has an example."""

import pickle
from dataclasses import dataclass, fields, replace

import numpy as np
import pytest

from pyterrier_scholarly import encoders
from pyterrier_scholarly.encoders import pair_scores, token_vectors, vectors

TEXTS = ["the model", "data", "results of models we learn", "data"]
BASES = {
    "ModelEncoder",
    "TextEncoder",
    "Encoder",
    "PaperEncoder",
    "PassageEncoder",
    "TokenEncoder",
}
METHODS = ("encode", "encode_passages", "encode_tokens", "score")
#: encoders without a model -> settings that make another value
OTHER = {
    "LSA": {"dimensions": 2},
    "WordVectors": {"weighted": True},
    "Function": {"batch_size": 2},
    "BiEncoder": {"batch_size": 2},
    "Isolated": {"encoder": encoders.LSA(TEXTS)},
    "OpenAIEmbeddings": {"query_prompt": "query: "},
}


@dataclass(frozen=True)
class Lengths:
    """A function from texts to an array, and the methods of a pyterrier_dr bi-encoder."""

    def __call__(self, texts):
        """Return each text's length, and 1."""
        return np.array([[len(text), 1.0] for text in texts])

    def encode_queries(self, texts, batch_size=None):
        """Call it."""
        return self(texts)

    encode_docs = encode_queries


def exported():
    """Yield the names of the exported classes that encode or score; those of a model are marked."""
    for name in encoders.__all__:
        kind = getattr(encoders, name)
        if isinstance(kind, type) and name not in BASES and any(hasattr(kind, m) for m in METHODS):
            yield name if name in OTHER else pytest.param(name, marks=pytest.mark.torch)


def answered(texts):
    """Answer as an embeddings endpoint does."""
    rows = [{"index": n, "embedding": [len(t), ord(t[0])]} for n, t in enumerate(texts)]
    return {"object": "list", "data": rows, "model": "m", "usage": {}}


@pytest.fixture(params=exported())
def encoder(request):
    """One encoder of every exported class, on texts, tiny models or a local server."""
    name = request.param
    kind = getattr(encoders, name)
    if name in ("LSA", "WordVectors"):
        if name == "WordVectors":
            pytest.importorskip("gensim")
        return kind(TEXTS, **({"min_count": 1, "dimensions": 4} if name == "WordVectors" else {}))
    if name in ("Function", "BiEncoder", "Isolated"):
        return kind(encoders.Function(Lengths()) if name == "Isolated" else Lengths())
    if name == "OpenAIEmbeddings":
        pytest.importorskip("openai")
        start = request.getfixturevalue("api_server")
        return kind("m", start(lambda texts: (200, answered(texts)), "input").url)
    pytest.importorskip("torch")
    request.getfixturevalue("offline")
    architecture = {"SparseEncoder": "masked", "CrossEncoder": "cross"}.get(name, "bert")
    folder = request.getfixturevalue("tiny")(architecture)
    if name == "MultiVector":  # of a plain model, each loading draws new weights behind it
        from sentence_transformers import MultiVectorEncoder

        made = MultiVectorEncoder(folder, device="cpu")
        made.save(folder := str(request.getfixturevalue("tmp_path") / "model"))
    return kind(folder)


def encode(encoder, texts):
    """Encode texts by the encoder's first side, as a list of arrays."""
    if hasattr(encoder, "encode"):
        return [row[None] for row in vectors(encoder, texts, "query")]
    if hasattr(encoder, "encode_passages"):
        return encoder.encode_passages([(text, "a part") for text in texts])
    if hasattr(encoder, "encode_tokens"):
        return token_vectors(encoder, texts, "query")
    return [*pair_scores(encoder.score, [(text, "a paper") for text in texts])]


def alike(some, others):
    """Return whether two lists of arrays are equal up to the rounding of batches."""
    assert len(some) == len(others)
    return all(np.allclose(one, other, atol=1e-4) for one, other in zip(some, others))


def test_no_text_gives_no_array(encoder):
    """Zero texts give zero arrays."""
    assert encode(encoder, []) == []


def test_every_text_has_its_array_in_order(encoder):
    """An array depends on its text only: not on other texts, their order or duplicates."""
    together = encode(encoder, TEXTS)
    assert len(together) == len(TEXTS)
    assert alike(together, [encode(encoder, [text])[0] for text in TEXTS])
    assert alike(together, encode(encoder, TEXTS[::-1])[::-1])
    assert np.array_equal(together[1], together[3])
    assert not np.array_equal(together[0], together[2])


def test_arrays_are_numbers_of_one_width(encoder):
    """Arrays are finite floats; their last axis has one length."""
    arrays = encode(encoder, TEXTS)
    assert {np.asarray(array).dtype.kind for array in arrays} == {"f"}
    assert all(np.isfinite(array).all() for array in arrays)
    assert len({np.shape(array)[-1:] for array in arrays}) == 1


def test_writing_into_an_answer_changes_no_later_one(encoder):
    """An answer is read-only, or a copy."""
    first = encode(encoder, TEXTS)
    expected = [np.copy(array) for array in first]
    for array in first:
        if isinstance(array, np.ndarray) and array.flags.writeable:
            array[...] = 7
    assert alike(encode(encoder, TEXTS), expected)


def test_a_repr_can_be_pasted_back(encoder):
    """The repr evaluates to an equal encoder."""
    names = {**vars(encoders), "Lengths": Lengths}
    assert eval(repr(encoder), names) == encoder


def test_constants_are_no_settings(encoder):
    """A constant of a class is no field, which would make it a parameter and part of the value."""
    assert [one.name for one in fields(encoder) if not one.name.islower()] == []


def test_encoders_are_equal_by_value(encoder):
    """Equal settings are equal and hash alike; another setting differs."""
    other = OTHER.get(type(encoder).__name__, {"precision": "bf16"})
    assert replace(encoder) == encoder
    assert hash(replace(encoder)) == hash(encoder)
    assert replace(encoder, **other) != encoder


def test_a_pickled_encoder_is_equal_and_encodes_alike(encoder):
    """A copy by pickle is equal to its original, before and after encoding, and encodes alike."""
    expected = encode(encoder, TEXTS)
    copy = pickle.loads(pickle.dumps(encoder))
    assert copy == encoder
    assert alike(encode(copy, TEXTS), expected)


class Halved(encoders.TextEncoder):
    """An encoder by one method: half of what the model encodes."""

    def encode_texts(self, model, texts, side):
        """Encode a batch."""
        return model.encode(texts) / 2


@pytest.mark.torch
def test_one_method_makes_an_encoder_of_a_model(tiny, offline, tmp_path):
    """A subclass with the method `encode_texts` has batches, memory and the cache."""
    pytest.importorskip("torch")
    whole = encoders.SentenceTransformer(tiny("bert")).encode(TEXTS, "document")
    for encoder in (Halved(tiny("bert")), Halved(tiny("bert"), cache=tmp_path, batch_tokens=9)):
        assert np.allclose(2 * encoder.encode(TEXTS, "query"), whole, atol=1e-5)


class OneMethod:
    """The smallest encoder of texts: one method for both sides."""

    def encode(self, texts, side):
        """Return each text's length, and 1."""
        return np.array([[len(text), 1] for text in texts])


def test_a_class_with_one_method_is_an_encoder():
    """It is used as it is, for texts and for passages."""
    encoder = OneMethod()
    assert encoders.as_encoder(encoder) is encoder
    assert vectors(encoder, ["abc"], "query").tolist() == [[3.0, 1.0]]
    (passage,) = encoders.as_passage_encoder(encoder).encode_passages([("a", "bc")])
    assert passage[:, 0].tolist() == [4, 1, 2]  # "a bc", "a", "bc"

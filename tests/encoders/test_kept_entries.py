"""Entries that an older version wrote into a cache are found: their keys are written out here."""

import json
from hashlib import sha256

import numpy as np
import pytest

from pyterrier_scholarly import CrossEncoder, OpenAIEmbeddings, SparseEncoder, WholeText
from pyterrier_scholarly.encoders import Contextual, MultiVector, SentenceTransformer, VectorCache
from pyterrier_scholarly.text.contexts import Paper

ARRAY = np.array([[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]], dtype=np.float32)
#: the first row is the size of the vocabulary, then a word and its weight in each row
SPARSE_PAIRS = np.array([[5.0, 0.0], [1.0, 0.5], [3.0, 2.0]], dtype=np.float32)
SHARED_SETTINGS = {"model": None, "name": "mine", "precision": "fp32", "max_length": None}
WHOLE_TEXT_SETTINGS = {
    **SHARED_SETTINGS,
    "pooling": "cls",
    "query_prompt": None,
    "document_prompt": None,
    "prompt_pooled": True,
    "bidirectional": False,
    "adapter": None,
    "trust_remote_code": False,
}


class Unused:
    """A model that must not be called."""


class TwoSided:
    """A model that must not be called; it reads queries otherwise than documents."""

    prompts = {"query": "query: "}


def fingerprint_of(class_name, settings):
    """Return the hash of an encoder's class and settings, as entries have it."""
    text = json.dumps(
        [f"\0pyterrier_scholarly.encoders.{class_name}", settings],
        sort_keys=True,
        separators=(",", ":"),
    )
    return sha256(text.encode()).hexdigest()


#: name -> class, more settings, label of the entries, key, array on disk, how it is asked for
KEPT = {
    "documents": (
        ("sentence_transformer.SentenceTransformer", SHARED_SETTINGS | {"backend": "torch"}),
        ("document", "a text", ARRAY[:1]),
        lambda cache: SentenceTransformer(Unused(), name="mine", cache=cache),
        lambda encoder: encoder.encode_documents(["a text"]),
        ARRAY[:1],
    ),
    "queries": (
        ("sentence_transformer.SentenceTransformer", SHARED_SETTINGS | {"backend": "torch"}),
        ("query", "a text", ARRAY[:1]),
        lambda cache: SentenceTransformer(TwoSided(), name="mine", cache=cache),
        lambda encoder: encoder.encode_queries(["a text"]),
        ARRAY[:1],
    ),
    "whole texts": (
        ("whole_text.WholeText", WHOLE_TEXT_SETTINGS),
        ("document", "a text", ARRAY[:1]),
        lambda cache: WholeText(
            Unused(), pooling="cls", query_prompt="not used", name="mine", cache=cache
        ),
        lambda encoder: encoder.encode_documents(["a text"]),
        ARRAY[:1],
    ),
    "sparse": (
        ("sentence_transformer.SparseEncoder", SHARED_SETTINGS),
        ("document", "a text", SPARSE_PAIRS),
        lambda cache: SparseEncoder(Unused(), name="mine", cache=cache),
        lambda encoder: encoder.encode_documents(["a text"]).toarray(),
        [[0.0, 0.5, 0.0, 2.0, 0.0]],
    ),
    "passages": (
        ("contextual.Contextual", SHARED_SETTINGS),
        ("passages, overlap 1/4", ("a title", "a sentence"), ARRAY),
        lambda cache: Contextual(Unused(), name="mine", cache=cache),
        lambda encoder: encoder.encode_passages([("a title", "a sentence")])[0],
        ARRAY,
    ),
    "papers": (
        ("contextual.Contextual", SHARED_SETTINGS),
        ("title, overlap 1/4", ("a title", "one", "two", "three"), ARRAY),
        lambda cache: Contextual(Unused(), name="mine", cache=cache),
        lambda encoder: encoder.encode_sentences(
            [Paper("a title", ("one", "two", "three"), ("", "", ""))], "title"
        )[0],
        ARRAY,
    ),
    "tokens": (
        ("interaction.MultiVector", SHARED_SETTINGS),
        ("query", "a text", ARRAY),
        lambda cache: MultiVector(Unused(), name="mine", cache=cache),
        lambda encoder: encoder.encode_query_tokens(["a text"])[0],
        ARRAY,
    ),
    "pairs": (
        ("interaction.CrossEncoder", SHARED_SETTINGS | {"activation": False}),
        ("pairs", ("a query", "a text"), ARRAY[:1, :1]),
        lambda cache: CrossEncoder(Unused(), name="mine", cache=cache),
        lambda encoder: encoder.score([("a query", "a text")]),
        [1.0],
    ),
}


@pytest.mark.parametrize("name", KEPT)
def test_entries_of_older_versions_are_found(name, tmp_path):
    """An entry under the key that has always been written is read, and no model is called."""
    (class_name, settings), (label, key, array), make, encode, expected = KEPT[name]
    identity = {"side": label, "by": fingerprint_of(class_name, settings)}
    VectorCache(tmp_path).put_many(identity, {key: array})
    assert np.array_equal(encode(make(tmp_path)), expected)


def test_entries_of_an_api_are_found(tmp_path):
    """Embeddings of an endpoint are kept by its address, model, dimensions and prompted text."""
    url = "http://localhost:1/v1"
    settings = {"by": "embeddings API", "url": url, "model": "m", "dimensions": None}
    VectorCache(tmp_path).put_many(settings, {"query: a text": ARRAY[:1]})
    encoder = OpenAIEmbeddings("m", url, query_prompt="query: ", cache=tmp_path)
    assert np.array_equal(encoder.encode_queries(["a text"]), ARRAY[:1])

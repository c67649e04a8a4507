"""Libraries of the embedded collection, and encoders that count what they encode."""

import ir_datasets
import numpy as np
import pytest

DOCS = [*ir_datasets.load("scholarly-mini").docs_iter()]


class CountingEncoder:
    """An encoder of passages by letters, that notes the papers that it encodes."""

    def __init__(self):
        self.encoded = []

    def encode_passages(self, passages):
        """A row for the whole and for each part: how often letters occur in it, and its length."""
        self.encoded += passages
        return [
            np.array([self._encode(text) for text in (" ".join(passage), *passage)])
            for passage in passages
        ]

    def _encode(self, text):
        return [text.count(letter) for letter in "aeiourstlnd"] + [len(text)]

    def __fingerprint__(self):
        return {"counts": "letters"}


@pytest.fixture
def counting():
    """An encoder that counts."""
    return CountingEncoder()


@pytest.fixture
def papers():
    """The papers of the embedded collection, as dicts."""
    return [{"id": doc.doc_id, "title": doc.title, "abstract": doc.text} for doc in DOCS]


@pytest.fixture(autouse=True)
def cache_folder(tmp_path_factory, monkeypatch):
    """An empty folder, which $SCHOLARLY_CACHE names."""
    folder = tmp_path_factory.mktemp("cache")
    monkeypatch.setenv("SCHOLARLY_CACHE", str(folder))
    return folder

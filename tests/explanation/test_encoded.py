"""Behind a search, `explain` encodes nothing again."""

import numpy as np
import pytest

from pyterrier_scholarly import SentenceMaxSim, explain
from pyterrier_scholarly.transformers import PaperSimilarity, SentenceCentroid, SentenceTransport

from .encoded import SCORERS, WAYS, counted_texts, counting_passes


@pytest.mark.torch
@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("name", SCORERS)
def test_an_encoder_that_keeps_its_embeddings(name, way, tiny, tmp_path, mini, offline):
    """Each scorer and recipe: some texts to rank, none more to explain."""
    searched, explained = counted_texts(name, way, tiny("bert"), tmp_path, counting_passes)
    assert searched > 0
    assert explained == 0


class Counting:
    """An encoder of passages that keeps nothing; `seen` are all passages that it was asked for."""

    def __init__(self):
        self.seen = []

    def encode_passages(self, passages):
        """Two numbers for the whole and for each part."""
        self.seen += passages
        texts = [("".join(passage), *passage) for passage in passages]
        return [np.array([[len(text), 1] for text in own], dtype=np.float32) for own in texts]


@pytest.mark.parametrize(
    "scorer",
    [
        lambda encoder: SentenceMaxSim(encoder, "title"),
        lambda encoder: SentenceCentroid(encoder, "facet"),
        lambda encoder: SentenceTransport(encoder, "abstract"),
        lambda encoder: PaperSimilarity(encoder, facet_only=True),
        lambda encoder: PaperSimilarity(encoder),
    ],
)
def test_an_encoder_that_keeps_nothing(scorer):
    """An explanation is made of the vectors that it ranked with: each passage is read once."""
    encoder = Counting()
    explain(scorer(encoder), ["One.", "Two, too."], ["Three.", "Fourth."])
    assert len(encoder.seen) == len(set(encoder.seen)) > 0

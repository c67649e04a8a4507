"""Sentence embeddings that steps share."""

import shutil
from pathlib import Path

import numpy as np
import pytest

from pyterrier_scholarly.encoders import Contextual, Function, Isolated, sentence_vectors
from pyterrier_scholarly.paper import Paper

pytest.importorskip("torch")
pytestmark = pytest.mark.torch

ONE = Paper("", "a title", ("of a model", "for data"), ("method", "result"))
TWO = Paper("", "the", ("learning", "on models", "in the"), ("method", "", ""))


class Noting(Contextual):
    """Log the passages, in a list of the class."""

    def encode_passages(self, passages):
        """As Contextual."""
        self.asked.extend(passages)
        return super().encode_passages(passages)


@pytest.fixture
def noting():
    """Return a new class of such encoders."""

    class Own(Noting):
        asked = []

    return Own


def test_steps_share_them(tiny, noting):
    """A second call encodes only new papers, with equal arrays."""
    encoder = noting(tiny("bert"))
    once = sentence_vectors(encoder, [ONE], "abstract")
    assert noting.asked == [(ONE.title, *ONE.sentences)]
    both = sentence_vectors(encoder, [TWO, ONE, TWO], "abstract")
    assert noting.asked[1:] == [(TWO.title, *TWO.sentences)]
    assert both[1] is once[0]
    expected = sentence_vectors(Contextual(tiny("bert")), [TWO, ONE, TWO], "abstract")
    assert all(
        np.allclose(own, other, atol=1e-6) for own, other in zip(both, expected, strict=True)
    )


def test_a_model_is_not_loaded_for_what_the_cache_holds(tiny, tmp_path):
    """Two steps over cached papers need no model."""
    folder = Path(shutil.copytree(tiny("bert"), tmp_path / "model"))
    settings = {"name": "mine", "cache": tmp_path / "cache"}
    expected = sentence_vectors(Contextual(folder, **settings), [ONE, TWO], "abstract")
    shutil.rmtree(folder)
    encoder = Contextual(folder, **settings)
    for _ in range(2):
        found = sentence_vectors(encoder, [ONE, TWO], "abstract")
        assert all(np.array_equal(*pair) for pair in zip(found, expected, strict=True))


def test_another_context_and_a_trained_model_have_their_own(tiny):
    """Settings that change arrays are never shared."""
    from sentence_transformers import SentenceTransformer

    model = SentenceTransformer(tiny("bert"))
    before = sentence_vectors(Contextual(model), [ONE], "abstract")[0]
    other = sentence_vectors(Contextual(model), [ONE], "title")[0]
    assert np.abs(before - other).max() > 1e-3
    weights = model[0].auto_model.embeddings.word_embeddings.weight
    weights.data += weights.data.flip(0)
    weights.data = weights.data * 2  # in new storage
    after = sentence_vectors(Contextual(model), [ONE], "abstract")[0]
    assert np.abs(before - after).max() > 1e-3


def test_what_is_forgotten_is_freed(tiny, noting):
    """No array is a view of a larger one, and the encoder's memory is the limit."""
    encoder = noting(tiny("bert"))
    assert all(rows.base is None for rows in sentence_vectors(encoder, [ONE, TWO], "facet"))
    encoder.memory = 0
    noting.asked.clear()
    sentence_vectors(encoder, [ONE], "facet")
    assert noting.asked


def test_of_functions_nothing_is_kept():
    """Encoders without memory are called each time."""
    vectors = iter(([[1.0, 0.0]] * 3, [[0.0, 1.0]] * 3))
    encoder = Isolated(Function(lambda texts: np.array(next(vectors)[: len(texts)])))
    paper = Paper("", "", ("x",), ("",))
    found = [sentence_vectors(encoder, [paper], "sentence")[0].tolist() for _ in range(2)]
    assert found == [[[1.0, 0.0]], [[0.0, 1.0]]]


def test_no_papers(tiny):
    """No papers give no call."""
    assert sentence_vectors(Contextual(tiny("bert")), []) == []

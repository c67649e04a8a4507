"""Latent semantic analysis."""

import numpy as np
import pytest

from pyterrier_scholarly.encoders import LSA, vectors
from pyterrier_scholarly.similarity.vectors import unit

TEXTS = [
    "pruned trees are small trees",
    "small trees are fast",
    "queues are fair",
    "fair queues are long queues",
]


def cosines(encoder, *texts):
    """Return the cosines of all pairs, (n, n)."""
    rows = unit(vectors(encoder, texts))
    return rows @ rows.T


def test_dimensions_are_cut_to_what_the_texts_allow():
    """Four texts span four dimensions at most."""
    assert vectors(LSA(TEXTS), ["trees"], "query").shape == (1, 4)
    assert vectors(LSA(TEXTS, dimensions=2), ["trees"], "query").shape == (1, 2)


def test_a_text_is_like_itself_and_like_its_topic():
    """Words that occur together are nearer to each other than words that do not."""
    similar = cosines(LSA(TEXTS, dimensions=2), "pruned", "fast", "long", "pruned")
    assert similar[0, 3] == pytest.approx(1, abs=1e-6)
    assert similar[0, 1] > 0.9 > 0.5 > similar[0, 2]


def test_a_text_of_unknown_words_is_the_zero_vector():
    """A text of unknown words is the zero vector."""
    assert not vectors(LSA(TEXTS), ["unheard-of", ""]).any()


def test_both_sides_are_alike():
    """A text has one vector, on either side."""
    lsa = LSA(TEXTS)
    assert np.array_equal(lsa.encode(TEXTS, "query"), lsa.encode(TEXTS, "document"))


def test_a_vector_depends_on_nothing_beside_it():
    """A text's embedding does not depend on the others."""
    lsa = LSA(TEXTS)
    assert np.array_equal(
        lsa.encode(["fast trees"], "query")[0],
        lsa.encode(["queues", "fast trees", "unseen words"], "query")[1],
    )


@pytest.mark.parametrize("texts", [[], ["", ""], ["alone alone"]])
def test_texts_without_words(texts):
    """Texts with fewer than two different words raise."""
    with pytest.raises(ValueError, match="at least two different words"):
        LSA(texts).encode(["a text"], "query")

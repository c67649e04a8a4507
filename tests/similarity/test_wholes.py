"""Test the split of cosines of passages among sentences."""

import numpy as np
import pytest

from pyterrier_scholarly.similarity.contributions import split_passage_cosine

RANDOM = np.random.default_rng(0)


def passage(tokens, sizes):
    """Return whole, title and sentences as means of tokens (n, d); the last tokens have no part."""
    parts = np.split(tokens, np.cumsum(sizes))[: len(sizes)]
    return np.stack([tokens.mean(0), *(part.mean(0) for part in parts)])


def cosine(one, two):
    """Compute the cosine of two vectors."""
    return one @ two / np.linalg.norm(one) / np.linalg.norm(two)


def test_shares_are_those_of_the_tokens():
    """Without other tokens, a pair's weight is the product of its shares of the tokens."""
    query = passage(RANDOM.normal(size=(12, 20)), [2, 4, 6])
    document = passage(RANDOM.normal(size=(8, 20)), [1, 3, 4])
    matches = split_passage_cosine(query, document, [0, 1], [0, 1])
    tokens = np.outer([4, 6], [3, 4]) / 12 / 8
    lengths = np.linalg.norm(query[0]) * np.linalg.norm(document[0])
    expected = tokens * (query[2:] @ document[2:].T) / lengths
    assert matches.weights * matches.similarities == pytest.approx(expected)
    title = query[1] * 2 / 12 @ document[0] + (query[0] - query[1] * 2 / 12) @ document[1] / 8
    assert matches.rest["titles"] == pytest.approx(title / lengths)
    assert matches.rest["in no part"] == pytest.approx(0, abs=1e-12)
    assert set(matches.rest) == {"titles", "in no part"}


def test_tokens_in_no_part():
    """An orthogonal extra token on each side is the rest."""
    tokens = np.eye(8)
    query, document = passage(tokens[:4], [1, 2]), passage(tokens[[4, 5, 6, 3]], [1, 2])
    matches = split_passage_cosine(query, document, [0], [0])
    assert matches.rest["in no part"] == pytest.approx(cosine(query[0], document[0]))
    assert (matches.weights * matches.similarities).sum() == pytest.approx(0)


@pytest.mark.parametrize("seed", range(5))
def test_any_vectors_add_up(seed):
    """Also if the whole is no mean; the columns are the passage's sentences, by their places."""
    random = np.random.default_rng(seed)
    query, document = random.normal(size=(5, 6)), random.normal(size=(4, 6))
    matches = split_passage_cosine(query, document, [1], [0, 2])
    added = (matches.weights * matches.similarities).sum() + sum(matches.rest.values())
    assert added == pytest.approx(cosine(query[0], document[0]))
    assert matches.score == pytest.approx(cosine(query[0], document[0]))
    assert (matches.similarities.shape, matches.columns) == ((1, 2), [0, 2])
    assert matches.similarities[0, 1] == pytest.approx(cosine(query[3], document[3]))
    assert "other sentences" in matches.rest


def test_a_whole_of_zero():
    """The score of a zero vector is 0, and so are its parts."""
    nothing = np.zeros((3, 4))
    matches = split_passage_cosine(nothing, RANDOM.normal(size=(3, 4)), [0], [0])
    assert not matches.weights.any()
    assert sum(matches.rest.values()) == 0


@pytest.mark.parametrize("scale", [1e-30, 1e30])
def test_passages_of_any_length(scale):
    """Very short and very long vectors in single precision have the parts of usual ones."""
    random = np.random.default_rng(0)
    query, document = random.normal(size=(5, 6)), random.normal(size=(4, 6))
    usual = split_passage_cosine(query, document, [1], [0, 2])
    scaled = [(scale * vectors).astype(np.float32) for vectors in (query, document)]
    matches = split_passage_cosine(*scaled, [1], [0, 2])
    assert matches.score == pytest.approx(cosine(query[0], document[0]), abs=1e-6)
    assert matches.weights == pytest.approx(usual.weights, abs=1e-5)
    assert matches.rest == pytest.approx(usual.rest, abs=1e-5)

"""Cosines of whole papers and of passages, and their parts by sentences."""

import numpy as np
import pandas as pd
import pytest

from pyterrier_scholarly.paper import Paper
from pyterrier_scholarly.transformers import PaperSimilarity
from pyterrier_scholarly.transformers.paper_similarity import split_passage_cosine

from .test_in_context import RESULTS, Turned, scores

RANDOM = np.random.default_rng(0)


def test_scores_by_hand():
    """The facet's passage of a is w; the abstract's is w + u, against e + n of the query's."""
    assert scores(PaperSimilarity(Turned(), facet_only=True), RESULTS)["a"] == pytest.approx(-1)
    found = scores(PaperSimilarity(Turned()), RESULTS)
    assert found["a"] == pytest.approx((-0.4 + 0.8) / np.hypot(0.4, 0.8) / 2**0.5)
    assert found["c"] == 0


@pytest.mark.parametrize("facet_only", [True, False])
def test_a_passage_without_text(facet_only):
    """A candidate without text is last and not encoded; a title alone is encoded."""
    encoder = Turned()
    papers = [Paper("a", "", []), Paper("b", " ", []), Paper("c", "t", []), Paper("d", "t", ["w"])]
    results = pd.concat([RESULTS[:1]] * 4).assign(docno=list("abcd"), paper=papers)
    found = scores(PaperSimilarity(encoder, facet_only=facet_only), results)
    assert (found["a"], found["b"], found["c"]) == (-1, -1, 0)
    assert found["d"] < 0
    assert not {("",), (" ",)} & set(encoder.seen)


def test_rows_share_a_paper_and_choose_other_sentences():
    """Each row has the score that it has alone."""
    shared = Paper("a", "t", ["w", "u", "e"])
    chosen = [[0], [1], [0], [2, 0]]
    results = pd.concat([RESULTS[:1]] * 4, ignore_index=True).assign(
        docno=list("abcd"), paper=[shared] * 4, sentence_ids=chosen
    )
    scorer = PaperSimilarity(Turned())
    found = scores(scorer, results)
    for row in range(4):
        docno = results["docno"][row]
        assert found[docno] == pytest.approx(scores(scorer, results[row : row + 1])[docno])
    assert found["a"] == found["c"]
    assert len({found[docno] for docno in "abd"}) == 3


@pytest.mark.parametrize("facet_only", [True, False])
def test_the_parts_add_up_to_the_score(facet_only):
    """Columns are positions in the candidate's paper: of its methods, or of all sentences."""
    scorer = PaperSimilarity(Turned(), facet_only=facet_only)
    ranking, matches = scorer.explain_ranking(RESULTS, "a")
    found = dict(zip(ranking["docno"], ranking["score"]))
    assert matches.score == pytest.approx(found["a"])
    assert matches.columns == ([0] if facet_only else [0, 1])
    assert matches.similarities[:, 0].tolist() == pytest.approx([-1])  # e and w
    assert scorer.explain_ranking(RESULTS, "c")[1] is None


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


@pytest.mark.parametrize("scale", [1e-30, 1, 1e30])
@pytest.mark.parametrize("seed", range(5))
def test_any_vectors_add_up(seed, scale):
    """Also if the whole is no mean, and in single precision for very short and long vectors."""
    random = np.random.default_rng(seed)
    query, document = random.normal(size=(5, 6)), random.normal(size=(4, 6))
    scaled = [(scale * vectors).astype(np.float32) for vectors in (query, document)]
    matches = split_passage_cosine(*scaled, [1], [0, 2])
    assert matches.score == pytest.approx(cosine(query[0], document[0]), abs=1e-6)
    assert (matches.similarities.shape, matches.columns) == ((1, 2), [0, 2])
    assert matches.similarities[0, 1] == pytest.approx(cosine(query[3], document[3]), abs=1e-6)
    assert "other sentences" in matches.rest


def test_a_whole_of_zero():
    """The score of a zero vector is 0, and so are its parts."""
    nothing = np.zeros((3, 4))
    matches = split_passage_cosine(nothing, RANDOM.normal(size=(3, 4)), [0], [0])
    assert not matches.weights.any()
    assert sum(matches.rest.values()) == 0

"""Words of questions in what they are to find."""

import pytest

from pyterrier_scholarly.text.overlap import mean_overlap, word_overlap


def test_word_overlap_is_literal():
    """Of {Which, study, of, graphs?} the text has study and of; a comma or a capital differs."""
    assert (
        word_overlap("Which study of graphs?", "Title: A study of\nAbstract: which graphs") == 2 / 4
    )
    assert word_overlap("of of study", "of") == 1 / 2


def test_the_mean_is_over_papers_not_over_their_words():
    """1/2 in one title and 2/2 in the other are 3/4, not the 1 of both titles together."""
    assert mean_overlap("pruned trees", ["On trees", "All trees are pruned trees"]) == 3 / 4


def test_nothing_to_compare():
    """A question without words, or without papers, has no overlap at all, not even 0."""
    with pytest.raises(ValueError, match="has no words"):
        word_overlap(" ", "a")
    with pytest.raises(ValueError, match="has no papers"):
        mean_overlap("a", [])

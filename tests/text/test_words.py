"""Test words, vocabularies and the overlap of texts."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pyterrier_scholarly.text import mean_overlap
from pyterrier_scholarly.text.vocabulary import choose_vocabulary, find_tokens
from pyterrier_scholarly.text.words import normalise_run, runs


def test_words_of_tf_idf():
    """They are lower-cased, with inner hyphens, no single letters, stop words or plural s."""
    text = "The State-of-the-art GPUs, a b2b 3-D class's CLASSES: x is of analysis -end-."
    assert list(filter(None, map(normalise_run, runs(text)))) == [
        "state-of-the-art",
        "gpu",
        "b2b",
        "3-d",
        "class",
        "classe",
        "analysi",
        "end",
    ]
    assert [normalise_run(run) for run in ("gas", "trees", "loss")] == ["gas", "tree", "loss"]


ALPHABET = st.text("aAbsS019-_. \n'é")


@given(ALPHABET)
def test_runs_match_the_definition(text):
    """A plainer expression: two or more letters and digits with inner hyphens, or a letter.

    (It has no single digits; here they are runs that count as "".)
    """
    defined = re.findall(r"[a-z0-9][a-z0-9\-]*[a-z0-9]|[a-z]", text.lower())
    assert list(filter(None, map(normalise_run, runs(text)))) == list(
        filter(None, map(normalise_run, defined))
    )


COUNTS = {
    "of": 90,
    "model": 40,
    "data": 40,
    "x-ray": 20,
    "h2o2": 20,
    "tree": 10,
    "bark": 9,
    "éclat": 30,
}


def test_tokens_are_lower_case_runs():
    """Inner hyphens, dots and apostrophes are kept; all other characters separate."""
    text = "Time-of-flight (TOF), e.g. 3.5 s; Kepler's—laws_of"
    expected = ["time-of-flight", "tof", "e.g", "3.5", "s", "kepler's", "laws_of"]
    assert find_tokens(text) == expected
    assert find_tokens(" ?! ") == []


def test_the_papers_filters():
    """Rare, short and non-alphabetic tokens are dropped; letters with accents are letters."""
    assert choose_vocabulary(COUNTS, most_frequent=0) == ["data", "model", "tree", "éclat"]


def test_the_most_frequent_of_all_tokens_are_dropped():
    """Also tokens that another filter drops; equally frequent ones in alphabetical order."""
    assert choose_vocabulary(COUNTS, most_frequent=1) == ["data", "model", "tree", "éclat"]
    assert choose_vocabulary(COUNTS, most_frequent=2) == ["model", "tree", "éclat"]


def test_each_filter_is_a_parameter():
    """Without filters, all tokens are kept."""
    everything = dict(min_count=1, most_frequent=0, min_length=1, alphabetic=False)
    assert choose_vocabulary(COUNTS, **everything) == sorted(COUNTS)
    assert choose_vocabulary(COUNTS, **{**everything, "min_count": 41}) == ["of"]
    assert choose_vocabulary(COUNTS, **{**everything, "alphabetic": True}) == sorted(
        set(COUNTS) - {"x-ray", "h2o2"}
    )


def test_the_overlap_of_words_is_literal():
    """Of {Which, study, of, graphs?} the text has study and of; punctuation and case matter."""
    text = "Title: A study of\nAbstract: which graphs"
    assert mean_overlap("Which study of graphs?", [text]) == 2 / 4
    assert mean_overlap("of of study", ["of"]) == 1 / 2


def test_the_mean_is_over_papers_not_over_their_words():
    """The mean of 1/2 and 2/2 is 3/4; both titles together would give 1."""
    assert mean_overlap("pruned trees", ["On trees", "All trees are pruned trees"]) == 3 / 4


def test_no_words_and_no_papers_raise():
    """The overlap is undefined, not 0."""
    with pytest.raises(ValueError, match="has no words"):
        mean_overlap(" ", ["a"])
    with pytest.raises(ValueError, match="has no papers"):
        mean_overlap("a", [])

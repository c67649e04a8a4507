"""Tokens, and which of them are a collection's vocabulary."""

from pyterrier_scholarly.text.vocabulary import kept, tokens

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
    """Hyphens, dots and apostrophes inside stay, all else parts."""
    text = "Time-of-flight (TOF), e.g. 3.5 s; Kepler's—laws_of"
    expected = ["time-of-flight", "tof", "e.g", "3.5", "s", "kepler's", "laws_of"]
    assert tokens(text) == expected
    assert tokens(" ?! ") == []


def test_the_papers_filters():
    """Fewer than ten, shorter than four, not of letters: out; letters with accents are letters."""
    assert kept(COUNTS, most_frequent=0) == ["data", "model", "tree", "éclat"]


def test_the_most_frequent_are_of_all_tokens():
    """Also of those that another filter leaves out; equal ones by the alphabet."""
    assert kept(COUNTS, most_frequent=1) == ["data", "model", "tree", "éclat"]
    assert kept(COUNTS, most_frequent=2) == ["model", "tree", "éclat"]


def test_each_filter_is_a_parameter():
    """And without any, all are left."""
    everything = dict(min_count=1, most_frequent=0, min_length=1, alphabetic=False)
    assert kept(COUNTS, **everything) == sorted(COUNTS)
    assert kept(COUNTS, **{**everything, "min_count": 41}) == ["of"]
    assert kept(COUNTS, **{**everything, "alphabetic": True}) == sorted(
        set(COUNTS) - {"x-ray", "h2o2"}
    )

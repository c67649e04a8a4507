"""Sentence splitting."""

import re

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from pyterrier_scholarly.text.split import split_sentences


def test_sentences_of_an_abstract():
    """Abbreviations, decimals and citations end no sentence."""
    text = "We follow Smith et al. (2019), e.g. in 3.5 % of cases. It works! Does it?"
    first = "We follow Smith et al. (2019), e.g. in 3.5 % of cases."
    assert split_sentences(text) == [first, "It works!", "Does it?"]


@pytest.mark.parametrize("text", ["", "  ", "\n\t"])
def test_no_text_has_no_sentences(text):
    """Nothing is split into nothing."""
    assert split_sentences(text) == []


def test_repeated_sentences_stay_apart():
    """A sentence that occurs three times is three sentences."""
    assert split_sentences("Again. Again. Again.") == ["Again."] * 3


@example(" !!")  # pySBD alone makes nothing of this one
@given(st.text(alphabet="aB c.!?'\"()1,:\n\r…。“”\t*&", max_size=60))
def test_nothing_is_lost(text):
    """Put together, the sentences are the text, blanks aside, and none is empty or padded."""
    sentences = split_sentences(text)
    assert re.sub(r"\s", "", "".join(sentences)) == re.sub(r"\s", "", text)
    assert all(sentence and sentence == sentence.strip() for sentence in sentences)

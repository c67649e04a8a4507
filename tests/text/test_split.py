"""Test sentence splitting."""

import re

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from pyterrier_scholarly.text import split_sentences


def test_sentences_of_an_abstract():
    """Abbreviations, decimals and citations do not end a sentence."""
    text = "We follow Smith et al. (2019), e.g. in 3.5 % of cases. It works! Does it?"
    first = "We follow Smith et al. (2019), e.g. in 3.5 % of cases."
    assert split_sentences(text) == [first, "It works!", "Does it?"]


@pytest.mark.parametrize("text", ["", "  ", "\n\t"])
def test_blanks_have_no_sentences(text):
    """The list is empty."""
    assert split_sentences(text) == []


def test_repeated_sentences_stay_separate():
    """A sentence that occurs three times gives three sentences."""
    assert split_sentences("Again. Again. Again.") == ["Again."] * 3


@example(" !!")  # pySBD alone returns no sentence here
@given(st.text(alphabet="aB c.!?'\"()1,:\n\r…。“”\t*&", max_size=60))
def test_nothing_is_lost(text):
    """The joined sentences are the text without blanks; none is empty or padded."""
    sentences = split_sentences(text)
    assert re.sub(r"\s", "", "".join(sentences)) == re.sub(r"\s", "", text)
    assert all(sentence and sentence == sentence.strip() for sentence in sentences)

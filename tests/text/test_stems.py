"""Test the words of LitSearch's BM25 against NLTK's rules."""

import nltk
import pytest
from nltk.tokenize.destructive import NLTKWordTokenizer

from pyterrier_scholarly.text.nltk_words import (
    STOP_WORDS,
    nltk_sentences,
    nltk_tokens,
    stem,
    stems,
)

#: words with an apostrophe in NLTK's list (of 2017, and additions of 2024)
CONTRACTIONS = (
    "aren't couldn't didn't doesn't don't hadn't hasn't haven't he'd he'll he's i'd i'll i'm isn't "
    "it'd it'll it's i've mightn't mustn't needn't shan't she'd she'll she's shouldn't should've "
    "that'll they'd they'll they're they've wasn't we'd we'll we're weren't we've won't wouldn't "
    "you'd you'll you're you've"
).split()


def test_full_stops_are_tokens():
    """A full stop is a token at the end of every sentence, as with NLTK's model."""
    words = stems("We trained models. Results improved. Why?")
    assert words == ["train", "model", ".", "result", "improv", ".", "?"]


def test_stop_words_are_dropped_before_stemming():
    """The stem of *this*, thi, is no stop word; labels and punctuation marks are words."""
    words = stems("Title: This is it\nAbstract: (Using) state-of-the-art LMs, 3.5% better!")
    assert words == [
        *("titl", ":", "abstract", ":", "(", "use", ")"),
        *("state-of-the-art", "lm", ",", "3.5", "%", "better", "!"),
    ]


def test_contractions_are_split():
    """The tokenizer splits them, so the stop words need only their parts."""
    words = NLTKWordTokenizer().tokenize
    for word in CONTRACTIONS:
        assert word not in words(word)
        assert word not in words(f"and {word} so")
    assert stems("don't") == ["n't"]


def test_the_list_is_nltks():
    """It has 198 words, 45 with an apostrophe; all of ours are dropped."""
    assert len(STOP_WORDS) + len(CONTRACTIONS) == 198
    assert stems(" ".join(sorted(STOP_WORDS))) == []


def test_tokens_are_word_tokenize():
    """NLTK's example without its abbreviation; case does not change."""
    words = nltk_tokens(
        "Good muffins cost $3.88\nin New York.  Please buy me\ntwo of them.\nThanks."
    )
    assert words == [
        *("Good", "muffins", "cost", "$", "3.88", "in", "New", "York", "."),
        *("Please", "buy", "me", "two", "of", "them", ".", "Thanks", "."),
    ]


def test_abbreviations_are_known():
    """NLTK's model knows vs. and v., so their full stops are no tokens of their own."""
    assert stems("BERT vs. RoBERTa") == ["bert", "vs.", "roberta"]
    assert stems("BERT v. RoBERTa et al. 2019")[:3] == ["bert", "v.", "roberta"]


def test_sentences_are_those_of_sent_tokenize():
    """What `nltk.sent_tokenize` gives with its model of English; line breaks stay within them."""
    text = "We prune trees,\ne.g. large ones: (i) by size; (ii) by gain. See Fig. 2. Why? It works."
    assert nltk_sentences(text) == [
        "We prune trees,\ne.g.",  # unknown to the model
        "large ones: (i) by size; (ii) by gain.",
        *("See Fig.", "2.", "Why?", "It works."),
    ]


@pytest.mark.parametrize(
    ("word", "expected"),
    [("retrieval", "retriev"), ("dies", "die"), ("flies", "fli"), ("skies", "sky")],
)
def test_stems_are_nltks(word, expected):
    """Porter's, with NLTK's changes; Porter's stems of dies and skies are di and ski."""
    assert stem(word) == expected == nltk.PorterStemmer().stem(word)


def test_a_text_without_words():
    """It has no stems."""
    assert stems("") == stems(" \n") == stems("the of") == []

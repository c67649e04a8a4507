"""The words of LitSearch's BM25, derived from NLTK's rules."""

import nltk
import pytest
from nltk.tokenize.destructive import NLTKWordTokenizer

from pyterrier_scholarly.text.stems import STOP_WORDS, stem, stems, tokens

#: what NLTK's list has with an apostrophe (its 2017 words, and those that it added in 2024)
CONTRACTIONS = (
    "aren't couldn't didn't doesn't don't hadn't hasn't haven't he'd he'll he's i'd i'll i'm isn't "
    "it'd it'll it's i've mightn't mustn't needn't shan't she'd she'll she's shouldn't should've "
    "that'll they'd they'll they're they've wasn't we'd we'll we're weren't we've won't wouldn't "
    "you'd you'll you're you've"
).split()


def test_sentences_end_in_a_word_of_their_own():
    """A full stop is a token at the end of every sentence, as where NLTK has its model."""
    found = stems("We trained models. Results improved. Why?")
    assert found == ["train", "model", ".", "result", "improv", ".", "?"]


def test_stop_words_go_before_stemming_and_marks_stay():
    """Stemmed, *this* is thi, which would stay; labels and punctuation marks are words."""
    found = stems("Title: This is it\nAbstract: (Using) state-of-the-art LMs, 3.5% better!")
    assert found == [
        *("titl", ":", "abstract", ":", "(", "use", ")"),
        *("state-of-the-art", "lm", ",", "3.5", "%", "better", "!"),
    ]


def test_contractions_are_never_whole():
    """The tokenizer parts them, so a list of stop words need not have them; it has their parts."""
    words = NLTKWordTokenizer().tokenize
    for word in CONTRACTIONS:
        assert word not in words(word)
        assert word not in words(f"and {word} so")
    assert stems("don't") == ["n't"]


def test_the_list_is_nltks():
    """198 words, of which 45 have an apostrophe; stems take out exactly those of ours."""
    assert len(STOP_WORDS) + len(CONTRACTIONS) == 198
    assert stems(" ".join(sorted(STOP_WORDS))) == []


def test_tokens_are_word_tokenize():
    """NLTK's own example, less the abbreviation whose stop no sentence ends; case stays."""
    found = tokens("Good muffins cost $3.88\nin New York.  Please buy me\ntwo of them.\nThanks.")
    assert found == [
        *("Good", "muffins", "cost", "$", "3.88", "in", "New", "York", "."),
        *("Please", "buy", "me", "two", "of", "them", ".", "Thanks", "."),
    ]


def test_abbreviations_are_not_known():
    """Where this differs from the authors' words: their model knows that vs. ends no sentence."""
    assert stems("BERT vs. RoBERTa") == ["bert", "vs", ".", "roberta"]
    assert stems("BERT v. RoBERTa et al. 2019")[-3:] == ["al", ".", "2019"]


@pytest.mark.parametrize(
    ("word", "expected"),
    [("retrieval", "retriev"), ("dies", "die"), ("flies", "fli"), ("skies", "sky")],
)
def test_stems_are_nltks_own(word, expected):
    """Porter's, with NLTK's changes: dies and skies are Porter's di and ski."""
    assert stem(word) == expected == nltk.PorterStemmer().stem(word)


def test_a_text_without_words():
    """Has no stems."""
    assert stems("") == stems(" \n") == stems("the of") == []

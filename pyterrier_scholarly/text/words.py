"""Words of texts: of tf-idf, of document models and of the papers' BM25.

    >>> tokens("The X-ray spectrum"), [counted(run) for run in runs("pruned trees")]
    (['the', 'x-ray', 'spectrum'], ['pruned', 'tree'])

The papers' BM25 takes NLTK's tokens [Wang2023], or their stems [Ajith2024]. DORIS-MAE's code uses
`nltk.word_tokenize`. LitSearch's lower-cases the text, drops NLTK's English stop words, and stems
with its PorterStemmer. Punctuation marks are words, too. Two things differ, so that nothing is
downloaded:

- Sentences: a full stop is a token only at the end of a sentence. `word_tokenize` downloads a Punkt
  model to find sentences. Punkt without a model knows no abbreviations, so *vs.* becomes two
  tokens. In a sample of 459 LitSearch papers 8 of 92,324 tokens differ; in the 597 questions, none.
- Stop words are listed below: NLTK's without those with an apostrophe, which are never tokens.
"""

import re
from collections.abc import Callable, Mapping
from functools import cache, lru_cache
from typing import NamedTuple

RUN = re.compile(r"[a-z0-9]+(?:-+[a-z0-9]+)*")
TOKEN = re.compile(r"\w+(?:[-'’.]\w+)*")
KEPT_STEMS = 2**18  # in memory; most words repeat

#: NLTK's list: Porter's, and parts of contractions (don, ll, ve …)
STOP_WORDS = frozenset(
    """
    i me my myself we our ours ourselves you your yours yourself yourselves he him his himself
    she her hers herself it its itself they them their theirs themselves
    what which who whom this that these those
    am is are was were be been being have has had having do does did doing will can should
    a an the and but if or because as until while
    of at by for with about against between into through during before after above below to from
    up down in out on off over under
    again further then once here there when where why how
    all any both each few more most other some such no nor not only own same so than too very just
    now s t d ll m o re ve y ma
    ain aren couldn didn doesn don hadn hasn haven isn mightn mustn needn shan shouldn wasn weren
    won wouldn
    """.split()
)


def runs(text: str) -> list[str]:
    """Find lower-cased runs of letters, digits and inner hyphens, for `counted`."""
    return RUN.findall(text.lower())


def counted(run: str) -> str:
    """Return the word that a run counts as; "" for stop words, single letters and digits.

    A plural s is removed, not from words in *ss* and words of up to three letters.

    >>> [counted(run) for run in runs("The trees of a B-tree's class")]
    ['', 'tree', '', '', 'b-tree', '', 'class']
    """
    if len(run) == 1 or run in _stop_words():
        return ""
    is_plural = len(run) > 3 and run.endswith("s") and not run.endswith("ss")
    return run[:-1] if is_plural else run


@cache
def _stop_words() -> frozenset[str]:
    """Return scikit-learn's English stop words."""
    from sklearn.feature_extraction.text import ENGLISH_STOP_WORDS

    return ENGLISH_STOP_WORDS


def tokens(text: str) -> list[str]:
    """Find lower-cased runs of letters and digits, with inner hyphens, dots and apostrophes.

    >>> tokens("The X-ray spectrum of M31's core (z = 0.5)")
    ['the', 'x-ray', 'spectrum', 'of', "m31's", 'core', 'z', '0.5']
    """
    return TOKEN.findall(text.lower())


def vocabulary(
    counts: Mapping[str, int],
    min_count: int = 10,
    most_frequent: int = 50,
    min_length: int = 4,
    alphabetic: bool = True,
) -> list[str]:
    """Choose a collection's vocabulary [Krstovski, Smith & Kurtz 2016], in alphabetical order.

    Args:
        counts: dict from a token to its number of occurrences in all texts.
        min_count: drop rarer tokens.
        most_frequent: drop this many of the most frequent tokens. Equally frequent tokens are
            dropped in alphabetical order.
        min_length: drop shorter tokens, in characters.
        alphabetic: drop tokens with other characters than letters.

    >>> vocabulary({"the": 90, "model": 30, "models": 9, "x-ray": 20, "core": 15}, most_frequent=1)
    ['core', 'model']
    """
    most_frequent_first = sorted(counts, key=lambda token: (-counts[token], token))

    chosen = []
    for token in most_frequent_first[most_frequent:]:
        is_frequent = counts[token] >= min_count
        is_long = len(token) >= min_length
        is_allowed = token.isalpha() or not alphabetic
        if is_frequent and is_long and is_allowed:
            chosen.append(token)
    return sorted(chosen)


def stems(text: str) -> list[str]:
    """Stem the words of a text, in order, without stop words.

    Raises:
        ImportError: NLTK is missing; the message names the extra to install.

    >>> stems("The models were trained (on 3 corpora).")
    ['model', 'train', '(', '3', 'corpora', ')', '.']
    """
    words = nltk_tokens(text.lower())
    return [stem(word) for word in words if word not in STOP_WORDS]


def nltk_tokens(text: str) -> list[str]:
    """Split a text into tokens, in order; case does not change.

    >>> nltk_tokens("BERT's (3.5%) better.")
    ['BERT', "'s", '(', '3.5', '%', ')', 'better', '.']
    """
    nltk = _load_nltk()
    words = []
    for sentence in nltk.split_sentences(text):
        words += nltk.split_words(sentence)
    return words


@lru_cache(maxsize=KEPT_STEMS)
def stem(word: str) -> str:
    """Stem one word; ImportError as for `stems`."""
    return _load_nltk().stem(word)


class NltkFunctions(NamedTuple):
    """NLTK's functions: from a text to sentences, from a sentence to words, from a word to a stem.

    All without a file that NLTK would download.
    """

    split_sentences: Callable[[str], list[str]]
    split_words: Callable[[str], list[str]]
    stem: Callable[[str], str]


@cache
def _load_nltk() -> NltkFunctions:
    try:
        from nltk.stem.porter import PorterStemmer
        from nltk.tokenize.destructive import NLTKWordTokenizer
        from nltk.tokenize.punkt import PunktSentenceTokenizer
    except ImportError as error:
        raise ImportError(
            'Splitting texts into words needs NLTK: run `pip install "pyterrier-scholarly[words]"`.'
        ) from error

    return NltkFunctions(
        split_sentences=PunktSentenceTokenizer().tokenize,
        split_words=NLTKWordTokenizer().tokenize,
        stem=PorterStemmer().stem,
    )

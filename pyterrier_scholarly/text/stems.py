"""Words as the papers' BM25 count them: NLTK's tokens [Wang2023], or their stems [Ajith2024].

DORIS-MAE's code takes `nltk.word_tokenize` of a text as it is. LitSearch's lower-cases the text
first, then drops NLTK's English stop words and stems by its PorterStemmer. Punctuation marks are
words, too. Two things need no download here:

- Sentences, at whose end alone a full stop is a token of its own. `word_tokenize` finds them by a
  Punkt model that it downloads; here it is Punkt without one, which knows no abbreviations, so
  that *vs.* is two tokens in the middle of a sentence. In a sample of
  LitSearch's papers (459) 8 of 92,324 tokens differ, on the 597 questions none.
- Stop words, which are below: NLTK's but for those with an apostrophe, which are never tokens.
"""

from functools import lru_cache

#: Porter's list as NLTK has it, which adds what is left of contractions (don, ll, ve …)
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


def stems(text) -> list[str]:
    """The stems of a text's words, in their order.

    Raises:
        ImportError: NLTK is not installed; names the extra that brings it.

    >>> stems("The models were trained (on 3 corpora).")
    ['model', 'train', '(', '3', 'corpora', ')', '.']
    """
    return [stem(word) for word in tokens(text.lower()) if word not in STOP_WORDS]


def tokens(text) -> list[str]:
    """The tokens of a text, in their order and case.

    Raises:
        ImportError: as of `stems`.

    >>> tokens("BERT's (3.5%) better.")
    ['BERT', "'s", '(', '3.5', '%', ')', 'better', '.']
    """
    sentences, words = _tokenizers()
    return [word for sentence in sentences(text) for word in words(sentence)]


@lru_cache(maxsize=2**18)  # words come again and again
def stem(word) -> str:
    """The stem of one word."""
    return _stemmer().stem(word)


@lru_cache(maxsize=1)
def _tokenizers():
    try:
        from nltk.tokenize.destructive import NLTKWordTokenizer
        from nltk.tokenize.punkt import PunktSentenceTokenizer
    except ImportError as error:
        raise ImportError(
            'These papers\' words need NLTK: run `pip install "pyterrier-scholarly[words]"`.'
        ) from error
    return PunktSentenceTokenizer().tokenize, NLTKWordTokenizer().tokenize


@lru_cache(maxsize=1)
def _stemmer():
    from nltk.stem.porter import PorterStemmer

    return PorterStemmer()

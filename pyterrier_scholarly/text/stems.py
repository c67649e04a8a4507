"""Words of the papers' BM25: NLTK's tokens [Wang2023], or their stems [Ajith2024].

DORIS-MAE's code uses `nltk.word_tokenize`. LitSearch's lower-cases the text, drops NLTK's English
stop words, and stems with its PorterStemmer. Punctuation marks are words, too. Two things differ,
so that nothing is downloaded:

- Sentences: a full stop is a token only at the end of a sentence. `word_tokenize` downloads a Punkt
  model to find sentences. Punkt without a model knows no abbreviations, so *vs.* becomes two
  tokens. In a sample of 459 LitSearch papers 8 of 92,324 tokens differ; in the 597 questions, none.
- Stop words are listed below: NLTK's without those with an apostrophe, which are never tokens.
"""

from collections.abc import Callable
from functools import lru_cache

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


def stems(text: str) -> list[str]:
    """Stem the words of a text, in order, without stop words.

    Raises:
        ImportError: NLTK is missing; the message names the extra to install.

    >>> stems("The models were trained (on 3 corpora).")
    ['model', 'train', '(', '3', 'corpora', ')', '.']
    """
    return [stem(word) for word in tokens(text.lower()) if word not in STOP_WORDS]


def tokens(text: str) -> list[str]:
    """Split a text into tokens, in order; case does not change.

    Raises:
        ImportError: see `stems`.

    >>> tokens("BERT's (3.5%) better.")
    ['BERT', "'s", '(', '3.5', '%', ')', 'better', '.']
    """
    sentences, words = _tokenizers()
    return [word for sentence in sentences(text) for word in words(sentence)]


@lru_cache(maxsize=2**18)  # most words repeat
def stem(word: str) -> str:
    """Stem one word."""
    return _stemmer()(word)


@lru_cache(maxsize=1)
def _tokenizers() -> tuple[Callable[[str], list[str]], Callable[[str], list[str]]]:
    try:
        from nltk.tokenize.destructive import NLTKWordTokenizer
        from nltk.tokenize.punkt import PunktSentenceTokenizer
    except ImportError as error:
        raise ImportError(
            'Splitting texts into words needs NLTK: run `pip install "pyterrier-scholarly[words]"`.'
        ) from error
    return PunktSentenceTokenizer().tokenize, NLTKWordTokenizer().tokenize


@lru_cache(maxsize=1)
def _stemmer() -> Callable[[str], str]:
    from nltk.stem.porter import PorterStemmer

    return PorterStemmer().stem

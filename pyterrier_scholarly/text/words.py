"""Words of tf-idf, the vocabulary of a collection, and the words that two texts share."""

import re
from collections.abc import Mapping, Sequence
from functools import cache

RUN = re.compile(r"[a-z0-9]+(?:-+[a-z0-9]+)*")
TOKEN = re.compile(r"\w+(?:[-'’.]\w+)*")


def runs(text: str) -> list[str]:
    """Find lower-cased runs of letters, digits and inner hyphens, for `counted`."""
    return RUN.findall(text.lower())


def counted(run: str) -> str:
    """Return the word that a run counts as; "" for stop words, single letters and digits.

    >>> [counted(run) for run in runs("The trees of a B-tree's class")]
    ['', 'tree', '', '', 'b-tree', '', 'class']
    """
    return "" if len(run) == 1 or run in _stop_words() else singular(run)


def singular(word: str) -> str:
    """Remove a plural s; words in *ss* and words of up to three letters do not change."""
    plural = len(word) > 3 and word.endswith("s") and not word.endswith("ss")
    return word[:-1] if plural else word


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
    frequent = sorted(counts, key=lambda token: (-counts[token], token))[:most_frequent]
    return sorted(
        token
        for token in set(counts) - set(frequent)
        if counts[token] >= min_count
        and len(token) >= min_length
        and (token.isalpha() or not alphabetic)
    )


def word_overlap(question: str, text: str) -> float:
    """Compute the share of a question's distinct words that occur in a text, in 0..1.

    As in the authors' code, words are separated by blanks; case and punctuation matter
    [Ajith2024, 2.1, Table 2].

    Raises:
        ValueError: the question has no words.

    >>> word_overlap("Which study of graphs?", "A study of graphs")
    0.5
    """
    words = set(question.split())
    if not words:
        raise ValueError(f"The question {question!r} has no words: pass one word or more.")
    return len(words & set(text.split())) / len(words)


def mean_overlap(question: str, texts: Sequence[str]) -> float:
    """Compute the mean `word_overlap` over the texts of a question's papers.

    Raises:
        ValueError: there are no texts, or the question has no words.
    """
    if not texts:
        raise ValueError(f"The question {question!r} has no papers: pass one text or more.")
    return sum(word_overlap(question, text) for text in texts) / len(texts)

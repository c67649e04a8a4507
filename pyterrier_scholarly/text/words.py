"""The words of a text that tell what it is about."""

import re
from functools import cache

RUN = re.compile(r"[a-z0-9]+(?:-+[a-z0-9]+)*")


def runs(text) -> list[str]:
    """Lower-cased runs of letters, digits and inner hyphens: what `counted` is asked of."""
    return RUN.findall(text.lower())


def words(text) -> list[str]:
    """The words of a text that count.

    >>> words("The trees of a B-tree's class")
    ['tree', 'b-tree', 'class']
    """
    return list(filter(None, map(counted, runs(text))))


def counted(run) -> str:
    """The word that a run counts as; "" for single letters and digits and for stop words."""
    return "" if len(run) == 1 or run in _stop_words() else singular(run)


def singular(word):
    """`word` without a plural s: not that of *ss*, nor of words of up to three letters."""
    plural = len(word) > 3 and word.endswith("s") and not word.endswith("ss")
    return word[:-1] if plural else word


@cache
def _stop_words():
    """Scikit-learn's, in English."""
    from sklearn.feature_extraction.text import ENGLISH_STOP_WORDS

    return ENGLISH_STOP_WORDS

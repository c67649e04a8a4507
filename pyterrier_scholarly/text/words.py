"""The words that tf-idf counts, such as "tree" for "Trees".

    >>> [normalise_run(run) for run in runs("The pruned trees")]
    ['', 'pruned', 'tree']

Conventions: a *run* is a piece of text between blanks and the like. It counts as one word, or as
none.
"""

import re
from functools import cache

RUN = re.compile(r"[a-z0-9]+(?:-+[a-z0-9]+)*")


def runs(text: str) -> list[str]:
    """Find the runs of letters, digits and inner hyphens of a text, in lower case and in order."""
    return RUN.findall(text.lower())


def normalise_run(run: str) -> str:
    """Return the word that a run counts as; "" for stop words, single letters and digits.

    A plural s is removed, but not from words in *ss*, nor from words of up to three letters.

    >>> [normalise_run(run) for run in runs("The trees of a B-tree's class")]
    ['', 'tree', '', '', 'b-tree', '', 'class']
    """
    if len(run) == 1 or run in _load_stop_words():
        return ""

    is_plural = len(run) > 3 and run.endswith("s") and not run.endswith("ss")
    if is_plural:
        return run[:-1]
    return run


@cache
def _load_stop_words() -> frozenset[str]:
    """Return scikit-learn's English stop words."""
    from sklearn.feature_extraction.text import ENGLISH_STOP_WORDS

    return ENGLISH_STOP_WORDS

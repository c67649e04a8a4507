"""The vocabulary of a collection, as document models count it [Krstovski, Smith & Kurtz 2016].

>>> find_tokens("The X-ray spectrum")
['the', 'x-ray', 'spectrum']
>>> choose_vocabulary({"the": 90, "model": 30, "models": 9}, most_frequent=1)
['model']
"""

import re
from collections.abc import Mapping

TOKEN = re.compile(r"\w+(?:[-'’.]\w+)*")


def find_tokens(text: str) -> list[str]:
    """Find lower-cased runs of letters and digits, with inner hyphens, dots and apostrophes.

    >>> find_tokens("The X-ray spectrum of M31's core (z = 0.5)")
    ['the', 'x-ray', 'spectrum', 'of', "m31's", 'core', 'z', '0.5']
    """
    return TOKEN.findall(text.lower())


def choose_vocabulary(
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

    >>> counts = {"the": 90, "model": 30, "models": 9, "x-ray": 20, "core": 15}
    >>> choose_vocabulary(counts, most_frequent=1)
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

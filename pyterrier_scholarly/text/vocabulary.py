"""Which tokens of a collection are its vocabulary [Krstovski, Smith & Kurtz 2016]."""

import re

TOKEN = re.compile(r"\w+(?:[-'’.]\w+)*")


def tokens(text) -> list:
    """Runs of letters and digits in lower case, with the hyphens, dots and apostrophes in them.

    >>> tokens("The X-ray spectrum of M31's core (z = 0.5)")
    ['the', 'x-ray', 'spectrum', 'of', "m31's", 'core', 'z', '0.5']
    """
    return TOKEN.findall(text.lower())


def kept(counts, min_count=10, most_frequent=50, min_length=4, alphabetic=True) -> list:
    """The tokens that the paper keeps, in alphabetical order.

    Args:
        counts: dict from a token to how often it occurs in all texts together.
        min_count: rarer tokens are left out.
        most_frequent: so many of all tokens, the most frequent, are left out (of equally frequent
            ones those that come first in the alphabet).
        min_length: shorter tokens are left out, in characters.
        alphabetic: tokens with other characters than letters are left out.

    >>> kept({"the": 90, "model": 30, "models": 9, "x-ray": 20, "core": 15}, most_frequent=1)
    ['core', 'model']
    """
    frequent = sorted(counts, key=lambda token: (-counts[token], token))[:most_frequent]
    without = set(frequent)
    return sorted(
        token
        for token, count in counts.items()
        if count >= min_count
        and len(token) >= min_length
        and token not in without
        and (token.isalpha() or not alphabetic)
    )

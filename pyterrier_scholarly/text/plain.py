"""Texts without what the DORIS-MAE authors' code takes out of them."""

import re

ADDRESS = re.compile(r"(?:https?://|www\.)\S+")


def plain(text) -> str:
    """`text` with line breaks turned to blanks, and without dollar signs and web addresses.

    >>> plain("On $n$\\ntrees: https://a.org/b")
    'On n trees: '
    """
    return ADDRESS.sub("", re.sub(r"[\r\n]+", " ", text)).replace("$", "")

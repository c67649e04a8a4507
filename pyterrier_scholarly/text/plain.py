"""Texts without what the DORIS-MAE authors' code takes out of them, or what no file can hold."""

import re

ADDRESS = re.compile(r"(?:https?://|www\.)\S+")


def plain(text) -> str:
    """`text` with line breaks turned to blanks, and without dollar signs and web addresses.

    >>> plain("On $n$\\ntrees: https://a.org/b")
    'On n trees: '
    """
    return ADDRESS.sub("", re.sub(r"[\r\n]+", " ", text)).replace("$", "")


def writable(text) -> str:
    r"""`text` with each half of a surrogate pair, which has no encoding, as U+FFFD.

    >>> writable("a\ud800b") == "a\ufffdb"
    True
    """
    return re.sub("[\ud800-\udfff]", "\ufffd", text)

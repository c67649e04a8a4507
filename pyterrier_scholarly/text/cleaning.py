"""Remove from texts what a model or a file cannot take.

>>> plain("Costs $5$, see www.a.org")
'Costs 5, see '
"""

import re

ADDRESS = re.compile(r"(?:https?://|www\.)\S+")


def plain(text: str) -> str:
    """Remove dollar signs and web addresses, and replace line breaks by blanks.

    This is what the DORIS-MAE authors' code does.

    >>> plain("On $n$\\ntrees: https://a.org/b")
    'On n trees: '
    """
    one_line = re.sub(r"[\r\n]+", " ", text)
    without_addresses = ADDRESS.sub("", one_line)
    return without_addresses.replace("$", "")


def writable(text: str) -> str:
    r"""Replace each unpaired surrogate, which no encoding can write, by U+FFFD.

    >>> writable("a\ud800b") == "a\ufffdb"
    True
    """
    return re.sub("[\ud800-\udfff]", "\ufffd", text)

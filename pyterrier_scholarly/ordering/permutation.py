"""The order that a language model's reply names.

Conventions: candidates bear the identifiers 1…n in a prompt, as in ``[2] > [1]``; positions in what
is returned count from 0.
"""

import re

NUMBER = re.compile("[0-9]+")  # \d and isdigit() also take ², which int() refuses
BETWEEN = re.compile(r"[\s>,\[\]]*")


def read_order(reply, n) -> list:
    """The order of n candidates by a reply: LitSearch's lenient reading, after RankGPT's.

    Every number counts that is an identifier, wherever it stands, at its first occurrence; what the
    reply does not name comes behind, in its old order. So a refusal that holds a number moves a
    candidate, as in the authors' code: `is_order` tells such replies.

    Returns:
        A permutation of 0…n-1, best first.

    >>> read_order("[2] > [1]", 4), read_order("2,1,2,99", 4)
    ([1, 0, 2, 3], [1, 0, 2, 3])
    """
    named = dict.fromkeys(number - 1 for number in _numbers(reply, n) if 1 <= number <= n)
    return list(named | dict.fromkeys(range(n)))


def is_order(reply, n) -> bool:
    """Whether a reply is nothing but an order: identifiers, one of 1…n at least, brackets, > or ,.

    >>> is_order("[2] > [1]", 4), is_order("I cannot rank these 3 papers.", 4)
    (True, False)
    """
    if BETWEEN.fullmatch(NUMBER.sub("", reply)) is None:
        return False
    return any(1 <= number <= n for number in _numbers(reply, n))


def _numbers(reply, n):
    """The numbers in a reply; not those too long to be at most n, which int() may refuse."""
    digits = (found.lstrip("0") for found in NUMBER.findall(reply))
    return [int(found or "0") for found in digits if len(found) <= len(str(n))]

"""Read the order in which a language model's reply puts candidates.

    >>> read_order("[2] > [1]", 2)
    [1, 0]

Conventions: a prompt and its reply number n candidates from 1 to n; an order, which is returned,
numbers them from 0 to n-1.
"""

import re

NUMBER = re.compile("[0-9]+")  # \d and isdigit() also accept ², which int() rejects
ORDER_MARKS = re.compile(r"[\s>,\[\]]*")  # all that an order has between its numbers


def read_order(reply: str, n: int) -> list[int]:
    """Read the order of n candidates from a reply, leniently as LitSearch does, after RankGPT.

    A prompt numbers the candidates 1…n, as in ``[2] > [1]``. Every such number counts, wherever it
    is, at its first occurrence. Candidates missing from the reply follow in their old order. A
    refusal with a number therefore moves a candidate, as in the authors' code; `is_order` finds
    such replies.

    Returns:
        A permutation of 0…n-1, best first.

    >>> read_order("[2] > [1]", 4), read_order("2,1,2,99", 4)
    ([1, 0, 2, 3], [1, 0, 2, 3])
    """
    named_candidates = [number - 1 for number in _read_numbers(reply, n) if 1 <= number <= n]
    old_order = range(n)
    return list(dict.fromkeys([*named_candidates, *old_order]))  # each at its first place


def is_order(reply: str, n: int) -> bool:
    """Return whether a reply is only an order: numbers (one of 1…n at least), brackets, > and ,.

    >>> is_order("[2] > [1]", 4), is_order("I cannot rank these 3 papers.", 4)
    (True, False)
    """
    between_numbers = NUMBER.sub("", reply)
    if ORDER_MARKS.fullmatch(between_numbers) is None:
        return False
    return any(1 <= number <= n for number in _read_numbers(reply, n))


def _read_numbers(reply: str, n: int) -> list[int]:
    """Return a reply's numbers, without those of more digits than n, which int() may reject."""
    numbers = []
    for digits in NUMBER.findall(reply):
        significant_digits = digits.lstrip("0") or "0"
        if len(significant_digits) <= len(str(n)):
            numbers.append(int(significant_digits))
    return numbers

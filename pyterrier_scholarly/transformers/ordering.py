"""Orders that language models write: windows of a prompt, permutations read from replies."""

import re

NUMBER = re.compile("[0-9]+")  # \d and isdigit() also accept ², which int() rejects
BETWEEN = re.compile(r"[\s>,\[\]]*")


def spans(n: int, window: int, stride: int | None = None) -> list[tuple[int, int]]:
    """Return the windows over n candidates, in the order in which they are ranked.

    Args:
        n: number of candidates.
        window: largest number of candidates in a prompt.
        stride: None for one window over the first candidates. Else windows slide from the last
            candidates to the first, each `stride` further to the front [Sun2023], and the last
            window always begins at the front. (RankGPT's code omits that window if the numbers do
            not divide evenly, and ranks nothing if a ranking is shorter than a window.)

    Returns:
        Pairs (start, end), half open.

    >>> spans(100, 40), spans(100, 40, 20)
    ([(0, 40)], [(60, 100), (40, 80), (20, 60), (0, 40)])
    """
    if stride is None or n <= window:
        return [(0, min(n, window))]
    starts = [*range(n - window, 0, -stride), 0]
    return [(start, start + window) for start in starts]


def shrinking(first: int) -> list[int]:
    """Return the sizes to try until a window of `first` candidates is ranked, largest first.

    As LitSearch's, each is a fifth of `first` smaller, down to the half of `first`. Below 5 that
    fifth is 0 and the authors' loop never ends. Here it is at least 1, and no window has fewer than
    two candidates.

    >>> shrinking(99), shrinking(4), shrinking(1)
    ([99, 80, 61], [4, 3, 2], [])
    """
    return list(range(first, max(first // 2, 2) - 1, -max(first // 5, 1)))


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
    named = dict.fromkeys(number - 1 for number in _numbers(reply, n) if 1 <= number <= n)
    return list(named | dict.fromkeys(range(n)))


def is_order(reply: str, n: int) -> bool:
    """Return whether a reply is only an order: numbers (one of 1…n at least), brackets, > and ,.

    >>> is_order("[2] > [1]", 4), is_order("I cannot rank these 3 papers.", 4)
    (True, False)
    """
    if BETWEEN.fullmatch(NUMBER.sub("", reply)) is None:
        return False
    return any(1 <= number <= n for number in _numbers(reply, n))


def _numbers(reply: str, n: int) -> list[int]:
    """The numbers in a reply, without those of more digits than n, which int() may reject."""
    digits = (number.lstrip("0") for number in NUMBER.findall(reply))
    return [int(number or "0") for number in digits if len(number) <= len(str(n))]

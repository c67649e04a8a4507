"""Which candidates a prompt shows: windows over a ranking, and shorter ones after a failure."""


def spans(n, window, stride=None) -> list:
    """The windows over n candidates, in the order in which they are ranked.

    Args:
        n: how many candidates there are.
        window: how many a prompt shows at most.
        stride: None for one window over the first candidates. Else windows of that size slide from
            the last candidates to the first, each `stride` further to the front [Sun2023]; the last
            one begins at the front always (in RankGPT's code it is left out where the numbers do
            not come out even, and with it all windows of rankings shorter than one).

    Returns:
        Pairs (start, end), half open.

    >>> spans(100, 40), spans(100, 40, 20)
    ([(0, 40)], [(60, 100), (40, 80), (20, 60), (0, 40)])
    """
    if stride is None or n <= window:
        return [(0, min(n, window))]
    starts = [*range(n - window, 0, -stride), 0]
    return [(start, start + window) for start in starts]


def shrinking(first) -> list:
    """The sizes to try, one after the other, until a window of `first` candidates is ranked.

    LitSearch's: a fifth of the first less each time, not below its half. Below 5 that fifth is 0
    and the authors' loop never ends; here it is 1 at least, and no window has less than two.

    >>> shrinking(99), shrinking(4), shrinking(1)
    ([99, 80, 61], [4, 3, 2], [])
    """
    return list(range(first, max(first // 2, 2) - 1, -max(first // 5, 1)))

"""Which candidates a listwise prompt shows, and in which order the prompts are sent.

>>> list_windows(30, window=20, stride=10)
[(10, 30), (0, 20)]
"""


def list_windows(n: int, window: int, stride: int | None = None) -> list[tuple[int, int]]:
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

    >>> list_windows(100, 40), list_windows(100, 40, 20)
    ([(0, 40)], [(60, 100), (40, 80), (20, 60), (0, 40)])
    """
    if stride is None or n <= window:
        return [(0, min(n, window))]

    starts = [*range(n - window, 0, -stride), 0]  # from the end to the front
    return [(start, start + window) for start in starts]


def list_window_sizes(first: int) -> list[int]:
    """Return the sizes to try until a window of `first` candidates is ranked, largest first.

    As LitSearch's, each is a fifth of `first` smaller, down to the half of `first`. Below 5 that
    fifth is 0 and the authors' loop never ends. Here it is at least 1, and no window has fewer than
    two candidates.

    >>> list_window_sizes(99), list_window_sizes(4), list_window_sizes(1)
    ([99, 80, 61], [4, 3, 2], [])
    """
    smallest = max(first // 2, 2)
    step = max(first // 5, 1)
    return list(range(first, smallest - 1, -step))

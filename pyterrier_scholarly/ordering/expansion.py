"""One-hop expansion: lists of seeds and of what each of them cites, made into one."""

from itertools import chain


def interleaved(seeds, cited, n) -> list:
    """The first n of: each seed, and right behind it what it cites [Ajith2024, 3.2].

    Args:
        seeds: ids, best first.
        cited: for each seed, ids in any number.
        n: the length to cut to.

    Returns:
        Ids, each once, at its first place.

    >>> interleaved([1, 2], [[10, 2], [10, 12]], 4)
    [1, 10, 2, 12]
    """
    return _first(chain.from_iterable([seed, *ids] for seed, ids in zip(seeds, cited)), n)


def appended(seeds, cited, n) -> list:
    """The first n of: all seeds, then what the first cites, what the second cites, …

    This is LitSearch's released code; its paper says `interleaved`. Arguments and result are the
    same.

    >>> appended([1, 2], [[10, 2], [10, 12]], 4)
    [1, 2, 10, 12]
    """
    return _first(chain(seeds, chain.from_iterable(cited)), n)


def _first(ids, n):
    return list(dict.fromkeys(ids))[:n]

"""Split the abstracts of your own papers into sentences: each once, also in the next process.

The starts of sentences are kept in memory, and on disk with the embeddings. They are found again
by a hash of the abstract and by what splits it; no text is written.
"""

from collections.abc import Iterable, Mapping, Sequence
from itertools import pairwise

import numpy as np

from ..encoders import VectorCache
from ..progress import progress
from ..text.sentence_splitter import (
    Starts,
    cut_sentences,
    find_starts,
    recent_starts,
    splitter_settings,
)

WRITTEN_TOGETHER = 500  # abstracts: what is lost if the process is killed, about two seconds
#: the cache keeps starts as float32, which has all whole numbers up to this one
LARGEST_START = 2**24


def split_abstracts(
    abstracts: Sequence[str], cache: VectorCache, verbose: bool = False
) -> list[list[str]]:
    """Split each abstract into its sentences, and keep where they start.

    Args:
        abstracts: English texts.
        cache: what keeps the starts on disk.
        verbose: show how many of the new abstracts are split.
    """
    starts = read_starts(dict.fromkeys(abstracts), cache)
    new = [abstract for abstract in dict.fromkeys(abstracts) if abstract not in starts]

    if new:
        with progress("splitting", len(new), "abstract", verbose) as bar:
            for first in range(0, len(new), WRITTEN_TOGETHER):
                found: dict[str, Starts] = {}
                for abstract in new[first : first + WRITTEN_TOGETHER]:
                    found[abstract] = find_starts(abstract)
                    bar.update()
                keep_starts(found, cache)
                starts.update(found)

    return [cut_sentences(abstract, starts[abstract]) for abstract in abstracts]


def read_starts(abstracts: Iterable[str], cache: VectorCache) -> dict[str, Starts]:
    """Return the starts of those abstracts that are in memory or on disk."""
    starts: dict[str, Starts] = {}
    not_in_memory: list[str] = []
    for abstract in abstracts:
        recent = recent_starts.get(abstract)
        if recent is None:
            not_in_memory.append(abstract)
        else:
            starts[abstract] = recent

    if not_in_memory:
        arrays = cache.get_many(splitter_settings(), not_in_memory)
        for abstract, array in arrays.items():
            known = tuple(int(start) for start in array.ravel())
            if are_starts(known, abstract):
                starts[abstract] = known
                recent_starts.put(abstract, known)
    return starts


def are_starts(positions: Starts, abstract: str) -> bool:
    """Return whether positions can be the starts of an abstract's sentences."""
    is_ascending = all(one < other for one, other in pairwise([*positions, len(abstract)]))
    return positions[:1] == (0,) and is_ascending


def keep_starts(starts: Mapping[str, Starts], cache: VectorCache) -> None:
    """Keep the starts of abstracts in memory and on disk."""
    arrays: dict[str, np.ndarray] = {}
    for abstract, own_starts in starts.items():
        recent_starts.put(abstract, own_starts)
        if own_starts[-1] <= LARGEST_START:
            arrays[abstract] = np.array(own_starts, dtype=np.float32)[:, None]  # (starts, 1)

    cache.put_many(splitter_settings(), arrays)

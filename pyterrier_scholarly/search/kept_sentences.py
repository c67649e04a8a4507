"""Split the abstracts of your own papers into sentences: each once, also in the next process.

The starts of sentences are kept in memory, and on disk with the embeddings. They are found again
by a hash of the abstract and by what splits it; no text is written.

    sentences = split_abstracts(["We prune trees. It is fast."], VectorCache())
    sentences[0]  # ["We prune trees.", "It is fast."]
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
    keep_starts,
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
    distinct_abstracts = list(dict.fromkeys(abstracts))
    starts = _read_starts(distinct_abstracts, cache)
    new_abstracts = [abstract for abstract in distinct_abstracts if abstract not in starts]
    if new_abstracts:
        starts.update(_find_new_starts(new_abstracts, cache, verbose))
    return [cut_sentences(abstract, starts[abstract]) for abstract in abstracts]


def _find_new_starts(
    abstracts: Sequence[str], cache: VectorCache, verbose: bool
) -> dict[str, Starts]:
    """Find the starts of abstracts, and keep them a batch at a time."""
    starts: dict[str, Starts] = {}
    with progress("splitting", len(abstracts), "abstract", verbose) as bar:
        for first in range(0, len(abstracts), WRITTEN_TOGETHER):
            starts_of_batch: dict[str, Starts] = {}
            for abstract in abstracts[first : first + WRITTEN_TOGETHER]:
                starts_of_batch[abstract] = find_starts(abstract)
                bar.update()

            _keep_starts(starts_of_batch, cache)
            starts.update(starts_of_batch)
    return starts


def _read_starts(abstracts: Iterable[str], cache: VectorCache) -> dict[str, Starts]:
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
            positions = tuple(int(position) for position in array.ravel())
            if _are_starts(positions, abstract):
                starts[abstract] = positions
                keep_starts(abstract, positions)
    return starts


def _are_starts(positions: Starts, abstract: str) -> bool:
    """Return whether positions can be the starts of an abstract's sentences."""
    begins_at_zero = positions[:1] == (0,)
    starts_and_end = [*positions, len(abstract)]
    is_ascending = all(start < next_start for start, next_start in pairwise(starts_and_end))
    return begins_at_zero and is_ascending


def _keep_starts(starts: Mapping[str, Starts], cache: VectorCache) -> None:
    """Keep the starts of abstracts in memory and on disk."""
    arrays: dict[str, np.ndarray] = {}
    for abstract, positions in starts.items():
        keep_starts(abstract, positions)
        if positions[-1] <= LARGEST_START:
            arrays[abstract] = np.array(positions, dtype=np.float32)[:, None]  # (starts, 1)

    cache.put_many(splitter_settings(), arrays)

"""Sentence vectors of length 1, kept for the steps of a pipeline that share them."""

from functools import lru_cache

from ._identity import state
from ._store import Store
from .cache import as_cache
from .contextual import Contextual
from .passages import sentence_vectors

MEMORY = 2**28  # bytes, of one context


def scaled_vectors(encoder, papers, context="title") -> list:
    """What `sentence_vectors` gives, made once for equal encoders of class `Contextual`.

    Maximum and centroid of the same sentences so read them off the same arrays, which are
    read-only.
    """
    if not isinstance(encoder, Contextual):  # of others nothing tells that they have changed
        return sentence_vectors(encoder, papers, context)
    store = _kept(encoder, context, as_cache(encoder.cache), state(encoder.model))
    store.limit = min(MEMORY, encoder.memory)
    found = store.get_many(papers)
    missing = [paper for paper in dict.fromkeys(papers) if paper not in found]
    made = sentence_vectors(encoder, missing, context) if missing else []
    # each by itself, so that what is forgotten is freed
    made = {paper: rows.copy() for paper, rows in zip(missing, made)}
    store.put_many(made)
    found |= made
    return [found[paper] for paper in papers]


@lru_cache(maxsize=4)
def _kept(encoder, context, cache, state):
    return Store(MEMORY)

"""How much of a pool several of its methods found."""

from typing import NamedTuple

import numpy as np
import pandas as pd

from ..datasets import pool_sources
from .pooling import CITED


class PoolOverlap(NamedTuple):
    """What the methods of pools share.

    counts: how many candidates one method lists, two, and so on: `methods`, `candidates`, `share`
        (in 0..1).
    methods: for each `method`, over all pools: `listed` candidates, `drawn` (it stands first among
        their sources), `alone` (no other method lists them).
    shared: frame (methods × methods) of how many candidates both list; the diagonal is `listed`.
    """

    counts: pd.DataFrame
    methods: pd.DataFrame
    shared: pd.DataFrame


def pool_overlap(pools):
    """Count what pool methods share, as CSFCube's section 3 discusses [Mysore2021].

    Cited papers take no part: CSFCube gives them one list of sources for all of a pool.

    Args:
        pools: frame of `qid`, `docno`, `sources`, as `make_pools` gives it; or a dataset with
            sources (``"csfcube"``, ``"made/<name>"``).

    Returns:
        `PoolOverlap`.

    Raises:
        ValueError: a dataset without sources; no candidate but cited ones.
    """
    rows = pools if isinstance(pools, pd.DataFrame) else pool_sources(pools)
    found = [tuple(dict.fromkeys(names)) for names in rows["sources"] if CITED not in names]
    names = sorted({name for sources in found for name in sources})
    if not names:
        raise ValueError("no candidate has a source other than 'cited': nothing to compare.")
    listed = np.array([[name in sources for name in names] for sources in found], dtype=int)
    number, candidates = np.unique(listed.sum(axis=1), return_counts=True)
    first = pd.Series([sources[0] for sources in found]).value_counts()
    return PoolOverlap(
        pd.DataFrame(
            {"methods": number, "candidates": candidates, "share": candidates / len(found)}
        ),
        pd.DataFrame(
            {
                "method": names,
                "listed": listed.sum(axis=0),
                "drawn": [int(first.get(name, 0)) for name in names],
                "alone": listed[listed.sum(axis=1) == 1].sum(axis=0),
            }
        ),
        pd.DataFrame(listed.T @ listed, names, names),
    )

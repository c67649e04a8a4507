"""How far the methods of pools list the same candidates, as CSFCube's section 3 discusses.

overlap = pool_overlap("csfcube")
overlap.counts, overlap.methods, overlap.shared
"""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
import pandas as pd

from .. import datasets, frames
from ..datasets import DatasetLike
from .drawn_pools import CITED, POOL_COLUMNS


class PoolOverlap(NamedTuple):
    """Hold what the methods of pools share.

    counts: number and share (in 0..1) of candidates that one method lists, two methods, and so on:
        `methods`, `candidates`, `share`.
    methods: for each `method`, over all pools: candidates `listed`, `drawn` (it is the first
        source), and `alone` (no other method lists them).
    shared: frame (methods × methods) of candidates that both list; the diagonal is `listed`.
    """

    counts: pd.DataFrame
    methods: pd.DataFrame
    shared: pd.DataFrame

    def __repr__(self) -> str:
        return frames.fit_screen(self)


def pool_overlap(pools: pd.DataFrame | DatasetLike) -> PoolOverlap:
    """Count what pool methods share, as CSFCube's section 3 discusses [Mysore2021].

    Cited papers are skipped: CSFCube has one list of sources for all cited papers of a pool.

    Args:
        pools: frame of `qid`, `docno`, `sources`, as from `make_pools`; or a dataset with sources
            (``"csfcube"``, ``"made/<name>"``).

    Raises:
        pt.validate.InputValidationError: a missing column.
        ValueError: a dataset without sources; only cited candidates.
    """
    source_lists = _read_source_lists(pools)
    methods = sorted({method for sources in source_lists for method in sources})
    if not methods:
        raise ValueError("no candidate has a source other than 'cited': pass pools of systems.")

    is_listed = np.zeros((len(source_lists), len(methods)), dtype=int)  # (candidates, methods)
    for row, sources in enumerate(source_lists):
        for column, method in enumerate(methods):
            is_listed[row, column] = method in sources
    shared = is_listed.T @ is_listed  # (methods, methods)

    return PoolOverlap(
        counts=_count_methods(is_listed),
        methods=_describe_methods(methods, source_lists, is_listed),
        shared=pd.DataFrame(shared, index=methods, columns=methods),
    )


def _read_source_lists(pools: pd.DataFrame | DatasetLike) -> list[tuple[str, ...]]:
    """Return the sources of each candidate that is not cited, each source once."""
    if isinstance(pools, pd.DataFrame):
        remedy = "make_pools returns these columns."
        candidates = frames.check(pools, "pool_overlap", POOL_COLUMNS, remedy=remedy)
    else:
        candidates = datasets.pool_sources(pools)

    uncited = [sources for sources in candidates["sources"] if CITED not in sources]
    return [tuple(dict.fromkeys(sources)) for sources in uncited]


def _count_methods(is_listed: np.ndarray) -> pd.DataFrame:
    """Return `PoolOverlap.counts`. is_listed: (candidates, methods), 0 or 1."""
    methods_of_candidate = is_listed.sum(axis=1)
    method_counts, candidate_counts = np.unique(methods_of_candidate, return_counts=True)
    return pd.DataFrame(
        {
            "methods": method_counts,
            "candidates": candidate_counts,
            "share": candidate_counts / len(is_listed),
        }
    )


def _describe_methods(
    methods: Sequence[str], source_lists: Sequence[tuple[str, ...]], is_listed: np.ndarray
) -> pd.DataFrame:
    """Return `PoolOverlap.methods`: the number of candidates that each method listed.

    Args:
        methods: their names.
        source_lists: of each candidate, the methods that listed it; the one that drew it is first.
        is_listed: (candidates, methods), 0 or 1.
    """
    listed_counts = is_listed.sum(axis=0)

    drawing_methods = [sources[0] for sources in source_lists]
    drawn_counts = [drawing_methods.count(method) for method in methods]

    has_one_method = is_listed.sum(axis=1) == 1
    alone_counts = is_listed[has_one_method].sum(axis=0)
    return pd.DataFrame(
        {
            "method": methods,
            "listed": listed_counts,
            "drawn": drawn_counts,
            "alone": alone_counts,
        }
    )

"""Sentences on rankings that do not fit each other: papers that one system alone ranks."""

from collections.abc import Iterator, Sequence

import pandas as pd

from ..evaluation.checks import PAIR
from ..tables.saved_runs import Ranked


def remark_pools(ranked: Sequence[Ranked]) -> Iterator[str]:
    """Say for how many queries a system ranks other papers than the last one."""
    base = ranked[-1]
    pairs_of_base = pd.MultiIndex.from_frame(base.run[PAIR])
    for system in ranked[:-1]:
        pairs = pd.MultiIndex.from_frame(system.run[PAIR])
        only_by_system = system.run["qid"][~pairs.isin(pairs_of_base)]
        only_by_base = base.run["qid"][~pairs_of_base.isin(pairs)]
        query_of_unshared = pd.concat([only_by_system, only_by_base])
        if len(query_of_unshared):
            yield (
                f"{system.name} and {base.name} do not rank the same papers. Papers that one of "
                f"them alone ranks: {len(query_of_unshared):,}, of queries: "
                f"{query_of_unshared.nunique()}."
            )

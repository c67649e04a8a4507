"""A system with its rankings: what the modules of a comparison pass to one another."""

from typing import NamedTuple

import pandas as pd
import pyterrier as pt

PAIR = ["qid", "docno"]  #: columns that name a query's paper


class RankedSystem(NamedTuple):
    """A system and its ranking of each query.

    run: frame `qid`, `docno`, `score`, `rank` (from 0; equal scores by descending `docno`).
    pipeline: from topics to the ranking; None if results were passed.
    """

    name: str
    run: pd.DataFrame
    pipeline: pt.Transformer | None

    @property
    def answered(self) -> set[str]:
        """The ids of the queries with results."""
        return set(self.run["qid"])

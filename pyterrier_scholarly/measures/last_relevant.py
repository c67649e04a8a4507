"""Precision at the last relevant document: how far down the reader of all relevant ones goes."""

from typing import TYPE_CHECKING

from ._base import JUDGED_ONLY, REL, RankedMeasure
from ._ranked import Ranked

if TYPE_CHECKING:
    import numpy as np


def precision_at_last_relevant(ranked: Ranked, rel: int = 1) -> "np.ndarray":
    """Compute the precision at the rank of the last relevant document, for all queries at once.

    Args:
        ranked: a run, joined with its judgements.
        rel: lowest relevance that counts as relevant.

    Returns:
        float array, one value in 0..1 per query of ``ranked.queries``; 0 if a relevant document is
        not ranked, or none exists.
    """
    import numpy as np

    size = len(ranked.queries)
    relevant, reached = (
        np.bincount(rows.query[rows.judged & (rows.relevance >= rel)], minlength=size)
        for rows in (ranked.ideal, ranked.run)
    )
    last = np.ones(size, dtype=np.int64)
    hits = ranked.run.judged & (ranked.run.relevance >= rel)
    last[ranked.run.query[hits]] = ranked.run.rank[hits]  # ascending ranks: the last one stays
    return np.where(reached == relevant, relevant / last, 0.0)


class _PLastRel(RankedMeasure):
    """Precision at the rank of the last relevant document; 0 if one of them is not ranked.

    It equals interpolated precision at recall 1. CSFCube's evaluation script calls it R-Precision.
    Elsewhere that is the precision at rank R, the number of relevant documents (``Rprec``).

    Unjudged documents are removed before ranks are counted; ``judged_only=False`` keeps them.
    Ties are broken by document id, descending.

    Source: the evaluation script of Mysore et al., CSFCube (2021).
    """

    __name__ = "PLastRel"
    NAME = __name__
    PRETTY_NAME = "Precision at the Last Relevant Document"
    SHORT_DESC = "The share of relevant documents among those ranked down to the last relevant one."
    SUPPORTED_PARAMS = {"rel": REL, "judged_only": JUDGED_ONLY}

    def values(self, ranked: Ranked) -> "np.ndarray":
        """Compute the measure (see `precision_at_last_relevant`)."""
        return precision_at_last_relevant(ranked, self["rel"])


PLastRel = _PLastRel()

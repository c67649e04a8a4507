"""Precision at the last relevant document: how far down the reader of all relevant ones goes."""

from typing import TYPE_CHECKING

from ._base import JUDGED_ONLY, REL, RankedMeasure

if TYPE_CHECKING:
    import numpy as np

    from ._ranked import Ranked


class _PLastRel(RankedMeasure):
    """Precision at the rank of the last relevant document; 0 if one of them is not ranked.

    It equals interpolated precision at recall 1. CSFCube's evaluation script calls it R-Precision.
    Elsewhere that is the precision at rank R, the number of relevant documents (``Rprec``).

    Unjudged documents are removed before ranks are counted; ``judged_only=False`` keeps them.
    Ties are broken by document id, descending.

    Source: the evaluation script of Mysore et al., CSFCube (2021).
    """

    NAME = "PLastRel"
    PRETTY_NAME = "Precision at the Last Relevant Document"
    SHORT_DESC = "The share of relevant documents among those ranked down to the last relevant one."
    SUPPORTED_PARAMS = {"rel": REL, "judged_only": JUDGED_ONLY}

    def values(self, ranked: "Ranked") -> "np.ndarray":
        """Return a float array of values in 0..1; also 0 if no document is relevant."""
        query, rank, number = ranked.hits(ranked.run.relevance >= self["rel"])
        last = number == ranked.relevant(self["rel"])[query]
        return ranked.sums(query[last], number[last] / rank[last])


PLastRel = _PLastRel()

"""Precision at the last relevant document: how far down the reader of all relevant ones goes."""

from typing import TYPE_CHECKING

from ._base import JUDGED_ONLY, REL, RankedMeasure
from ._ranked import Ranked

if TYPE_CHECKING:
    import numpy as np


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

    def values(self, ranked: Ranked) -> "np.ndarray":
        """Return a float array of values in 0..1; also 0 if no document is relevant."""
        import numpy as np

        relevant, (query, rank) = ranked.relevant(self["rel"]), ranked.hits(self["rel"])
        found = np.bincount(query, minlength=len(relevant))
        last = np.ones(len(relevant), dtype=np.int64)
        last[query] = rank  # ascending ranks: the last one stays
        return np.where(found == relevant, relevant / last, 0.0)


PLastRel = _PLastRel()

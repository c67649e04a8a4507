"""CSFCube's precision at the last relevant document.

    >>> PLastRel(rel=2)
    PLastRel(rel=2)

Conventions: ranks start at 1, values lie in 0..1.
"""

from typing import TYPE_CHECKING

from ._ranked_measure import JUDGED_ONLY, REL, RankedMeasure

if TYPE_CHECKING:
    from ._ranked_run import Ranked


class _PLastRel(RankedMeasure):
    """Precision at the rank of the last relevant document; 0 if one of them is not ranked.

    It equals interpolated precision at recall 1. CSFCube's evaluation script calls it R-Precision.
    Elsewhere that is the precision at rank R, the number of relevant documents (``Rprec``).

    Unjudged documents are removed before ranks are counted; ``judged_only=False`` keeps them.
    Ties are broken by document id, descending.

    Source: the evaluation script of Mysore et al., CSFCube (2021).
    """

    __name__ = NAME = "PLastRel"
    PRETTY_NAME = "Precision at the Last Relevant Document"
    SHORT_DESC = "The share of relevant documents among those ranked down to the last relevant one."
    SUPPORTED_PARAMS = {"rel": REL, "judged_only": JUDGED_ONLY}

    def compute_values(self, ranked: "Ranked") -> list[float]:
        """Return a value in 0..1 for each query; also 0 if no document is relevant."""
        hits = ranked.find_hits(ranked.run.relevance >= self["rel"])
        relevant_counts = ranked.count_relevant(self["rel"])  # (queries,), ranked or not

        # hits are numbered from 1 in each query, so the last of 5 relevant documents has number 5;
        # a query has one such hit or none, so its sum is the precision at that hit, or 0
        is_last = hits.number == relevant_counts[hits.query]
        precisions = is_last * hits.number / hits.rank
        return ranked.sum_by_query(hits.query, precisions).tolist()


PLastRel = _PLastRel()

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
        """Return values in 0..1; also 0 if no document is relevant."""
        hits = ranked.find_hits(ranked.run.relevance >= self["rel"])
        relevant_counts = ranked.count_relevant(self["rel"])  # (queries,)

        # the last one, if all are ranked: its number is that of the relevant documents
        is_last = hits.number == relevant_counts[hits.query]
        precision_at_hits = hits.number / hits.rank
        return ranked.sum_by_query(hits.query[is_last], precision_at_hits[is_last]).tolist()


PLastRel = _PLastRel()

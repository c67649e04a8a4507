"""DORIS-MAE's average precision."""

from ._doris import DorisMeasure, hits, relevant_counts


def average_precision(ranked):
    """Compute the mean, over a query's relevant documents, of the precision at their ranks.

    Args:
        ranked: a `_ranked.Ranked` of relevance 0 and 1.

    Returns:
        float array, one value in 0..1 per query of ``ranked.queries``; 0 where none is relevant.
        Relevant documents that are not ranked have precision 0.
    """
    import numpy as np

    query, rank = hits(ranked)
    so_far = np.arange(len(query)) - np.searchsorted(query, query) + 1
    total = np.bincount(query, weights=so_far / rank, minlength=len(ranked.queries))
    return total / np.maximum(relevant_counts(ranked), 1)


class _DorisAP(DorisMeasure):
    """DORIS-MAE's average precision.

    Which abstracts are relevant and which queries count: as for `DorisR`, which see.

    Source: MAP in the tables of Wang et al., DORIS-MAE (2023), and their code.
    """

    __name__ = "DorisAP"
    NAME = __name__
    PRETTY_NAME = "Average Precision of DORIS-MAE"
    SHORT_DESC = "The mean of the precision at the ranks of relevant abstracts (total >= |Q|)."

    def shares(self, ranked):
        """Compute the measure (see `average_precision`)."""
        return average_precision(ranked)


DorisAP = _DorisAP()

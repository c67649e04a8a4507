"""DORIS-MAE's recall and R-precision."""

from ._doris import CUTOFF, JUDGED_ONLY, DorisMeasure, hits, relevant_counts


def recall_within(ranked, limit):
    """Compute the share of relevant documents that are ranked at `limit` or above.

    Args:
        ranked: a `_ranked.Ranked` of relevance 0 and 1.
        limit: a rank, or an array of one per query.

    Returns:
        float array, one value in 0..1 per query of ``ranked.queries``; 0 where none is relevant.
    """
    import numpy as np

    query, rank = hits(ranked)
    limit = np.broadcast_to(limit, len(ranked.queries))
    found = np.bincount(query[rank <= limit[query]], minlength=len(limit))
    return found / np.maximum(relevant_counts(ranked), 1)


class _DorisR(DorisMeasure):
    """DORIS-MAE's recall: the share of the relevant abstracts among the first k (``DorisR@20``).

    An abstract is relevant if its total is at least the number of the query's aspects and
    sub-aspects, which the qrels of ``doris-mae`` and the datasets below it carry in `iteration`. A
    query without a relevant abstract is NaN and left out of the mean; one without results is 0.

    Unjudged documents are taken out before ranks are given, unless ``judged_only=False``. Ties are
    broken by document id, descending.

    Source: R@5 and R@20 in the tables of Wang et al., DORIS-MAE (2023), and their code.
    """

    __name__ = "DorisR"
    NAME = __name__
    PRETTY_NAME = "Recall of DORIS-MAE"
    SHORT_DESC = "The share of a query's relevant abstracts (total >= |Q|) among the first k."
    SUPPORTED_PARAMS = {"cutoff": CUTOFF, "judged_only": JUDGED_ONLY}

    def shares(self, ranked):
        """Compute the measure (see `recall_within`)."""
        return recall_within(ranked, self.params.get("cutoff", float("inf")))


class _DorisRprec(DorisMeasure):
    """DORIS-MAE's R-precision: recall at as many ranks as there are relevant abstracts.

    Which abstracts are relevant and which queries count: as for `DorisR`, which see.

    Source: RP in the tables of Wang et al., DORIS-MAE (2023), and their code.
    """

    __name__ = "DorisRprec"
    NAME = __name__
    PRETTY_NAME = "R-Precision of DORIS-MAE"
    SHORT_DESC = "The share of relevant abstracts (total >= |Q|) among as many as are relevant."

    def shares(self, ranked):
        """Compute the measure (see `recall_within`)."""
        return recall_within(ranked, relevant_counts(ranked))


DorisR = _DorisR()
DorisRprec = _DorisRprec()

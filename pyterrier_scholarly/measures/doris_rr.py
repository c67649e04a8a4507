"""DORIS-MAE's reciprocal rank: how far down the best abstract stands."""

from ._base import RankedMeasure
from ._doris import CUTOFF, JUDGED_ONLY


def reciprocal_rank_of_best(ranked, cutoff=None):
    """Compute 1 / rank of the first document whose relevance is the highest of its query's.

    Args:
        ranked: a `_ranked.Ranked`.
        cutoff: the last rank that counts; without it, all do.

    Returns:
        float array, one value in 0..1 per query of ``ranked.queries``; 0 where no such document is
        ranked.
    """
    import numpy as np

    run, ideal = ranked.run, ranked.ideal
    best = ideal.relevance[ideal.rank == 1]
    hit = run.judged & (run.relevance == best[run.query]) & (run.rank <= (cutoff or np.inf))
    query, first = np.unique(run.query[hit], return_index=True)
    values = np.zeros(len(ranked.queries))
    values[query] = 1 / run.rank[hit][first]
    return values


class _DorisRR(RankedMeasure):
    """DORIS-MAE's reciprocal rank, of the first abstract whose total is its query's highest.

    Abstracts that tie at the highest total are all relevant, and only they are. So every query
    counts, and the qrels' `iteration` is not needed. A query without results is 0.

    Unjudged documents are taken out before ranks are given, unless ``judged_only=False``. Ties are
    broken by document id, descending.

    Source: MRR@10 in the tables of Wang et al., DORIS-MAE (2023), and their code.
    """

    __name__ = "DorisRR"
    NAME = __name__
    PRETTY_NAME = "Reciprocal Rank of DORIS-MAE"
    SHORT_DESC = "1 / rank of the first abstract whose total is the highest of the query's pool."
    SUPPORTED_PARAMS = {"cutoff": CUTOFF, "judged_only": JUDGED_ONLY}

    def values(self, ranked):
        """Compute the measure (see `reciprocal_rank_of_best`)."""
        return reciprocal_rank_of_best(ranked, self.params.get("cutoff"))


DorisRR = _DorisRR()

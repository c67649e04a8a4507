"""Precision at the last relevant document: how far down one reads to have seen them all."""

from ir_measures import ParamInfo

from ._base import RankedMeasure, whole


def precision_at_last_relevant(ranked, rel=1):
    """Compute the precision at the rank of the last relevant document, for all queries at once.

    Args:
        ranked: a `_ranked.Ranked`.
        rel: lowest relevance that counts as relevant.

    Returns:
        float array, one value in 0..1 per query of ``ranked.queries``; 0 where a relevant document
        is not ranked, or where there is none.
    """
    import numpy as np

    size = len(ranked.queries)
    relevant, found = (
        np.bincount(rows.query[rows.judged & (rows.relevance >= rel)], minlength=size)
        for rows in (ranked.ideal, ranked.run)
    )
    last = np.ones(size, dtype=np.int64)
    hits = ranked.run.judged & (ranked.run.relevance >= rel)
    last[ranked.run.query[hits]] = ranked.run.rank[hits]  # ascending ranks: the last one stays
    return np.where(found == relevant, relevant / last, 0.0)


class _PLastRel(RankedMeasure):
    """Precision at the rank of the last relevant document; 0 if one of them is not ranked.

    It equals interpolated precision at recall 1. CSFCube's evaluation script calls it R-Precision,
    which elsewhere is the precision at rank R, the number of relevant documents (``Rprec``).

    Unjudged documents are taken out before ranks are given, unless ``judged_only=False``. Ties are
    broken by document id, descending.

    Source: the evaluation script of Mysore et al., CSFCube (2021).
    """

    __name__ = "PLastRel"
    NAME = __name__
    PRETTY_NAME = "Precision at the Last Relevant Document"
    SHORT_DESC = "The share of relevant documents among those ranked down to the last relevant one."
    SUPPORTED_PARAMS = {
        "rel": whole(
            1,
            10**9,
            default=1,
            desc="minimum relevance score to be considered relevant (inclusive)",
        ),
        "judged_only": ParamInfo(
            dtype=bool,
            default=True,
            desc="ignore returned documents that do not have relevance judgments",
        ),
    }

    def values(self, ranked):
        """Compute the measure (see `precision_at_last_relevant`)."""
        return precision_at_last_relevant(ranked, self["rel"])


PLastRel = _PLastRel()

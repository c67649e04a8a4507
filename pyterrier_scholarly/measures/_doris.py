"""What DORIS-MAE's binary measures share: which abstracts are relevant, which queries count.

Conventions [Wang et al. 2023, and its code]: the relevance in the qrels is an abstract's total over
the query's aspects and sub-aspects. Their number |Q| stands in the qrels' column `iteration`, with
a minus sign where an abstract never counts as relevant. Relevant is a total of at least |Q|, so the
measures see relevance 0 or 1. A query without a relevant abstract is left out of the mean.
"""

from ir_measures import ParamInfo

from ._base import RankedMeasure, whole
from ._ranked import numbers, whole_relevance
from ._value import Value

CUTOFF = whole(1, 10**9, desc="ranking cutoff threshold; without it, the whole ranking counts")
JUDGED_ONLY = ParamInfo(
    dtype=bool,
    default=True,
    desc="ignore returned documents that do not have relevance judgments",
)


class DorisMeasure(RankedMeasure):
    """A measure of relevant abstracts and others; subclasses compute `shares`."""

    QREL_INPUTS = ["query_id", "doc_id", "relevance", "iteration"]
    SUPPORTED_PARAMS = {"judged_only": JUDGED_ONLY}

    def shares(self, ranked):
        """Compute the measure.

        Args:
            ranked: a `_ranked.Ranked` of relevance 0 and 1.

        Returns:
            float array, one value per query of ``ranked.queries``; what it is for a query without
            a relevant abstract does not matter.
        """
        raise NotImplementedError

    def values(self, ranked):
        """Compute the measure; NaN of weight 0 for a query without a relevant abstract."""
        counts = relevant_counts(ranked).tolist()
        shares = self.shares(ranked).tolist()
        return [share if count else Value(weight=0) for share, count in zip(shares, counts)]

    def relevance(self, qrels):
        """Return 1 for a total of at least |Q|; 0 for a lower one, or where |Q| is negative.

        Raises:
            ValueError: `iteration` does not have |Q|; says which datasets' qrels have it.
        """
        import numpy as np

        aspects = self._aspects(qrels)
        return ((whole_relevance(qrels) >= aspects) & (aspects > 0)).astype(np.int64)

    def _aspects(self, qrels):
        """|Q| of each row, with its sign: a float array of whole numbers."""
        found = "no such column"
        if "iteration" in qrels:
            try:
                aspects = numbers("iteration", qrels)
                wrong = aspects[~((aspects != 0) & (aspects % 1 == 0))]
                if not len(wrong):
                    return aspects
                found = f"{wrong[0]:g}"
            except ValueError as error:
                found = str(error)
        raise ValueError(
            f"{self} needs the number of the query's aspects in the qrels' column iteration and "
            f"found {found}. It is for doris-mae and what is below it (doris-mae/dev, "
            "doris-mae/test, doris-mae/aspect-queries, doris-mae/subqueries-2, …): take the qrels "
            "from pt.get_dataset('irds:doris-mae/dev').get_qrels(), or from a file with "
            "ir_measures.read_trec_qrels, since pt.io.read_qrels leaves that column out."
        )


def relevant_counts(ranked):
    """The number of relevant documents of each query of ``ranked.queries``: an int array."""
    import numpy as np

    relevant = ranked.ideal.query[ranked.ideal.relevance > 0]
    return np.bincount(relevant, minlength=len(ranked.queries))


def hits(ranked):
    """Query and rank of the relevant documents that are ranked: two arrays, in their order."""
    found = ranked.run.judged & (ranked.run.relevance > 0)
    return ranked.run.query[found], ranked.run.rank[found]

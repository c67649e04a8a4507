"""DORIS-MAE's measures: average precision, recall, R-precision and reciprocal rank.

Conventions [Wang et al. 2023, and its code]: the relevance in the qrels is an abstract's total over
the query's aspects and sub-aspects. The qrels' column `iteration` has their number |Q|, with a
minus sign for an abstract that never counts as relevant. The binary measures see relevance 1 for a
total of at least |Q|, else 0. They leave a query without a relevant abstract out of the mean.
"""

from typing import TYPE_CHECKING

from ._base import CUTOFF, JUDGED_ONLY, RankedMeasure
from ._value import Value

if TYPE_CHECKING:
    import numpy as np
    import pandas as pd

    from ._ranked import Ranked


class _BinaryMeasure(RankedMeasure):
    """A measure of relevant (1) and other abstracts (0); subclasses compute `shares`."""

    QREL_INPUTS = ["query_id", "doc_id", "relevance", "iteration"]
    SUPPORTED_PARAMS = {"judged_only": JUDGED_ONLY}

    def shares(self, ranked: "Ranked") -> "np.ndarray":
        """Return a float array of values in 0..1, any number for a query without relevant ones."""
        raise NotImplementedError

    def values(self, ranked: "Ranked") -> list[float]:
        """Return shares; NaN of weight 0 for a query without a relevant abstract."""
        pairs = zip(self.shares(ranked).tolist(), ranked.relevant().tolist())
        return [share if count else Value(weight=0) for share, count in pairs]

    def relevance(self, qrels: "pd.DataFrame") -> "np.ndarray":
        """Return 1 for a total of at least |Q|; 0 for a lower total or a negative |Q|."""
        aspects = self._aspects(qrels)
        return ((super().relevance(qrels) >= aspects) & (aspects > 0)).astype(int)

    def _aspects(self, qrels: "pd.DataFrame") -> "np.ndarray":
        """Return |Q| of each row, with its sign, as whole floats; ValueError if there is none."""
        from ._ranked import numbers

        try:
            aspects = numbers("iteration", qrels)
            wrong = aspects[~((aspects != 0) & (aspects % 1 == 0))]
            if not len(wrong):
                return aspects
            got = f"{wrong[0]:g}"
        except KeyError:
            got = "no such column"
        except ValueError as error:
            got = str(error)
        raise ValueError(
            f"{self} expects the number of the query's aspects in the qrels' column iteration, got "
            f"{got}. Only doris-mae and the datasets below it have it (doris-mae/dev, "
            "doris-mae/test, doris-mae/aspect-queries, doris-mae/subqueries-2, …). Take the qrels "
            "from pt.get_dataset('irds:doris-mae/dev').get_qrels(), or from a file with "
            "ir_measures.read_trec_qrels; pt.io.read_qrels drops that column."
        )


class _DorisAP(_BinaryMeasure):
    """DORIS-MAE's average precision.

    See `DorisR` for the relevant abstracts and the queries that count.

    Source: MAP in the tables of Wang et al., DORIS-MAE (2023), and their code.
    """

    __name__ = NAME = "DorisAP"
    PRETTY_NAME = "Average Precision of DORIS-MAE"
    SHORT_DESC = "The mean of the precision at the ranks of relevant abstracts (total >= |Q|)."

    def shares(self, ranked: "Ranked") -> "np.ndarray":
        """Return the mean, over all relevant abstracts, of the precision at their ranks.

        An abstract that is not ranked has precision 0.
        """
        query, rank, number = ranked.hits(ranked.run.relevance > 0)
        return ranked.sums(query, number / rank) / ranked.relevant().clip(1)


class _DorisR(_BinaryMeasure):
    """DORIS-MAE's recall: the share of the relevant abstracts among the first k (``DorisR@20``).

    An abstract is relevant if its total is at least the number of the query's aspects and
    sub-aspects. The qrels of ``doris-mae`` and the datasets below it have that number in
    `iteration`. A query without a relevant abstract is NaN, and left out of the mean. A query
    without results is 0.

    Unjudged documents are removed before ranks are counted; ``judged_only=False`` keeps them.
    Ties are broken by document id, descending.

    Source: R@5 and R@20 in the tables of Wang et al., DORIS-MAE (2023), and their code.
    """

    __name__ = NAME = "DorisR"
    PRETTY_NAME = "Recall of DORIS-MAE"
    SHORT_DESC = "The share of a query's relevant abstracts (total >= |Q|) among the first k."
    SUPPORTED_PARAMS = {"cutoff": CUTOFF, "judged_only": JUDGED_ONLY}

    def shares(self, ranked: "Ranked") -> "np.ndarray":
        """Return the share of the relevant abstracts that are ranked within the cut-off."""
        query, rank, _ = ranked.hits(ranked.run.relevance > 0)
        reached = query[rank <= self.params.get("cutoff", float("inf"))]
        return ranked.sums(reached) / ranked.relevant().clip(1)


class _DorisRprec(_BinaryMeasure):
    """DORIS-MAE's R-precision: recall at rank R, the number of relevant abstracts.

    See `DorisR` for the relevant abstracts and the queries that count.

    Source: RP in the tables of Wang et al., DORIS-MAE (2023), and their code.
    """

    __name__ = NAME = "DorisRprec"
    PRETTY_NAME = "R-Precision of DORIS-MAE"
    SHORT_DESC = "The share of the R relevant abstracts (total >= |Q|) among the first R."

    def shares(self, ranked: "Ranked") -> "np.ndarray":
        """Return the share of the R relevant abstracts that are ranked within R."""
        query, rank, _ = ranked.hits(ranked.run.relevance > 0)
        relevant = ranked.relevant()
        return ranked.sums(query[rank <= relevant[query]]) / relevant.clip(1)


class _DorisRR(RankedMeasure):
    """DORIS-MAE's reciprocal rank, of the first abstract with its query's highest total.

    Abstracts that tie at the highest total are all relevant; no others are. So every query counts,
    and the qrels' `iteration` is not needed. A query without results is 0.

    Unjudged documents are removed before ranks are counted; ``judged_only=False`` keeps them.
    Ties are broken by document id, descending.

    Source: MRR@10 in the tables of Wang et al., DORIS-MAE (2023), and their code.
    """

    __name__ = NAME = "DorisRR"
    PRETTY_NAME = "Reciprocal Rank of DORIS-MAE"
    SHORT_DESC = "1 / rank of the first abstract with the highest total of the query's pool."
    SUPPORTED_PARAMS = {"cutoff": CUTOFF, "judged_only": JUDGED_ONLY}

    def values(self, ranked: "Ranked") -> list[float]:
        """Return values in 0..1; 0 if no such abstract is within the cut-off."""
        best = ranked.ideal.relevance[ranked.ideal.rank == 1]
        query, rank, number = ranked.hits(ranked.run.relevance == best[ranked.run.query])
        first = (number == 1) & (rank <= self.params.get("cutoff", float("inf")))
        return ranked.sums(query[first], 1 / rank[first]).tolist()


DorisAP = _DorisAP()
DorisR = _DorisR()
DorisRprec = _DorisRprec()
DorisRR = _DorisRR()

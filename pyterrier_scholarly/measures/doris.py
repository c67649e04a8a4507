"""DORIS-MAE's measures: average precision, recall, R-precision and reciprocal rank.

    >>> from ir_measures import parse_measure
    >>> parse_measure("DorisR@20")
    DorisR@20

Conventions [Wang et al. 2023, and its code]: the relevance in the qrels is an abstract's total over
the query's aspects and sub-aspects. The qrels' column `iteration` has their number |Q|, with a
minus sign for an abstract that never counts as relevant. The binary measures see relevance 1 for a
total of at least |Q|, else 0. They leave a query without a relevant abstract out of the mean.
"""

from math import inf
from typing import TYPE_CHECKING

from ._ranked_measure import CUTOFF, JUDGED_ONLY, RankedMeasure
from ._value import Value

if TYPE_CHECKING:
    import numpy as np
    import pandas as pd

    from ._ranked_run import Hits, Ranked


class _BinaryMeasure(RankedMeasure):
    """A measure of relevant (1) and other abstracts (0); subclasses define `weigh_hits`.

    A query's value is the sum of the weights of its hits, the ranked relevant abstracts, divided by
    the number of all its relevant abstracts.
    """

    QREL_INPUTS = ["query_id", "doc_id", "relevance", "iteration"]
    SUPPORTED_PARAMS = {"judged_only": JUDGED_ONLY}

    def weigh_hits(self, hits: "Hits", relevant_counts: "np.ndarray") -> "np.ndarray":
        """Return the weight of each hit, (hits,), in 0..1.

        relevant_counts: number of relevant abstracts of each hit's query, (hits,).
        """
        raise NotImplementedError

    def compute_values(self, ranked: "Ranked") -> list[float]:
        """Return values in 0..1; NaN of weight 0 for a query without a relevant abstract."""
        hits = ranked.find_hits(ranked.run.relevance > 0)
        relevant_counts = ranked.count_relevant()
        weights = self.weigh_hits(hits, relevant_counts[hits.query])
        shares = ranked.sum_by_query(hits.query, weights) / relevant_counts.clip(1)

        left_out = Value(weight=0)
        return [
            share if relevant_count else left_out
            for share, relevant_count in zip(shares.tolist(), relevant_counts)
        ]

    def read_relevance(self, qrels: "pd.DataFrame") -> "np.ndarray":
        """Return 1 for a total of at least |Q|; 0 for a lower total or a negative |Q|.

        Raises:
            ValueError: an `iteration` is no whole number, or 0.
        """
        import pandas as pd

        totals = super().read_relevance(qrels)
        iterations = qrels["iteration"].astype(object)
        aspect_counts = pd.to_numeric(iterations, errors="coerce").to_numpy(dtype=float)

        is_right = (aspect_counts % 1 == 0) & (aspect_counts != 0)
        if not is_right.all():
            raise ValueError(
                f"{self} expects the number of the query's aspects in the qrels' column iteration, "
                f"got {iterations[~is_right].iloc[0]}. Only doris-mae and the datasets below it "
                "have it (doris-mae/dev, doris-mae/test, doris-mae/aspect-queries, "
                "doris-mae/subqueries-2, …). Take the qrels from "
                "pt.get_dataset('irds:doris-mae/dev').get_qrels(), or from a file with "
                "ir_measures.read_trec_qrels; pt.io.read_qrels drops that column."
            )
        is_relevant = (totals >= aspect_counts) & (aspect_counts > 0)
        return is_relevant.astype(int)


class _DorisAP(_BinaryMeasure):
    """DORIS-MAE's average precision.

    See `DorisR` for the relevant abstracts and the queries that count.

    Source: MAP in the tables of Wang et al., DORIS-MAE (2023), and their code.
    """

    __name__ = NAME = "DorisAP"
    PRETTY_NAME = "Average Precision of DORIS-MAE"
    SHORT_DESC = "The mean of the precision at the ranks of relevant abstracts (total >= |Q|)."

    def weigh_hits(self, hits: "Hits", relevant_counts: "np.ndarray") -> "np.ndarray":
        """Return the precision at the rank of each relevant abstract."""
        return hits.number / hits.rank


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

    def weigh_hits(self, hits: "Hits", relevant_counts: "np.ndarray") -> "np.ndarray":
        """Return whether each relevant abstract is ranked within the cut-off."""
        return hits.rank <= self.params.get("cutoff", inf)


class _DorisRprec(_BinaryMeasure):
    """DORIS-MAE's R-precision: recall at rank R, the number of relevant abstracts.

    See `DorisR` for the relevant abstracts and the queries that count.

    Source: RP in the tables of Wang et al., DORIS-MAE (2023), and their code.
    """

    __name__ = NAME = "DorisRprec"
    PRETTY_NAME = "R-Precision of DORIS-MAE"
    SHORT_DESC = "The share of the R relevant abstracts (total >= |Q|) among the first R."

    def weigh_hits(self, hits: "Hits", relevant_counts: "np.ndarray") -> "np.ndarray":
        """Return whether each relevant abstract is ranked within R, their number."""
        return hits.rank <= relevant_counts


class _DorisRR(RankedMeasure):
    """DORIS-MAE's reciprocal rank, of the first abstract with its query's highest total.

    Abstracts that tie at the highest total are all relevant; no others are. So every query counts,
    and the qrels' `iteration` is not needed. A query without results is 0. That is what the code
    does; by appendix C.1 all measures would have the relevant abstracts of `DorisR`.

    Unjudged documents are removed before ranks are counted; ``judged_only=False`` keeps them.
    Ties are broken by document id, descending.

    Source: MRR@10 in the tables of Wang et al., DORIS-MAE (2023), and their code.
    """

    __name__ = NAME = "DorisRR"
    PRETTY_NAME = "Reciprocal Rank of DORIS-MAE"
    SHORT_DESC = "1 / rank of the first abstract with the highest total of the query's pool."
    SUPPORTED_PARAMS = {"cutoff": CUTOFF, "judged_only": JUDGED_ONLY}

    def compute_values(self, ranked: "Ranked") -> list[float]:
        """Return 1 / rank of each query's first abstract with its highest total.

        0 for a query without such an abstract within the cut-off.
        """
        is_highest = ranked.run.relevance == ranked.highest_relevance[ranked.run.query]
        hits = ranked.find_hits(is_highest)
        is_counted = (hits.number == 1) & (hits.rank <= self.params.get("cutoff", inf))
        # a query has at most one counted hit, so its sum is that hit's reciprocal rank
        return ranked.sum_by_query(hits.query, is_counted / hits.rank).tolist()


DorisAP = _DorisAP()
DorisR = _DorisR()
DorisRprec = _DorisRprec()
DorisRR = _DorisRR()

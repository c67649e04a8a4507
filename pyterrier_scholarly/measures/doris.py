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

    from ._ranked_run import Ranked


class _BinaryMeasure(RankedMeasure):
    """A measure of relevant (1) and other abstracts (0); subclasses define `compute_shares`."""

    QREL_INPUTS = ["query_id", "doc_id", "relevance", "iteration"]
    SUPPORTED_PARAMS = {"judged_only": JUDGED_ONLY}

    def compute_shares(self, ranked: "Ranked") -> "np.ndarray":
        """Return a float array of values in 0..1, a number per query.

        `compute_values` calls it, and ignores what it returns for a query without relevant
        abstracts.
        """
        raise NotImplementedError

    def compute_values(self, ranked: "Ranked") -> list[float]:
        """Return shares; NaN of weight 0 for a query without a relevant abstract."""
        shares = self.compute_shares(ranked).tolist()
        relevant_counts = ranked.count_relevant().tolist()

        left_out = Value(weight=0)
        return [
            share if relevant_count else left_out
            for share, relevant_count in zip(shares, relevant_counts)
        ]

    def read_relevance(self, qrels: "pd.DataFrame") -> "np.ndarray":
        """Return 1 for a total of at least |Q|; 0 for a lower total or a negative |Q|."""
        totals = super().read_relevance(qrels)
        aspect_counts = self._read_aspect_counts(qrels)

        may_be_relevant = aspect_counts > 0
        is_relevant = (totals >= aspect_counts) & may_be_relevant
        return is_relevant.astype(int)

    def _read_aspect_counts(self, qrels: "pd.DataFrame") -> "np.ndarray":
        """Return |Q| of each row of judgements: the number of the query's aspects and sub-aspects.

        Judgements have it in `iteration`, below 0 for an abstract that never counts as relevant.

        Raises:
            ValueError: a row without it, or with 0 or a fraction.
        """
        from ._ranked_run import read_numbers

        try:
            aspect_counts = read_numbers("iteration", qrels)
        except KeyError:
            raise ValueError(self._describe_wrong_count("no such column")) from None
        except ValueError as error:
            raise ValueError(self._describe_wrong_count(str(error))) from None

        is_whole = aspect_counts % 1 == 0
        is_right = is_whole & (aspect_counts != 0)
        wrong_counts = aspect_counts[~is_right]
        if len(wrong_counts):
            raise ValueError(self._describe_wrong_count(f"{wrong_counts[0]:g}"))
        return aspect_counts

    def _describe_wrong_count(self, found: str) -> str:
        """Return the message of an error about the qrels' column `iteration`."""
        return (
            f"{self} expects the number of the query's aspects in the qrels' column iteration, got "
            f"{found}. Only doris-mae and the datasets below it have it (doris-mae/dev, "
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

    def compute_shares(self, ranked: "Ranked") -> "np.ndarray":
        """Return the mean, over all relevant abstracts, of the precision at their ranks.

        An abstract that is not ranked has precision 0.
        """
        hits = ranked.find_hits(ranked.run.relevance > 0)
        precision_at_hits = hits.number / hits.rank
        precision_sums = ranked.sum_by_query(hits.query, precision_at_hits)
        return _divide_by_relevant(precision_sums, ranked)


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

    def compute_shares(self, ranked: "Ranked") -> "np.ndarray":
        """Return the share of the relevant abstracts that are ranked within the cut-off."""
        hits = ranked.find_hits(ranked.run.relevance > 0)
        is_within = hits.rank <= self.params.get("cutoff", inf)
        hit_counts = ranked.sum_by_query(hits.query[is_within])
        return _divide_by_relevant(hit_counts, ranked)


class _DorisRprec(_BinaryMeasure):
    """DORIS-MAE's R-precision: recall at rank R, the number of relevant abstracts.

    See `DorisR` for the relevant abstracts and the queries that count.

    Source: RP in the tables of Wang et al., DORIS-MAE (2023), and their code.
    """

    __name__ = NAME = "DorisRprec"
    PRETTY_NAME = "R-Precision of DORIS-MAE"
    SHORT_DESC = "The share of the R relevant abstracts (total >= |Q|) among the first R."

    def compute_shares(self, ranked: "Ranked") -> "np.ndarray":
        """Return the share of the R relevant abstracts that are ranked within R."""
        hits = ranked.find_hits(ranked.run.relevance > 0)
        relevant_counts = ranked.count_relevant()  # R of each query
        is_within = hits.rank <= relevant_counts[hits.query]
        hit_counts = ranked.sum_by_query(hits.query[is_within])
        return _divide_by_relevant(hit_counts, ranked)


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
        # the ideal ranking begins with the highest total. Each query of the qrels has one, in the
        # order of queries: so this array is (queries,), and a query's number is its index
        is_ideal_first = ranked.ideal.rank == 1
        highest_totals = ranked.ideal.relevance[is_ideal_first]
        highest_total_of_row = highest_totals[ranked.run.query]
        hits = ranked.find_hits(ranked.run.relevance == highest_total_of_row)

        is_first_of_query = hits.number == 1
        is_within_cutoff = hits.rank <= self.params.get("cutoff", inf)
        is_counted = is_first_of_query & is_within_cutoff
        # a query has at most one counted hit, so its sum is that hit's reciprocal rank
        reciprocal_ranks = 1 / hits.rank[is_counted]
        return ranked.sum_by_query(hits.query[is_counted], reciprocal_ranks).tolist()


def _divide_by_relevant(sums: "np.ndarray", ranked: "Ranked") -> "np.ndarray":
    """Divide each query's sum by the number of its relevant abstracts; 0 without any."""
    relevant_counts = ranked.count_relevant()
    return sums / relevant_counts.clip(1)


DorisAP = _DorisAP()
DorisR = _DorisR()
DorisRprec = _DorisRprec()
DorisRR = _DorisRR()

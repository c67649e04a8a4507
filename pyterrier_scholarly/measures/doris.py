"""DORIS-MAE's measures: average precision, recall, R-precision and reciprocal rank.

Conventions [Wang et al. 2023, and its code]: the relevance in the qrels is an abstract's total over
the query's aspects and sub-aspects. The qrels' column `iteration` has their number |Q|, with a
minus sign for an abstract that never counts as relevant. The binary measures see relevance 1 for a
total of at least |Q|, else 0. They leave a query without a relevant abstract out of the mean.
"""

from typing import TYPE_CHECKING

from ._base import CUTOFF, JUDGED_ONLY, RankedMeasure
from ._ranked import Ranked, numbers, whole_relevance
from ._value import Value

if TYPE_CHECKING:
    import numpy as np
    import pandas as pd


def relevant_counts(ranked: Ranked) -> "np.ndarray":
    """Count the relevant documents of each query of ``ranked.queries``: an int array."""
    import numpy as np

    relevant = ranked.ideal.query[ranked.ideal.relevance > 0]
    return np.bincount(relevant, minlength=len(ranked.queries))


def hits(ranked: Ranked) -> "tuple[np.ndarray, np.ndarray]":
    """Return query and rank of the ranked relevant documents: two arrays, in their order."""
    relevant = ranked.run.judged & (ranked.run.relevance > 0)
    return ranked.run.query[relevant], ranked.run.rank[relevant]


def average_precision(ranked: Ranked) -> "np.ndarray":
    """Compute the mean, over a query's relevant documents, of the precision at their ranks.

    Args:
        ranked: a run with relevance 0 and 1.

    Returns:
        float array, one value in 0..1 per query of ``ranked.queries``; 0 for a query without a
        relevant document. A relevant document that is not ranked has precision 0.
    """
    import numpy as np

    query, rank = hits(ranked)
    so_far = np.arange(len(query)) - np.searchsorted(query, query) + 1
    total = np.bincount(query, weights=so_far / rank, minlength=len(ranked.queries))
    return total / np.maximum(relevant_counts(ranked), 1)


def recall_within(ranked: Ranked, limit: "float | np.ndarray") -> "np.ndarray":
    """Compute the share of relevant documents that are ranked at `limit` or above.

    Args:
        ranked: a run with relevance 0 and 1.
        limit: a rank, or an array of one rank per query.

    Returns:
        float array, one value in 0..1 per query of ``ranked.queries``; 0 for a query without a
        relevant document.
    """
    import numpy as np

    query, rank = hits(ranked)
    limit = np.broadcast_to(limit, len(ranked.queries))
    reached = np.bincount(query[rank <= limit[query]], minlength=len(limit))
    return reached / np.maximum(relevant_counts(ranked), 1)


def reciprocal_rank_of_best(ranked: Ranked, cutoff: int | None = None) -> "np.ndarray":
    """Compute 1 / rank of the first document with its query's highest relevance.

    Args:
        ranked: a run, joined with its judgements.
        cutoff: the last rank that counts; by default, all ranks do.

    Returns:
        float array, one value in 0..1 per query of ``ranked.queries``; 0 if no such document is
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


class _BinaryMeasure(RankedMeasure):
    """A measure of relevant and other abstracts; subclasses compute `shares`."""

    QREL_INPUTS = ["query_id", "doc_id", "relevance", "iteration"]
    SUPPORTED_PARAMS = {"judged_only": JUDGED_ONLY}

    def shares(self, ranked: Ranked) -> "np.ndarray":
        """Compute the measure for a run with relevance 0 and 1.

        Returns a float array, one value per query of ``ranked.queries``. The value of a query
        without a relevant abstract is ignored.
        """
        raise NotImplementedError

    def values(self, ranked: Ranked) -> list[float]:
        """Compute the measure; NaN of weight 0 for a query without a relevant abstract."""
        counts = relevant_counts(ranked).tolist()
        shares = self.shares(ranked).tolist()
        return [share if count else Value(weight=0) for share, count in zip(shares, counts)]

    def relevance(self, qrels: "pd.DataFrame") -> "np.ndarray":
        """Return 1 for a total of at least |Q|; 0 for a lower total or a negative |Q|.

        Raises:
            ValueError: the column `iteration` has no |Q|; names the datasets that have it.
        """
        import numpy as np

        aspects = self._aspects(qrels)
        return ((whole_relevance(qrels) >= aspects) & (aspects > 0)).astype(np.int64)

    def _aspects(self, qrels: "pd.DataFrame") -> "np.ndarray":
        """Return |Q| of each row, with its sign: a float array of whole numbers."""
        got = "no such column"
        if "iteration" in qrels:
            try:
                aspects = numbers("iteration", qrels)
                wrong = aspects[~((aspects != 0) & (aspects % 1 == 0))]
                if not len(wrong):
                    return aspects
                got = f"{wrong[0]:g}"
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

    __name__ = "DorisAP"
    NAME = __name__
    PRETTY_NAME = "Average Precision of DORIS-MAE"
    SHORT_DESC = "The mean of the precision at the ranks of relevant abstracts (total >= |Q|)."

    def shares(self, ranked: Ranked) -> "np.ndarray":
        """Compute the measure (see `average_precision`)."""
        return average_precision(ranked)


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

    __name__ = "DorisR"
    NAME = __name__
    PRETTY_NAME = "Recall of DORIS-MAE"
    SHORT_DESC = "The share of a query's relevant abstracts (total >= |Q|) among the first k."
    SUPPORTED_PARAMS = {"cutoff": CUTOFF, "judged_only": JUDGED_ONLY}

    def shares(self, ranked: Ranked) -> "np.ndarray":
        """Compute the measure (see `recall_within`)."""
        return recall_within(ranked, self.params.get("cutoff", float("inf")))


class _DorisRprec(_BinaryMeasure):
    """DORIS-MAE's R-precision: recall at rank R, the number of relevant abstracts.

    See `DorisR` for the relevant abstracts and the queries that count.

    Source: RP in the tables of Wang et al., DORIS-MAE (2023), and their code.
    """

    __name__ = "DorisRprec"
    NAME = __name__
    PRETTY_NAME = "R-Precision of DORIS-MAE"
    SHORT_DESC = "The share of the R relevant abstracts (total >= |Q|) among the first R."

    def shares(self, ranked: Ranked) -> "np.ndarray":
        """Compute the measure (see `recall_within`)."""
        return recall_within(ranked, relevant_counts(ranked))


class _DorisRR(RankedMeasure):
    """DORIS-MAE's reciprocal rank, of the first abstract with its query's highest total.

    Abstracts that tie at the highest total are all relevant; no others are. So every query counts,
    and the qrels' `iteration` is not needed. A query without results is 0.

    Unjudged documents are removed before ranks are counted; ``judged_only=False`` keeps them.
    Ties are broken by document id, descending.

    Source: MRR@10 in the tables of Wang et al., DORIS-MAE (2023), and their code.
    """

    __name__ = "DorisRR"
    NAME = __name__
    PRETTY_NAME = "Reciprocal Rank of DORIS-MAE"
    SHORT_DESC = "1 / rank of the first abstract with the highest total of the query's pool."
    SUPPORTED_PARAMS = {"cutoff": CUTOFF, "judged_only": JUDGED_ONLY}

    def values(self, ranked: Ranked) -> "np.ndarray":
        """Compute the measure (see `reciprocal_rank_of_best`)."""
        return reciprocal_rank_of_best(ranked, self.params.get("cutoff"))


DorisAP = _DorisAP()
DorisR = _DorisR()
DorisRprec = _DorisRprec()
DorisRR = _DorisRR()

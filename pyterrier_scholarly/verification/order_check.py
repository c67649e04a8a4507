"""The check of our system against the ranking that authors released, query by query.

::

    check = OrderCheck(RankingCheck(row, ranking), SystemCheck(row, system))
    check.compare()   # a row for each query: Kendall's τ, equal positions, documents on one side
    check.run()       # cells: their means, and how many queries have equal orders

Conventions: orders are equal up to ties, documents whose scores of ours differ by at most `TIE` of
the query's largest. Such differences are rounding, and another machine may have them otherwise; so
tied documents are put into the authors' order first.
"""

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np
import pandas as pd
from scipy.stats import kendalltau

from ..choices import some
from ..datasets import irds
from ..tables.present_data import PresentData
from ..tables.saved_runs import rank_from_topics, rank_or_read
from .outcomes import Basis, Cell, Promise
from .ranking_check import RankingCheck
from .rows import PrintedRow
from .systems import SystemCheck

#: scores that differ by at most this share of the query's largest are ties
TIE = 1e-6
#: labels of the cells that say how alike the orders are
ORDER_LABELS = ("queries in equal order", "mean τ", "lowest τ", "% equal positions")
NO_DOCUMENTS = "none"


@dataclass(frozen=True)
class OrderCheck:
    """Our system's ranking beside the authors' own, over the queries and documents of both.

    theirs: the check that reads the authors' ranking.
    ours: the check of the system of the same row.
    """

    theirs: RankingCheck
    ours: SystemCheck
    promise = Promise.RANKING

    @property
    def row(self) -> PrintedRow:
        """The row."""
        return self.ours.row

    @property
    def source(self) -> str:
        """Our system, and the authors' ranking."""
        return f"{self.ours.source} beside {self.theirs.source}"

    @property
    def command(self) -> str:
        """Python that compares the orders, with the authors' files beside the release's."""
        return f'verify_papers("{self.row.collection}", ["{self.row.id}"])'

    @property
    def known_differences(self) -> dict[str, str]:
        """The reason of a known difference, for each label of an order's cell."""
        reason = self.theirs.ranking.order
        return dict.fromkeys(ORDER_LABELS, reason) if reason else {}

    def why_not(self) -> str:
        """Say all that keeps the check from running here; "" if nothing does."""
        reasons = [*self.ours.list_obstacles(), self.theirs.why_no_files()]
        return "; ".join(reason for reason in reasons if reason)

    def hash_models(self) -> dict[str, str]:
        """Return what stands for each model that our system runs."""
        return self.ours.hash_models()

    def hash_files(self) -> dict[str, str]:
        """Return the sha256 of each file of the authors' ranking."""
        return self.theirs.hash_files()

    def estimate_seconds(self) -> float:
        """Return how long our system takes for all queries, measured on a sample."""
        return self.ours.estimate_seconds()

    def run(self) -> tuple[Cell, ...]:
        """Compare the orders of all queries."""
        orders = self.compare()
        query_count = len(orders)
        equal_count = int(orders["is_equal"].sum())
        position_share = orders["equal_positions"].sum() / orders["documents"].sum()
        only_ours = sorted({doc_id for doc_ids in orders["only_ours"] for doc_id in doc_ids})
        only_theirs = sorted({doc_id for doc_ids in orders["only_theirs"] for doc_id in doc_ids})
        # documents that the authors' system was known not to be given
        lacking = [doc_id for doc_id in only_ours if doc_id in self.theirs.ranking.lacks]

        figures: list[tuple[str, float | str, float | str, int]] = [
            (ORDER_LABELS[0], query_count, equal_count, 0),
            (ORDER_LABELS[1], 1.0, float(orders["tau"].mean()), 4),
            (ORDER_LABELS[2], 1.0, float(orders["tau"].min()), 4),
            (ORDER_LABELS[3], 100.0, 100 * float(position_share), 2),
            ("documents in ours alone", _name_documents(lacking), _name_documents(only_ours), 0),
            ("documents in theirs alone", NO_DOCUMENTS, _name_documents(only_theirs), 0),
        ]
        return tuple(
            Cell(label, expected, found, decimals, basis=Basis.RANKING, queries=query_count)
            for label, expected, found, decimals in figures
        )

    def compare(self) -> pd.DataFrame:
        """Return a row for each query of both rankings, see `compare_orders`.

        Of the authors' ranking only candidates count that are in the files at hand. A system that
        retrieves may have more results than the authors kept; those behind are left out.
        """
        dataset = self.ours.run_dataset
        ours = self._rank()
        theirs = self.theirs.read_run(dataset)

        source = irds(dataset)
        if source.has_scoreddocs():
            candidates = pd.DataFrame(source.scoreddocs_iter())[["query_id", "doc_id"]]
            pairs = candidates.set_axis(["qid", "docno"], axis=1)
            theirs = theirs.merge(pairs, on=["qid", "docno"])
        else:
            present = source.docs_store().get_many(theirs["docno"].unique().tolist())
            theirs = theirs[theirs["docno"].isin(present)]
            kept_counts = ours["qid"].map(theirs["qid"].value_counts()).fillna(0)
            ours = ours[ours["rank"] < kept_counts]
        return compare_orders(ours, theirs)

    def _rank(self) -> pd.DataFrame:
        """Rank with our system, or read the run that its own check has saved."""
        data = PresentData(self.ours.run_dataset)
        pipeline = rank_from_topics(self.ours.named_systems[self.ours.system.key], data.name)
        topics = data.read_topics(data.reachable)
        save_dir = self.ours.resources.save_dir
        return rank_or_read(self.row.name, pipeline, topics, data, save_dir).run


def compare_orders(ours: pd.DataFrame, theirs: pd.DataFrame) -> pd.DataFrame:
    """Compare two rankings, query by query, over the documents in both.

    Args:
        ours: frame with `qid`, `docno`, `score`.
        theirs: frame with `qid`, `docno`, `rank`, of the order that ours should have.

    Returns:
        Frame with a row for each query of both: `qid`; `documents`, the number in both; `tau`,
        Kendall's τ_b of the two orders; `equal_positions`, the number of documents at the same
        place; `is_equal`, whether all are; `only_ours` and `only_theirs`, lists of other documents.
        Documents tied in ours are in their order first.
    """
    their_queries = dict(iter(theirs.groupby("qid", sort=False)))
    rows = []
    for query_id, our_results in ours.groupby("qid", sort=False):
        if query_id not in their_queries:
            continue
        their_results = their_queries[query_id]
        positions = _find_their_positions(our_results, their_results)
        our_positions = np.arange(len(positions))
        equal_count = int((positions == our_positions).sum())
        has_order = len(positions) > 1  # of one document there is but one
        tau = kendalltau(our_positions, positions).statistic if has_order else 1.0
        rows.append(
            {
                "qid": query_id,
                "documents": len(positions),
                "tau": float(tau),
                "equal_positions": equal_count,
                "is_equal": equal_count == len(positions),
                "only_ours": sorted({*our_results["docno"]} - {*their_results["docno"]}),
                "only_theirs": sorted({*their_results["docno"]} - {*our_results["docno"]}),
            }
        )
    if not rows:
        raise ValueError("The two rankings have no query in common: expected rankings of the same.")
    return pd.DataFrame(rows)


def _find_their_positions(ours: pd.DataFrame, theirs: pd.DataFrame) -> np.ndarray:
    """Return the positions, from 0, that the documents of a query have in their ranking.

    They are in the order of ours, and of documents in both alone.
    """
    both = ours[["docno", "score"]].merge(theirs[["docno", "rank"]], on="docno")
    best_first = both.sort_values("score", ascending=False, kind="stable")
    largest_score = best_first["score"].abs().max()
    falls = -best_first["score"].diff() > TIE * largest_score
    tie_number = falls.cumsum()  # the same for documents that are tied
    in_our_order = best_first.assign(tie=tie_number).sort_values(["tie", "rank"])
    positions: np.ndarray = in_our_order["rank"].rank(method="first").to_numpy(dtype=int) - 1
    return positions


def _name_documents(doc_ids: Iterable[str]) -> str:
    """Name the first documents, and say how many more there are."""
    return some(doc_ids) or NO_DOCUMENTS

"""Find whether a run's scores alone give its order: ties, constant scores, ranks that contradict.

    order = find_score_order(results, judgements, measure_of("NDCG%20"))
    list(order.remarks)  # "103 of 103 results share their score …: NDCG%20 is 0.2244, and …"

Measures read scores, not ranks, and order equal scores by id. So what tied or inverted scores do to
a figure is computed, by ranking the same results in other orders.
"""

from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
from ir_measures import Measure

from ..frames import some
from .measure_names import measure_queries

UNJUDGED = -1  # the grade of a result without one, below all others
SMALLEST_MOVE = 5e-5  # of a figure; a smaller one does not show in four decimals


class ScoreOrder(NamedTuple):
    """How the scores of a run order its results. Figures are NaN where nothing moves them.

    tied: number of results that share their score with another one of their query.
    results: number of all results.
    constant_queries: ids of queries with several results, all of one score.
    inverted_queries: ids of queries with a result of a better rank and a lower score than another.
    queries: number of queries with results.
    measure: of the figures, which are means over all judged queries, 0 for one without results.
    value: by scores, as a measure reads the run.
    by_ranks: by the run's own ranks.
    lowest, highest: of all orders of equal scores.
    """

    tied: int = 0
    results: int = 0
    constant_queries: tuple[str, ...] = ()
    inverted_queries: tuple[str, ...] = ()
    queries: int = 0
    measure: str = ""
    value: float = np.nan
    by_ranks: float = np.nan
    lowest: float = np.nan
    highest: float = np.nan

    @property
    def remarks(self) -> Iterator[str]:
        """Sentences on scores that do not order the results, and on what that changes."""
        ranks_differ = abs(self.by_ranks - self.value) > SMALLEST_MOVE
        by_ranks = f"; by the run's ranks it would be {self.by_ranks:.4f}" if ranks_differ else ""

        if self.inverted_queries:
            yield (
                f"scores and ranks contradict each other for {len(self.inverted_queries)} of "
                f"{self.queries} queries ({some(self.inverted_queries)}). Measures read scores, "
                f"the highest first: {self.measure} is {self.value:.4f}{by_ranks}. Where less is "
                "better, as of distances, negate the scores; else rank again by the scores."
            )

        ties_matter = self.highest - self.lowest > SMALLEST_MOVE
        if not (ties_matter or self.constant_queries):
            return
        constant = ""
        if self.constant_queries:
            constant = (
                f" For {len(self.constant_queries)} of {self.queries} queries "
                f"({some(self.constant_queries)}) all results have one score, so ids alone order "
                "them."
            )
        yield (
            f"{self.tied:,} of {self.results:,} results share their score with another of their "
            f"query, and measures order these by id: {self.measure} is {self.value:.4f}, between "
            f"{self.lowest:.4f} and {self.highest:.4f} in other orders{by_ranks}.{constant} Write "
            "scores that differ, with more digits or as 1 / rank."
        )


def find_score_order(
    results: pd.DataFrame, judgements: pd.DataFrame, measure: Measure
) -> ScoreOrder:
    """Find ties and contradictions, and compute the measure in other orders if there are any.

    Args:
        results: frame of `qid`, `docno`, perhaps `score` and `rank`; of judged queries only.
        judgements: frame of `qid`, `docno`, `label`.
        measure: that is computed.
    """
    if "score" not in results.columns:
        return ScoreOrder()

    scored = results[["qid", "docno"]].assign(score=results["score"].astype(float))
    if "rank" in results.columns and results["rank"].nunique() > 1:
        scored["rank"] = pd.to_numeric(results["rank"], errors="coerce")

    is_tied = scored.duplicated(["qid", "score"], keep=False)
    scores = scored.groupby("qid", sort=False)["score"].agg(["size", "nunique"])
    is_constant = (scores["size"] > 1) & (scores["nunique"] == 1)
    inverted_queries = _find_inverted_queries(scored) if "rank" in scored else []
    order = ScoreOrder(
        tied=int(is_tied.sum()),
        results=len(scored),
        constant_queries=tuple(scores.index[is_constant]),
        inverted_queries=tuple(inverted_queries),
        queries=len(scores),
        measure=str(measure),
    )

    # only queries with ties, or with inverted ranks, have another value in another order
    moved_queries = {*scored["qid"][is_tied], *inverted_queries}
    if not moved_queries:
        return order
    return order._replace(**_measure_orders(scored, moved_queries, judgements, measure))


def _find_inverted_queries(scored: pd.DataFrame) -> list[str]:
    """Return the queries with a result of a better rank, and a lower score, than another one.

    scored: frame of `qid`, `score`, `rank`. Equal ranks order nothing, so they contradict nothing.
    """
    # of equal ranks the highest score comes first, so that no rise is seen among them
    by_rank = scored.dropna(subset="rank").sort_values(
        ["qid", "rank", "score"], ascending=[True, True, False]
    )
    score_rise = by_rank.groupby("qid")["score"].diff()
    return by_rank["qid"][score_rise > 0].unique().tolist()


def _measure_orders(
    scored: pd.DataFrame, moved_queries: set[str], judgements: pd.DataFrame, measure: Measure
) -> dict[str, Any]:
    """Return the figures of `ScoreOrder`, each the measure's mean over all judged queries.

    Args:
        scored: frame of `qid`, `docno`, `score`, and perhaps `rank`.
        moved_queries: those that are measured in other orders, too.
        judgements, measure: as for `find_score_order`.
    """
    values = measure_queries(measure, judgements, scored)

    moved_judgements = judgements[judgements["qid"].isin(moved_queries)]
    grades = moved_judgements.drop_duplicates(["qid", "docno"])
    graded = scored[scored["qid"].isin(moved_queries)].merge(grades, how="left")
    graded["label"] = graded["label"].fillna(UNJUDGED)

    # the worst and the best order of equal scores
    orders = {
        "lowest": graded.sort_values(["score", "label"], ascending=[False, True]),
        "highest": graded.sort_values(["score", "label"], ascending=False),
    }
    if "rank" in graded:
        orders["by_ranks"] = graded.sort_values("rank", kind="stable")  # equal ranks: as in the run

    figures = {"value": values.mean()}
    for figure, ordered in orders.items():
        # measures read scores alone, so scores that fall from row to row replace the run's
        run = ordered[["qid", "docno"]].assign(score=-np.arange(len(ordered), dtype=float))
        moved_values = measure_queries(measure, moved_judgements, run)
        figures[figure] = moved_values.combine_first(values).mean()
    return figures

"""Find whether a run's scores alone give its order: ties, constant scores, ranks that contradict.

    order = find_score_order(results, judgements, measure_of("NDCG%20"))
    list(order.remarks)  # "103 of 103 results share their score …: NDCG%20 is 0.2244, and …"

Measures read scores, not ranks, and order equal scores by id. So what tied or inverted scores do to
a figure is computed, by ranking the same results in other orders.
"""

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np
import pandas as pd
from ir_measures import Measure

from ..frames import some
from .measure_names import measure_queries, measure_runs

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
        by_ranks = ""
        if abs(self.by_ranks - self.value) > SMALLEST_MOVE:
            by_ranks = f"; by the run's ranks it would be {self.by_ranks:.4f}"

        if self.inverted_queries:
            yield (
                "scores and ranks contradict each other for "
                f"{len(self.inverted_queries)} of {self.queries} queries "
                f"({some(self.inverted_queries)}). Measures read scores, the highest first: "
                f"{self.measure} is {self.value:.4f}{by_ranks}. Where less is better, as of "
                "distances, negate the scores; else rank again by the scores."
            )

        constants = ""
        if self.constant_queries:
            constants = (
                f" For {len(self.constant_queries)} of {self.queries} queries "
                f"({some(self.constant_queries)}) all results have one score, so ids alone order "
                "them."
            )
        if constants or self.highest - self.lowest > SMALLEST_MOVE:
            yield (
                f"{self.tied:,} of {self.results:,} results share their score with another of "
                f"their query, and measures order these by id: {self.measure} is "
                f"{self.value:.4f}, between {self.lowest:.4f} and {self.highest:.4f} in other "
                f"orders{by_ranks}.{constants} Write scores that differ, with more digits or as "
                "1 / rank."
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

    # ties: results that share their score with another one of their query
    is_tied = scored.duplicated(["qid", "score"], keep=False)

    # constants: queries whose results, two or more, have one score
    scores_of_query = scored.groupby("qid", sort=False)["score"]
    result_counts = scores_of_query.size()
    is_constant = (result_counts > 1) & (scores_of_query.nunique() == 1)
    constant_queries = result_counts.index[is_constant].tolist()

    inverted_queries = _find_inverted_queries(scored) if "rank" in scored else []
    order = ScoreOrder(
        tied=int(is_tied.sum()),
        results=len(scored),
        constant_queries=tuple(constant_queries),
        inverted_queries=tuple(inverted_queries),
        queries=len(result_counts),
        measure=str(measure),
    )

    # only these queries may have another value in another order: ties of one grade change nothing
    mixed_queries = _find_mixed_queries(scored[is_tied], judgements)
    movable_queries = {*mixed_queries, *constant_queries, *inverted_queries}
    if not movable_queries:
        return order

    figures = _measure_orders(scored, movable_queries, judgements, measure)
    return order._replace(
        value=figures["value"],
        lowest=figures["lowest"],
        highest=figures["highest"],
        by_ranks=figures.get("by_ranks", np.nan),  # a run without ranks has none
    )


def _find_inverted_queries(scored: pd.DataFrame) -> list[str]:
    """Return the queries with a result of a better rank, and a lower score, than another one."""
    # of equal ranks, which order nothing, the highest score comes first: it is no rise
    with_rank = scored.dropna(subset="rank")
    by_rank = with_rank.sort_values(["qid", "rank", "score"], ascending=[True, True, False])

    # where a score is higher than that of the result before it
    score_rises = by_rank.groupby("qid")["score"].diff()
    queries_of_rises = by_rank["qid"][score_rises > 0]
    return queries_of_rises.unique().tolist()


def _find_mixed_queries(tied_results: pd.DataFrame, judgements: pd.DataFrame) -> set[str]:
    """Return the queries in which results of one score have several grades."""
    graded_results = _add_grades(tied_results, judgements)
    ties = graded_results.groupby(["qid", "score"], as_index=False)
    grade_counts = ties["label"].nunique()  # a frame `qid`, `score`, `label`
    is_mixed = grade_counts["label"] > 1
    return set(grade_counts["qid"][is_mixed])


def _measure_orders(
    scored: pd.DataFrame, movable_queries: set[str], judgements: pd.DataFrame, measure: Measure
) -> dict[str, float]:
    """Return the figures of a `ScoreOrder`: that of the scores, and those of other orders.

    Args:
        scored: frame of `qid`, `docno`, `score`, and perhaps `rank`.
        movable_queries: those that are measured in other orders, too.
        judgements, measure: as for `find_score_order`.
    """
    movable_judgements = judgements[judgements["qid"].isin(movable_queries)]
    movable_results = scored[scored["qid"].isin(movable_queries)]
    graded = _add_grades(movable_results, movable_judgements)

    orders = {
        # scores first, so grades order nothing but equal scores
        "lowest": graded.sort_values(["score", "label"], ascending=[False, True]),
        "highest": graded.sort_values(["score", "label"], ascending=False),
    }
    if "rank" in graded:
        orders["by_ranks"] = graded.sort_values("rank", kind="stable")  # equal ranks: as in the run

    # a measure reads scores alone, so each row gets a lower score than the row above it. A run has
    # no grades: a measure of the user's own may join those of the judgements
    falling_scores = -np.arange(len(graded), dtype=float)
    runs = {
        name: ordered[["qid", "docno"]].assign(score=falling_scores)
        for name, ordered in orders.items()
    }
    values_of_orders = measure_runs(runs, movable_judgements, [measure]).set_index("qid")

    # in another order, the queries that cannot move keep their values
    values = measure_queries(measure, judgements, scored)
    figures = {"value": values.mean()}
    for name, values_of_order in values_of_orders.groupby("name")["value"]:
        reordered_values = values.copy()
        reordered_values.update(values_of_order)
        figures[name] = reordered_values.mean()
    return figures


def _add_grades(results: pd.DataFrame, judgements: pd.DataFrame) -> pd.DataFrame:
    """Return results with a column `label`, their grades; UNJUDGED for those without one."""
    is_of_results = judgements["qid"].isin(results["qid"].unique())
    grades = judgements[is_of_results].drop_duplicates(["qid", "docno"])
    graded = results.merge(grades[["qid", "docno", "label"]], on=["qid", "docno"], how="left")
    return graded.fillna({"label": UNJUDGED})

"""Compare each stage with the stage before, and list the queries that it made worse.

::

    compared = compare_stages(run, values.perquery, ["AP"])
    compared.changes   # stage, measure, difference, p, …
    compared.failures  # stage, measure, qid, difference, …
"""

from collections.abc import Mapping, Sequence
from typing import NamedTuple

import pandas as pd

from ..stats import correct_pvalues
from ..stats.paired_tests import EQUAL_WITHIN, compare_pairs
from .pipeline_run import PipelineRun, Stage

COMPARED = ["stage", "name", "compared_with", "measure"]
CHANGE_COLUMNS = [
    *COMPARED,
    *("before", "after", "difference", "p", "p_holm", "better", "equal", "worse", "detectable"),
]
FAILURE_COLUMNS = [*COMPARED, "qid", "before", "after", "difference", "p", "p_holm"]


class StageComparisons(NamedTuple):
    """How stages changed the measures.

    changes: CHANGE_COLUMNS, a row for each stage and measure; see `Stages.changes`.
    failures: FAILURE_COLUMNS, a row for each query that a stage made worse.
    """

    changes: pd.DataFrame
    failures: pd.DataFrame


def compare_stages(
    run: PipelineRun, values: pd.DataFrame, measure_names: Sequence[str]
) -> StageComparisons:
    """Compare each stage that ranks anew with the one before; an operator with its best branch.

    Args:
        values: `stage`, `measure`, `qid`, `value`.
        measure_names: those to compare.
    """
    values_by_key = {
        key: rows.set_index("qid")["value"]
        for key, rows in values.groupby(["stage", "measure"], sort=False)
    }
    changes = []
    for stage in run.stages:
        rankings_before = run.find_rankings_before(stage)
        if not stage.is_ranking_of_its_own or not rankings_before:
            continue
        for measure in measure_names:
            best_before = _find_best_ranking(rankings_before, values_by_key, measure)
            before = values_by_key[best_before.number, measure]
            after = values_by_key[stage.number, measure]
            change = {
                "stage": stage.number,
                "name": stage.name,
                "compared_with": best_before.number,
                "measure": measure,
                "before": before.mean(),
                "after": after.mean(),
                **compare_pairs(after, before),
            }
            changes.append(change)

    change_frame = pd.DataFrame(changes, columns=CHANGE_COLUMNS)
    change_frame["p_holm"] = correct_pvalues(change_frame["p"])
    return StageComparisons(change_frame, _list_failures(change_frame, values))


def _find_best_ranking(
    rankings: Sequence[Stage], values_by_key: Mapping[tuple[int, str], pd.Series], measure: str
) -> Stage:
    """Return the stage with the best mean of a measure; of equal ones, the first.

    values_by_key: by query, for a stage's number and a measure's name.
    """
    means = [values_by_key[ranking.number, measure].mean() for ranking in rankings]
    return rankings[means.index(max(means))]


def _list_failures(changes: pd.DataFrame, values: pd.DataFrame) -> pd.DataFrame:
    """Return the queries that a stage made worse, by stage and measure, the worst first.

    Args:
        changes: CHANGE_COLUMNS.
        values: `stage`, `measure`, `qid`, `value`.
    """
    values_before = values.rename(columns={"stage": "compared_with", "value": "before"})
    values_after = values.rename(columns={"value": "after"})
    queries = changes[[*COMPARED, "p", "p_holm"]].merge(values_after, on=["stage", "measure"])
    queries = queries.merge(values_before, on=["compared_with", "measure", "qid"])
    queries["difference"] = queries["after"] - queries["before"]

    failures = queries[queries["difference"] < -EQUAL_WITHIN]
    worst_first = failures.sort_values(["stage", "measure", "difference"], kind="stable")
    return worst_first[FAILURE_COLUMNS].reset_index(drop=True)

"""Compare each stage with the stage before, and list the queries that it made worse.

::

    compared = compare_stages(run, values.perquery, ["AP"])
    compared.changes   # stage, measure, difference, p, …
    compared.failures  # stage, measure, qid, difference, …
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
import pandas as pd

from ..stats import correct_pvalues, paired_t, smallest_difference
from .pipeline_run import PipelineRun, Stage

LARGEST_TIE = 1e-9  # a smaller difference of two values counts as none


class Change(NamedTuple):
    """What a stage changed in a measure, over all queries; a row of `Stages.changes`.

    compared_with: number of the stage before.
    """

    stage: int
    name: str
    compared_with: int
    measure: str
    before: float
    after: float
    difference: float
    p: float
    better: int
    equal: int
    worse: int
    detectable: float


class Failure(NamedTuple):
    """A query that a stage made worse; a row of `Stages.failures`.

    compared_with: number of the stage before.
    """

    stage: int
    name: str
    compared_with: int
    measure: str
    qid: str
    before: float
    after: float
    difference: float


@dataclass(frozen=True, eq=False)
class StageComparisons:
    """How stages changed the measures.

    Attributes:
        changes: a row for each `Change`, and `p_holm`.
        failures: a row for each `Failure`, with `p` and `p_holm` of the stage's change.
    """

    changes: pd.DataFrame
    failures: pd.DataFrame


class ValuePair(NamedTuple):
    """The values of a measure before and after a stage, of the same queries in one order.

    Attributes:
        stage: after which `after` was measured.
        compared_with: number of the stage after which `before` was measured.
        measure: its name.
        qids: of the queries.
        before, after: (queries,); NaN if unknown.
    """

    stage: Stage
    compared_with: int
    measure: str
    qids: list[str]
    before: np.ndarray
    after: np.ndarray

    @property
    def differences(self) -> np.ndarray:
        """(queries,); NaN if unknown."""
        return self.after - self.before


def compare_stages(
    run: PipelineRun, values: pd.DataFrame, measure_names: Sequence[str]
) -> StageComparisons:
    """Compare each stage that ranks anew with the one before; an operator with its best branch.

    Args:
        values: `stage`, `measure`, `qid`, `value`.
        measure_names: those to compare.
    """
    changes = []
    failures = []
    for pair in _pair_values(run, values, measure_names):
        changes.append(_describe_change(pair))
        failures.extend(_list_failures(pair))
    change_frame = _correct_changes(changes)
    return StageComparisons(change_frame, _sort_failures(failures, change_frame))


def _pair_values(
    run: PipelineRun, values: pd.DataFrame, measure_names: Sequence[str]
) -> list[ValuePair]:
    """Pair each stage's values with those of the stage before it, for each measure.

    An operator has several rankings before it. It is compared with the best of them.
    """
    rows_by_key = {key: rows for key, rows in values.groupby(["stage", "measure"], sort=False)}
    pairs = []
    for stage in run.stages:
        rankings_before = run.find_rankings_before(stage)
        if not stage.is_ranking_of_its_own or not rankings_before:
            continue

        for measure in measure_names:
            best_before = _find_best_ranking(rankings_before, rows_by_key, measure)
            rows_before = rows_by_key[best_before.number, measure]
            rows_after = rows_by_key[stage.number, measure]
            pair = ValuePair(
                stage=stage,
                compared_with=best_before.number,
                measure=measure,
                qids=rows_after["qid"].tolist(),
                before=rows_before["value"].to_numpy(),
                after=rows_after["value"].to_numpy(),
            )
            pairs.append(pair)
    return pairs


def _find_best_ranking(
    rankings: Sequence[Stage], rows_by_key: Mapping[Any, pd.DataFrame], measure: str
) -> Stage:
    """Return the stage with the best mean of a measure; of equal ones, the first.

    rows_by_key: frames with a column `value`, by a stage's number and a measure's name.
    """
    means = [rows_by_key[ranking.number, measure]["value"].mean() for ranking in rankings]
    return rankings[means.index(max(means))]


def _describe_change(pair: ValuePair) -> Change:
    """Summarise what a stage changed over all queries; those with NaN count for nothing."""
    known_differences = pair.differences[~np.isnan(pair.differences)]
    better_count = int((known_differences > LARGEST_TIE).sum())
    worse_count = int((known_differences < -LARGEST_TIE).sum())

    return Change(
        stage=pair.stage.number,
        name=pair.stage.name,
        compared_with=pair.compared_with,
        measure=pair.measure,
        before=_average(pair.before),
        after=_average(pair.after),
        difference=_average(known_differences),
        p=paired_t(pair.after, pair.before).pvalue,
        better=better_count,
        equal=len(known_differences) - better_count - worse_count,
        worse=worse_count,
        detectable=smallest_difference(known_differences),
    )


def _average(values: np.ndarray) -> float:
    """Return the mean of the values that are not NaN; NaN if there are none."""
    known_values = values[~np.isnan(values)]
    return float(known_values.mean()) if len(known_values) else float("nan")


def _list_failures(pair: ValuePair) -> list[Failure]:
    """Return the queries whose value a stage made smaller."""
    failures = []
    for position, difference in enumerate(pair.differences):
        if difference < -LARGEST_TIE:
            failures.append(
                Failure(
                    stage=pair.stage.number,
                    name=pair.stage.name,
                    compared_with=pair.compared_with,
                    measure=pair.measure,
                    qid=pair.qids[position],
                    before=pair.before[position],
                    after=pair.after[position],
                    difference=difference,
                )
            )
    return failures


def _correct_changes(changes: Sequence[Change]) -> pd.DataFrame:
    """Return a row for each change, with its p-value corrected for all of them behind `p`."""
    frame = pd.DataFrame(changes, columns=Change._fields)
    position = frame.columns.get_loc("p") + 1
    pvalues = np.array([change.p for change in changes], dtype=float)
    frame.insert(position, "p_holm", correct_pvalues(pvalues))
    return frame


def _sort_failures(failures: Sequence[Failure], changes: pd.DataFrame) -> pd.DataFrame:
    """Return a row for each failure with the p-values of its change, by stage, the worst first."""
    frame = pd.DataFrame(failures, columns=Failure._fields)
    tests = changes[["stage", "measure", "p", "p_holm"]]
    frame = frame.merge(tests, on=["stage", "measure"], how="left")
    worst_first = frame.sort_values(["stage", "measure", "difference"], kind="stable")
    return worst_first.reset_index(drop=True)

"""Evaluate each stage query by query, and compare it with the stage before.

::

    values = evaluate_stages(run, judgements, measures, top=10)
    values.averages[1, "AP"]
    compare_stages(run, values.perquery, ["AP"]).changes  # stage, measure, difference, p, …

Conventions: a measure is called as the caller wrote it. `recall` is SetR, over all documents of a
stage whatever their order; `judged` is the judged share of the first documents.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import ir_measures
import numpy as np
import pandas as pd
import pyterrier as pt

from ..stats import correct_pvalues, paired_t, smallest_difference
from .stage_runs import PipelineRun, ResultForm, Stage

RECALL = "recall"
JUDGED = "judged"
LARGEST_TIE = 1e-9  # a smaller difference of two values counts as none


@dataclass(frozen=True, eq=False)
class Judgements:
    """The judgements of the evaluated queries.

    Attributes:
        qrels: `qid`, `docno`, `label` (int), and the further columns of the caller's frame.
        qids: of the queries with topics and judgements, in the topics' order.
        relevant: lowest grade of a relevant document.
    """

    qrels: pd.DataFrame
    qids: tuple[str, ...]
    relevant: int

    @cached_property
    def grades(self) -> dict[tuple[str, str], int]:
        """The grade of each judged pair of query and document."""
        pairs = zip(self.qrels["qid"], self.qrels["docno"])
        return dict(zip(pairs, self.qrels["label"].tolist()))

    @cached_property
    def relevant_pairs(self) -> list[tuple[str, str]]:
        """The relevant pairs of query and document, in the judgements' order."""
        return [pair for pair, grade in self.grades.items() if grade >= self.relevant]


@dataclass(frozen=True, eq=False)
class StageValues:
    """Each stage's values.

    Attributes:
        perquery: `stage`, `measure`, `qid`, `value`.
        averages: each measure's own average over queries, by stage and measure; NaN if unknown.
    """

    perquery: pd.DataFrame
    averages: dict[tuple[int, str], float]


def evaluate_stages(
    run: PipelineRun,
    judgements: Judgements,
    measures: Mapping[str, ir_measures.Measure],
    top: int,
) -> StageValues:
    """Evaluate each stage; values are NaN where a result has no order or no documents.

    Args:
        measures: by the name that they have in frames.
        top: how many documents the judged share is of.
    """
    recall = ir_measures.SetR(rel=judgements.relevant)
    measure_by_name = {**measures, RECALL: recall, JUDGED: ir_measures.Judged @ top}
    qrels = pt.model.to_ir_measures(judgements.qrels)
    evaluator = ir_measures.evaluator(list(set(measure_by_name.values())), qrels)

    blocks = []
    averages = {}
    for stage in run.shown_stages:
        value_by_key: dict[tuple[ir_measures.Measure, str], float] = {}
        if stage.form.has_documents:
            results = _select_queries(stage, judgements.qids)
            for metric in evaluator.iter_calc(pt.model.to_ir_measures(results)):
                value_by_key[metric.measure, metric.query_id] = metric.value

        for name, measure in measure_by_name.items():
            has_order = stage.form is ResultForm.RANKED
            is_known = has_order or (stage.form.has_documents and name == RECALL)
            values: list[float] = [np.nan] * len(judgements.qids)
            averages[stage.number, name] = float("nan")
            if is_known:
                values = [value_by_key.get((measure, qid), np.nan) for qid in judgements.qids]
                averages[stage.number, name] = _aggregate(measure, values)

            block = pd.DataFrame(
                {
                    "stage": stage.number,
                    "measure": name,
                    "qid": list(judgements.qids),
                    "value": [float(value) for value in values],
                }
            )
            blocks.append(block)
    return StageValues(pd.concat(blocks, ignore_index=True), averages)


def _aggregate(measure: ir_measures.Measure, values: Sequence[float]) -> float:
    """Return a measure's own average of its values, which may be more than numbers (rHSA)."""
    aggregator = measure.aggregator()
    for value in values:
        aggregator.add(value)
    return float(aggregator.result())


class Change(NamedTuple):
    """What a stage changed in a measure, over all queries; a row of `Stages.changes`."""

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
    """A query that a stage made worse; a row of `Stages.failures`."""

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
    """How stages changed the measures. changes: with `p_holm`; failures: with their p-values."""

    changes: pd.DataFrame
    failures: pd.DataFrame


def compare_stages(
    run: PipelineRun, values: pd.DataFrame, measure_names: Sequence[str]
) -> StageComparisons:
    """Compare each ranking with the one before; an operator's with its best branch.

    Args:
        values: `stage`, `measure`, `qid`, `value`.
        measure_names: those to compare.
    """
    values_by_key = {key: rows for key, rows in values.groupby(["stage", "measure"], sort=False)}
    changes = []
    failures = []
    for stage in run.stages:
        rankings_before = run.find_rankings_before(stage)
        if not stage.is_ranking_of_its_own or not rankings_before:
            continue

        for measure in measure_names:
            means = {
                ranking.number: values_by_key[ranking.number, measure]["value"].mean()
                for ranking in rankings_before
            }
            best_number = max(means, key=lambda number: means[number])
            before = values_by_key[best_number, measure]
            after = values_by_key[stage.number, measure]
            changes.append(_describe_change(stage, best_number, measure, before, after))
            failures.extend(_list_failures(stage, best_number, measure, before, after))

    return _correct_comparisons(changes, failures)


def _select_queries(stage: Stage, qids: Sequence[str]) -> pd.DataFrame:
    """Return a stage's results of some queries; an unordered one gets equal scores."""
    results = stage.ranking[stage.ranking["qid"].isin(qids)]
    if stage.form is ResultForm.UNORDERED:
        return results.assign(score=0.0)
    return results[["qid", "docno", "score"]]


def _describe_change(
    stage: Stage, compared_with: int, measure: str, before: pd.DataFrame, after: pd.DataFrame
) -> Change:
    """Compare the values of two stages, whose queries have one order."""
    values_before = before["value"].to_numpy()  # (queries,)
    values_after = after["value"].to_numpy()
    differences = values_after - values_before
    known_differences = differences[~np.isnan(differences)]
    better_count = int((known_differences > LARGEST_TIE).sum())
    worse_count = int((known_differences < -LARGEST_TIE).sum())

    return Change(
        stage=stage.number,
        name=stage.name,
        compared_with=compared_with,
        measure=measure,
        before=_average(values_before),
        after=_average(values_after),
        difference=_average(known_differences),
        p=paired_t(values_after, values_before).pvalue,
        better=better_count,
        equal=len(known_differences) - better_count - worse_count,
        worse=worse_count,
        detectable=smallest_difference(known_differences),
    )


def _average(values: np.ndarray) -> float:
    """Return the mean of the values that are not NaN; NaN if there are none."""
    known_values = values[~np.isnan(values)]
    return float(known_values.mean()) if len(known_values) else float("nan")


def _list_failures(
    stage: Stage, compared_with: int, measure: str, before: pd.DataFrame, after: pd.DataFrame
) -> list[Failure]:
    """Return the queries whose value a stage made smaller."""
    failures = []
    for qid, value_before, value_after in zip(before["qid"], before["value"], after["value"]):
        difference = value_after - value_before
        if difference < -LARGEST_TIE:
            failures.append(
                Failure(
                    stage=stage.number,
                    name=stage.name,
                    compared_with=compared_with,
                    measure=measure,
                    qid=qid,
                    before=value_before,
                    after=value_after,
                    difference=difference,
                )
            )
    return failures


def _correct_comparisons(
    changes: Sequence[Change], failures: Sequence[Failure]
) -> StageComparisons:
    """Correct p-values by Holm for all comparisons, and write them beside the failures."""
    change_frame = pd.DataFrame(changes, columns=Change._fields)
    change_frame.insert(
        change_frame.columns.get_loc("p") + 1, "p_holm", correct_pvalues(change_frame["p"])
    )

    failure_frame = pd.DataFrame(failures, columns=Failure._fields)
    tests = change_frame[["stage", "measure", "p", "p_holm"]]
    failure_frame = failure_frame.merge(tests, on=["stage", "measure"], how="left")
    worst_first = failure_frame.sort_values(["stage", "measure", "difference"], kind="stable")
    return StageComparisons(change_frame, worst_first.reset_index(drop=True))

"""Evaluate each stage, query by query.

::

    values = evaluate_stages(run, judgements, measures, top=10)
    values.averages[1, "AP"]

Conventions: a measure is called as the caller wrote it. `recall` is SetR, over all documents of a
stage whatever their order; `judged` is the judged share of the first documents.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import ir_measures
import pandas as pd
import pyterrier as pt

from .pipeline_run import PipelineRun, Stage
from .query_judgements import Judgements
from .stage_results import ResultForm

RECALL = "recall"
JUDGED = "judged"
UNKNOWN = float("nan")


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
        value_by_key = _evaluate_stage(stage, judgements.qids, evaluator)
        for name, measure in measure_by_name.items():
            if _can_measure(stage, name):
                values = [value_by_key.get((measure, qid), UNKNOWN) for qid in judgements.qids]
                averages[stage.number, name] = _aggregate(measure, values)
            else:
                values = [UNKNOWN] * len(judgements.qids)
                averages[stage.number, name] = UNKNOWN
            blocks.append(_tabulate_values(stage, name, judgements.qids, values))
    return StageValues(pd.concat(blocks, ignore_index=True), averages)


def select_queries(stage: Stage, qids: Sequence[str]) -> pd.DataFrame:
    """Return a stage's results of some queries: `qid`, `docno`, `score`.

    A result without order gets equal scores, because measures of sets require scores, too.
    """
    results = stage.ranking[stage.ranking["qid"].isin(qids)]
    if stage.form is ResultForm.UNORDERED:
        return results.assign(score=0.0)
    return results[["qid", "docno", "score"]]


def _evaluate_stage(
    stage: Stage, qids: Sequence[str], evaluator: ir_measures.providers.Evaluator
) -> dict[tuple[ir_measures.Measure, str], float]:
    """Return the values of a stage by measure and query; none for a stage without documents."""
    if not stage.form.has_documents:
        return {}
    results = pt.model.to_ir_measures(select_queries(stage, qids))
    return {
        (metric.measure, metric.query_id): metric.value for metric in evaluator.iter_calc(results)
    }


def _tabulate_values(
    stage: Stage, measure_name: str, qids: Sequence[str], values: Sequence[float]
) -> pd.DataFrame:
    """Return `stage`, `measure`, `qid`, `value`: a row for each query.

    values: in the order of the queries; perhaps more than numbers (rHSA's), which become numbers.
    """
    return pd.DataFrame(
        {
            "stage": stage.number,
            "measure": measure_name,
            "qid": list(qids),
            "value": [float(value) for value in values],
        }
    )


def _can_measure(stage: Stage, measure_name: str) -> bool:
    """Return whether a measure says something about a stage: most require an order."""
    if measure_name == RECALL:
        return stage.form.has_documents
    return stage.form is ResultForm.RANKED


def _aggregate(measure: ir_measures.Measure, values: Sequence[float]) -> float:
    """Return a measure's own average of its values, which may be more than numbers (rHSA)."""
    aggregator = measure.aggregator()
    for value in values:
        aggregator.add(value)
    return float(aggregator.result())

"""Compute what unjudged papers may hide, after each stage.

::

    effects = measure_unjudged(run, judgements, measures, averages)
    effects[["stage", "measure", "value", "condensed", "lowest", "highest"]]

A stage that finds papers which nobody judged is measured too low if some of them are relevant.
"""

from collections.abc import Mapping
from typing import NamedTuple

import ir_measures
import pandas as pd
import pyterrier as pt

from ..evaluation.unjudged_documents import bound_ndcg, condense, is_ndcg
from .pipeline_run import PipelineRun
from .query_judgements import Judgements
from .stage_values import UNKNOWN, select_queries


class UnjudgedEffect(NamedTuple):
    """How far unjudged papers may move a measure after a stage; a row of `Stages.unjudged`."""

    stage: int
    name: str
    measure: str
    judged_share: float
    value: float
    condensed: float
    lowest: float
    highest: float


class MeanBounds(NamedTuple):
    """Means over queries of the lowest and the highest value; NaN if unknown."""

    lowest: float
    highest: float


def measure_unjudged(
    run: PipelineRun,
    judgements: Judgements,
    measures: Mapping[str, ir_measures.Measure],
    averages: Mapping[tuple[int, str], float],
) -> pd.DataFrame:
    """Compute how far unjudged papers may move each measure, after each stage that ranks anew.

    Args:
        measures: by the name that they have in frames.
        averages: of the measures as they are, by stage and measure.
    """
    effects = []
    for stage in run.stages:
        if not stage.is_ranking_of_its_own:
            continue

        results = select_queries(stage, judgements.qids)
        condensed_averages = _average_condensed(results, judgements, measures)
        for name, measure in measures.items():
            bounds = _average_bounds(results, judgements, measure)
            effect = UnjudgedEffect(
                stage=stage.number,
                name=stage.name,
                measure=name,
                judged_share=_average_judged_share(stage.ranking, judgements, measure),
                value=averages[stage.number, name],
                condensed=condensed_averages[name],
                lowest=bounds.lowest,
                highest=bounds.highest,
            )
            effects.append(effect)
    return pd.DataFrame(effects, columns=UnjudgedEffect._fields)


def _average_condensed(
    results: pd.DataFrame, judgements: Judgements, measures: Mapping[str, ir_measures.Measure]
) -> dict[str, float]:
    """Return the average of each measure without unjudged papers, by its name.

    It is NaN if only relevant papers were judged: every condensed list would look perfect.
    """
    has_negatives = bool((judgements.qrels["label"] <= 0).any())
    if not has_negatives:
        return dict.fromkeys(measures, UNKNOWN)

    condensed = condense(results, judgements.qrels)
    average_by_measure = ir_measures.calc_aggregate(
        list(set(measures.values())),
        pt.model.to_ir_measures(judgements.qrels),
        pt.model.to_ir_measures(condensed),
    )
    return {name: float(average_by_measure[measure]) for name, measure in measures.items()}


def _average_bounds(
    results: pd.DataFrame, judgements: Judgements, measure: ir_measures.Measure
) -> MeanBounds:
    """Return the means of the values that judgements allow; NaN for measures but nDCG."""
    if not is_ndcg(measure):
        return MeanBounds(UNKNOWN, UNKNOWN)
    bounds = bound_ndcg(results, judgements.qrels, measure)
    return MeanBounds(lowest=bounds["lowest"].mean(), highest=bounds["highest"].mean())


def _average_judged_share(
    ranking: pd.DataFrame, judgements: Judgements, measure: ir_measures.Measure
) -> float:
    """Return the mean share of judged papers, up to the measure's cut-off if it has one.

    Queries without results have no share; the mean leaves them out.
    """
    results = ranking[ranking["qid"].isin(judgements.qids)]
    cutoff = measure.params.get("cutoff")
    if cutoff is not None:
        results = results[results["rank"] <= cutoff]

    pairs = zip(results["qid"], results["docno"])
    is_judged = pd.Series([pair in judgements.grades for pair in pairs], dtype=bool)
    share_by_query = is_judged.groupby(results["qid"].to_numpy()).mean()
    return float(share_by_query.mean())

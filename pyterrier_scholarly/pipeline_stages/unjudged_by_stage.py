"""Compute what unjudged papers may hide, after each stage.

::

    effects = measure_unjudged(run, judgements, measures, averages)
    effects[["stage", "measure", "value", "condensed", "lowest", "highest"]]

A stage that finds papers which nobody judged is measured too low if some of them are relevant.
"""

from collections.abc import Mapping

import ir_measures
import pandas as pd
import pyterrier as pt

from ..evaluation.unjudged_documents import (
    bound_ndcg,
    find_judged_shares,
    is_ndcg,
    mark_judged,
)
from .pipeline_run import PipelineRun
from .query_judgements import Judgements
from .stage_values import UNKNOWN, select_queries

BOUNDS = ["lowest", "highest"]
COLUMNS = ["stage", "name", "measure", "judged_share", "value", "condensed", *BOUNDS]


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

    Returns:
        Frame COLUMNS, with means over queries, see `unjudged_effects`. BOUNDS are those of
        `bound_ndcg`; NaN for measures other than nDCG.
    """
    effects = []
    for stage in run.stages:
        if not stage.is_ranking_of_its_own:
            continue

        results = select_queries(stage, judgements.qids)
        marked_results = mark_judged(results, judgements.qrels)
        judged_results = marked_results[marked_results["is_judged"]]
        condensed_averages = _average_condensed(judged_results, judgements, measures)
        for name, measure in measures.items():
            effect = {
                "stage": stage.number,
                "name": stage.name,
                "measure": name,
                "judged_share": find_judged_shares(marked_results, measure).mean(),
                "value": averages[stage.number, name],
                "condensed": condensed_averages[name],
            }
            if is_ndcg(measure):
                effect |= bound_ndcg(results, judgements.qrels, measure)[BOUNDS].mean()
            effects.append(effect)
    return pd.DataFrame(effects, columns=COLUMNS)


def _average_condensed(
    judged_results: pd.DataFrame,
    judgements: Judgements,
    measures: Mapping[str, ir_measures.Measure],
) -> dict[str, float]:
    """Return the average of each measure over judged results alone, by its name.

    It is NaN if only relevant papers were judged: every condensed list would look perfect.
    """
    has_negatives = bool((judgements.qrels["label"] <= 0).any())
    if not has_negatives:
        return dict.fromkeys(measures, UNKNOWN)

    average_by_measure = ir_measures.calc_aggregate(
        list(set(measures.values())),
        pt.model.to_ir_measures(judgements.qrels),
        pt.model.to_ir_measures(judged_results),
    )
    return {name: float(average_by_measure[measure]) for name, measure in measures.items()}

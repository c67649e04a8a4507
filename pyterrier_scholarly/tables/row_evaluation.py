"""Run the rows of a planned table, and evaluate each query by query.

evaluated_rows = evaluate_rows(plan, save_dir="runs", verbose=True)
evaluated_rows[0].values   # a value for each query and measure
evaluated_rows[0].check    # how the run fits the collection
"""

from typing import NamedTuple

import ir_measures
import pandas as pd
import pyterrier as pt

from ..arguments import FilePath
from ..evaluation.measure_names import measure_of
from ..evaluation.run_check_report import RunCheck
from ..evaluation.run_checks import check_against
from ..evaluation.run_reference import Reference
from ..evaluation.unjudged_documents import EFFECTS, are_all_judged, unjudged_effects
from ..progress import counted
from .present_data import JudgementSet, PresentData
from .row_sources import RowSource
from .system_runs import run_source
from .table_plan import TablePlan
from .table_shapes import Shape


class EvaluatedRow(NamedTuple):
    """A row's value for each query and measure, and how its run fits the collection.

    values: as `compute_figures` takes them.
    run: the row's ranking.
    """

    values: pd.DataFrame
    run: pd.DataFrame
    check: RunCheck


class Evaluation(NamedTuple):
    """What runs are evaluated with.

    judged: name of the judgements.
    topics: all with judgements, so that a saved run serves every table of the dataset.
    table_topics, table_judgements: those of the table's queries.
    measures: of the table's columns.
    reference: what runs are checked against.
    """

    judged: str
    topics: pd.DataFrame
    table_topics: pd.DataFrame
    table_judgements: pd.DataFrame
    measures: list[ir_measures.Measure]
    reference: Reference


def evaluate_rows(plan: TablePlan, save_dir: FilePath | None, verbose: bool) -> list[EvaluatedRow]:
    """Run and evaluate all rows; return them in the table's order.

    Results that were passed are evaluated under all judgements. Systems are evaluated under those
    of documents that are present, as they cannot retrieve others.
    """
    data = plan.data
    sources = plan.rows.sources
    # passed results first: if one does not fit, that is an error before hours of ranking
    results_first = sorted(sources, key=lambda source: source.results is None)

    evaluations: dict[str, Evaluation] = {}  # by the name of the judgements
    row_by_name: dict[str, EvaluatedRow] = {}
    for source in counted(results_first, "systems", "system", verbose=verbose):
        is_system = source.results is None
        judgements = data.reachable if is_system else data.judgements
        if judgements.name not in evaluations:
            evaluations[judgements.name] = _prepare_evaluation(judgements, plan.shape, data)
        evaluation = evaluations[judgements.name]

        run = run_source(source, evaluation.topics, data, save_dir, verbose)
        row_by_name[source.name] = _evaluate(source, run, evaluation)

    return [row_by_name[source.name] for source in sources]


def _prepare_evaluation(judgements: JudgementSet, shape: Shape, data: PresentData) -> Evaluation:
    """Collect what runs are evaluated with: topics, judgements, measures, and what they should fit.

    Args:
        judgements: of all documents, or of those that are present.
        shape: of the table.
        data: the dataset whose queries are run.
    """
    # systems rank all judged topics of the dataset, and are evaluated on those of this table only
    topics = data.read_topics(judgements)
    is_topic_of_table = topics["qid"].isin(shape.queries)
    table_topics = topics[is_topic_of_table]

    is_judgement_of_table = judgements.rows["qid"].isin(shape.queries)
    table_judgements = judgements.rows[is_judgement_of_table]

    return Evaluation(
        judged=judgements.name,
        topics=topics,
        table_topics=table_topics,
        table_judgements=table_judgements,
        measures=[measure_of(measure) for measure in shape.measures],
        reference=Reference.of(data.name, table_judgements),
    )


def _evaluate(source: RowSource, run: pd.DataFrame, evaluation: Evaluation) -> EvaluatedRow:
    """Check a run, and compute the table's measures for each query."""
    check = check_against(run, evaluation.reference, source.name)

    values = pt.Experiment(
        [run],
        evaluation.table_topics,
        evaluation.table_judgements,
        evaluation.measures,
        names=[source.name],
        perquery=True,
    )
    values = _add_unjudged_effects(values, run, evaluation)
    values = values.assign(
        answered=values["qid"].isin(run["qid"]),
        was_run=source.results is None,
        judged=evaluation.judged,
        part=check.part,
    )
    return EvaluatedRow(values, run, check)


def _add_unjudged_effects(
    values: pd.DataFrame, run: pd.DataFrame, evaluation: Evaluation
) -> pd.DataFrame:
    """Return the values with the columns EFFECTS; NaN if every result of the run is judged."""
    judgements = evaluation.table_judgements
    run_of_table = run[run["qid"].isin(judgements["qid"])]
    if are_all_judged(run_of_table, judgements):
        return values.assign(**dict.fromkeys(EFFECTS, float("nan")))

    effects = unjudged_effects(run_of_table, judgements, evaluation.measures)
    return values.merge(effects[["qid", "measure", *EFFECTS]], on=["qid", "measure"], how="left")

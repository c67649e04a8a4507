"""Take a pipeline apart: run it stage by stage, and evaluate each stage."""

import warnings
from dataclasses import replace

import pandas as pd
import pyterrier as pt

from .. import frames
from ..arguments import Count, check_arguments
from ..evaluation.measure_names import Measures, Named, parse_measures
from ..paper import Paper
from ..pipeline_walk import write_pipeline
from .pipeline_run import PipelineRun
from .query_judgements import read_judgements
from .repeat_checks import NOT_CHECKED, Verdict, compare_with_pipeline
from .stage_recorder import run_stages
from .stage_values import evaluate_stages
from .stages_result import Stages

LONGEST_NAME = 2_000  # characters of a pipeline; its settings may be all papers' texts
LONGEST_TITLE = 120  # characters
QUERY_PAPER_COLUMNS = ("paper_id", "query_docno")  # of datasets' queries, and of `FacetQuery`


@check_arguments
def stages(
    pipeline: pt.Transformer,
    topics: pd.DataFrame,
    qrels: pd.DataFrame,
    measures: Named | Measures,
    *,
    relevant: Count = 1,
    top: Count = 10,
    check: bool = True,
    name: str | None = None,
) -> Stages:
    """Show where a pipeline gains and loses: evaluate it after each of its stages.

    Any PyTerrier pipeline is taken apart at ``>>``, ``+``, ``*``, ``**``, ``|``, ``&``, ``^`` and
    ``%``. Each step runs once, on all topics. A stage without a ranking, such as a query rewriter,
    has a row without figures::

        result = stages(bm25 >> OneHop(graph) >> reranker, topics, qrels, ["nDCG@10"])
        result.stages[["name", "nDCG@10", "recall", "seconds"]]
        result.to_html("stages.html")

    Then the pipeline runs once more, as a whole, to check that it returns what its stages did. If
    it does not, a warning names the stages that vary from run to run. Pass ``check=False`` where
    each run costs money, or record the replies (`Recorded`).

    Args:
        pipeline: from `topics` to results.
        topics: queries with `qid`, as `pt.Experiment` takes them; or results.
        qrels: judgements with `qid`, `docno` and `label`. Only queries that both frames have are
            evaluated.
        measures: one or more, objects or texts, such as ``["NDCG%20", "R@100"]``.
        relevant: lowest grade of a relevant document, for recall and lost papers.
        top: how many first documents the judged share is of, and are drawn.
        check: whether to run the pipeline as a whole, too.
        name: what the page calls the pipeline; None for how it is written.

    Raises:
        ValueError: no query in common, a label that is no whole number, an unknown measure, a
            pipeline of which no stage returns documents, a stage that returned a wrong result
            (NaN as a score, ids that are no texts); the error names the stage.

    Warns:
        UserWarning: the pipeline as a whole returned something else than its stages.
    """
    topics = frames.check(topics, "stages(topics=…)", ["qid"])
    measure_by_name = parse_measures(measures)
    judgements = read_judgements(topics, qrels, relevant)

    run = run_stages(pipeline, topics)
    _check_has_documents(run)
    verdict = NOT_CHECKED
    if check:
        verdict = compare_with_pipeline(pipeline, topics, run)
        _warn_of_differences(verdict)

    values = evaluate_stages(run, judgements, measure_by_name, top)
    return Stages(
        name=_name_pipeline(pipeline) if name is None else name,
        run=_drop_frames(run),
        judgements=judgements,
        measures=measure_by_name,
        top=top,
        perquery=values.perquery,
        averages=values.averages,
        verdict=verdict,
        query_texts=_read_query_texts(topics),
        query_papers=_read_query_papers(topics, run),
        titles=_read_titles(run),
    )


def _check_has_documents(run: PipelineRun) -> None:
    """Raise ValueError if no stage returned documents that can be evaluated."""
    if run.last_with_documents is not None:
        return
    forms = [f"{stage.label}: {stage.form.value}" for stage in run.stages[1:]]
    raise ValueError(
        f"No stage of the pipeline returned documents ({'; '.join(forms)}). Add a step that "
        "returns the columns qid, docno and score, such as a retriever, each document of a query "
        "once."
    )


def _warn_of_differences(verdict: Verdict) -> None:
    """Warn if the pipeline as a whole returned something else than its stages."""
    if verdict.same:
        return
    reason = "No stage varies; a step may edit its input, or depend on what ran before."
    if verdict.varying:
        reason = f"These stages vary from run to run: {', '.join(verdict.varying)}."
    warnings.warn(
        "The pipeline as a whole returned something else than its stages did one by one. "
        f"{reason} The figures are those of the stages' run.",
        stacklevel=4,
    )


def _name_pipeline(pipeline: pt.Transformer) -> str:
    """Return a pipeline as it is written, or its beginning."""
    text = write_pipeline(pipeline)
    return text if len(text) <= LONGEST_NAME else f"{text[:LONGEST_NAME]}…"


def _drop_frames(run: PipelineRun) -> PipelineRun:
    """Return a run without the frames that were only needed to run: these may be large."""
    return replace(run, step_inputs=(), result=run.result.iloc[:0])


def _read_query_texts(topics: pd.DataFrame) -> dict[str, str]:
    """Return the text of each query, if topics have one."""
    if "query" not in topics.columns:
        return {}
    pairs = zip(topics["qid"], topics["query"])
    return {qid: text for qid, text in pairs if isinstance(text, str)}


def _read_query_papers(topics: pd.DataFrame, run: PipelineRun) -> dict[str, str]:
    """Return the paper that each query comes from, if topics or the frame of a step name it."""
    query_papers: dict[str, str] = {}
    all_frames = [topics, *(step_input.frame for step_input in run.step_inputs), run.result]
    for frame in all_frames:
        for column in QUERY_PAPER_COLUMNS:
            if not {"qid", column} <= set(frame.columns):
                continue
            queries = frame[["qid", column]].drop_duplicates("qid").dropna()
            query_papers.update(zip(queries["qid"], queries[column].astype(str)))
    return query_papers


def _read_titles(run: PipelineRun) -> dict[str, str]:
    """Return the titles of documents, from stages' papers, or from the column of a text loader."""
    titles: dict[str, str] = {}
    all_frames = [step_input.frame for step_input in run.step_inputs]
    for frame in [*all_frames, run.result]:
        column = "paper" if "paper" in frame.columns else "title"
        if not {"docno", column} <= set(frame.columns):
            continue
        for docno, value in zip(frame["docno"], frame[column]):
            title = value.title if isinstance(value, Paper) else value
            if isinstance(title, str) and docno not in titles:
                titles[docno] = title[:LONGEST_TITLE]
    return titles

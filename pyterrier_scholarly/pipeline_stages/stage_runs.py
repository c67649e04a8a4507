"""Run a pipeline stage by stage, and keep what each stage returned.

::

    run = run_stages(bm25 >> (0.5 * first + second), topics)
    run.stages[1].ranking  # of bm25, which is stage 1; stage 0 is the input

Conventions: stages are numbered in the order in which they run. Ranks begin at 1. Results are
sorted as measures sort them: by descending score, ties by descending `docno`.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from enum import Enum
from time import perf_counter
from typing import NamedTuple

import numpy as np
import pandas as pd
import pyterrier as pt

from .. import frames
from ..pipeline_walk import Branching, Operator, name_step, walk_pipeline
from ..progress import progress

INPUT_NAME = "input"
RANKED_COLUMNS = ["qid", "docno", "score", "rank"]


class ResultForm(Enum):
    """What a stage's result is, as far as it can be evaluated; the value is shown."""

    RANKED = "ranked"
    UNORDERED = "without order"  # documents without scores, as of ``a | b``, or with equal scores
    REPEATED = "repeated documents"  # of a query, such as the passages of a document
    NO_DOCUMENTS = "no ranking"  # queries, for example of a query rewriter

    @property
    def has_documents(self) -> bool:
        """Whether the documents of each query are known."""
        return self in (ResultForm.RANKED, ResultForm.UNORDERED)


class Lane(NamedTuple):
    """Where a branch is drawn: shares of the picture's height, from the top."""

    top: float
    bottom: float


WHOLE_HEIGHT = Lane(0.0, 1.0)


@dataclass(frozen=True, eq=False)
class Stage:
    """A step or an operator of a pipeline, and what it returned.

    Attributes:
        number: from 1; the input has 0.
        name: as it is written, shortened.
        step: the transformer; None for the input.
        operator: what puts branches together here; None for a step.
        branch: where the stage is, such as ``"+1"`` (the first branch of ``+``), or ``"+1 |2"``.
        inputs: numbers of the stages whose results it takes; several for an operator.
        lane: of its branch.
        seconds: that it took.
        inside: names of the transformers that it is made of, by `pt.inspect`.
        form: of the result.
        ranking: `qid`, `docno`, `score`, `rank`, best first; of an unordered result `qid` and
            `docno`; else without rows.
        repeats: whether the ranking is that of the stage before, as behind ``* 0.5``.
    """

    number: int
    name: str
    step: pt.Transformer | None
    operator: Operator | None
    branch: str
    inputs: tuple[int, ...]
    lane: Lane
    seconds: float
    inside: tuple[str, ...]
    form: ResultForm
    ranking: pd.DataFrame
    repeats: bool = False

    @property
    def is_ranking_of_its_own(self) -> bool:
        """Whether the stage ranks, and in another order than the stage before."""
        return self.form is ResultForm.RANKED and not self.repeats

    @property
    def label(self) -> str:
        """Number and name, as errors and pages call it."""
        return f"{self.number} {self.name}"


class StepInput(NamedTuple):
    """What a step was called with, to run it once more."""

    number: int
    step: pt.Transformer
    frame: pd.DataFrame


@dataclass(frozen=True, eq=False)
class PipelineRun:
    """All stages by number, the input first, and what is needed to run one again.

    result: what the last stage returned.
    """

    stages: tuple[Stage, ...]
    step_inputs: tuple[StepInput, ...]
    result: pd.DataFrame

    def find_sources(self, stage: Stage) -> list[Stage]:
        """Return the nearest stages before this one that have documents.

        One for a step, and one for each branch of an operator; a branch without any has none.
        """
        sources = []
        for number in stage.inputs:
            source = self.stages[number]
            if source.form.has_documents:
                sources.append(source)
            elif source.number != 0:
                sources.extend(self.find_sources(source))
        return list(dict.fromkeys(sources))

    def find_rankings_before(self, stage: Stage) -> list[Stage]:
        """Return the nearest stages before this one that rank, each for its equals.

        A stage that only repeats a ranking gives way to the one that made it.
        """
        rankings = []
        for number in stage.inputs:
            source = self.stages[number]
            if source.is_ranking_of_its_own:
                rankings.append(source)
            else:
                rankings.extend(self.find_rankings_before(source))
        return list(dict.fromkeys(rankings))

    @property
    def shown_stages(self) -> list[Stage]:
        """The stages without the input, unless that has documents."""
        return [stage for stage in self.stages if stage.number > 0 or stage.form.has_documents]

    @property
    def last_with_documents(self) -> Stage | None:
        """The last stage, or the nearest before it that has documents."""
        last = self.stages[-1]
        if last.form.has_documents:
            return last
        sources = self.find_sources(last)
        return sources[-1] if sources else None


def run_stages(pipeline: pt.Transformer, topics: pd.DataFrame) -> PipelineRun:
    """Run each step of a pipeline once.

    Raises:
        ValueError: a stage returned no frame, ids that are no texts, or a score that is no number.
    """
    recorder = StageRecorder(topics)
    with progress("stages"):
        end = walk_pipeline(pipeline, recorder.start, recorder)
    return PipelineRun(tuple(recorder.stages), tuple(recorder.step_inputs), end.frame)


@dataclass(frozen=True, eq=False)
class Point:
    """Somewhere in a pipeline: the frame, the stage that returned it, and the branch."""

    frame: pd.DataFrame
    number: int
    branch: tuple[str, ...] = ()
    lane: Lane = WHOLE_HEIGHT


class StageRecorder:
    """Runs steps and keeps their results; `walk_pipeline` calls the methods.

    Attributes:
        start: the state to begin with.
        stages: those that have run.
        step_inputs: of the steps among them.
    """

    def __init__(self, topics: pd.DataFrame) -> None:
        self.start = Point(topics, number=0)
        self.stages: list[Stage] = []
        self.step_inputs: list[StepInput] = []
        self._add_stage(self.start, topics, step=None, operator=None, inputs=(), seconds=0.0)

    def opens(self, operator: Operator) -> bool:
        """Walk into the branches of all operators."""
        return True

    def run_step(self, step: pt.Transformer, before: Point) -> Point:
        """Run a step on a copy of its input, because some steps edit theirs."""
        frame_before = before.frame.copy()
        start = perf_counter()
        try:
            frame = step.transform(frame_before)
        except Exception as error:
            _name_stage(error, f"In stage {len(self.stages)}, {name_step(step)}")
            raise
        seconds = perf_counter() - start

        inputs = (before.number,)
        number = self._add_stage(
            before, frame, step=step, operator=None, inputs=inputs, seconds=seconds
        )
        self.step_inputs.append(StepInput(number, step, before.frame))
        return replace(before, frame=frame, number=number)

    def enter_branch(self, branching: Branching, number: int, before: Point) -> Point:
        """Begin a branch, in a lane of its own."""
        height = (before.lane.bottom - before.lane.top) / len(branching.branches)
        top = before.lane.top + number * height
        name = f"{branching.operator.value}{number + 1}"
        return replace(before, branch=(*before.branch, name), lane=Lane(top, top + height))

    def join_branches(
        self, branching: Branching, before: Point, branch_ends: Sequence[Point]
    ) -> Point:
        """Put the results of the branches together."""
        results = [end.frame for end in branch_ends]
        start = perf_counter()
        frame = branching.combine(before.frame, results)
        seconds = perf_counter() - start

        number = self._add_stage(
            before,
            frame,
            step=branching.pipeline,
            operator=branching.operator,
            inputs=tuple(end.number for end in branch_ends),
            seconds=seconds,
        )
        return replace(before, frame=frame, number=number)

    def _add_stage(
        self,
        before: Point,
        frame: object,
        *,
        step: pt.Transformer | None,
        operator: Operator | None,
        inputs: tuple[int, ...],
        seconds: float,
    ) -> int:
        """Keep what a stage returned, and return its number."""
        number = len(self.stages)
        name = INPUT_NAME
        inside: tuple[str, ...] = ()
        if operator is not None:
            name = operator.value
        elif step is not None:
            name = name_step(step)
            inside = _list_inside(step)

        result = read_result(frame, f"stage {number}, {name}")
        stage = Stage(
            number=number,
            name=name,
            step=step,
            operator=operator,
            branch=" ".join(before.branch),
            inputs=inputs,
            lane=before.lane,
            seconds=seconds,
            inside=inside,
            form=result.form,
            ranking=result.ranking,
        )
        # `**` has branches, but keeps the ranking that came in; it adds features
        if number > 0 and _has_same_ranking(stage, self.stages[before.number]):
            stage = replace(stage, repeats=True)
        self.stages.append(stage)
        return number


def _has_same_ranking(stage: Stage, before: Stage) -> bool:
    """Return whether two stages rank alike; scores may differ."""
    if stage.form is not ResultForm.RANKED or before.form is not ResultForm.RANKED:
        return False
    if len(stage.ranking) != len(before.ranking):
        return False

    # the queries may come in another order
    columns = ["qid", "docno"]
    ranking = stage.ranking.sort_values(["qid", "rank"])[columns]
    ranking_before = before.ranking.sort_values(["qid", "rank"])[columns]
    return ranking.to_numpy().tolist() == ranking_before.to_numpy().tolist()


def _name_stage(error: Exception, where: str) -> None:
    """Write into an error's message in which stage it was raised; its type stays."""
    if error.args and isinstance(error.args[0], str):
        error.args = (f"{where}: {error.args[0]}", *error.args[1:])


class StageResult(NamedTuple):
    """The form of a frame, and its documents; see `Stage`."""

    form: ResultForm
    ranking: pd.DataFrame


def read_result(frame: object, where: str) -> StageResult:
    """Read the documents of a frame that a transformer returned.

    where: names the stage in an error.
    """
    if not isinstance(frame, pd.DataFrame):
        raise ValueError(
            f"{where} returned {type(frame).__name__}, no pandas.DataFrame. Let its `transform` "
            "return a frame."
        )
    no_rows = pd.DataFrame(columns=RANKED_COLUMNS, dtype=object)
    if not {"qid", "docno"} <= set(frame.columns):
        return StageResult(ResultForm.NO_DOCUMENTS, no_rows)

    columns = [name for name in RANKED_COLUMNS if name in frame.columns]
    results = frame[columns].reset_index(drop=True)
    _check_values(results, where)
    if results.duplicated(["qid", "docno"]).any():
        return StageResult(ResultForm.REPEATED, no_rows)

    if "score" not in columns and "rank" in columns:
        results = results.assign(score=-results["rank"].astype(float))
    if "score" not in results.columns or _has_equal_scores(results):
        return StageResult(ResultForm.UNORDERED, results[["qid", "docno"]])
    return StageResult(ResultForm.RANKED, rank_results(results))


def _has_equal_scores(results: pd.DataFrame) -> bool:
    """Return whether there are queries with several documents, each with one score for all.

    So has a pool of candidates, whose order says nothing.
    """
    scores_of_queries = results.groupby("qid")["score"]
    has_several = (scores_of_queries.size() > 1).any()
    return bool(has_several and (scores_of_queries.nunique() == 1).all())


def rank_results(results: pd.DataFrame) -> pd.DataFrame:
    """Return `qid`, `docno`, `score` and `rank` from 1, best first."""
    if results.empty:
        return pd.DataFrame(columns=RANKED_COLUMNS, dtype=object)
    ordered = frames.best_first(results)
    ranks = 1 + ordered.groupby("qid", sort=False).cumcount().to_numpy()
    return ordered[["qid", "docno", "score"]].assign(rank=ranks)


def _check_values(results: pd.DataFrame, where: str) -> None:
    """Raise ValueError for ids that are no texts, and for scores that are no numbers."""
    if results.empty:
        return
    try:
        frames.check_columns(results, results.columns)
    except ValueError as error:
        raise ValueError(f"{where} returned a wrong result. {error}") from error

    if "score" not in results.columns and "rank" in results.columns:
        ranks = pd.to_numeric(results["rank"], errors="coerce").to_numpy(dtype=float)
        if not np.isfinite(ranks).all():
            raise ValueError(f"{where} returned a rank that is no number. Return scores instead.")


def _list_inside(step: pt.Transformer) -> tuple[str, ...]:
    """Name the transformers that a step is made of, such as the scorer of a cache."""
    names: list[str] = []
    for inner_steps in pt.inspect.subtransformers(step).values():
        if isinstance(inner_steps, pt.Transformer):
            inner_steps = [inner_steps]
        names.extend(name_step(inner_step) for inner_step in inner_steps)
    return tuple(names)

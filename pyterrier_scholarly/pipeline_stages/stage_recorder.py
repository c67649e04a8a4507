"""Run a pipeline stage by stage, and keep what each stage returned.

::

    run = run_stages(bm25 >> (0.5 * first + second), topics)
    run.stages[1].ranking  # of bm25, which is stage 1; stage 0 is the input
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from time import perf_counter

import pandas as pd
import pyterrier as pt

from ..pipeline_walk import Branching, Operator, name_step, walk_pipeline
from ..progress import progress
from .pipeline_run import WHOLE_HEIGHT, Lane, PipelineRun, Stage, StepInput
from .stage_results import ResultForm, StageResult, read_result

INPUT_NAME = "input"


def run_stages(pipeline: pt.Transformer, topics: pd.DataFrame) -> PipelineRun:
    """Run each step of a pipeline once.

    Raises:
        ValueError: a stage returned a wrong result, see `read_result`.
    """
    recorder = StageRecorder(topics)
    with progress("stages"):
        end = walk_pipeline(pipeline, recorder.start, recorder)
    return PipelineRun(tuple(recorder.stages), tuple(recorder.step_inputs), end.frame)


@dataclass(frozen=True, eq=False)
class Position:
    """How far the walk through a pipeline has come.

    Attributes:
        frame: that the last stage on this way returned.
        number: of that stage.
        branch: names of the branches that the walk is in, the outermost first.
        lane: of the innermost branch.
    """

    frame: pd.DataFrame
    number: int
    branch: tuple[str, ...] = ()
    lane: Lane = WHOLE_HEIGHT


class StageRecorder:
    """Runs steps and keeps their results; `walk_pipeline` calls the methods.

    Attributes:
        start: the position to begin at, behind the input.
        stages: the input, and those that have run.
        step_inputs: of the steps among them.
    """

    def __init__(self, topics: pd.DataFrame) -> None:
        self.start = Position(topics, number=0)
        self.stages: list[Stage] = []
        self.step_inputs: list[StepInput] = []
        self._add_stage(topics, self.start, name=INPUT_NAME, inputs=(), seconds=0.0)

    def opens(self, operator: Operator) -> bool:
        """Walk into the branches of all operators."""
        return True

    def run_step(self, step: pt.Transformer, before: Position) -> Position:
        """Run a step on a copy of its input, because some steps edit theirs."""
        step_name = name_step(step)
        frame_before = before.frame.copy()
        start = perf_counter()
        try:
            frame = step.transform(frame_before)
        except Exception as error:
            _name_stage(error, f"In stage {len(self.stages)}, {step_name}")
            raise
        seconds = perf_counter() - start

        stage = self._add_stage(
            frame,
            before,
            name=step_name,
            inputs=(before.number,),
            seconds=seconds,
            step=step,
            inside=_name_inner_steps(step),
        )
        self.step_inputs.append(StepInput(stage.number, step, before.frame))
        return replace(before, frame=frame, number=stage.number)

    def enter_branch(self, branching: Branching, number: int, before: Position) -> Position:
        """Begin a branch, in a lane of its own."""
        height = before.lane.height / len(branching.branches)
        top = before.lane.top + number * height
        name = f"{branching.operator.value}{number + 1}"
        return replace(before, branch=(*before.branch, name), lane=Lane(top, top + height))

    def join_branches(
        self, branching: Branching, before: Position, branch_ends: Sequence[Position]
    ) -> Position:
        """Put the results of the branches together."""
        results = [end.frame for end in branch_ends]
        start = perf_counter()
        frame = branching.combine(before.frame, results)
        seconds = perf_counter() - start

        stage = self._add_stage(
            frame,
            before,
            name=branching.operator.value,
            inputs=tuple(end.number for end in branch_ends),
            seconds=seconds,
            step=branching.pipeline,
            operator=branching.operator,
        )
        return replace(before, frame=frame, number=stage.number)

    def _add_stage(
        self,
        frame: object,
        before: Position,
        *,
        name: str,
        inputs: tuple[int, ...],
        seconds: float,
        step: pt.Transformer | None = None,
        operator: Operator | None = None,
        inside: tuple[str, ...] = (),
    ) -> Stage:
        """Keep what a stage returned, and return the stage.

        before: the position in front of the step, or in front of the operator's branches.
        """
        number = len(self.stages)
        result = read_result(frame, f"stage {number}, {name}")
        is_input = number == 0
        # also an operator may repeat a ranking: `**` adds features to the one before its branches
        repeats = not is_input and _has_same_ranking(result, self.stages[before.number])

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
            repeats=repeats,
        )
        self.stages.append(stage)
        return stage


def _name_stage(error: Exception, where: str) -> None:
    """Write into an error's message in which stage it was raised; its type stays."""
    if error.args and isinstance(error.args[0], str):
        error.args = (f"{where}: {error.args[0]}", *error.args[1:])


def _name_inner_steps(step: pt.Transformer) -> tuple[str, ...]:
    """Name the transformers that a step is made of, such as the scorer of a cache."""
    names: list[str] = []
    for inner_steps in pt.inspect.subtransformers(step).values():
        if isinstance(inner_steps, pt.Transformer):
            inner_steps = [inner_steps]
        names.extend(name_step(inner_step) for inner_step in inner_steps)
    return tuple(names)


def _has_same_ranking(result: StageResult, before: Stage) -> bool:
    """Return whether a result ranks as the stage before it does; scores may differ."""
    if result.form is not ResultForm.RANKED or before.form is not ResultForm.RANKED:
        return False
    if len(result.ranking) != len(before.ranking):
        return False

    # the queries may come in another order
    columns = ["qid", "docno"]
    ranking = result.ranking.sort_values(["qid", "rank"])[columns]
    ranking_before = before.ranking.sort_values(["qid", "rank"])[columns]
    return ranking.to_numpy().tolist() == ranking_before.to_numpy().tolist()

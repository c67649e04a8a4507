"""What is kept of a pipeline's run: each stage, its result, and how stages follow each other.

::

    run.stages[1].ranking               # of the first step; stage 0 is the input
    run.find_sources(run.stages[2])     # the stages whose documents stage 2 received

Conventions: stages are numbered in the order in which they run.
"""

from dataclasses import dataclass
from typing import NamedTuple, TypeAlias

import pandas as pd
import pyterrier as pt

from ..pipeline_walk import Operator
from .stage_results import ResultForm

Pair: TypeAlias = tuple[str, str]  # a query's id and a document's


class Lane(NamedTuple):
    """Where a branch is drawn: shares of the picture's height, from the top."""

    top: float
    bottom: float

    @property
    def height(self) -> float:
        """As a share of the picture's."""
        return self.bottom - self.top


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
        ranking: of the result, see `StageResult`.
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

    def collect_pairs(self, top: int | None = None) -> set[Pair]:
        """Return the pairs of query and document, or of query and each of its first documents.

        top: how many are first; None for all. Without an order there are no first documents: then
            all are returned.
        """
        results = self.ranking
        if top is not None and self.form is ResultForm.RANKED:
            results = results[results["rank"] <= top]
        # lists, because pandas is slow to iterate over texts
        return set(zip(results["qid"].tolist(), results["docno"].tolist()))


class StepInput(NamedTuple):
    """What a step was called with, to run it once more.

    number: of its stage.
    """

    number: int
    step: pt.Transformer
    frame: pd.DataFrame


@dataclass(frozen=True, eq=False)
class PipelineRun:
    """All stages of a pipeline that has run.

    Attributes:
        stages: by number, the input first.
        step_inputs: of the steps among them, to run one again.
        result: what the last stage returned.
    """

    stages: tuple[Stage, ...]
    step_inputs: tuple[StepInput, ...]
    result: pd.DataFrame

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

    def find_sources(self, stage: Stage) -> list[Stage]:
        """Return the stages whose documents a stage received: one for a step, more for an operator.

        A stage without documents, such as a rewriter, gives way to those before it. The result is
        empty if there are none with documents.
        """
        sources = []
        for number in stage.inputs:
            source = self.stages[number]
            if source.form.has_documents:
                sources.append(source)
            else:
                sources.extend(self.find_sources(source))
        return _drop_repeated(sources)

    def find_rankings_before(self, stage: Stage) -> list[Stage]:
        """Return the rankings that a stage received: one for a step, more for an operator.

        A stage without a ranking, or that left the ranking as it was, gives way to those before it.
        The result is empty if none ranks.
        """
        rankings = []
        for number in stage.inputs:
            source = self.stages[number]
            if source.is_ranking_of_its_own:
                rankings.append(source)
            else:
                rankings.extend(self.find_rankings_before(source))
        return _drop_repeated(rankings)


def _drop_repeated(stages: list[Stage]) -> list[Stage]:
    """Return each stage once: branches may begin behind the same stage."""
    return list(dict.fromkeys(stages))

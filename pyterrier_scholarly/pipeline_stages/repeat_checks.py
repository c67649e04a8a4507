"""Compare a pipeline's own result with that of its stages, and name stages that vary.

::

    verdict = compare_with_pipeline(pipeline, topics, run)
    verdict.varying  # labels of the stages that return something else when they run again
"""

from typing import NamedTuple

import numpy as np
import pandas as pd
import pyterrier as pt

from ..progress import progress
from .pipeline_run import PipelineRun, Stage, StepInput
from .stage_results import StageResult, read_result

REPEATS = 2  # of a step that may vary: by chance, one may be equal
LARGEST_ROUNDING = 1e-6  # of two scores that count as equal, as a share of the larger


class Verdict(NamedTuple):
    """Whether a pipeline as a whole returned what its stages did, one by one.

    same: None if it was not checked.
    varying: labels of the stages that returned something else when they ran again.
    """

    same: bool | None
    varying: tuple[str, ...] = ()


NOT_CHECKED = Verdict(same=None)


def compare_with_pipeline(
    pipeline: pt.Transformer, topics: pd.DataFrame, run: PipelineRun
) -> Verdict:
    """Run a pipeline as a whole, and compare its result with that of its stages.

    Only if they differ, each step runs again on its own input, to name those that vary.
    """
    with progress("stages: the pipeline as a whole"):
        whole_result = pipeline.transform(topics.copy())
    if _are_same_frames(whole_result, run.result):
        return Verdict(same=True)

    varying = []
    for step_input in run.step_inputs:
        stage = run.stages[step_input.number]
        if _varies(step_input, stage):
            varying.append(stage.label)
    return Verdict(same=False, varying=tuple(varying))


def _are_same_frames(first: pd.DataFrame, second: pd.DataFrame) -> bool:
    """Return whether two frames have the same documents with equal scores, or equal columns."""
    first_result = read_result(first, "the pipeline")
    second_result = read_result(second, "the pipeline's stages")
    if not _are_same_documents(first_result, second_result):
        return False
    if first_result.form.has_documents:
        return True
    return set(first.columns) == set(second.columns)


def _varies(step_input: StepInput, stage: Stage) -> bool:
    """Return whether a step returns something else than its stage did, when it runs again."""
    first = StageResult(stage.form, stage.ranking)
    for _ in range(REPEATS):
        frame = step_input.step.transform(step_input.frame.copy())
        if not _are_same_documents(first, read_result(frame, stage.label)):
            return True
    return False


def _are_same_documents(first: StageResult, second: StageResult) -> bool:
    """Return whether two results have the same documents, and equal scores if they have scores."""
    if first.form is not second.form or len(first.ranking) != len(second.ranking):
        return False

    first_rows = first.ranking.sort_values(["qid", "docno"])
    second_rows = second.ranking.sort_values(["qid", "docno"])
    for column in ("qid", "docno"):
        if list(first_rows[column]) != list(second_rows[column]):
            return False
    if "score" not in first_rows.columns:
        return True

    first_scores = first_rows["score"].to_numpy(dtype=float)
    second_scores = second_rows["score"].to_numpy(dtype=float)
    return np.allclose(first_scores, second_scores, rtol=LARGEST_ROUNDING, atol=LARGEST_ROUNDING)

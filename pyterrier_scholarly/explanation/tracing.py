"""Follow one candidate's score through a pipeline.

`pipeline_walk` leads through the steps; this module says what each does to the score. A score is
the sum of its parts. Sums, factors and standardisation are linear, so each part goes through them
alone. A sum has the parts of all its branches, and a factor scales each. `ZScore` scales by one
over the pool's standard deviation and adds a part for the mean. `FacetMiss` adds its penalty.

::

    traced = follow(pipeline, Traced(topics, "674508"))
    sum(part.value for part in traced.parts)  # traced.score, but for rounding
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from functools import singledispatch
from typing import NamedTuple

import pandas as pd
import pyterrier as pt
from pyterrier._ops import ScalarProduct

from ..pipeline_walk import Branching, Operator, ignores_scores, name_step, walk_pipeline
from ..settings import shown
from ..similarity.matches import Matches
from ..step import Step
from ..transformers import FacetMiss, ZScore
from ..transformers.rescoring import measure_pool, read_represented
from .score_parts import MEAN_OF_CANDIDATES, Part, matches
from .stated_pairs import find_counted, make_parts

ROUNDING = 1e-12  # of standardised scores: a mean up to this is 0


@dataclass(frozen=True)
class Traced:
    """A query's candidates at some point of a pipeline, and the parts of one candidate's score."""

    frame: pd.DataFrame  #: all candidates
    docno: str  #: the candidate whose score is followed
    parts: tuple[Part, ...] = ()  #: of its score; none before the first scorer

    @property
    def row(self) -> pd.DataFrame:
        """The candidate's row; zero rows if it is missing."""
        if "docno" not in self.frame:
            return self.frame.iloc[:0]
        return self.frame[self.frame["docno"] == self.docno]

    @property
    def score(self) -> float | None:
        """The candidate's score, or None."""
        row = self.row
        if row.empty or "score" not in row:
            return None
        return float(row["score"].iloc[0])

    def advance(self, frame: pd.DataFrame, parts: Iterable[Part]) -> "Traced":
        """Return the point behind a step, which returned `frame` and made these parts of the score.

        A candidate without a score behind the step keeps the parts that it had before.
        """
        behind_step = replace(self, frame=frame)
        if behind_step.score is None:
            return behind_step
        return replace(behind_step, parts=tuple(parts))


class ScoreFollower:
    """What steps and sums do to a score; `walk_pipeline` calls the methods."""

    def opens(self, operator: Operator) -> bool:
        """Follow all branches of a sum; other operators are steps, whose score has no parts."""
        return operator is Operator.SUM

    def run_step(self, step: pt.Transformer, before: Traced) -> Traced:
        """Return the candidates behind a step, and the parts of the score."""
        return follow_step(step, before)

    def enter_branch(self, branching: Branching, number: int, before: Traced) -> Traced:
        """Begin each branch of a sum with the same candidates."""
        return before

    def join_branches(
        self, branching: Branching, before: Traced, branch_ends: Sequence[Traced]
    ) -> Traced:
        """Add up the scores, and put the parts of all branches together."""
        frame = branching.combine(before.frame, [end.frame for end in branch_ends])
        parts = [part for end in branch_ends for part in end.parts]
        return before.advance(frame, parts)


def follow(pipeline: pt.Transformer, start: Traced) -> Traced:
    """Run a pipeline on the candidates, and return its results with the score's parts."""
    return walk_pipeline(pipeline, start, ScoreFollower())


# --- one step: `follow_step` chooses the function by the step's class --------------------------


@singledispatch
def follow_step(step: pt.Transformer, before: Traced) -> Traced:
    """Run `step` on the candidates, and return the candidates with the score's new parts.

    Raises:
        ValueError: the step changes a score made of pairs in an unknown way, or states pairs that
            do not add up to its score.
    """
    scored = _run_step(step, before)
    score = replace(before, frame=scored.frame).score
    if score is None:  # the step returns no scores, or not this candidate
        return replace(before, frame=scored.frame, parts=())

    # a scorer that states its pairs: they are the score's new parts
    if scored.matches is not None:
        parts = make_parts(name_step(step), scored.matches, before.row, score)
        return before.advance(scored.frame, parts)

    # a step that leaves scores alone, such as a cut-off, leaves their parts, too
    if score == before.score:
        return before.advance(scored.frame, before.parts)

    # Any other step makes a new score of one part. If that depends on a score of pairs, the pairs
    # would be hidden.
    has_pairs = any(part.matches is not None for part in before.parts)
    if has_pairs and not (isinstance(step, Step) and ignores_scores(step)):
        raise ValueError(
            f"{shown(step):.120} changes scores in a way that explain does not know. It knows +, "
            "* (a number), %, FacetMiss and ZScore. Explain the pipeline before this step."
        )
    whole_score = Part(name_step(step), score)
    return before.advance(scored.frame, [whole_score])


@follow_step.register
def _follow_product(step: ScalarProduct, before: Traced) -> Traced:
    """Multiply each part of the score, as the step multiplies the score."""
    scaled_parts = [part.times(step.scalar) for part in before.parts]
    return before.advance(step(before.frame), scaled_parts)


@follow_step.register
def _follow_facet_miss(step: FacetMiss, before: Traced) -> Traced:
    """Add the penalty as a part of its own, if the candidate gets it."""
    frame_behind = step(before.frame)
    score_behind = replace(before, frame=frame_behind).score

    parts = list(before.parts)
    is_penalised = score_behind != before.score  # other candidates keep their scores
    if is_penalised:
        penalty = Part(name_step(step), -step.penalty)
        parts.append(penalty)
    return before.advance(frame_behind, parts)


@follow_step.register
def _follow_standardisation(step: ZScore, before: Traced) -> Traced:
    """Divide each part by the standard deviation of the pool, and add a part for its mean.

    A new score is score / deviation - mean / deviation; 0 if the deviation is 0.
    """
    frame = step(before.frame)
    if before.score is None:
        return before.advance(frame, ())

    pool_scores = before.frame["score"].to_numpy(dtype=float)
    pool = measure_pool(pool_scores, read_represented(before.frame))
    factor = 0.0 if pool.deviation == 0 else 1 / pool.deviation
    parts = [part.times(factor) for part in before.parts]

    offset = -pool.mean * factor
    if abs(offset) > ROUNDING:
        part_count = len(before.parts)
        of_what = before.parts[0].name if part_count == 1 else f"{part_count} parts"
        parts.append(Part(f"{MEAN_OF_CANDIDATES} of {of_what}", offset))
    return before.advance(frame, parts)


class Scored(NamedTuple):
    """What a step returned for all candidates, and what it states of the one that is followed."""

    frame: pd.DataFrame
    matches: Matches | None  #: its pairs of sentences; None if it states none


def _run_step(step: pt.Transformer, before: Traced) -> Scored:
    """Run a step, and ask it for its pairs if there are sentences."""
    row = before.row
    has_papers = {"query_paper", "query_sentence_ids", "paper"} <= set(row.columns)
    if row.empty or not has_papers or not find_counted(row):
        return Scored(step.transform(before.frame), None)

    # a scorer of ours ranks and explains in one call, so that nothing is encoded twice
    if hasattr(step, "explain_ranking"):
        frame, pairs = step.explain_ranking(before.frame, before.docno)
        return Scored(frame, pairs)
    return Scored(step.transform(before.frame), matches(step, row))

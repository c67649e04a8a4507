"""Take the scores of a sum of scorers apart, for all candidates at once.

    scored = split_scores(pipeline, topics)
    scored.parts                          # a column for each part, a row for each candidate

This is `explain`'s way through a pipeline, which follows one candidate, for whole pools: all
branches of a sum have parts, a factor scales each, `ZScore` centres and scales each, `FacetMiss`
adds its penalty. So the parts of a candidate add up to its score.
"""

from collections.abc import Sequence
from functools import singledispatch
from typing import NamedTuple

import numpy as np
import pandas as pd
import pyterrier as pt
from pyterrier._ops import Compose, ScalarProduct, Sum

from ..evaluation.checks import PAIR
from ..pipeline_walk import find_branching, ignores_scores, name_step
from ..settings import shown
from ..step import rows_by_query
from ..transformers import FacetMiss, WeightedSum, ZScore
from ..transformers.rescoring import measure_pool, read_represented

SINGLE_PRECISION = 1e-5  # how far parts may be from the score, as a share of their size


class ScoredParts(NamedTuple):
    """Candidates at some point of a pipeline, and the parts of their scores.

    frame: the candidates, as the pipeline has them there.
    parts: a row for each candidate with a score (index `qid`, `docno`), a column for each part.
    """

    frame: pd.DataFrame
    parts: pd.DataFrame

    @property
    def scores(self) -> pd.Series:
        """Scores by `qid` and `docno`; empty before the first scorer."""
        return _read_scores(self.frame)


def split_scores(pipeline: pt.Transformer, topics: pd.DataFrame) -> ScoredParts:
    """Run a pipeline on topics, and take its scores apart.

    Args:
        pipeline: from topics to scores, with a sum (``+`` or `WeightedSum`) in it.
        topics: frame of `qid`, `query`.

    Raises:
        ValueError: a pipeline without a sum, or with a step that changes the scores before it in an
            unknown way; parts that do not add up to the score.
    """
    if not has_sum(pipeline):
        raise ValueError(
            f"{shown(pipeline):.120} has no parts: expected a pipeline that adds scores, such as "
            "one_encoding(…), or two scorers with + between them."
        )
    end = follow_parts(pipeline, ScoredParts(topics, pd.DataFrame()))

    _check_totals(end)
    return end


def has_sum(pipeline: pt.Transformer) -> bool:
    """Return whether a pipeline adds scores somewhere."""
    if isinstance(pipeline, (Sum, WeightedSum)):
        return True
    if isinstance(pipeline, Compose):
        return any(has_sum(step) for step in pipeline)
    return False


def _check_totals(scored: ScoredParts) -> None:
    """Raise ValueError unless the parts of each candidate add up to its score."""
    scores = scored.scores
    totals = scored.parts.sum(axis=1)
    sizes = np.maximum(scored.parts.abs().sum(axis=1), scores.abs())
    is_off = (totals - scores).abs() > SINGLE_PRECISION * sizes
    if is_off.any():
        pair = is_off.idxmax()
        raise ValueError(
            f"The parts of {pair} add up to {totals[pair]!r}, but its score is {scores[pair]!r}: a "
            "step changes scores in a way that compare does not know. Compare the pipeline before "
            "that step."
        )


def _read_scores(frame: pd.DataFrame) -> pd.Series:
    """Return the scores of a frame of candidates by `qid` and `docno`; none before a scorer."""
    if "score" not in frame or "docno" not in frame:
        return pd.Series(dtype=float)
    return frame.set_index(PAIR)["score"].astype(float)


# --- the way through a pipeline -----------------------------------------------------------------


@singledispatch
def follow_parts(step: pt.Transformer, before: ScoredParts) -> ScoredParts:
    """Run a step on the candidates, and return them with the parts of their scores.

    Raises:
        ValueError: the step changes scores made of parts in an unknown way.
    """
    frame = step(before.frame)
    scores = _read_scores(frame)
    if scores.empty:
        return ScoredParts(frame, pd.DataFrame())

    # a step that filters or adds columns leaves scores, and so their parts, as they are
    scores_before = before.scores.reindex(scores.index)
    if not before.parts.empty and scores_before.equals(scores):
        return ScoredParts(frame, before.parts.reindex(scores.index))

    # a scorer begins anew; one part may also be changed in any way, and remains one part
    has_several_parts = len(before.parts.columns) > 1
    if has_several_parts and not ignores_scores(step):
        raise ValueError(
            f"{shown(step):.120} changes scores in a way that compare does not know. It knows +, "
            "* (a number), %, FacetMiss and ZScore. Compare the pipeline before this step."
        )
    return ScoredParts(frame, scores.to_frame(name_step(step)))


@follow_parts.register
def _follow_composition(step: Compose, before: ScoredParts) -> ScoredParts:
    """Run each step on what the one before it returned."""
    scored = before
    for inner_step in step:
        scored = follow_parts(inner_step, scored)
    return scored


@follow_parts.register(Sum)
@follow_parts.register(WeightedSum)
def _follow_sum(step: pt.Transformer, before: ScoredParts) -> ScoredParts:
    """Run all branches, and put their parts side by side."""
    branching = find_branching(step)
    assert branching is not None
    branch_ends = [follow_parts(branch, before) for branch in branching.branches]
    frame = branching.combine(before.frame, [end.frame for end in branch_ends])
    candidates = _read_scores(frame).index

    # a candidate that a branch does not rank has no score of it, which counts as 0
    parts_of_branches = [end.parts.reindex(candidates).fillna(0.0) for end in branch_ends]
    parts = pd.concat(parts_of_branches, axis=1)
    parts.columns = _number_names(list(parts.columns))
    return ScoredParts(frame, parts)


@follow_parts.register
def _follow_product(step: ScalarProduct, before: ScoredParts) -> ScoredParts:
    """Multiply each part by the number."""
    frame = step(before.frame)
    parts = before.parts.reindex(_read_scores(frame).index) * step.scalar
    return ScoredParts(frame, parts)


@follow_parts.register
def _follow_facet_miss(step: FacetMiss, before: ScoredParts) -> ScoredParts:
    """Add the penalty as a part of its own."""
    frame = step(before.frame)
    scores = _read_scores(frame)
    penalties = scores - before.scores.reindex(scores.index)
    parts_before = before.parts.reindex(scores.index)
    return ScoredParts(frame, parts_before.assign(**{name_step(step): penalties}))


@follow_parts.register
def _follow_standardisation(step: ZScore, before: ScoredParts) -> ScoredParts:
    """Centre each part on its mean over the query, and divide it as the score is divided.

    A new score is (score - mean) / deviation. With score = a + b, that is the sum of
    (a - mean of a) / deviation and (b - mean of b) / deviation.
    """
    frame = step(before.frame)
    candidates = _read_scores(frame).index
    scores = before.scores.reindex(candidates).to_numpy()
    represented = read_represented(frame)

    parts = before.parts.reindex(candidates)
    part_scores = parts.to_numpy(dtype=float)  # (candidates, parts)
    new_part_scores = np.zeros_like(part_scores)  # ZScore gives 0 without deviation
    for rows in rows_by_query(frame):
        deviation = measure_pool(scores[rows], represented[rows]).deviation
        if deviation > 0:
            means = np.average(part_scores[rows], axis=0, weights=represented[rows])
            new_part_scores[rows] = (part_scores[rows] - means) / deviation
    return ScoredParts(frame, pd.DataFrame(new_part_scores, parts.index, parts.columns))


def _number_names(names: Sequence[str]) -> list[str]:
    """Return names; number those that occurred before."""
    counts: dict[str, int] = {}
    numbered = []
    for name in names:
        counts[name] = counts.get(name, 0) + 1
        count = counts[name]
        numbered.append(name if count == 1 else f"{name} ({count})")
    return numbered

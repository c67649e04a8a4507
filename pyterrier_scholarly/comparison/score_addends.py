"""Take the scores of a sum of scorers apart, for all candidates at once.

    scored = split_scores(pipeline, topics)
    scored.parts                          # a column for each part, a row for each candidate

This is `explain`'s way through a pipeline, which follows one candidate, for whole pools: both sides
of a sum have parts, a factor scales each, `ZScore` centres and scales each, `FacetMiss` adds its
penalty. So the parts of a candidate add up to its score.
"""

from collections.abc import Sequence
from functools import singledispatch
from typing import NamedTuple

import numpy as np
import pandas as pd
import pyterrier as pt
from pyterrier._ops import Compose, ScalarProduct, Sum

from ..pipeline_walk import name_step
from ..settings import shown
from ..transformers import FacetMiss, ZScore
from ..transformers.rescoring import read_represented
from .ranked_system import PAIR

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
        if "score" not in self.frame or "docno" not in self.frame:
            return pd.Series(dtype=float)
        return self.frame.set_index(PAIR)["score"].astype(float)


def split_scores(pipeline: pt.Transformer, topics: pd.DataFrame) -> ScoredParts:
    """Run a pipeline on topics, and take its scores apart.

    Args:
        pipeline: from topics to scores, with a sum (``+``) in it.
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
    if isinstance(pipeline, Sum):
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


# --- the way through a pipeline -----------------------------------------------------------------


@singledispatch
def follow_parts(step: pt.Transformer, before: ScoredParts) -> ScoredParts:
    """Run a step on the candidates, and return them with the parts of their scores.

    Raises:
        ValueError: the step changes scores made of parts in an unknown way.
    """
    after = ScoredParts(step(before.frame), pd.DataFrame())
    scores = after.scores
    if scores.empty:
        return after

    # a step that filters or adds columns leaves scores, and so their parts, as they are
    scores_before = before.scores.reindex(scores.index)
    if not before.parts.empty and scores_before.equals(scores):
        return after._replace(parts=before.parts.reindex(scores.index))

    # a scorer begins anew; one part may also be changed in any way, and remains one part
    if len(before.parts.columns) > 1 and not _ignores_scores(step):
        raise ValueError(
            f"{shown(step):.120} changes scores in a way that compare does not know. It knows +, "
            "* (a number), %, FacetMiss and ZScore. Compare the pipeline before this step."
        )
    return after._replace(parts=scores.to_frame(name_step(step)))


@follow_parts.register
def _follow_composition(step: Compose, before: ScoredParts) -> ScoredParts:
    """Run each step on what the one before it returned."""
    scored = before
    for inner_step in step:
        scored = follow_parts(inner_step, scored)
    return scored


@follow_parts.register
def _follow_sum(step: Sum, before: ScoredParts) -> ScoredParts:
    """Run both sides, and put their parts side by side."""
    left = follow_parts(step.left, before)
    right = follow_parts(step.right, before)
    # PyTerrier adds the scores, of results that are there already
    as_left = pt.apply.generic(lambda _: left.frame)
    as_right = pt.apply.generic(lambda _: right.frame)
    frame = Sum(as_left, as_right)(before.frame)

    after = ScoredParts(frame, pd.DataFrame())
    index = after.scores.index
    # a candidate that one side does not rank has no score of it, which counts as 0
    sides = [left.parts.reindex(index).fillna(0.0), right.parts.reindex(index).fillna(0.0)]
    parts = pd.concat(sides, axis=1)
    parts.columns = _number_names(list(parts.columns))
    return after._replace(parts=parts)


@follow_parts.register
def _follow_product(step: ScalarProduct, before: ScoredParts) -> ScoredParts:
    """Multiply each part by the number."""
    after = ScoredParts(step(before.frame), pd.DataFrame())
    parts = before.parts.reindex(after.scores.index) * step.scalar
    return after._replace(parts=parts)


@follow_parts.register
def _follow_facet_miss(step: FacetMiss, before: ScoredParts) -> ScoredParts:
    """Add the penalty as a part of its own."""
    after = ScoredParts(step(before.frame), pd.DataFrame())
    scores = after.scores
    penalties = scores - before.scores.reindex(scores.index)
    parts = before.parts.reindex(scores.index)
    return after._replace(parts=parts.assign(**{name_step(step): penalties}))


@follow_parts.register
def _follow_standardisation(step: ZScore, before: ScoredParts) -> ScoredParts:
    """Centre each part on its mean over the query, and divide it as the score is divided."""
    after = ScoredParts(step(before.frame), pd.DataFrame())
    scores = after.scores
    represented = pd.Series(read_represented(after.frame), index=scores.index)
    represented_by_query = represented.groupby("qid").transform("sum")

    def average(values: pd.Series) -> pd.Series:
        """Return the mean over each query's candidates, on each of their rows."""
        return (values * represented).groupby("qid").transform("sum") / represented_by_query

    scores_before = before.scores.reindex(scores.index)
    scores_of_query = scores_before.groupby("qid")
    is_constant = scores_of_query.transform("max") == scores_of_query.transform("min")
    variances = average((scores_before - average(scores_before)) ** 2)
    factors = 1 / np.sqrt(variances.where(~is_constant))
    factors = factors.fillna(0.0)  # ZScore gives equal scores 0

    parts = before.parts.reindex(scores.index)
    centred = parts - parts.apply(average)
    return after._replace(parts=centred.mul(factors, axis=0))


def _ignores_scores(step: pt.Transformer) -> bool:
    """Return whether a step's scores do not depend on those before: it requires no `score`."""
    inputs = pt.inspect.transformer_inputs(step, strict=False) or [["score"]]
    return all("score" not in columns for columns in inputs)


def _number_names(names: Sequence[str]) -> list[str]:
    """Return names; number those that occurred before."""
    counts: dict[str, int] = {}
    numbered = []
    for name in names:
        counts[name] = counts.get(name, 0) + 1
        count = counts[name]
        numbered.append(name if count == 1 else f"{name} ({count})")
    return numbered

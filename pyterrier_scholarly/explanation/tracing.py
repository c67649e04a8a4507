"""Follow one candidate's score through a pipeline.

A score is the sum of its parts. Operators and standardisation are linear, so each part goes through
them alone. A sum has both sides' parts, and a factor scales each. `ZScore` scales by one over the
pool's standard deviation and adds a part for the pool's mean. `FacetMiss` adds its penalty.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from functools import singledispatch

import pandas as pd
import pyterrier as pt
from pyterrier._ops import Compose, ScalarProduct, Sum

from ..similarity.contributions import Matches
from ..transformers import FacetMiss, ZScore
from ..transformers.step import Step
from .parts import Part, Traced, matches, name_of, remembering

ROUNDING = 1e-12  # a mean of standardised scores up to this is 0


@singledispatch
def follow(step: pt.Transformer, before: Traced) -> Traced:
    """Run `step` on the candidates, and return the candidates with the score's new parts.

    Raises:
        ValueError: the step changes a score made of pairs in an unknown way.
    """
    scorer = remembering(step)
    after = replace(before, frame=scorer.transform(before.frame), parts=())
    if after.score is None:
        return after
    row = before.row
    has_pairs = len(row) and "sentences" in row and len(row["sentences"].iloc[0])
    pairs = matches(scorer, row) if has_pairs else None
    if pairs is not None:
        return after.then(after.frame, _parts(step, pairs, row))
    if after.score == before.score:
        return after.then(after.frame, before.parts)
    if any(part.matches for part in before.parts) and not _ignores_scores(step):
        raise ValueError(
            f"{step!r:.120} changes scores in a way that explain does not know. It knows +, "
            "* (a number), %, FacetMiss and ZScore. Explain the pipeline before this step."
        )
    return after.then(after.frame, [Part(name_of(step), after.score)])


@follow.register
def _(step: Compose, before: Traced) -> Traced:
    for one in step:
        before = follow(one, before)
    return before


@follow.register
def _(step: Sum, before: Traced) -> Traced:
    sides = [follow(side, before) for side in (step.left, step.right)]
    frames = [pt.apply.generic(lambda _, side=side: side.frame) for side in sides]
    return before.then(Sum(*frames)(before.frame), [part for side in sides for part in side.parts])


@follow.register
def _(step: ScalarProduct, before: Traced) -> Traced:
    return before.then(step(before.frame), [part.times(step.scalar) for part in before.parts])


@follow.register
def _(step: FacetMiss, before: Traced) -> Traced:
    after = replace(before, frame=step(before.frame))
    penalty = [Part(name_of(step), -step.penalty)] if after.score != before.score else []
    return before.then(after.frame, [*before.parts, *penalty])


@follow.register
def _(step: ZScore, before: Traced) -> Traced:
    after = step(before.frame)
    if before.score is None:
        return before.then(after, ())
    pool = before.frame["score"].to_numpy(dtype=float)
    factor = 0.0 if pool.min() == pool.max() else 1 / pool.std()
    names = before.parts[0].name if len(before.parts) == 1 else f"{len(before.parts)} parts"
    mean = Part(f"ZScore: mean of {names}", -pool.mean() * factor)
    scaled = [part.times(factor) for part in before.parts]
    return before.then(after, [*scaled, mean] if abs(mean.value) > ROUNDING else scaled)


def steps(pipeline: pt.Transformer) -> Iterator[pt.Transformer]:
    """Yield the steps of a pipeline, in the order in which they run."""
    inner: Iterable[pt.Transformer] = ()
    if isinstance(pipeline, Compose):
        inner = pipeline
    elif isinstance(pipeline, Sum):
        inner = (pipeline.left, pipeline.right)
    else:
        yield pipeline
    for step in inner:
        yield from steps(step)


def _parts(step: pt.Transformer, pairs: Matches, row: pd.DataFrame) -> list[Part]:
    """Return a scorer's pairs, and the rest of its score that belongs to no pair."""
    name = name_of(step)
    value = float((pairs.weights * pairs.similarities).sum())
    rest = [Part(f"{name}: {reason}", extra) for reason, extra in pairs.rest.items()]
    return [Part(name, value, pairs, row), *rest]


def _ignores_scores(step: pt.Transformer) -> bool:
    """Return whether a step's scores do not depend on those before: it requires no `score`."""
    if not isinstance(step, Step):
        return False
    needed: Sequence[list[str]] = pt.inspect.transformer_inputs(step, strict=False) or [["score"]]
    return all("score" not in columns for columns in needed)

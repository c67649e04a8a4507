"""Following one candidate's score through a pipeline, from what adds to it to where it ends.

A score is kept as the sum of its parts. Operators and standardisation are linear, so that parts go
through them one by one: a sum has both sides' parts, a factor scales each, `ZScore` scales by one
over the pool's standard deviation and adds a part for the pool's mean, `FacetMiss` takes its
penalty off.
"""

from dataclasses import replace
from functools import singledispatch

import pyterrier as pt
from pyterrier._ops import Compose, ScalarProduct, Sum

from ..transformers import FacetMiss, ZScore
from ..transformers.step import Step
from ._traced import Part, Traced, name_of
from .scorers import matches, remembering

ROUNDING = 1e-12  # what a mean of standardised scores is, instead of 0


@singledispatch
def follow(step, before: Traced) -> Traced:
    """Run `step` on the candidates, and say what the score is made of behind it.

    Raises:
        ValueError: it changes a score made of pairs in a way that is not known.
    """
    scorer = remembering(step)
    after = replace(before, frame=scorer.transform(before.frame), parts=())
    if after.score is None:
        return after
    row = before.row
    has_pairs = len(row) and "sentences" in row and len(row["sentences"].iloc[0])
    found = matches(scorer, row) if has_pairs else None
    if found is not None:
        return after.then(after.frame, _parts(step, found, row))
    if after.score == before.score:
        return after.then(after.frame, before.parts)
    if any(part.matches for part in before.parts) and not _starts_anew(step):
        raise ValueError(
            f"{step!r:.120} changes scores in a way that explain does not know: it follows +, "
            "* (a number), %, FacetMiss and ZScore. Explain the pipeline before this step."
        )
    return after.then(after.frame, [Part(name_of(step), after.score)])


@follow.register
def _(step: Compose, before):
    for one in step:
        before = follow(one, before)
    return before


@follow.register
def _(step: Sum, before):
    sides = [follow(side, before) for side in (step.left, step.right)]
    given = [pt.apply.generic(lambda _, side=side: side.frame) for side in sides]
    return before.then(Sum(*given)(before.frame), [part for side in sides for part in side.parts])


@follow.register
def _(step: ScalarProduct, before):
    return before.then(step(before.frame), [part.times(step.scalar) for part in before.parts])


@follow.register
def _(step: FacetMiss, before):
    after = replace(before, frame=step(before.frame))
    if after.score is None or after.score == before.score:
        return before.then(after.frame, before.parts)
    return before.then(after.frame, [*before.parts, Part(name_of(step), -step.penalty)])


@follow.register
def _(step: ZScore, before):
    after = step(before.frame)
    if before.score is None:
        return before.then(after, ())
    pool = before.frame["score"].to_numpy(dtype=float)
    factor = 0.0 if pool.min() == pool.max() else 1 / pool.std()
    mean = Part(f"ZScore: mean of {_of(before.parts)}", -pool.mean() * factor)
    scaled = [part.times(factor) for part in before.parts]
    return before.then(after, [*scaled, mean] if abs(mean.value) > ROUNDING else scaled)


def steps(pipeline):
    """The steps of a pipeline, in the order in which they run."""
    if isinstance(pipeline, Compose):
        inner = pipeline
    elif isinstance(pipeline, Sum):
        inner = (pipeline.left, pipeline.right)
    else:
        yield pipeline
        return
    for step in inner:
        yield from steps(step)


def _parts(step, found, row):
    """The pairs of a scorer, and what of its score belongs to no pair."""
    name = name_of(step)
    pairs = float((found.weights * found.similarities).sum())
    rest = [Part(f"{name}: {what}", value) for what, value in found.rest.items()]
    return [Part(name, pairs, found, row), *rest]


def _of(parts):
    return parts[0].name if len(parts) == 1 else f"{len(parts)} parts"


def _starts_anew(step):
    """Whether a step's scores do not depend on those before: it does not ask for them."""
    if not isinstance(step, Step):
        return False
    needed = pt.inspect.transformer_inputs(step, strict=False) or [["score"]]
    return all("score" not in columns for columns in needed)

"""Follow one candidate's score through a pipeline.

A score is the sum of its parts. Operators and standardisation are linear, so each part goes through
them alone. A sum has both sides' parts, and a factor scales each. `ZScore` scales by one over the
pool's standard deviation and adds a part for the pool's mean. `FacetMiss` adds its penalty.
"""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import singledispatch

import numpy as np
import pandas as pd
import pyterrier as pt
from pyterrier._ops import Compose, ScalarProduct, Sum

from ..settings import shown
from ..similarity.contributions import COSINE, Matches
from ..transformers import FacetMiss, ZScore
from ..transformers.step import Step
from .paper_sentences import has_sentences, ids_of
from .score_parts import Part, Traced, matches, name_of

ROUNDING = 1e-12  # a mean of standardised scores up to this is 0
#: how far a sum of parts may be from the score, as a share of their size
EXACT, SINGLE_PRECISION = 1e-9, 1e-5


@singledispatch
def follow(step: pt.Transformer, before: Traced) -> Traced:
    """Run `step` on the candidates, and return the candidates with the score's new parts.

    Raises:
        ValueError: the step changes a score made of pairs in an unknown way, or states pairs that
            do not add up to its score.
    """
    frame, pairs = _run(step, before)
    after = replace(before, frame=frame, parts=())
    if after.score is None:
        return after
    if pairs is not None:
        return after.then(frame, _make_parts(step, pairs, before.row, after.score))
    if after.score == before.score:
        return after.then(frame, before.parts)
    if any(part.matches for part in before.parts) and not _ignores_scores(step):
        raise ValueError(
            f"{shown(step):.120} changes scores in a way that explain does not know. It knows +, "
            "* (a number), %, FacetMiss and ZScore. Explain the pipeline before this step."
        )
    return after.then(frame, [Part(name_of(step), after.score)])


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
    if isinstance(pipeline, (Compose, Sum)):
        for step in (pipeline.left, pipeline.right) if isinstance(pipeline, Sum) else pipeline:
            yield from steps(step)
    else:
        yield pipeline


def _run(step: pt.Transformer, before: Traced) -> tuple[pd.DataFrame, Matches | None]:
    """Run a step; return the candidates, and the pairs of a scorer that explains itself."""
    row = before.row
    if not has_sentences(row):
        return step.transform(before.frame), None
    if hasattr(step, "explain_ranking"):  # ours; it encodes nothing twice
        return step.explain_ranking(before.frame, before.docno)
    return step.transform(before.frame), matches(step, row)


def _make_parts(
    step: pt.Transformer, pairs: Matches, row: pd.DataFrame, score: float
) -> list[Part]:
    """Return a scorer's pairs, and the rest of its score that belongs to no pair."""
    name = name_of(step)
    pairs = _settle(name, _check_matches(name, pairs, row), score)
    whole = Part(name, float((pairs.weights * pairs.similarities).sum()), pairs, row=row)
    return [whole, *(Part(f"{name}: {reason}", extra) for reason, extra in pairs.rest.items())]


def _check_matches(name: str, pairs: Matches, row: pd.DataFrame) -> Matches:
    """Return what a scorer explained, as arrays of the right types.

    Raises:
        TypeError: it is no `Matches`.
        ValueError: not a row per sentence of the query, and a column per one of the document.
    """
    if not isinstance(pairs, Matches):
        raise TypeError(
            f"{name}: its method `explained` returned {type(pairs).__name__}; expected "
            "pyterrier_scholarly.explanation.Matches."
        )
    pairs = pairs._replace(
        similarities=np.asarray(pairs.similarities, dtype=np.float64),
        weights=np.asarray(pairs.weights, dtype=np.float64),
        matched=np.asarray(pairs.matched, dtype=bool),
    )
    columns = ids_of(row, "document") if pairs.columns is None else pairs.columns
    expected = len(ids_of(row, "query")), len(columns)
    for what in ("similarities", "weights", "matched"):
        shape = getattr(pairs, what).shape
        if shape != expected:
            raise ValueError(
                f"{name}: its method `explained` returned {what} of shape {shape}; expected "
                f"{expected}, a row for each sentence of the query that asks and a column for each "
                "of the document."
            )
    return pairs


def _settle(name: str, pairs: Matches, score: float) -> Matches:
    """Return pairs that add up to the score, where they differ from it by rounding alone.

    A scorer that computes in single precision rounds differently for a whole pool than for one
    pair. The weights take up that difference, in about their seventh digit.

    Raises:
        ValueError: the difference is no rounding.
    """
    difference = score - pairs.score
    contributions = pairs.weights * pairs.similarities
    size = abs(contributions).sum() + sum(map(abs, pairs.rest.values()))
    tolerance = EXACT * max(size, abs(score))
    if score == float(np.float32(score)):
        # a small cosine is rounded as a large one is: relative to 1
        largest = max(abs(pairs.similarities).max(), 1.0 if pairs.unit == COSINE else 0.0)
        size = max(size, abs(score), abs(pairs.weights).sum() * largest)
        tolerance = SINGLE_PRECISION * size
    if not abs(difference) <= tolerance:
        raise ValueError(
            f"{name}: the pairs and the rest that its method `explained` returned add up to "
            f"{pairs.score!r}, but its score is {score!r}: a difference of {difference:.3g}. "
            "`Matches` must hold the whole score: (weights * similarities).sum() and, for what "
            "belongs to no pair of sentences, rest={'why': …}."
        )

    similarities = np.where(pairs.weights != 0, pairs.similarities, 0.0)
    squares = (similarities**2).sum()
    if not squares:
        return pairs
    return pairs._replace(weights=pairs.weights + difference * similarities / squares)


def _ignores_scores(step: pt.Transformer) -> bool:
    """Return whether a step's scores do not depend on those before: it requires no `score`."""
    needed: Sequence[list[str]] = pt.inspect.transformer_inputs(step, strict=False) or [["score"]]
    return isinstance(step, Step) and all("score" not in columns for columns in needed)

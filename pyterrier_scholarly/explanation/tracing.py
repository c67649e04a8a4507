"""Follow one candidate's score through a pipeline.

A score is the sum of its parts. Operators and standardisation are linear, so each part goes through
them alone. A sum has both sides' parts, and a factor scales each. `ZScore` scales by one over the
pool's standard deviation and adds a part for the pool's mean. `FacetMiss` adds its penalty.
"""

from collections.abc import Callable, Hashable, Iterable, Iterator, Sequence
from dataclasses import is_dataclass, replace
from functools import partial, singledispatch
from typing import Any

import numpy as np
import pandas as pd
import pyterrier as pt
from pyterrier._ops import Compose, ScalarProduct, Sum

from ..encoders import Encoder, PassageEncoder, vectors
from ..similarity.contributions import Matches
from ..transformers import FacetMiss, ZScore
from ..transformers.step import Step
from .parts import Part, Traced, matches, name_of

ROUNDING = 1e-12  # a mean of standardised scores up to this is 0


@singledispatch
def follow(step: pt.Transformer, before: Traced) -> Traced:
    """Run `step` on the candidates, and return the candidates with the score's new parts.

    Raises:
        ValueError: the step changes a score made of pairs in an unknown way.
    """
    scorer = _remembering(step)
    after = replace(before, frame=scorer.transform(before.frame), parts=())
    if after.score is None:
        return after
    row = before.row
    has_sentences = len(row) and "sentences" in row and len(row["sentences"].iloc[0])
    if has_sentences and (pairs := matches(scorer, row)) is not None:
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
    if isinstance(pipeline, (Compose, Sum)):
        for step in (pipeline.left, pipeline.right) if isinstance(pipeline, Sum) else pipeline:
            yield from steps(step)
    else:
        yield pipeline


def _parts(step: pt.Transformer, pairs: Matches, row: pd.DataFrame) -> list[Part]:
    """Return a scorer's pairs, and the rest of its score that belongs to no pair."""
    name = name_of(step)
    whole = Part(name, float((pairs.weights * pairs.similarities).sum()), pairs, row=row)
    return [whole, *(Part(f"{name}: {reason}", extra) for reason, extra in pairs.rest.items())]


def _ignores_scores(step: pt.Transformer) -> bool:
    """Return whether a step's scores do not depend on those before: it requires no `score`."""
    needed: Sequence[list[str]] = pt.inspect.transformer_inputs(step, strict=False) or [["score"]]
    return isinstance(step, Step) and all("score" not in columns for columns in needed)


def _remembering(scorer: pt.Transformer) -> pt.Transformer:
    """Return the scorer with an encoder that reuses its own embeddings; other steps unchanged."""
    if not (isinstance(scorer, Step) and is_dataclass(scorer) and hasattr(scorer, "encoder_used")):
        return scorer
    encoder = scorer.encoder_used()
    kind = _RememberedPassages if isinstance(encoder, PassageEncoder) else _RememberedTexts
    return replace(scorer, encoder=kind(encoder))


def _recalled(encode: Callable[[list], Iterable[np.ndarray]]) -> Callable[..., list[np.ndarray]]:
    """Return `encode` as a function that encodes only what is new.

    A model's embedding of a text differs by rounding with the batch that the text is in. To encode
    a pair again would explain a slightly different score.
    """
    known: dict[Hashable, np.ndarray] = {}

    def recall(items: Sequence[Hashable]) -> list[np.ndarray]:
        if new := [item for item in dict.fromkeys(items) if item not in known]:
            known.update(zip(new, encode(new)))
        return [known[item] for item in items]

    return recall


class _RememberedTexts:
    """An `Encoder` over another; the few sparse vectors become dense."""

    def __init__(self, encoder: Encoder) -> None:
        self.symmetric = getattr(encoder, "symmetric", False)
        self.encode_queries = _recalled(partial(vectors, encoder.encode_queries))
        own = _recalled(partial(vectors, encoder.encode_documents))
        self.encode_documents = self.encode_queries if self.symmetric else own


class _RememberedPassages:
    """A `PassageEncoder` over another."""

    def __init__(self, encoder: Any) -> None:
        self._encoder = encoder
        self.encode_passages = _recalled(encoder.encode_passages)

    @property
    def dimensions(self) -> int:
        """D of the embeddings, if the encoder states it."""
        return self._encoder.dimensions

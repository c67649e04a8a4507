"""The parts of a score at one point of a pipeline, and the pairs of sentences behind them."""

from collections.abc import Callable, Hashable, Iterable, Sequence
from dataclasses import Field, dataclass, fields, is_dataclass, replace
from functools import partial
from typing import Any

import numpy as np
import pandas as pd
import pyterrier as pt

from ..encoders import Encoder, PassageEncoder, vectors
from ..settings import comparable
from ..settings import shown as setting
from ..similarity.contributions import Matches
from ..transformers.step import Step

HIDDEN = ("encoder", "dataset", "batch_size", "batch_tokens")  # settings that a part's name omits
ALWAYS = ("context", "aggregate", "method")  # settings that it shows even if they are defaults


@dataclass(frozen=True)
class Part:
    """Something that adds to a score.

    Attributes:
        name: of the step that computed it.
        value: its whole contribution.
        matches: the pairs behind it (`Matches`), or None.
        row: the scorer's input, a frame of one row, if there are pairs.
    """

    name: str
    value: float
    matches: Matches | None = None
    row: pd.DataFrame | None = None

    def times(self, factor: float) -> "Part":
        """Return the same part of a multiplied score."""
        scaled = self.matches
        if scaled is not None:
            scaled = scaled._replace(weights=scaled.weights * factor)
        return replace(self, value=self.value * factor, matches=scaled)


@dataclass(frozen=True)
class Traced:
    """A query's candidates at some point of a pipeline, and the parts of one candidate's score."""

    frame: pd.DataFrame
    docno: str
    parts: tuple[Part, ...] = ()

    @property
    def row(self) -> pd.DataFrame:
        """The candidate's row; zero rows if it is missing."""
        frame = self.frame
        return frame[frame["docno"] == self.docno] if "docno" in frame else frame.iloc[:0]

    @property
    def score(self) -> float | None:
        """The candidate's score, or None."""
        row = self.row
        return float(row["score"].iloc[0]) if len(row) and "score" in row else None

    def then(self, frame: pd.DataFrame, parts: Iterable[Part]) -> "Traced":
        """Return the next point; a missing candidate has no parts."""
        after = replace(self, frame=frame)
        return after if after.score is None else replace(after, parts=tuple(parts))


def name_of(step: object) -> str:
    """Name a step in a part: its class, and the settings that differ from the defaults."""
    if not (isinstance(step, Step) and is_dataclass(step)):
        return f"{step!r:.60}"
    shown = [
        f"{field.name}={setting(getattr(step, field.name))}"
        for field in fields(step)
        if field.compare
        and field.name not in HIDDEN
        and (field.name in ALWAYS or _differs(step, field))
    ]
    return f"{type(step).__name__}({', '.join(shown)})"


def _differs(step: Any, field: Field) -> bool:
    return comparable(getattr(step, field.name)) != comparable(field.default)


def matches(scorer: pt.Transformer, row: pd.DataFrame) -> Matches | None:
    """Return what each pair of sentences adds to the score that `scorer` gives a row.

    A scorer, also one of your own, states it in a method `explained(row)`.

    Args:
        scorer: a transformer; one without that method has no pairs.
        row: frame of the one row to score, with the columns `query_sentences` (m of them) and
            `sentences` (n).

    Returns:
        `similarity.contributions.Matches` of m and n sentences; None without pairs.
    """
    explained = getattr(scorer, "explained", None)
    return explained(row) if explained else None


def remembering(scorer: pt.Transformer) -> pt.Transformer:
    """Return the scorer with an encoder that reuses its own embeddings; other steps unchanged."""
    if not (isinstance(scorer, Step) and is_dataclass(scorer) and hasattr(scorer, "encoder_used")):
        return scorer
    encoder = scorer.encoder_used()
    kind = RememberedPassages if isinstance(encoder, PassageEncoder) else RememberedTexts
    return replace(scorer, encoder=kind(encoder))


class Recall:
    """Call `encode` with new items only.

    A model's embedding of a text differs by rounding with the batch that the text is in. To encode
    a pair again would explain a slightly different score.
    """

    def __init__(self, encode: Callable[[list], Iterable[np.ndarray]]) -> None:
        self._encode = encode
        self._known: dict[Hashable, np.ndarray] = {}

    def __call__(self, items: Sequence[Hashable]) -> list[np.ndarray]:
        """Return one array for each of `items`."""
        new = [item for item in dict.fromkeys(items) if item not in self._known]
        if new:
            self._known.update(zip(new, self._encode(new)))
        return [self._known[item] for item in items]


class RememberedTexts:
    """An `Encoder` over another; the few sparse vectors become dense."""

    def __init__(self, encoder: Encoder) -> None:
        self.symmetric = getattr(encoder, "symmetric", False)
        self.encode_queries = self.encode_documents = Recall(
            partial(vectors, encoder.encode_queries)
        )
        if not self.symmetric:
            self.encode_documents = Recall(partial(vectors, encoder.encode_documents))


class RememberedPassages:
    """A `PassageEncoder` over another."""

    def __init__(self, encoder: Any) -> None:
        self._encoder = encoder
        self.encode_passages = Recall(encoder.encode_passages)

    @property
    def dimensions(self) -> int:
        """D of the embeddings, if the encoder states it."""
        return self._encoder.dimensions

"""The parts of a score: at a point of a pipeline, by pairs of sentences, as bars and heat maps."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, fields, is_dataclass, replace
from typing import Any, TypeAlias

import numpy as np
import pandas as pd
import pyterrier as pt

from ..arguments import check_arguments
from ..settings import comparable, shown
from ..similarity.contributions import Matches
from ..transformers.step import Step

HIDDEN = ("encoder", "dataset", "batch_size", "batch_tokens")  # settings that a part's name omits
ALWAYS = ("context", "aggregate", "method")  # settings that it shows even if they are defaults
Values: TypeAlias = dict[str, Any]  #: of a pair, a row or a heat map, by name
LIGHT, DARK = np.array([237, 244, 251]), np.array([8, 64, 129])  # the ends of page.css's scale
BRIGHT = 0.68  # position on the scale where white is as legible as black


@dataclass(frozen=True)
class Part:
    """Something that adds to a score.

    Attributes:
        name: of the step that computed it.
        value: its whole contribution.
        matches: the pairs behind it (`Matches`), or None.
        asked: ids of the query's m sentences: their positions in its paper, from 0.
        offered: ids of the document's n sentences.
        row: the scorer's input, a frame of one row, if there are pairs, before ids are known.
    """

    name: str
    value: float
    matches: Matches | None = None
    asked: tuple[int, ...] = ()
    offered: tuple[int, ...] = ()
    row: pd.DataFrame | None = None

    @property
    def matrix(self) -> pd.DataFrame:
        """Similarities, a frame (m, n) by the sentences' ids; of a part with pairs."""
        assert self.matches is not None
        return pd.DataFrame(
            self.matches.similarities,
            index=pd.Index(self.asked, name="query_sentence_id"),
            columns=pd.Index(self.offered, name="sentence_id"),
        )

    def times(self, factor: float) -> "Part":
        """Return the same part of a multiplied score."""
        pairs = self.matches
        if pairs is not None:
            pairs = pairs._replace(weights=pairs.weights * factor)
        return replace(self, value=self.value * factor, matches=pairs)


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
        return f"{shown(step):.60}"
    settings = []
    for field in fields(step):
        value = getattr(step, field.name)
        is_default = comparable(value) == comparable(field.default)
        if not field.compare or field.name in HIDDEN:
            continue
        if field.name in ALWAYS or not is_default:
            settings.append(f"{field.name}={shown(value)}")
    return f"{type(step).__name__}({', '.join(settings)})"


@check_arguments
def matches(scorer: pt.Transformer, row: pd.DataFrame) -> Matches | None:
    """Return what each pair of sentences adds to the score that `scorer` gives a row, or None.

    A scorer, also one of your own, states it in a method `explained(row)`, which returns `Matches`.
    One without that method has no pairs.

    Args:
        scorer: a transformer.
        row: frame of the one row to score, with the columns `query_sentences` and `sentences`.
    """
    return scorer.explained(row) if hasattr(scorer, "explained") else None


def bars(parts: Sequence[Part]) -> list[dict[str, object]]:
    """Return each part's name and value, and its bar's left end and width in percent."""
    values = [part.value for part in parts]
    low = min(0, *values)
    percent = 100 / ((max(0, *values) - low) or 1)
    return [
        {
            "name": part.name,
            "value": part.value,
            "left": percent * (min(part.value, 0) - low),
            "width": percent * abs(part.value),
        }
        for part in parts
    ]


def heat_maps(parts: Iterable[Part]) -> list[Values]:
    """Return one heat map for all parts with equal similarities."""
    maps: list[Values] = []
    for part in parts:
        if part.matches is None:
            continue
        known = next((one for one in maps if one["matrix"].equals(part.matrix)), None)
        if known is None:
            maps.append(_heat_map(part, part.matches))
        else:
            known["names"].append(part.name)
    return maps


def _heat_map(part: Part, matches: Matches) -> Values:
    values = matches.similarities
    low, high = values.min(), values.max()
    scale = {"unit": matches.unit, "low": low, "high": high, "columns": part.offered}
    rows = [
        {
            "number": asked,
            "cells": [_cell(*cell, n == own.argmax()) for n, cell in enumerate(zip(own, at))],
        }
        for asked, own, at in zip(part.asked, values, (values - low) / ((high - low) or 1))
    ]
    return {"names": [part.name], "matrix": part.matrix, "rows": rows, **scale}


def _cell(value: float, position: float, best: bool) -> dict[str, object]:
    red, green, blue = (LIGHT + (DARK - LIGHT) * position).astype(int)
    ink = "#fff" if position > BRIGHT else "#000"
    return {"value": value, "fill": f"rgb({red} {green} {blue})", "ink": ink, "best": best}

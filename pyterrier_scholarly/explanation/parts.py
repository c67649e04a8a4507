"""The parts of a score, the pairs of sentences behind them, and one point of a pipeline."""

from collections.abc import Iterable
from dataclasses import Field, dataclass, fields, is_dataclass, replace
from typing import Any

import pandas as pd
import pyterrier as pt

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
        matches: the pairs behind it (`similarity.contributions.Matches`), or None.
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
        rows = pd.Index(self.asked, name="query_sentence_id")
        columns = pd.Index(self.offered, name="sentence_id")
        return pd.DataFrame(self.matches.similarities, rows, columns)

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

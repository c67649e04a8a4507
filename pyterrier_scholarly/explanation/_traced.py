"""What is known of a score at one point of a pipeline: its parts, by name."""

from dataclasses import dataclass, fields, replace

import pandas as pd

from ..settings import comparable
from ..settings import shown as setting
from ..similarity.contributions import Matches
from ..transformers.step import Step

HIDDEN = ("encoder", "dataset", "batch_size", "batch_tokens")  # settings that a part's name omits
TOLD = ("context", "aggregate", "method")  # settings that it tells even where they are defaults


@dataclass(frozen=True)
class Part:
    """Something that adds to a score.

    Attributes:
        name: of the step that made it.
        value: what it adds, all in all.
        matches: the pairs behind it (`Matches`), or None.
        row: what the scorer saw, a frame of one row, where there are pairs.
    """

    name: str
    value: float
    matches: Matches | None = None
    row: pd.DataFrame | None = None

    def times(self, factor):
        """The same part of a score that was multiplied."""
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
    def row(self):
        """The candidate's row (a frame), or no row where it is not there."""
        frame = self.frame
        return frame[frame["docno"] == self.docno] if "docno" in frame else frame.iloc[:0]

    @property
    def score(self):
        """The candidate's score, or None."""
        row = self.row
        return float(row["score"].iloc[0]) if len(row) and "score" in row else None

    def then(self, frame, parts):
        """The next point; a candidate that is gone has no parts."""
        after = replace(self, frame=frame)
        return after if after.score is None else replace(after, parts=tuple(parts))


def name_of(step) -> str:
    """What a step is called among parts: its class and the settings that tell it from others."""
    if not isinstance(step, Step):
        return f"{step!r:.60}"
    shown = [
        f"{field.name}={setting(getattr(step, field.name))}"
        for field in fields(step)
        if field.compare
        and field.name not in HIDDEN
        and (field.name in TOLD or _differs(step, field))
    ]
    return f"{type(step).__name__}({', '.join(shown)})"


def _differs(step, field):
    return comparable(getattr(step, field.name)) != comparable(field.default)

"""What a table of a paper holds: the figures, and what is told about them.

`table` has the table that users get, whose writers read this.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import pandas as pd

from ..evaluation.checks import RunCheck
from ..protocols import Protocol


@dataclass(frozen=True, eq=False, repr=False)
class TableData:
    """Printed rows, rows of this run, and what is told about them: see `PaperTable`."""

    dataset: str
    table: str
    protocol: Protocol
    columns: pd.DataFrame
    figures: pd.DataFrame
    comparisons: pd.DataFrame
    systems: pd.DataFrame
    checks: Mapping[str, RunCheck]
    runs: Mapping[str, pd.DataFrame]
    baselines: Sequence[str]
    corrected: str
    resamples: int
    notes: Sequence[str] = ()

    @property
    def baseline(self) -> str:
        """The name of the first baseline."""
        return self.baselines[0]

    @property
    def title(self) -> str:
        """The collection's name and the table's number."""
        title = self.protocol.title
        return f"{title}, table {self.table}" if self.table else title

    @property
    def full_title(self) -> str:
        """The title, and in parentheses the dataset if it has another name."""
        return self.title if self.title == self.dataset else f"{self.title} ({self.dataset})"

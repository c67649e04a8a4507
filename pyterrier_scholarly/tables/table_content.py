"""What a table holds: figures, columns and remarks, before they are written as a page or a text.

A `PaperTable` is a `TableContent` with methods that write it. Writers take a `TableContent`::

    def write_names(table: TableContent) -> str:
        return ", ".join(table.figures["name"].unique())
"""

from dataclasses import dataclass

import pandas as pd

from ..protocols import protocol_of

# values of column `source` of figures
PUBLISHED = "published"
OWN = "this run"

# signs behind a figure
DIFFERS = "†"  # from the baseline's, significantly
UNANSWERED = "‡"  # some of the column's queries have no results


@dataclass(frozen=True, eq=False, repr=False)
class TableContent:
    """Printed rows, rows of this run, and remarks; `PaperTable` describes the fields."""

    dataset: str
    table: str
    columns: pd.DataFrame
    figures: pd.DataFrame
    systems: pd.DataFrame
    remarks: tuple[str, ...]
    baseline: str
    decimals: int = 2

    @property
    def title(self) -> str:
        """The collection's name and the table's number."""
        protocol = protocol_of(self.dataset)
        name = self.dataset if protocol is None else protocol.title
        return f"{name}, table {self.table}" if self.table else name

    @property
    def full_title(self) -> str:
        """The title, and in parentheses the dataset if it has another name."""
        if self.title == self.dataset:
            return self.title
        return f"{self.title} ({self.dataset})"

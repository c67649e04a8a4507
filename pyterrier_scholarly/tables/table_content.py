"""What a table holds: figures, columns and remarks, before they are written as a page or a text.

A `PaperTable` is a `TableContent` with methods that write it. Writers take a `TableContent`::

    def write_names(table: TableContent) -> str:
        return ", ".join(table.figures["name"].unique())
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import Enum, auto
from typing import NamedTuple

import pandas as pd

from ..protocols import protocol_of

# values of column `source` of figures
PUBLISHED = "published"
OWN = "this run"

#: of a test of a figure against a baseline
COMPARISON_COLUMNS = [
    *("name", "baseline", "subset", "measure", "label", "queries"),
    *("difference", "p", "better", "equal", "worse", "detectable"),
]

# signs behind a figure
DIFFERS = "†"  # from the baseline's, significantly
UNANSWERED = "‡"  # some of the column's queries have no results


class Condition(Enum):
    """What a table must show for a remark to be needed."""

    ALWAYS = auto()
    FEWER_QUERIES = auto()  # a figure over fewer queries than the papers'
    UNANSWERED = auto()  # a figure over queries without results
    PRINTED_ROWS = auto()  # a printed figure
    TESTS = auto()  # a figure that was tested against a baseline


class Remark(NamedTuple):
    """A sentence for below a table.

    systems: names of the rows that it is about; none if it is about the whole table.
    condition: what the table must show besides.
    explains_signs: whether it explains ± or a sign of a test, which plain text leaves out.
    """

    text: str
    systems: tuple[str, ...] = ()
    condition: Condition = Condition.ALWAYS
    explains_signs: bool = False


@dataclass(frozen=True, eq=False, repr=False)
class TableContent:
    """Printed rows, rows of this run, and remarks; `PaperTable` describes the fields."""

    dataset: str
    table: str
    columns: pd.DataFrame
    figures: pd.DataFrame
    systems: pd.DataFrame
    notes: tuple[Remark, ...]
    baseline: str
    decimals: int = 2
    runs: Mapping[str, pd.DataFrame] = field(default_factory=dict)
    further: pd.DataFrame = field(default_factory=pd.DataFrame)

    @property
    def comparisons(self) -> pd.DataFrame:
        """Each figure of this run against each baseline: COMPARISON_COLUMNS, a row for each test.

        Tests against the first baseline are columns of `figures`; those against the other ones are
        rows of `further`.
        """
        own_figures = self.figures[self.figures["source"] == OWN]
        is_of_other_system = own_figures["name"] != self.baseline
        was_tested = own_figures["difference"].notna()
        tests_against_first = own_figures[is_of_other_system & was_tested]
        tests_against_first = tests_against_first.assign(baseline=self.baseline)
        tests_against_first = tests_against_first.reindex(columns=COMPARISON_COLUMNS)
        if self.further.empty:
            return tests_against_first.reset_index(drop=True)

        tests_against_others = self.further[COMPARISON_COLUMNS]
        return pd.concat([tests_against_first, tests_against_others], ignore_index=True)

    @property
    def baselines(self) -> list[str]:
        """The names of all baselines."""
        if self.further.empty:
            return [self.baseline]
        return list(dict.fromkeys([self.baseline, *self.further["baseline"]]))

    @property
    def remarks(self) -> tuple[str, ...]:
        """The sentences below the table."""
        return tuple(remark.text for remark in self.notes)

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

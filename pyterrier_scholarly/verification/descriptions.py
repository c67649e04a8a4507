"""Checks of the tables that describe a collection: each row is computed again from the release.

::

    check = find_description(PrintedRow("doris-mae", "9", "Query ML"))
    cells = check.run()  # our figures beside the printed ones

How each table is computed is in `description_figures`.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field

from .description_figures import DESCRIPTIONS, Compute
from .outcomes import Cell, Promise
from .rows import PrintedRow, read_record
from .timing import time_call

#: (collection, number of a table) -> why it is computed for its row "all" alone
DESCRIBED_AS_A_WHOLE = {("litsearch", "2.5"): "the release does not say which papers are whose"}


@dataclass(frozen=True)
class DescriptionCheck:
    """Our description of a collection, beside the printed one.

    row: as printed.
    command: Python that a reader can run.
    compute: returns the cells of the row.
    known_differences: column -> the reason of a known difference.
    """

    row: PrintedRow
    command: str
    compute: Compute
    known_differences: Mapping[str, str] = field(default_factory=dict)
    promise = Promise.DESCRIPTION
    source = "the release"

    def why_not(self) -> str:
        """Return "": nothing but the release is needed."""
        return ""

    def hash_models(self) -> dict[str, str]:
        """Return nothing: no model is loaded."""
        return {}

    def hash_files(self) -> dict[str, str]:
        """Return nothing: no ranking is read."""
        return {}

    def estimate_seconds(self) -> float:
        """Time the whole check, which takes seconds at most."""
        return time_call(self.run)

    def run(self) -> tuple[Cell, ...]:
        """Compute the row; leave out single cells for which documents are missing."""
        cells = tuple(self.compute(read_record(self.row)))

        whole_cells = tuple(cell for cell in cells if cell.queries >= cell.of)
        if whole_cells:
            return whole_cells
        return cells  # all are of a part of the release, and their status says so

    def count_printed(self) -> int:
        """Return the number of the row's printed figures that `compute` knows."""
        return len(list(self.compute(read_record(self.row))))


def find_description(row: PrintedRow) -> DescriptionCheck | None:
    """Return the check of a row of a descriptive table; None if no code computes it."""
    description = DESCRIPTIONS.get((row.collection, row.table))
    if description is None:
        return None
    if why_not_described(row):
        return None

    command = description.command
    if row.collection == "doris-mae" and row.name.startswith("Sub-query"):
        command = command.replace('"doris-mae"', '"doris-mae/subqueries-2"')
    known_differences = {}
    if row.collection == "rhsa" and row.name.startswith("tf-idf"):
        known_differences = {"ρ": "two of the printed values are equal; the paper does not say how"}
    return DescriptionCheck(row, command, description.compute, known_differences)


def why_not_described(row: PrintedRow) -> str:
    """Say why a row of a table that is otherwise described is not; "" if it is."""
    if row.name == "all":
        return ""
    return DESCRIBED_AS_A_WHOLE.get((row.collection, row.table), "")

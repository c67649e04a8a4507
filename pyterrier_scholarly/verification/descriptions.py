"""Checks of the tables that describe a collection: each row is computed again from the release.

::

    check = find_description(PrintedRow("doris-mae", "9", "Query ML"))
    cells = check.run()  # our figures beside the printed ones

How each table is computed is in `description_figures`.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field

from .description_figures import DESCRIPTIONS, TABLE_OF_MODELS, Compute, Description
from .outcomes import Cell, Promise
from .rows import PrintedRow, read_record
from .timing import time_call

#: (collection, number of a table) -> why it is computed for its row "all" alone
DESCRIBED_AS_A_WHOLE = {
    ("litsearch", "2.5"): (
        "public for the ACL Anthology's papers alone (by their ids in corpus_s2orc), which is not "
        "read here; the release does not name ICLR's"
    )
}


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
        """Return the seconds that the check takes; it runs once for that, seconds at most."""
        return time_call(self.run)

    def run(self) -> tuple[Cell, ...]:
        """Return the row's cells, without those that lack documents; all, if all of them do."""
        cells = tuple(self.compute(read_record(self.row)))

        complete_cells = tuple(cell for cell in cells if cell.queries >= cell.of)
        if complete_cells:
            return complete_cells
        return cells  # all are of a part of the release, and their status says so

    def count_printed(self) -> int:
        """Return the number of the row's printed figures that `compute` knows."""
        return len(list(self.compute(read_record(self.row))))


def find_description(row: PrintedRow) -> DescriptionCheck | None:
    """Return the check of a row of a descriptive table; None if no code computes it."""
    description = DESCRIPTIONS.get((row.collection, row.table))
    if description is None or why_not_described(row):
        return None
    return DescriptionCheck(
        row,
        command=_choose_command(row, description),
        compute=description.compute,
        known_differences=_find_known_differences(row),
    )


def why_not_described(row: PrintedRow) -> str:
    """Return why a row is not computed although its table is described; "" if it is computed."""
    if row.name == "all":
        return ""
    return DESCRIBED_AS_A_WHOLE.get((row.collection, row.table), "")


def _choose_command(row: PrintedRow, description: Description) -> str:
    """Return Python that computes a row: the table's, for the row's dataset or its models."""
    if row.collection == "rhsa":
        record = read_record(row)
        table = TABLE_OF_MODELS[str(record["Doc. Sim. Model Type"])]
        return description.command.format(table=table, collection=record["Collection"])
    is_of_subqueries = row.collection == "doris-mae" and row.name.startswith("Sub-query")
    if is_of_subqueries:  # they are a dataset of their own
        return description.command.replace('"doris-mae"', '"doris-mae/subqueries-2"')
    return description.command


def _find_known_differences(row: PrintedRow) -> dict[str, str]:
    """Return the columns in which we know that our figure differs, each with the reason."""
    if row.collection == "rhsa" and row.name.startswith("tf-idf"):
        return {"ρ": "two of the printed MAPs are equal, so of the printed figures ρ is below 1"}
    return {}

"""A table as people read it: groups of rows, cells as text, the best figure of each column."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, NamedTuple

import pandas as pd

from .remarks import UNANSWERED
from .table_columns import OWN, PUBLISHED

if TYPE_CHECKING:
    from .paper_table import PaperTable

SIGNIFICANT = 0.05
DIFFERS = "†"


class Cell(NamedTuple):
    """The texts of a cell; empty if it has no figure.

    differs: whether the figure differs from the baseline's, significantly.
    unanswered: whether some of the column's queries have no results.
    """

    value: str = ""
    std: str = ""
    interval: str = ""
    best: bool = False
    differs: bool = False
    unanswered: bool = False

    @property
    def signs(self) -> str:
        """The signs behind the value."""
        return (DIFFERS if self.differs else "") + (UNANSWERED if self.unanswered else "")


class Row(NamedTuple):
    """A system: its name, the papers' name if it differs, its cells."""

    name: str
    printed: str
    cells: list[Cell]


class Group(NamedTuple):
    """Rows over the same queries and documents, which can be compared with each other.

    fewer: whether the papers' figures cover more queries.
    counts: number of queries for each column; None if the group has no figure there.
    part: what part of the documents was ranked; "" for all.
    """

    source: str
    fewer: bool
    counts: list[int | None]
    rows: list[Row]
    part: str = ""

    @property
    def title(self) -> str:
        """The heading above the rows."""
        if self.source == PUBLISHED:
            return "As printed"
        covered = ["fewer queries"] if self.fewer else []
        covered += [self.part] if self.part else []
        if not covered:
            return "This run"
        return f"This run, over {' and '.join(covered)}: not comparable with other rows"


class SystemFigures(NamedTuple):
    """A system's name, and its row of figures in each column; None where it has none."""

    name: str
    figures: list[pd.Series | None]


def layout(table: "PaperTable") -> list[Group]:
    """Return the groups of a `PaperTable`: the printed rows, then this run's."""
    columns = list(zip(table.columns["subset"], table.columns["measure"]))
    systems: dict[str, list[SystemFigures]] = {PUBLISHED: [], OWN: []}
    for (source, name), rows in table.figures.groupby(["source", "name"], sort=False):
        figure_of = {(row["subset"], row["measure"]): row for _, row in rows.iterrows()}
        figures = [figure_of.get(column) for column in columns]
        systems[source].append(SystemFigures(name, figures))

    groups = []
    for source, of_source in systems.items():
        for comparable in _comparable(of_source):
            groups.append(_group(table, source, comparable))
    return groups


def percent(value: float, decimals: int) -> str:
    """Format a fraction as percent; "" for NaN."""
    is_nan = value != value
    return "" if is_nan else f"{100 * value:.{decimals}f}"


def _comparable(systems: list[SystemFigures]) -> list[list[SystemFigures]]:
    """Group systems that rank the same documents for equally many queries in every column."""
    groups: list[list[SystemFigures]] = []
    for system in systems:
        for group in groups:
            if _fits(system, group):
                group.append(system)
                break
        else:
            groups.append([system])
    return groups


def _fits(system: SystemFigures, group: list[SystemFigures]) -> bool:
    """Return whether numbers of queries agree where both have figures, and the documents do."""
    if _part([system]) != _part(group):
        return False
    pairs = zip(_counts(group), _counts([system]))
    return all(None in pair or pair[0] == pair[1] for pair in pairs)


def _counts(systems: list[SystemFigures]) -> list[int | None]:
    """Return each column's number of queries; None if no system has a figure there."""
    counts: list[int | None] = []
    for figures in zip(*(system.figures for system in systems)):
        counts_here = [int(figure["queries"]) for figure in figures if figure is not None]
        counts.append(counts_here[0] if counts_here else None)
    return counts


def _part(systems: list[SystemFigures]) -> str:
    """Return the part of the documents that the systems ranked; "" for all."""
    for system in systems:
        for figure in system.figures:
            if figure is not None:
                return str(figure["part"])
    return ""


def _group(table: "PaperTable", source: str, systems: list[SystemFigures]) -> Group:
    """Return a group's rows with their cells as text."""
    printed_names = {}
    if source == OWN:
        printed_names = dict(zip(table.systems["system"], table.systems["name"]))

    rows = []
    for system in systems:
        printed_name = printed_names.get(system.name, "")
        cells = [_cell(figure, table.decimals) for figure in system.figures]
        rows.append(Row(system.name, "" if printed_name == system.name else printed_name, cells))

    counts = _counts(systems)
    fewer = any(count is not None and count < of for count, of in zip(counts, table.columns["of"]))
    return Group(source, fewer, counts, with_best(rows), _part(systems))


def with_best(rows: list[Row]) -> list[Row]:
    """Return the rows with each column's best cells marked."""
    best_values = [_best(column) for column in zip(*(row.cells for row in rows))]
    return [
        row._replace(
            cells=[
                cell._replace(best=cell.value == best) for cell, best in zip(row.cells, best_values)
            ]
        )
        for row in rows
    ]


def without_best(rows: list[Row]) -> list[Row]:
    """Return the rows without marks of the best cells."""
    return [row._replace(cells=[cell._replace(best=False) for cell in row.cells]) for row in rows]


def _best(cells: Sequence[Cell]) -> str | None:
    """Return the highest value as text; None if fewer than two cells have one."""
    values = [cell.value for cell in cells if cell.value]
    return max(values, key=float) if len(values) > 1 else None


def _cell(figure: pd.Series | None, decimals: int) -> Cell:
    """Return a figure as texts."""
    if figure is None:
        return Cell()

    low = percent(figure["low"], decimals)
    high = percent(figure["high"], decimals)
    return Cell(
        value=percent(figure["value"], decimals),
        std=percent(figure["std"], decimals),
        interval=f"{low}–{high}" if low else "",
        differs=figure["p"] < SIGNIFICANT,
        unanswered=figure["answered"] < figure["queries"],
    )

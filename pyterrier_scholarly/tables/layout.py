"""Lay a table out as people read it: groups of rows, cells as text, the best value of each column.

    for group in lay_out(table):
        print(group.title)
        for row in group.rows:
            print(row.name, [cell.value for cell in row.cells])

Conventions: a table's figures are fractions of 1, a cell's texts are percent. Cells, counts and
figures are lists in the order of the table's columns.
"""

from collections.abc import Iterable, Mapping, Sequence
from itertools import groupby
from string import ascii_lowercase
from typing import NamedTuple

import pandas as pd

from .table_content import DIFFERS, OWN, PUBLISHED, UNANSWERED, TableContent

SIGNIFICANT = 0.05  # a smaller p-value makes a difference significant


class Cell(NamedTuple):
    """The texts of a cell; empty if it has no figure.

    best: whether the value is marked as the best one of its column.
    differs: a sign for each baseline that the figure differs from, significantly.
    unanswered: whether some of the column's queries have no results.
    """

    value: str = ""
    std: str = ""
    interval: str = ""
    best: bool = False
    differs: str = ""
    unanswered: bool = False

    @property
    def signs(self) -> str:
        """The signs behind the value."""
        return self.differs + (UNANSWERED if self.unanswered else "")


class Row(NamedTuple):
    """A system: its name, the papers' name if it differs (else ""), its cells."""

    name: str
    printed: str
    cells: list[Cell]


class Group(NamedTuple):
    """Rows over the same queries and documents, which can be compared with each other.

    source: of the rows, PUBLISHED or OWN.
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

        restrictions = []
        if self.fewer:
            restrictions.append("fewer queries")
        if self.part:
            restrictions.append(self.part)
        if not restrictions:
            return "This run"
        return f"This run, over {' and '.join(restrictions)}: not comparable with other rows"


class Span(NamedTuple):
    """Columns of one subset, side by side.

    first: number of the first column, from 0.
    width: number of the columns.
    """

    subset: str
    first: int
    width: int


class SystemFigures(NamedTuple):
    """A system's name, and its figure in each column; None where it has none."""

    name: str
    figures: list[pd.Series | None]


class FigureKey(NamedTuple):
    """Which figure of this run: its row and its column."""

    name: str
    subset: str
    measure: str


def lay_out(table: TableContent) -> list[Group]:
    """Return the groups of a table: the printed rows, then this run's."""
    groups = []
    for source in (PUBLISHED, OWN):
        systems = _collect_figures(table, source)
        for comparable_systems in _group_comparable(systems):
            groups.append(_write_group(table, source, comparable_systems))
    return groups


def find_spans(table: TableContent) -> list[Span]:
    """Return the subsets above neighbouring columns, in the columns' order."""
    spans = []
    first = 0
    for subset, columns in groupby(table.columns["subset"]):
        width = len(list(columns))
        spans.append(Span(subset, first, width))
        first += width
    return spans


def format_percent(value: float, decimals: int) -> str:
    """Format a fraction as percent; "" for NaN."""
    if pd.isna(value):
        return ""
    return f"{100 * value:.{decimals}f}"


def sign_baselines(baselines: Sequence[str]) -> dict[str, str]:
    """Return the sign of each baseline: a dagger for one, letters for several."""
    if len(baselines) == 1:
        return {baselines[0]: DIFFERS}
    return dict(zip(baselines, ascii_lowercase))


def mark_best(rows: list[Row]) -> list[Row]:
    """Return the rows of a table with the best cells of each column marked, and no others."""
    column_count = len(rows[0].cells) if rows else 0
    best_value_of_column = []
    for column in range(column_count):
        values = [row.cells[column].value for row in rows]
        best_value_of_column.append(_find_best(values))

    marked_rows = []
    for row in rows:
        marked_cells = []
        for cell, best_value in zip(row.cells, best_value_of_column):
            is_best = cell.value == best_value
            marked_cells.append(cell._replace(best=is_best))
        marked_rows.append(row._replace(cells=marked_cells))
    return marked_rows


def unmark_best(rows: list[Row]) -> list[Row]:
    """Return the rows without marks of the best cells."""
    unmarked_rows = []
    for row in rows:
        cells = [cell._replace(best=False) for cell in row.cells]
        unmarked_rows.append(row._replace(cells=cells))
    return unmarked_rows


def _find_best(values: list[str]) -> str | None:
    """Return the highest of a column's values; None if fewer than two cells have one.

    Values are compared as they are written: cells that look equal are equally good.
    """
    present_values = [value for value in values if value]
    if len(present_values) < 2:
        return None
    return max(present_values, key=float)


def _collect_figures(table: TableContent, source: str) -> list[SystemFigures]:
    """Return the figures of each system of a source, PUBLISHED or OWN."""
    columns = list(zip(table.columns["subset"], table.columns["measure"]))
    figures_of_source = table.figures[table.figures["source"] == source]

    systems = []
    for name, figures_of_system in figures_of_source.groupby("name", sort=False):
        figure_by_column = {
            (figure["subset"], figure["measure"]): figure
            for _, figure in figures_of_system.iterrows()
        }
        figures = [figure_by_column.get(column) for column in columns]
        systems.append(SystemFigures(str(name), figures))
    return systems


def _group_comparable(systems: list[SystemFigures]) -> list[list[SystemFigures]]:
    """Group systems that rank the same documents for equally many queries in every column."""
    groups: list[list[SystemFigures]] = []
    for system in systems:
        fitting_groups = [group for group in groups if _is_comparable(system, group)]
        if fitting_groups:
            fitting_groups[0].append(system)
        else:
            groups.append([system])
    return groups


def _is_comparable(system: SystemFigures, group: list[SystemFigures]) -> bool:
    """Return whether documents, and numbers of queries where both have figures, are the same."""
    if _find_part([system]) != _find_part(group):
        return False

    for system_count, group_count in zip(_count_queries([system]), _count_queries(group)):
        both_have_figures = system_count is not None and group_count is not None
        if both_have_figures and system_count != group_count:
            return False
    return True


def _count_queries(systems: list[SystemFigures]) -> list[int | None]:
    """Return each column's number of queries; None if no system has a figure there."""
    counts: list[int | None] = []
    for figures_of_column in zip(*(system.figures for system in systems)):
        present_figures = [figure for figure in figures_of_column if figure is not None]
        if present_figures:
            counts.append(int(present_figures[0]["queries"]))
        else:
            counts.append(None)
    return counts


def _find_part(systems: list[SystemFigures]) -> str:
    """Return the part of the documents that the systems ranked; "" for all.

    It is the same for all figures of the systems, which form a group: that of the first is
    returned.
    """
    for system in systems:
        for figure in system.figures:
            if figure is not None:
                return str(figure["part"])
    return ""


def _write_group(table: TableContent, source: str, systems: list[SystemFigures]) -> Group:
    """Return the rows of systems that can be compared with each other, with their cells as text.

    source: of the figures: this run, or papers.
    """
    # papers' rows have neither another name nor signs of tests
    printed_name_of_system: dict[str, str] = {}
    signs_by_figure: dict[FigureKey, str] = {}
    if source == OWN:
        printed_name_of_system = dict(zip(table.systems["system"], table.systems["name"]))
        signs_by_figure = _find_signs(table)

    rows = []
    for system in systems:
        printed_name = printed_name_of_system.get(system.name, "")
        if printed_name == system.name:
            printed_name = ""  # a row shows it only if it differs
        cells = [_write_cell(figure, signs_by_figure, table.decimals) for figure in system.figures]
        rows.append(Row(system.name, printed_name, cells))

    counts = _count_queries(systems)
    return Group(
        source=source,
        fewer=_covers_fewer_queries_than_papers(counts, table.columns["of"]),
        counts=counts,
        rows=mark_best(rows),
        part=_find_part(systems),
    )


def _covers_fewer_queries_than_papers(
    counts: Iterable[int | None], counts_in_papers: Iterable[int]
) -> bool:
    """Return whether a group's figures are over fewer queries than the papers', in some column.

    Args:
        counts: number of the group's queries for each column; None where it has no figure.
        counts_in_papers: of the papers' figures for each column.
    """
    return any(
        count is not None and count < count_in_papers
        for count, count_in_papers in zip(counts, counts_in_papers)
    )


def _find_signs(table: TableContent) -> dict[FigureKey, str]:
    """Return, for each figure that differs from a baseline's, the signs of these baselines."""
    sign_by_baseline = sign_baselines(table.baselines)

    signs_by_figure: dict[FigureKey, str] = {}
    for comparison in table.comparisons.itertuples(index=False):
        if comparison.p < SIGNIFICANT:
            key = FigureKey(comparison.name, comparison.subset, comparison.measure)
            sign = sign_by_baseline[comparison.baseline]
            signs_by_figure[key] = signs_by_figure.get(key, "") + sign
    return signs_by_figure


def _write_cell(
    figure: pd.Series | None, signs_by_figure: Mapping[FigureKey, str], decimals: int
) -> Cell:
    """Return a figure as texts."""
    if figure is None:
        return Cell()

    key = FigureKey(figure["name"], figure["subset"], figure["measure"])

    low = format_percent(figure["low"], decimals)
    high = format_percent(figure["high"], decimals)
    return Cell(
        value=format_percent(figure["value"], decimals),
        std=format_percent(figure["std"], decimals),
        interval=f"{low}–{high}" if low else "",
        differs=signs_by_figure.get(key, ""),
        unanswered=figure["answered"] < figure["queries"],
    )

"""A table as people read it: groups of rows, cells as text, the best figure of each column."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, NamedTuple, TypeAlias

import pandas as pd

from .columns import OWN, PUBLISHED

if TYPE_CHECKING:
    from .result import PaperTable

SIGNIFICANT = 0.05


class Cell(NamedTuple):
    """The texts of a cell; empty if it has no figure."""

    value: str = ""
    std: str = ""
    interval: str = ""
    best: bool = False
    differs: bool = False  # from the baseline, significantly


class Row(NamedTuple):
    """A system: its name, the papers' name if it differs, its cells."""

    name: str
    printed: str
    cells: list[Cell]


class Group(NamedTuple):
    """Rows over the same queries, which can be compared with each other.

    fewer: whether the papers' figures cover more queries.
    counts: number of queries for each column; None if the group has no figure there.
    """

    source: str
    fewer: bool
    counts: list[int | None]
    rows: list[Row]

    @property
    def title(self) -> str:
        """The heading above the rows."""
        if self.source == PUBLISHED:
            return "As printed"
        return "This run, over fewer queries" if self.fewer else "This run"


Figures: TypeAlias = tuple[
    str, list[pd.Series | None]
]  # a system's name, and its figure in each column


def layout(table: "PaperTable") -> list[Group]:
    """Return the groups of a `PaperTable`: the printed rows, then this run's."""
    keys = [*zip(table.columns["subset"], table.columns["measure"])]
    systems: dict[str, list[Figures]] = {PUBLISHED: [], OWN: []}
    for (source, name), rows in table.figures.groupby(["source", "name"], sort=False):
        figures = {(row["subset"], row["measure"]): row for _, row in rows.iterrows()}
        systems[source].append((name, [figures.get(key) for key in keys]))
    return [
        _group(table, source, rows) for source in systems for rows in _comparable(systems[source])
    ]


def percent(value: float, decimals: int) -> str:
    """Format a fraction as percent; "" for NaN."""
    return "" if value != value else f"{100 * value:.{decimals}f}"


def _comparable(rows: list[Figures]) -> list[list[Figures]]:
    """Group rows whose numbers of queries agree in every column where both have figures."""
    groups: list[list[Figures]] = []
    for row in rows:
        for group in groups:
            pairs = zip(_counts(group), _counts([row]))
            if all(None in pair or pair[0] == pair[1] for pair in pairs):
                group.append(row)
                break
        else:
            groups.append([row])
    return groups


def _counts(rows: list[Figures]) -> list[int | None]:
    """Return each column's number of queries; None if no row has a figure there."""
    columns = zip(*(figures for _, figures in rows))
    return [next((int(f["queries"]) for f in column if f is not None), None) for column in columns]


def _group(table: "PaperTable", source: str, rows: list[Figures]) -> Group:
    printed = dict(zip(table.systems["system"], table.systems["name"])) if source == OWN else {}
    shown = [
        Row(
            name,
            "" if printed.get(name) == name else printed.get(name, ""),
            [_cell(figure, table.decimals) for figure in figures],
        )
        for name, figures in rows
    ]
    counts = _counts(rows)
    fewer = any(c is not None and c < of for c, of in zip(counts, table.columns["of"]))
    return Group(source, fewer, counts, with_best(shown))


def with_best(rows: list[Row], marked: bool = True) -> list[Row]:
    """Return the rows with each column's best cells marked, or none."""
    best = [_best(column) if marked else None for column in zip(*(row.cells for row in rows))]
    return [
        row._replace(cells=[c._replace(best=c.value == top) for c, top in zip(row.cells, best)])
        for row in rows
    ]


def _best(cells: Sequence[Cell]) -> str | None:
    """Return the highest value as text; None if fewer than two cells have one."""
    values = [cell.value for cell in cells if cell.value]
    return max(values, key=float) if len(values) > 1 else None


def _cell(figure: pd.Series | None, decimals: int) -> Cell:
    if figure is None:
        return Cell()
    low, high = percent(figure["low"], decimals), percent(figure["high"], decimals)
    return Cell(
        percent(figure["value"], decimals),
        percent(figure["std"], decimals),
        f"{low}–{high}" if low else "",
        differs=figure["p"] < SIGNIFICANT,
    )

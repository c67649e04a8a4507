"""Write a table as aligned columns of text, for a terminal."""

from typing import TYPE_CHECKING

import pandas as pd

from .layout import Cell, layout
from .remarks import UNANSWERED

if TYPE_CHECKING:
    from .paper_table import PaperTable


def write_for_terminal(table: "PaperTable") -> str:
    """Return the figures as text, in the groups of the page."""
    labels = (table.columns["subset"] + " " + table.columns["label"]).str.strip()
    rows = [(group.source, row) for group in layout(table) for row in group.rows]
    has_signs = any(cell.unanswered for _, row in rows for cell in row.cells)

    names = pd.MultiIndex.from_tuples(
        [(source, row.name) for source, row in rows], names=["source", "name"]
    )
    cells = [[_write_cell(cell, has_signs) for cell in row.cells] for _, row in rows]
    return pd.DataFrame(cells, index=names, columns=list(labels)).to_string()


def _write_cell(cell: Cell, has_signs: bool) -> str:
    """Return a cell's value; in a table with signs, a blank stands in a missing sign's place."""
    if not has_signs or not cell.value:
        return cell.value
    return cell.value + (UNANSWERED if cell.unanswered else " ")

"""Write a table as aligned columns of text, for a terminal."""

import pandas as pd

from .layout import Cell, lay_out
from .table_content import UNANSWERED, TableContent


def write_for_terminal(table: TableContent) -> str:
    """Return the figures as text, in the groups of the page."""
    labels = (table.columns["subset"] + " " + table.columns["label"]).str.strip()
    groups = lay_out(table)

    all_cells = [cell for group in groups for row in group.rows for cell in row.cells]
    has_signs = any(cell.unanswered for cell in all_cells)

    names = []
    texts = []
    for group in groups:
        for row in group.rows:
            names.append((group.source, row.name))
            texts.append([_write_cell(cell, has_signs) for cell in row.cells])

    index = pd.MultiIndex.from_tuples(names, names=["source", "name"])
    return pd.DataFrame(texts, index=index, columns=list(labels)).to_string()


def _write_cell(cell: Cell, has_signs: bool) -> str:
    """Return a cell's value; in a table with signs, a blank stands in a missing sign's place."""
    if not has_signs or not cell.value:
        return cell.value
    sign = UNANSWERED if cell.unanswered else " "
    return cell.value + sign

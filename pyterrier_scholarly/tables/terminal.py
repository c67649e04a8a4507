"""Write a table as text that fits a terminal of 80 columns.

                       all
                         R-Precision   P@20   R@20  NDCG%20
    This run
      fabs_tfidf               35.71  38.91  52.10    68.44
      sentences of the
        facet, their mean      33.02  36.54  50.77    66.16

Columns that do not fit beside the others stand in blocks below each other. A long name goes on in
the next line, further in; its figures stand in the last one.

Conventions: a width is in characters, and a column's has the gap before it.
"""

from collections.abc import Iterable
from textwrap import fill, wrap

import numpy as np
import pandas as pd

from .layout import UNANSWERED, Group, group_cells

TERMINAL_WIDTH = 80
SHORTEST_NAME_WIDTH = 16  # if columns leave no more
INDENT = "  "  # of rows below the title of their group
GAP = "  "  # before each column


def write_text(title: str, cells: pd.DataFrame, remarks: Iterable[str]) -> str:
    """Return a title, figures and remarks as text.

    cells: of `lay_out`.
    """
    cells = cells.assign(text=_write_cells(cells))
    columns = _measure_columns(cells)
    name_width = _choose_name_width(cells["name"], columns)
    columns["block"] = _number_blocks(columns, TERMINAL_WIDTH - name_width)

    blocks = []
    for _, columns_of_block in columns.groupby("block"):
        is_in_block = cells["column"].isin(columns_of_block["column"])
        groups = group_cells(cells[is_in_block])
        blocks.append(_write_block(groups, columns_of_block, name_width))
    lines = [_fill(title), "\n\n".join(blocks), "", *map(_fill, remarks)]
    return "\n".join(lines).rstrip()


def _write_cells(cells: pd.DataFrame) -> pd.Series:
    """Return values; in a table with signs, a blank stands in a missing sign's place."""
    is_unanswered = cells["signs"].str.contains(UNANSWERED)
    if not is_unanswered.any():
        return cells["value"]
    with_signs = cells["value"] + is_unanswered.map({True: UNANSWERED, False: " "})
    return with_signs.where(cells["value"] != "", "")


def _measure_columns(cells: pd.DataFrame) -> pd.DataFrame:
    """Return columns as wide as their texts need, in characters.

    A span has the neighbouring columns of one subset, together at least as wide as its name, which
    stands above them.

    Returns:
        Frame with `column`, `subset`, `label` and `span` of the cells, `width`, `span_width`.
    """
    columns = cells.drop_duplicates("column")[["column", "subset", "label", "span"]]
    columns = columns.set_index("column")

    # a column has room for its longest text and its label, behind a gap
    text_width = cells["text"].str.len().groupby(cells["column"]).max()
    label_width = columns["label"].str.len()
    columns["width"] = len(GAP) + np.maximum(text_width, label_width)

    # the first column of a span takes what the name above needs in addition
    span_width = columns.groupby("span")["width"].transform("sum")
    missing_width = len(GAP) + columns["subset"].str.len() - span_width
    is_first_of_span = ~columns["span"].duplicated()
    columns["width"] += missing_width.clip(lower=0).where(is_first_of_span, 0)

    columns["span_width"] = columns.groupby("span")["width"].transform("sum")
    return columns.reset_index()


def _choose_name_width(names: pd.Series, columns: pd.DataFrame) -> int:
    """Return the width of the column of names.

    It is what the longest name needs, or less: the widest subset must have room beside it.
    """
    needed_width = len(INDENT) + names.str.len().max()
    most_width = max(TERMINAL_WIDTH - columns["span_width"].max(), SHORTEST_NAME_WIDTH)
    return min(needed_width, most_width)


def _number_blocks(columns: pd.DataFrame, room: int) -> list[int]:
    """Return for each column the number of its block, so that no block is wider than `room`.

    The columns of a subset stay together in a block, unless they alone are wider than that.
    """
    blocks = []
    block = 0
    used_width = 0
    last_span = None
    for column in columns.itertuples():
        # the first column of a subset needs room for the others, too
        needed_width = column.width if column.span == last_span else column.span_width
        if used_width and used_width + needed_width > room:
            block += 1
            used_width = 0
        used_width += column.width
        last_span = column.span
        blocks.append(block)
    return blocks


def _write_block(groups: Iterable[Group], columns: pd.DataFrame, name_width: int) -> str:
    """Return the figures of some columns: a head, and the rows of each group below its title.

    groups: of `group_cells`, with the rows that have a figure in these columns.
    """
    lines = _write_head(columns, name_width)
    for group in groups:
        lines.append(_fill(group.title))
        for (name, _), cells in group.rows.items():
            texts = [cells[column].text if column in cells else "" for column in columns["column"]]
            figures = _align_right(texts, columns["width"])

            # a long name takes several lines, and the figures stand in its last one
            name_lines = wrap(name, name_width - len(INDENT), subsequent_indent=INDENT)
            *first_lines, last_line = [INDENT + line for line in name_lines]
            lines += first_lines
            lines.append((last_line.ljust(name_width) + figures).rstrip())
    return "\n".join(lines)


def _write_head(columns: pd.DataFrame, name_width: int) -> list[str]:
    """Return the lines above a block: subsets, if there are any, and labels."""
    subset_line = label_line = " " * name_width
    for (_, subset), span in columns.groupby(["span", "subset"]):
        labels = _align_right(span["label"], span["width"])
        label_line += labels
        if len(span) == 1:  # at the right edge, as the label below it
            subset_line += subset.rjust(len(labels))
        else:
            subset_line += (GAP + subset).ljust(len(labels))
    return [line for line in (subset_line.rstrip(), label_line) if line]


def _align_right(texts: Iterable[str], widths: Iterable[int]) -> str:
    """Return a line of texts, each at the right edge of a column of its width."""
    return "".join(map(str.rjust, texts, widths))


def _fill(text: str) -> str:
    """Return a sentence in lines that fit a terminal."""
    return fill(text, TERMINAL_WIDTH, subsequent_indent=INDENT, break_on_hyphens=False)

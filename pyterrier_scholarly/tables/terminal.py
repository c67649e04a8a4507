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

from collections.abc import Iterable, Sequence
from textwrap import fill, wrap

import pandas as pd

from .layout import UNANSWERED

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

    blocks = []
    for columns_of_block in _split_columns(columns, TERMINAL_WIDTH - name_width):
        lines = _write_head(columns_of_block, name_width)
        cells_of_block = cells[cells["column"].isin(columns_of_block["column"])]
        for group_title, group in cells_of_block.groupby(["group", "title"], sort=False):
            rows = _write_rows(group, columns_of_block["width"], name_width)
            if rows:
                lines += [_fill(group_title[1]), *rows]
        blocks.append("\n".join(lines))

    remark_lines = [_fill(remark) for remark in remarks]
    if remark_lines:
        remark_lines.insert(0, "")
    return "\n".join([_fill(title), "\n\n".join(blocks), *remark_lines])


def _write_cells(cells: pd.DataFrame) -> pd.Series:
    """Return values; in a table with signs, a blank stands in a missing sign's place."""
    is_unanswered = cells["signs"].str.contains(UNANSWERED)
    if not is_unanswered.any():
        return cells["value"]
    with_signs = cells["value"] + is_unanswered.map({True: UNANSWERED, False: " "})
    return with_signs.where(cells["value"] != "", "")


def _measure_columns(cells: pd.DataFrame) -> pd.DataFrame:
    """Return columns as wide as their texts need: `column`, `subset`, `label`, `span`, `width`.

    A span has the neighbouring columns of one subset, together at least as wide as its name, which
    stands above them.
    """
    columns = cells.drop_duplicates("column")[["column", "subset", "label"]]
    starts_span = columns["subset"] != columns["subset"].shift()
    columns["span"] = starts_span.cumsum()

    widths = []
    for _, span in columns.groupby("span"):
        span_widths = []
        for column in span.itertuples():
            texts = cells["text"][cells["column"] == column.column]
            text_width = max(len(column.label), texts.str.len().max())
            span_widths.append(len(GAP) + text_width)

        # the first column takes what the name above the span needs in addition
        subset = span["subset"].iloc[0]
        missing_width = len(GAP) + len(subset) - sum(span_widths)
        span_widths[0] += max(missing_width, 0)
        widths += span_widths

    columns["width"] = widths
    return columns


def _choose_name_width(names: pd.Series, columns: pd.DataFrame) -> int:
    """Return the width of the column of names.

    It is what the longest name needs, or less: the widest subset must have room beside it.
    """
    needed_width = len(INDENT) + names.str.len().max()
    widest_span = columns.groupby("span")["width"].sum().max()
    most_width = max(TERMINAL_WIDTH - widest_span, SHORTEST_NAME_WIDTH)
    return min(needed_width, most_width)


def _split_columns(columns: pd.DataFrame, room: int) -> list[pd.DataFrame]:
    """Split columns into blocks of at most `room` characters.

    The columns of a subset stay together in a block, unless they alone are wider than that.
    """
    block_of_column = []
    block = 0
    used_width = 0
    for _, span in columns.groupby("span"):
        if used_width and used_width + span["width"].sum() > room:
            block += 1
            used_width = 0
        for width in span["width"]:
            if used_width and used_width + width > room:
                block += 1
                used_width = 0
            used_width += width
            block_of_column.append(block)
    return [block for _, block in columns.groupby(block_of_column)]


def _write_head(columns: pd.DataFrame, name_width: int) -> list[str]:
    """Return the lines above a block: subsets, if there are any, and labels."""
    subset_line = " " * name_width
    label_line = " " * name_width
    for _, span in columns.groupby("span"):
        subset = span["subset"].iloc[0]
        width = span["width"].sum()
        if len(span) == 1:  # at the right edge, as the label below it
            subset_line += subset.rjust(width)
        else:
            subset_line += (GAP + subset).ljust(width)
        label_line += "".join(map(str.rjust, span["label"], span["width"]))

    if not subset_line.strip():
        return [label_line]
    return [subset_line.rstrip(), label_line]


def _write_rows(group: pd.DataFrame, widths: Sequence[int], name_width: int) -> list[str]:
    """Return the lines of a group's rows with a figure in the block's columns."""
    lines = []
    for name, row in group.groupby("name", sort=False):
        figures = "".join(map(str.rjust, row["text"], widths)).rstrip()
        if not figures:
            continue
        name_lines = wrap(str(name), name_width - len(INDENT), subsequent_indent=INDENT)
        *first_lines, last_line = [INDENT + line for line in name_lines]
        lines += [*first_lines, last_line.ljust(name_width) + figures]
    return lines


def _fill(text: str) -> str:
    """Return a sentence in lines that fit a terminal."""
    return fill(text, TERMINAL_WIDTH, subsequent_indent=INDENT, break_on_hyphens=False)

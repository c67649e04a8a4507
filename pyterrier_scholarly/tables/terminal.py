"""Write a table as text that fits a terminal of 80 columns.

                       all
                         R-Precision   P@20   R@20  NDCG%20
    This run
      fabs_tfidf               35.71  38.91  52.10    68.44
      sentences of the
        facet, their mean      33.02  36.54  50.77    66.16

Columns that do not fit beside the others stand in blocks below each other. The first has those over
the queries of all subsets. A long name goes on in the next line, further in; its figures stand in
the last one.
"""

from itertools import groupby
from textwrap import fill, wrap
from typing import NamedTuple

from .layout import Cell, Group, Span, find_spans, lay_out
from .table_content import UNANSWERED, TableContent
from .table_selection import put_aggregates_first

TERMINAL_WIDTH = 80  # characters
SHORTEST_NAME_WIDTH = 16  # characters, if columns leave no more
INDENT = "  "  # of rows below the title of their group
GAP = "  "  # before each column


class TextColumn(NamedTuple):
    """A column as text.

    position: number of the column in the table, from 0.
    width: in characters, without the gap before it.
    """

    subset: str
    label: str
    position: int
    width: int


def write_for_terminal(table: TableContent) -> str:
    """Return the figures as text, in the groups of the page."""
    table = put_aggregates_first(table)
    groups = lay_out(table)
    has_signs = _have_signs(groups)
    columns = _measure_columns(table, groups, has_signs)
    name_width = _choose_name_width(groups, columns)

    blocks = []
    for columns_of_block in _split_columns(columns, TERMINAL_WIDTH - name_width):
        lines = _write_head(columns_of_block, name_width)
        for group in groups:
            lines += _write_group(group, columns_of_block, name_width, has_signs)
        blocks.append("\n".join(lines))
    return "\n\n".join(blocks)


def fill_for_terminal(text: str) -> str:
    """Return a sentence in lines that fit a terminal."""
    return fill(text, TERMINAL_WIDTH, subsequent_indent=INDENT, break_on_hyphens=False)


def _have_signs(groups: list[Group]) -> bool:
    """Return whether a figure of the table has a sign."""
    return any(cell.unanswered for group in groups for row in group.rows for cell in row.cells)


def _measure_columns(table: TableContent, groups: list[Group], has_signs: bool) -> list[TextColumn]:
    """Return the columns, as wide as their texts need.

    The columns of a subset are together at least as wide as its name, which stands above them.
    """
    labels = list(table.columns["label"])

    columns = []
    for span in find_spans(table):
        columns_of_subset = []
        for position in range(span.first, span.first + span.width):
            cells = [row.cells[position] for group in groups for row in group.rows]
            texts = [labels[position], *(_write_cell(cell, has_signs) for cell in cells)]
            width = max(len(text) for text in texts)
            columns_of_subset.append(TextColumn(span.subset, labels[position], position, width))
        columns += _widen_columns(columns_of_subset, span)
    return columns


def _widen_columns(columns: list[TextColumn], span: Span) -> list[TextColumn]:
    """Return a subset's columns; the first is wider if all are narrower than the subset's name."""
    # the name stands behind a gap, and `_add_widths` counts one before each column
    needed_width = len(GAP) + len(span.subset)
    missing_width = needed_width - _add_widths(columns)
    if missing_width <= 0:
        return columns
    first_column = columns[0]._replace(width=columns[0].width + missing_width)
    return [first_column, *columns[1:]]


def _add_widths(columns: list[TextColumn]) -> int:
    """Return how many characters columns take beside each other, with the gaps before them."""
    return sum(len(GAP) + column.width for column in columns)


def _group_by_subset(columns: list[TextColumn]) -> list[list[TextColumn]]:
    """Return neighbouring columns of one subset together."""
    return [list(group) for _, group in groupby(columns, key=lambda column: column.subset)]


def _choose_name_width(groups: list[Group], columns: list[TextColumn]) -> int:
    """Return the width of the column of names.

    It is what the longest name needs, or less: the widest subset must have room beside it.
    """
    longest_name = max(len(row.name) for group in groups for row in group.rows)
    needed_width = len(INDENT) + longest_name

    widest_subset = max(_add_widths(subset) for subset in _group_by_subset(columns))
    most_width = max(TERMINAL_WIDTH - widest_subset, SHORTEST_NAME_WIDTH)
    return min(needed_width, most_width)


def _split_columns(columns: list[TextColumn], room: int) -> list[list[TextColumn]]:
    """Split columns into blocks of at most `room` characters.

    The columns of a subset stay together in a block, unless they alone are wider than that.
    """
    blocks: list[list[TextColumn]] = []
    block: list[TextColumn] = []
    for columns_of_subset in _group_by_subset(columns):
        fits_into_block = _add_widths([*block, *columns_of_subset]) <= room
        if block and not fits_into_block:
            blocks.append(block)
            block = []

        for column in columns_of_subset:
            if block and _add_widths([*block, column]) > room:
                blocks.append(block)
                block = []
            block.append(column)
    return [*blocks, block]


def _write_head(columns: list[TextColumn], name_width: int) -> list[str]:
    """Return the lines above a block: subsets, if there are any, and labels."""
    subset_line = " " * name_width
    label_line = " " * name_width
    for columns_of_subset in _group_by_subset(columns):
        subset = columns_of_subset[0].subset
        width = _add_widths(columns_of_subset)
        if len(columns_of_subset) == 1:
            subset_line += subset.rjust(width)
        else:
            subset_line += (GAP + subset).ljust(width)
        for column in columns_of_subset:
            label_line += GAP + column.label.rjust(column.width)

    if not subset_line.strip():
        return [label_line]
    return [subset_line.rstrip(), label_line]


def _write_group(
    group: Group, columns: list[TextColumn], name_width: int, has_signs: bool
) -> list[str]:
    """Return the lines of a group: its title, and its rows with a figure in the columns."""
    lines = []
    for row in group.rows:
        texts = [_write_cell(row.cells[column.position], has_signs) for column in columns]
        if not any(texts):
            continue

        figures = ""
        for column, text in zip(columns, texts):
            figures += GAP + text.rjust(column.width)
        name_lines = wrap(row.name, name_width - len(INDENT), subsequent_indent=INDENT)
        *first_lines, last_line = name_lines
        lines += [INDENT + line for line in first_lines]
        lines.append((INDENT + last_line).ljust(name_width) + figures.rstrip())

    if not lines:
        return []
    return [fill_for_terminal(group.title), *lines]


def _write_cell(cell: Cell, has_signs: bool) -> str:
    """Return a cell's value; in a table with signs, a blank stands in a missing sign's place."""
    if not has_signs or not cell.value:
        return cell.value
    sign = UNANSWERED if cell.unanswered else " "
    return cell.value + sign

"""Write a table's figures as LaTeX, for the package booktabs.

text = write_latex(table, ["bm25", "ours"], LatexChoices(std=False, best="overall"))
"""

from collections.abc import Iterable, Sequence
from typing import Literal, NamedTuple, TypeAlias

from ir_datasets_ext.choices import check_option

from .latex_parts import (
    escape,
    join_cells,
    write_comment,
    write_heading,
    write_signs,
    write_tabular,
)
from .layout import Cell, Group, Span, find_spans, lay_out, mark_best, unmark_best
from .table_content import TableContent

NO_FIGURE = "--"
#: where a column's highest value is bold
Best: TypeAlias = Literal["group", "overall"] | None


class LatexChoices(NamedTuple):
    """How a table is written; see `PaperTable.to_latex`.

    std: whether a figure has its standard deviation behind it.
    best: where a column's highest value is bold.
    counts: whether numbers of queries are written.
    blocks: whether the subsets stand one below the other, not side by side.
    compact: whether the table has small type and narrow columns.
    """

    std: bool = True
    best: Best = "group"
    counts: bool = True
    blocks: bool = False
    compact: bool = False


class Layout(NamedTuple):
    """Where a table's figures are written.

    head: lines above the first rule.
    blocks: rows below it, from the top.
    column_count: number of columns besides that of names.
    """

    head: list[str]
    blocks: list["Block"]
    column_count: int


class Block(NamedTuple):
    """Rows under one heading, with a cell for each column of the table that is written.

    heading: the subset of queries; "" for none.
    groups: of the rows, in the order in which they are written.
    """

    heading: str
    groups: list[Group]


def write_latex(table: TableContent, rows: Sequence[str] | None, choices: LatexChoices) -> str:
    r"""Return a table as a LaTeX ``tabular``, with its remarks as comments above it.

    A system's line is its name and its figures, the best one of a column in bold::

        BM25 & 30.1$^{\dagger}$ & \textbf{41.2} \\

    Args:
        table: its figures and remarks.
        rows: names of the systems to write, in this order; None for all.
        choices: see `PaperTable.to_latex`.
    """
    groups = _choose_rows(lay_out(table), rows)
    groups = _mark_best(groups, choices.best)

    if choices.blocks:
        layout = _stack_subsets(table, groups, choices.counts)
    else:
        layout = _place_subsets_side_by_side(table, groups)

    # a single group needs a title only above a line of numbers of queries
    has_count_lines = choices.counts and not choices.blocks
    has_titles = len(groups) > 1 or has_count_lines
    body = _write_body(layout.blocks, layout.column_count, has_titles, choices)

    title = f"{table.full_title}, percent; \\usepackage{{booktabs}}"
    comments = [write_comment(text) for text in (title, *table.remarks)]
    return write_tabular(comments, layout.head, body, layout.column_count, choices.compact)


def _stack_subsets(table: TableContent, groups: list[Group], counts: bool) -> Layout:
    """Return a layout with a column for each measure, and the subsets one below the other.

    counts: see `_split_by_subset`.
    """
    distinct_labels = list(table.columns["label"].unique())
    head = [_write_line_of_labels(distinct_labels)]
    blocks = _split_by_subset(table, groups, distinct_labels, counts)
    return Layout(head, blocks, column_count=len(distinct_labels))


def _place_subsets_side_by_side(table: TableContent, groups: list[Group]) -> Layout:
    """Return a layout with a column for each measure of each subset, and a block for each group."""
    blocks = [Block("", [group]) for group in groups]
    return Layout(_write_head(table), blocks, column_count=len(table.columns))


def _choose_rows(groups: list[Group], names: Sequence[str] | None) -> list[Group]:
    """Return the groups with the rows of these names alone, in this order; None for all rows.

    Groups without such a row are left out. A name that is in several groups has one place in the
    order of all of them.
    """
    names_of_rows = [row.name for group in groups for row in group.rows]
    all_names = list(dict.fromkeys(names_of_rows))
    if names is None:
        names = all_names
    for name in names:
        check_option("row", name, all_names, of="the table")

    chosen_groups = []
    for group in groups:
        chosen_rows = [row for name in names for row in group.rows if row.name == name]
        if chosen_rows:
            chosen_groups.append(group._replace(rows=chosen_rows))
    return chosen_groups


def _mark_best(groups: list[Group], best: Best) -> list[Group]:
    """Return the groups with each column's best cells marked: of each group, or of all rows.

    best: "group", or "overall" for all rows; None marks no cell.
    """
    if best is None:
        return [group._replace(rows=unmark_best(group.rows)) for group in groups]
    if best == "group":
        return [group._replace(rows=mark_best(group.rows)) for group in groups]

    # all rows are marked as one list, which is then cut into the groups again
    all_rows = [row for group in groups for row in group.rows]
    marked_rows = mark_best(all_rows)

    marked_groups = []
    first_row = 0
    for group in groups:
        end_row = first_row + len(group.rows)
        marked_groups.append(group._replace(rows=marked_rows[first_row:end_row]))
        first_row = end_row
    return marked_groups


def _write_head(table: TableContent) -> list[str]:
    """Return the lines of the head: the subsets, if there are any, above the measures.

    If all columns have one measure, it stands above the subsets instead, and only once.
    """
    labels = list(table.columns["label"])
    subsets = list(table.columns["subset"])
    if not any(subsets):
        return [_write_line_of_labels(labels)]
    if len(labels) > 1 and len(set(labels)) == 1:
        return _write_head_of_measure(labels[0], subsets)

    subset_cells = [""]  # nothing above the names
    rules = []
    for span in find_spans(table):
        subset_cells.append(rf"\multicolumn{{{span.width}}}{{c}}{{{escape(span.subset)}}}")
        first = span.first + 2  # LaTeX counts from 1, and the names are the first column
        last = first + span.width - 1
        rules.append(rf"\cmidrule(lr){{{first}-{last}}}")
    return [join_cells(subset_cells), " ".join(rules), _write_line_of_labels(labels)]


def _write_head_of_measure(label: str, subsets: Sequence[str]) -> list[str]:
    """Return the head of a table of one measure: its label once, and the subsets below it."""
    last = len(subsets) + 1  # LaTeX counts from 1, and the names are the first column
    return [
        rf" & \multicolumn{{{len(subsets)}}}{{c}}{{{escape(label)}}} \\",
        rf"\cmidrule(lr){{2-{last}}}",
        join_cells(["", *(escape(subset) for subset in subsets)]),
    ]


def _write_line_of_labels(labels: Iterable[str]) -> str:
    """Return the line of the head with the label of each column; nothing stands above the names."""
    return join_cells(["", *(escape(label) for label in labels)])


def _split_by_subset(
    table: TableContent, groups: list[Group], labels: list[str], counts: bool
) -> list[Block]:
    """Return a block for each subset, with a column for each of `labels`.

    Args:
        table: whose columns are split.
        groups: of all its rows.
        labels: of the table's columns, each once. A subset may lack some of them.
        counts: whether a heading has the number of queries, if it is one number.
    """
    blocks = []
    for span in find_spans(table):
        column_of_label = _find_columns(table, span)
        columns = [column_of_label.get(label) for label in labels]  # None where the subset has none
        groups_of_subset = [_keep_cells(group, columns) for group in groups]
        shown_groups = [group for group in groups_of_subset if group.rows]

        heading = span.subset
        query_counts = _find_query_counts(shown_groups)
        if counts and len(query_counts) == 1:
            heading = f"{heading} ({query_counts[0]} queries)".strip()
            # the heading has the number, so the groups need no line of it
            shown_groups = [group._replace(counts=[]) for group in shown_groups]
        blocks.append(Block(heading, shown_groups))
    return blocks


def _find_columns(table: TableContent, span: Span) -> dict[str, int]:
    """Return the position in the table of each column of a subset, by the column's label."""
    all_labels = list(table.columns["label"])
    positions = range(span.first, span.first + span.width)
    return {all_labels[position]: position for position in positions}


def _keep_cells(group: Group, positions: list[int | None]) -> Group:
    """Return the group with the cells at these positions, in this order; None is an empty cell.

    Rows without a figure in any of these cells are left out.
    """
    rows = []
    for row in group.rows:
        cells = [Cell() if position is None else row.cells[position] for position in positions]
        if any(cell.value for cell in cells):
            rows.append(row._replace(cells=cells))

    counts = [None if position is None else group.counts[position] for position in positions]
    return group._replace(rows=rows, counts=counts)


def _find_query_counts(groups: list[Group]) -> list[int]:
    """Return the distinct numbers of queries of the groups' columns; one if all are alike."""
    counts = [count for group in groups for count in group.counts if count is not None]
    return list(dict.fromkeys(counts))


def _write_body(
    blocks: list[Block], width: int, has_titles: bool, choices: LatexChoices
) -> list[str]:
    """Return the lines below the head: of each block a rule, its heading, and its groups.

    Args:
        blocks: from the top.
        width: number of columns besides that of names.
        has_titles: whether each group's title stands above its rows.
        choices: see `PaperTable.to_latex`.
    """
    widest_signs = _find_widest_signs(blocks, width)

    lines = []
    for block in blocks:
        lines.append(r"\midrule")
        if block.heading:
            lines.append(write_heading(block.heading, "textbf", width, choices.compact))
        for group in block.groups:
            if has_titles:
                lines.append(write_heading(group.title, "emph", width, choices.compact))
            lines.extend(_write_rows(group, widest_signs, choices))
    return lines


def _find_widest_signs(blocks: Iterable[Block], width: int) -> list[str]:
    """Return the signs of the cell with the most signs in each column of the written table."""
    groups = [group for block in blocks for group in block.groups]
    rows = [row for group in groups for row in group.rows]

    widest_signs = []
    for position in range(width):
        signs_of_column = [row.cells[position].signs for row in rows]
        widest_signs.append(max(signs_of_column, key=len, default=""))
    return widest_signs


def _write_rows(group: Group, widest_signs: Sequence[str], choices: LatexChoices) -> list[str]:
    """Return the lines of a group: its numbers of queries, if they are wanted, and its rows.

    widest_signs: of each column, see `_find_widest_signs`.
    """
    lines = []
    if choices.counts and group.counts:
        counts = ["" if count is None else str(count) for count in group.counts]
        lines.append(join_cells([r"\emph{queries}", *counts]))

    for row in group.rows:
        name = escape(row.name)
        if row.printed:
            name += f" ({escape(row.printed)})"
        cells = [
            _write_cell(cell, signs_of_column, choices.std)
            for cell, signs_of_column in zip(row.cells, widest_signs)
        ]
        lines.append(join_cells([name, *cells]))
    return lines


def _write_cell(cell: Cell, widest_signs: str, std: bool) -> str:
    """Return a figure with its signs, bold if it is best, and with ± if `std`.

    widest_signs: of the column.
    """
    if not cell.value:
        return NO_FIGURE

    text = rf"\textbf{{{cell.value}}}" if cell.best else cell.value
    text += write_signs(cell.signs, widest_signs)
    if cell.std and std:
        text += rf" {{\scriptsize$\pm${cell.std}}}"
    return text

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
    """How a table is written; see `PaperTable.to_latex`."""

    std: bool = True
    best: Best = "group"
    counts: bool = True
    blocks: bool = False
    compact: bool = False


class Block(NamedTuple):
    """Rows under one heading, with a cell for each column of the table that is written.

    heading: "" for none.
    """

    heading: str
    groups: list[Group]


def write_latex(table: TableContent, rows: Sequence[str] | None, choices: LatexChoices) -> str:
    """Return a ``tabular``, with remarks as comments above it; see `PaperTable.to_latex`."""
    groups = _choose_rows(lay_out(table), rows)
    groups = _mark_best(groups, choices.best)

    if choices.blocks:
        labels = list(table.columns["label"].unique())
        head = [join_cells(["", *(escape(label) for label in labels)])]
        blocks = _split_by_subset(table, groups, labels, choices.counts)
    else:
        labels = list(table.columns["label"])
        head = _write_head(table)
        blocks = [Block("", [group]) for group in groups]

    width = len(labels)
    has_titles = len(groups) > 1 or (choices.counts and not choices.blocks)
    widest_signs = _find_widest_signs(blocks, width)

    body = []
    for block in blocks:
        body.append(r"\midrule")
        if block.heading:
            body.append(write_heading(block.heading, "textbf", width, choices.compact))
        for group in block.groups:
            if has_titles:
                body.append(write_heading(group.title, "emph", width, choices.compact))
            body += _write_rows(group, widest_signs, choices)

    title = f"{table.full_title}, percent; \\usepackage{{booktabs}}"
    comments = [write_comment(text) for text in (title, *table.remarks)]
    return write_tabular(comments, head, body, width, choices.compact)


def _choose_rows(groups: list[Group], names: Sequence[str] | None) -> list[Group]:
    """Return the groups with the rows of these names alone, in this order; None for all rows."""
    all_names = list(dict.fromkeys(row.name for group in groups for row in group.rows))
    if names is None:  # a name in several groups has one order in all of them
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
    """Mark each column's best cells, in each "group" or "overall"; None marks none."""
    if best is None:
        return [group._replace(rows=unmark_best(group.rows)) for group in groups]
    if best == "group":
        return [group._replace(rows=mark_best(group.rows)) for group in groups]

    all_rows = mark_best([row for group in groups for row in group.rows])
    marked_groups = []
    first_row = 0
    for group in groups:
        end_row = first_row + len(group.rows)
        marked_groups.append(group._replace(rows=all_rows[first_row:end_row]))
        first_row = end_row
    return marked_groups


def _write_head(table: TableContent) -> list[str]:
    """Return the lines of the subsets, if there are any, and of the measures below them."""
    labels = [escape(label) for label in table.columns["label"]]
    label_line = join_cells(["", *labels])
    if not table.columns["subset"].any():
        return [label_line]
    if len(labels) > 1 and len(set(labels)) == 1:
        return _write_head_of_measure(labels[0], table.columns["subset"])

    subsets = [""]
    rules = []
    for span in find_spans(table):
        subsets.append(rf"\multicolumn{{{span.width}}}{{c}}{{{escape(span.subset)}}}")
        first = span.first + 2  # LaTeX counts from 1, and the names are the first column
        last = first + span.width - 1
        rules.append(rf"\cmidrule(lr){{{first}-{last}}}")
    return [join_cells(subsets), " ".join(rules), label_line]


def _write_head_of_measure(label: str, subsets: Iterable[str]) -> list[str]:
    """Return the head of a table of one measure: its label once, and the subsets below it."""
    subset_cells = ["", *(escape(subset) for subset in subsets)]
    width = len(subset_cells)
    return [
        rf" & \multicolumn{{{width - 1}}}{{c}}{{{label}}} \\",
        rf"\cmidrule(lr){{2-{width}}}",
        join_cells(subset_cells),
    ]


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
        query_counts = _find_counts(shown_groups)
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


def _find_counts(groups: list[Group]) -> list[int]:
    """Return the distinct numbers of queries of groups."""
    counts = [count for group in groups for count in group.counts if count is not None]
    return list(dict.fromkeys(counts))


def _find_widest_signs(blocks: Iterable[Block], width: int) -> list[str]:
    """Return the signs of the cell with the most signs in each column of the written table."""
    widest_signs = [""] * width
    for block in blocks:
        for group in block.groups:
            for row in group.rows:
                for position, cell in enumerate(row.cells):
                    widest_signs[position] = max(widest_signs[position], cell.signs, key=len)
    return widest_signs


def _write_rows(group: Group, widest_signs: Sequence[str], choices: LatexChoices) -> list[str]:
    """Return the lines of a group: numbers of queries, and rows."""
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

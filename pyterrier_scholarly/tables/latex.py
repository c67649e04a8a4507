"""Write a table as LaTeX, for the package booktabs.

    text = write_latex(table, ["bm25", "ours"], LatexChoices(std=False, best="overall"))

Conventions: every text is escaped, so names and remarks may hold any character.
"""

import re
from collections.abc import Iterable, Sequence
from typing import Any, Literal, NamedTuple, TypeAlias

import pandas as pd

from ir_datasets_ext.choices import describe_unknown

from ..text import writable
from .layout import SIGNIFICANT, Cell, Group, find_spans, lay_out, mark_best, unmark_best
from .table_content import DIFFERS, UNANSWERED, Condition, TableContent

#: character -> how LaTeX writes it
ESCAPES = {
    "\\": r"\textbackslash{}",
    **{sign: f"\\{sign}" for sign in "&%$#_{}"},
    **{sign: f"{{{sign}}}" for sign in "[]*"},  # at a line's start these would be arguments
    "~": r"\textasciitilde{}",
    "^": r"\textasciicircum{}",
    "<": r"\textless{}",
    ">": r"\textgreater{}",
    "|": r"\textbar{}",
    "\ufffd": "?",
    "±": r"$\pm$",
    "–": "--",
    DIFFERS: r"$\dagger$",
    UNANSWERED: r"$\ddagger$",
}
#: control characters and white space, line breaks among them
BLANKS = re.compile(r"[\x00-\x1f\x7f\s]+")
NO_FIGURE = "--"
#: where a column's highest value is bold
Best: TypeAlias = Literal["group", "overall"] | None
#: begin and end of a compact table: small type, half the usual room between columns
COMPACT_BEGIN = r"{\footnotesize\setlength{\tabcolsep}{3pt}%"
COMPACT_END = "}"


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
        head = [_join_cells(["", *(escape(label) for label in labels)])]
        blocks = _split_by_subset(table, groups, labels, choices.counts)
    else:
        labels = list(table.columns["label"])
        head = _write_head(table)
        blocks = [Block("", [group]) for group in groups]

    width = len(labels)
    has_title = len(groups) > 1 or (choices.counts and not choices.blocks)
    body = []
    for block in blocks:
        body.append(r"\midrule")
        if block.heading:
            body.append(
                _write_heading(rf"\textbf{{{escape(block.heading)}}}", width, choices.compact)
            )
        for group in block.groups:
            body += _write_group(group, width, choices, has_title)

    title = f"{table.full_title}, percent; \\usepackage{{booktabs}}"
    comments = [_write_comment(text) for text in (title, *table.remarks)]
    return _write_tabular(comments, head, body, width, choices.compact)


def write_wins(table: TableContent, wins: pd.DataFrame, choices: LatexChoices) -> str:
    """Return a ``tabular`` of wins, ties and losses; see `PaperTable.wins_to_latex`.

    Args:
        wins: frame of `PaperTable.wins`.
    """
    subsets = list(wins["subset"].unique())
    width = len(subsets)
    head = [_join_cells(["", *(escape(subset) for subset in subsets)])] if any(subsets) else []
    if choices.counts:
        counts = wins.groupby("subset", sort=False)["queries"].max()
        head.append(_join_cells([r"\emph{queries}", *(str(count) for count in counts)]))

    body = []
    for (label, baseline), wins_of_block in wins.groupby(["label", "baseline"], sort=False):
        body.append(r"\midrule")
        heading = f"{label}, against {baseline}"
        body.append(_write_heading(rf"\emph{{{escape(heading)}}}", width, choices.compact))
        for name, wins_of_row in wins_of_block.groupby("name", sort=False):
            win_by_subset = {win.subset: win for win in wins_of_row.itertuples(index=False)}
            cells = [_write_win(win_by_subset.get(subset)) for subset in subsets]
            body.append(_join_cells([escape(str(name)), *cells]))

    title = f"{table.full_title}: queries better/equal/worse; \\usepackage{{booktabs}}"
    tests = [remark.text for remark in table.notes if remark.condition is Condition.TESTS]
    sign = f"{DIFFERS} p < 0.05"
    comments = [_write_comment(text) for text in (title, sign, *tests)]
    return _write_tabular(comments, head, body, width, choices.compact)


def escape(text: str) -> str:
    """Escape a text for LaTeX, as one line without control characters."""
    line = BLANKS.sub(" ", writable(text)).strip()
    return "".join(ESCAPES.get(character, character) for character in line)


def _choose_rows(groups: list[Group], names: Sequence[str] | None) -> list[Group]:
    """Return the groups with the rows of these names alone, in this order; None for all rows."""
    all_names = list(dict.fromkeys(row.name for group in groups for row in group.rows))
    if names is None:  # a name in several groups has one order in all of them
        names = all_names
    for name in names:
        if name not in all_names:
            raise ValueError(describe_unknown("row", name, all_names, of="the table"))

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


def _write_comment(text: str) -> str:
    """Return a text as one line that LaTeX ignores."""
    one_line = " ".join(text.split())
    return f"% {writable(one_line)}"


def _write_head(table: TableContent) -> list[str]:
    """Return the lines of the subsets, if there are any, and of the measures below them."""
    labels = [escape(label) for label in table.columns["label"]]
    label_line = _join_cells(["", *labels])
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
    return [_join_cells(subsets), " ".join(rules), label_line]


def _write_head_of_measure(label: str, subsets: Iterable[str]) -> list[str]:
    """Return the lines of one measure, and of the subsets below it: it is written once."""
    subset_cells = ["", *(escape(subset) for subset in subsets)]
    width = len(subset_cells)
    return [
        rf" & \multicolumn{{{width - 1}}}{{c}}{{{label}}} \\",
        rf"\cmidrule(lr){{2-{width}}}",
        _join_cells(subset_cells),
    ]


def _write_tabular(
    comments: list[str], head: list[str], body: list[str], width: int, compact: bool
) -> str:
    """Return a table of lines.

    body: begins with a rule.
    width: number of columns besides the names.
    """
    column_types = f"l{'r' * width}"
    if compact:  # no room at the edges, where rules end, nor before headings
        column_types = f"@{{}}{column_types}@{{}}"
    lines = [
        *comments,
        rf"\begin{{tabular}}{{{column_types}}}",
        r"\toprule",
        *head,
        *body,
        r"\bottomrule",
        r"\end{tabular}",
    ]
    if compact:
        lines.insert(len(comments), COMPACT_BEGIN)
        lines.append(COMPACT_END)
    return "\n".join(lines) + "\n"


def _split_by_subset(
    table: TableContent, groups: list[Group], labels: list[str], counts: bool
) -> list[Block]:
    """Return a block for each subset, whose columns are those of the whole table's labels.

    counts: whether a heading has the number of queries, if it is one number.
    """
    blocks = []
    for span in find_spans(table):
        labels_of_span = list(table.columns["label"])[span.first : span.first + span.width]
        position_by_label = {label: span.first + n for n, label in enumerate(labels_of_span)}
        positions = [position_by_label.get(label) for label in labels]

        groups_of_span = [_keep_cells(group, positions) for group in groups]
        groups_with_figures = [group for group in groups_of_span if group.rows]

        heading = span.subset
        distinct_counts = _find_counts(groups_with_figures)
        if counts and len(distinct_counts) == 1:
            heading = f"{heading} ({distinct_counts[0]} queries)".strip()
            groups_with_figures = [group._replace(counts=[]) for group in groups_with_figures]
        blocks.append(Block(heading, groups_with_figures))
    return blocks


def _keep_cells(group: Group, positions: list[int | None]) -> Group:
    """Return the group with the cells at these positions, in this order; None is an empty cell.

    Rows without a figure there are left out.
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


def _write_heading(text: str, width: int, compact: bool) -> str:
    """Return a line with a heading over all columns; the text is LaTeX."""
    column_type = "@{}l@{}" if compact else "l"
    return rf"\multicolumn{{{width + 1}}}{{{column_type}}}{{{text}}} \\"


def _write_group(group: Group, width: int, choices: LatexChoices, has_title: bool) -> list[str]:
    """Return the lines of a group: its heading, numbers of queries, and rows."""
    lines = []
    if has_title:
        lines.append(_write_heading(rf"\emph{{{escape(group.title)}}}", width, choices.compact))
    if choices.counts and group.counts:
        counts = ["" if count is None else str(count) for count in group.counts]
        lines.append(_join_cells([r"\emph{queries}", *counts]))

    for row in group.rows:
        name = escape(row.name)
        if row.printed:
            name += f" ({escape(row.printed)})"
        cells = [_write_cell(cell, choices.std) for cell in row.cells]
        lines.append(_join_cells([name, *cells]))
    return lines


def _write_cell(cell: Cell, std: bool) -> str:
    """Return a figure with its signs, bold if it is best, and with ± if `std`."""
    if not cell.value:
        return NO_FIGURE

    text = rf"\textbf{{{cell.value}}}" if cell.best else cell.value
    if cell.signs:
        text += _write_signs(cell.signs)
    if cell.std and std:
        text += rf" {{\scriptsize$\pm${cell.std}}}"
    return text


def _write_signs(signs: str) -> str:
    """Return signs behind a figure: superscripts, letters of baselines upright."""
    latex = "".join(rf"\mathrm{{{sign}}}" if sign.isalpha() else sign for sign in signs)
    latex = latex.replace(DIFFERS, r"\dagger").replace(UNANSWERED, r"\ddagger")
    return f"$^{{{latex}}}$"


def _write_win(win: Any) -> str:
    """Return a row of `PaperTable.wins` as a cell; None is a subset without one."""
    if win is None:
        return NO_FIGURE
    text = f"{win.better}/{win.equal}/{win.worse}"
    if win.p < SIGNIFICANT:
        text += _write_signs(DIFFERS)
    return text


def _join_cells(cells: Sequence[str]) -> str:
    """Return the line of a row of the table."""
    return " & ".join(cells) + r" \\"

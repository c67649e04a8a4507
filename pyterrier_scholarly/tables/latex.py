"""Write a table as LaTeX, for the package booktabs."""

import re
from collections.abc import Sequence
from typing import TYPE_CHECKING, Literal, TypeAlias

from ir_datasets_ext.choices import describe_unknown

from ..text import writable
from .html import spans_of
from .layout import DIFFERS, Cell, Group, layout, with_best, without_best
from .remarks import UNANSWERED

if TYPE_CHECKING:
    from .paper_table import PaperTable

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
#: where a column's highest value is bold
Best: TypeAlias = Literal["group", "overall"] | None


def write_latex(
    table: "PaperTable",
    rows: Sequence[str] | None = None,
    std: bool = True,
    best: Best = "group",
) -> str:
    """Return a ``tabular``, with remarks as comments above it; see `PaperTable.to_latex`."""
    groups = _choose_rows(layout(table), rows)
    groups = _mark_best(groups, best)

    width = len(table.columns)
    comments = [f"{table.full_title}, percent; \\usepackage{{booktabs}}", *table.remarks]
    lines = [f"% {writable(' '.join(comment.split()))}" for comment in comments]
    lines += [rf"\begin{{tabular}}{{l{'r' * width}}}", r"\toprule", *_head_lines(table)]
    for group in groups:
        lines += [r"\midrule", *_group_lines(group, width, std)]
    lines += [r"\bottomrule", r"\end{tabular}", ""]
    return "\n".join(lines)


def escaped(text: str) -> str:
    """Escape a text for LaTeX, as one line without control characters."""
    line = re.sub(r"[\x00-\x1f\x7f\s]+", " ", writable(text)).strip()
    return "".join(ESCAPES.get(sign, sign) for sign in line)


def _choose_rows(groups: list[Group], names: Sequence[str] | None) -> list[Group]:
    """Return the groups with the rows of these names alone, in this order; None for all rows."""
    all_names = list(dict.fromkeys(row.name for group in groups for row in group.rows))
    if names is None:
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
    unmarked = [group._replace(rows=without_best(group.rows)) for group in groups]
    if best is None:
        return unmarked
    if best == "group":
        return [group._replace(rows=with_best(group.rows)) for group in unmarked]

    all_rows = with_best([row for group in unmarked for row in group.rows])
    marked_groups = []
    first_row = 0
    for group in unmarked:
        next_row = first_row + len(group.rows)
        marked_groups.append(group._replace(rows=all_rows[first_row:next_row]))
        first_row = next_row
    return marked_groups


def _head_lines(table: "PaperTable") -> list[str]:
    """Return the lines of the subsets, if there are any, and of the measures below them."""
    measures = _line(["", *(escaped(label) for label in table.columns["label"])])
    if not table.columns["subset"].any():
        return [measures]

    subsets, rules = [""], []
    for span in spans_of(table):
        subsets.append(rf"\multicolumn{{{span.width}}}{{c}}{{{escaped(span.subset)}}}")
        first = span.first + 2  # LaTeX counts from 1, and the names are the first column
        rules.append(rf"\cmidrule(lr){{{first}-{first + span.width - 1}}}")
    return [_line(subsets), " ".join(rules), measures]


def _group_lines(group: Group, width: int, std: bool) -> list[str]:
    """Return the lines of a group: its heading, numbers of queries, and rows."""
    heading = rf"\multicolumn{{{width + 1}}}{{l}}{{\emph{{{escaped(group.title)}}}}} \\"
    counts = ["" if count is None else str(count) for count in group.counts]
    lines = [heading, _line([r"\emph{queries}", *counts])]

    for row in group.rows:
        name = escaped(row.name)
        if row.printed:
            name += f" ({escaped(row.printed)})"
        lines.append(_line([name, *(_write_cell(cell, std) for cell in row.cells)]))
    return lines


def _write_cell(cell: Cell, std: bool) -> str:
    """Return a figure with its signs, bold if it is best, and with ± if `std`."""
    if not cell.value:
        return "--"

    text = rf"\textbf{{{cell.value}}}" if cell.best else cell.value
    if cell.signs:
        signs = cell.signs.replace(DIFFERS, r"\dagger").replace(UNANSWERED, r"\ddagger")
        text += f"$^{{{signs}}}$"
    if cell.std and std:
        text += rf" {{\scriptsize$\pm${cell.std}}}"
    return text


def _line(cells: Sequence[str]) -> str:
    return " & ".join(cells) + r" \\"

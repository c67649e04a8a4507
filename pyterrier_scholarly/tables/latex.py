"""Write a table as LaTeX, for the package booktabs.

    text = write_latex(table, rows=["bm25", "ours"], std=False, best="overall")

Conventions: every text is escaped, so names and remarks may hold any character.
"""

import re
from collections.abc import Sequence
from typing import Literal, TypeAlias

from ir_datasets_ext.choices import describe_unknown

from ..text import writable
from .layout import Cell, Group, find_spans, lay_out, mark_best, unmark_best
from .table_content import DIFFERS, UNANSWERED, TableContent

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


def write_latex(
    table: TableContent,
    rows: Sequence[str] | None = None,
    std: bool = True,
    best: Best = "group",
) -> str:
    """Return a ``tabular``, with remarks as comments above it; see `PaperTable.to_latex`."""
    groups = _choose_rows(lay_out(table), rows)
    groups = _mark_best(groups, best)
    width = len(table.columns)

    lines = [_write_comment(f"{table.full_title}, percent; \\usepackage{{booktabs}}")]
    for remark in table.remarks:
        lines.append(_write_comment(remark))

    lines.append(rf"\begin{{tabular}}{{l{'r' * width}}}")
    lines.append(r"\toprule")
    lines += _write_head(table)
    for group in groups:
        lines.append(r"\midrule")
        lines += _write_group(group, width, std)
    lines.append(r"\bottomrule")
    lines.append(r"\end{tabular}")
    return "\n".join(lines) + "\n"


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

    subsets = [""]
    rules = []
    for span in find_spans(table):
        subsets.append(rf"\multicolumn{{{span.width}}}{{c}}{{{escape(span.subset)}}}")
        first = span.first + 2  # LaTeX counts from 1, and the names are the first column
        last = first + span.width - 1
        rules.append(rf"\cmidrule(lr){{{first}-{last}}}")
    return [_join_cells(subsets), " ".join(rules), label_line]


def _write_group(group: Group, width: int, std: bool) -> list[str]:
    """Return the lines of a group: its heading, numbers of queries, and rows."""
    heading = rf"\multicolumn{{{width + 1}}}{{l}}{{\emph{{{escape(group.title)}}}}} \\"
    counts = ["" if count is None else str(count) for count in group.counts]
    lines = [heading, _join_cells([r"\emph{queries}", *counts])]

    for row in group.rows:
        name = escape(row.name)
        if row.printed:
            name += f" ({escape(row.printed)})"
        cells = [_write_cell(cell, std) for cell in row.cells]
        lines.append(_join_cells([name, *cells]))
    return lines


def _write_cell(cell: Cell, std: bool) -> str:
    """Return a figure with its signs, bold if it is best, and with ± if `std`."""
    if not cell.value:
        return NO_FIGURE

    text = rf"\textbf{{{cell.value}}}" if cell.best else cell.value
    if cell.signs:
        signs = cell.signs.replace(DIFFERS, r"\dagger").replace(UNANSWERED, r"\ddagger")
        text += f"$^{{{signs}}}$"
    if cell.std and std:
        text += rf" {{\scriptsize$\pm${cell.std}}}"
    return text


def _join_cells(cells: Sequence[str]) -> str:
    """Return the line of a row of the table."""
    return " & ".join(cells) + r" \\"

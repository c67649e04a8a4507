"""Write a table as HTML, for a page or a notebook, and as LaTeX, for the package booktabs."""

import re
from collections.abc import Iterator, Sequence
from itertools import accumulate, groupby
from pathlib import Path
from typing import TYPE_CHECKING

import pandas as pd

from ir_datasets_ext.choices import describe_unknown

from ..explanation.page import signed, templates
from ..text import writable
from .columns import OWN
from .layout import Cell, Group, layout, percent, with_best, without_best
from .remarks import UNANSWERED

if TYPE_CHECKING:
    from .result import PaperTable

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
    "†": r"$\dagger$",
    "‡": r"$\ddagger$",
}


#: where a name or label may go on in the next line: before a cut-off or parameter, after a dash
BREAKS = re.compile(r"(?=[@%(,])|(?<=[_/–])")


def page(table: "PaperTable", whole: bool = True) -> str:
    """Render the table as a page that fetches nothing, or with its styles for a notebook."""
    spans = _spans(table)
    folder = Path(__file__).parent / "_page"
    template = templates(folder).get_template("page.html" if whole else "table.html")
    return writable(
        template.render(
            table=table,
            columns=list(table.columns.itertuples()),
            breakable=BREAKS.split,
            spans=spans,
            starts=set(accumulate((width for _, width in spans), initial=0)),
            groups=layout(table),
            details=list(_details(table)),
            systems=table.systems.to_dict("records"),
            heading="h1" if whole else "h2",
        )
    )


def _spans(table: "PaperTable") -> list[tuple[str, int]]:
    """Return each subset in the columns' order, with its number of columns."""
    return [(subset, len(list(same))) for subset, same in groupby(table.columns["subset"])]


def _details(table: "PaperTable") -> Iterator[tuple[str, list[dict[str, object]]]]:
    """Yield each column's name, and intervals and tests of this run's systems."""
    own = table.figures[table.figures["source"] == OWN]
    for subset, label in zip(table.columns["subset"], table.columns["label"]):
        rows = own[(own["subset"] == subset) & (own["label"] == label)]
        yield f"{subset} {label}".strip(), [_detail(row, table) for _, row in rows.iterrows()]


def _detail(row: pd.Series, table: "PaperTable") -> dict[str, object]:
    p, tested = row["p"], row["p"] == row["p"]  # not NaN
    untested = "baseline" if row["name"] == table.baseline else ""
    return {
        "name": row["name"],
        "value": percent(row["value"], table.decimals),
        "interval": "–".join(percent(row[end], table.decimals) for end in ("low", "high")),
        "queries": _describe_answered(int(row["answered"]), int(row["queries"])),
        "difference": signed(100 * row["difference"], table.decimals) if tested else untested,
        "p": "" if not tested else f"{p:.3f}" if p >= 0.001 else "< 0.001",
        "better": f"{int(row['better'])} / {int(row['worse'])}" if tested else "",
    }


def plain_text(table: "PaperTable") -> str:
    """Return the figures as aligned columns of text, in the groups of the page."""
    labels = (table.columns["subset"] + " " + table.columns["label"]).str.strip()
    groups = layout(table)
    signs_shown = any(
        cell.unanswered for group in groups for row in group.rows for cell in row.cells
    )

    index, lines = [], []
    for group in groups:
        for row in group.rows:
            index.append((group.source, row.name))
            lines.append([_plain_cell(cell, signs_shown) for cell in row.cells])
    names = pd.MultiIndex.from_tuples(index, names=["source", "name"])
    return pd.DataFrame(lines, index=names, columns=list(labels)).to_string()


def _plain_cell(cell: Cell, signs_shown: bool) -> str:
    """Return a cell's value; of a table with signs, each cell has one or a blank in its place."""
    if not signs_shown or not cell.value:
        return cell.value
    return cell.value + (UNANSWERED if cell.unanswered else " ")


def _describe_answered(answered: int, queries: int) -> str:
    """Return the number of queries, and how many are answered if these are fewer."""
    return str(queries) if answered == queries else f"{answered} of {queries}"


def latex(
    table: "PaperTable",
    rows: Sequence[str] | None = None,
    std: bool = True,
    best: str | None = "group",
) -> str:
    """Return a ``tabular``, with remarks as comments above it; see `PaperTable.to_latex`."""
    width = len(table.columns)
    lines = [
        f"% {table.full_title}, percent; \\usepackage{{booktabs}}",
        *(f"% {writable(' '.join(remark.split()))}" for remark in table.remarks),
        rf"\begin{{tabular}}{{l{'r' * width}}}",
        r"\toprule",
        *_head(table),
    ]
    for group in _choose(layout(table), rows, best):
        lines += [r"\midrule", *_group(group, width, std)]
    return "\n".join([*lines, r"\bottomrule", r"\end{tabular}", ""])


def _choose(groups: list[Group], rows: Sequence[str] | None, best: str | None) -> list[Group]:
    """Return the groups with these rows alone, in this order, and the best of their columns.

    Args:
        groups: of the table.
        rows: names of systems; None for all.
        best: where a column's highest value is marked: in each "group", "overall", or None.
    """
    if best not in ("group", "overall", None):
        raise ValueError(f"Unknown best={best!r}. Pass 'group', 'overall' or None.")
    all_names = list(dict.fromkeys(row.name for group in groups for row in group.rows))
    names = all_names if rows is None else rows
    for name in names:
        if name not in all_names:
            raise ValueError(describe_unknown("row", name, all_names, of="the table"))

    chosen_groups = []
    for group in groups:
        chosen_rows = [row for name in names for row in group.rows if row.name == name]
        if chosen_rows:
            chosen_groups.append(group._replace(rows=without_best(chosen_rows)))

    if best == "group":
        return [group._replace(rows=with_best(group.rows)) for group in chosen_groups]
    if best == "overall":
        return _mark_overall(chosen_groups)
    return chosen_groups


def _mark_overall(groups: list[Group]) -> list[Group]:
    """Mark the best cells of each column among the rows of all groups."""
    all_rows = with_best([row for group in groups for row in group.rows])

    marked_groups = []
    first_row = 0
    for group in groups:
        next_row = first_row + len(group.rows)
        marked_groups.append(group._replace(rows=all_rows[first_row:next_row]))
        first_row = next_row
    return marked_groups


def escaped(text: str) -> str:
    """Escape a text for LaTeX, as one line without control characters."""
    line = re.sub(r"[\x00-\x1f\x7f\s]+", " ", writable(text)).strip()
    return "".join(ESCAPES.get(sign, sign) for sign in line)


def _head(table: "PaperTable") -> Iterator[str]:
    """Yield the subsets above their measures; the measures alone if there are no subsets."""
    if table.columns["subset"].any():
        spans = _spans(table)
        yield _line("", *(rf"\multicolumn{{{w}}}{{c}}{{{escaped(subset)}}}" for subset, w in spans))
        ends = zip(spans, accumulate((width for _, width in spans)))
        yield " ".join(rf"\cmidrule(lr){{{end - w + 2}-{end + 1}}}" for (_, w), end in ends)
    yield _line("", *map(escaped, table.columns["label"]))


def _group(group: Group, width: int, std: bool) -> Iterator[str]:
    yield rf"\multicolumn{{{width + 1}}}{{l}}{{\emph{{{escaped(group.title)}}}}} \\"
    counts = ("" if count is None else str(count) for count in group.counts)
    yield _line(r"\emph{queries}", *counts)
    for row in group.rows:
        printed = f" ({escaped(row.printed)})" if row.printed else ""
        yield _line(escaped(row.name) + printed, *(_cell(cell, std) for cell in row.cells))


def _cell(cell: Cell, with_std: bool) -> str:
    if not cell.value:
        return "--"
    value = rf"\textbf{{{cell.value}}}" if cell.best else cell.value
    signs = cell.signs.replace("†", r"\dagger").replace("‡", r"\ddagger")
    mark = f"$^{{{signs}}}$" if signs else ""
    std = rf" {{\scriptsize$\pm${cell.std}}}" if cell.std and with_std else ""
    return f"{value}{mark}{std}"


def _line(*cells: str) -> str:
    return " & ".join(cells) + r" \\"

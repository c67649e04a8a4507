"""Write a table as HTML, for a page or a notebook, and as LaTeX, for the package booktabs."""

import re
from collections.abc import Iterator, Sequence
from itertools import accumulate, groupby
from pathlib import Path
from typing import TYPE_CHECKING

import pandas as pd

from ..frames import some
from ..pages import signed, templates
from ..text import writable
from .columns import OWN
from .layout import Cell, Group, layout, percent, with_best

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
}


def page(table: "PaperTable", whole: bool = True) -> str:
    """Render the table as a page that fetches nothing, or with its styles for a notebook."""
    spans, folder = _spans(table), Path(__file__).parent / "_page"
    template = templates(folder).get_template("page.html" if whole else "table.html")
    return writable(
        template.render(
            table=table,
            columns=list(table.columns.itertuples()),
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
        "interval": " to ".join(percent(row[end], table.decimals) for end in ("low", "high")),
        "queries": int(row["queries"]),
        "difference": signed(100 * row["difference"], table.decimals) if tested else untested,
        "p": "" if not tested else f"{p:.3f}" if p >= 0.001 else "< 0.001",
        "better": f"{int(row['better'])} / {int(row['worse'])}" if tested else "",
    }


def latex(
    table: "PaperTable",
    rows: Sequence[str] | None = None,
    std: bool = True,
    best: str | None = "group",
) -> str:
    """Return a ``tabular``, with remarks as comments above it; see `PaperTable.to_latex`."""
    width = len(table.columns)
    lines = [
        f"% {table.title} ({table.dataset}), percent; \\usepackage{{booktabs}}",
        *(f"% {writable(' '.join(remark.split()))}" for remark in table.remarks),
        rf"\begin{{tabular}}{{l{'r' * width}}}",
        r"\toprule",
        *_head(table),
    ]
    for group in _chosen(layout(table), rows, best):
        lines += [r"\midrule", *_group(group, width, std)]
    return "\n".join([*lines, r"\bottomrule", r"\end{tabular}", ""])


def _chosen(groups: list[Group], rows: Sequence[str] | None, best: str | None) -> list[Group]:
    """Return the groups with these rows alone, in this order, and the best of their columns."""
    known = list(dict.fromkeys(row.name for group in groups for row in group.rows))
    rows = known if rows is None else rows
    if unknown := [name for name in rows if name not in known]:
        raise ValueError(f"Unknown rows: {some(unknown)}. Pass some of: {', '.join(known)}.")
    if best not in ("group", "overall", None):
        raise ValueError(f"Unknown best={best!r}. Pass 'group', 'overall' or None.")
    kept = [
        group._replace(rows=sorted(own, key=lambda row: rows.index(row.name)))
        for group in groups
        if (own := [row for row in group.rows if row.name in rows])
    ]
    together = [row for group in kept for row in group.rows]
    compared = [together] if best == "overall" else [group.rows for group in kept]
    marked = iter([row for rows in compared for row in with_best(rows, best is not None)])
    return [group._replace(rows=[next(marked) for _ in group.rows]) for group in kept]


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
    mark = r"$^{\dagger}$" if cell.differs else ""
    std = rf" {{\scriptsize$\pm${cell.std}}}" if cell.std and with_std else ""
    return f"{value}{mark}{std}"


def _line(*cells: str) -> str:
    return " & ".join(cells) + r" \\"

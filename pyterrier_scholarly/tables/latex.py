"""A table as LaTeX, for the package booktabs."""

import re
from itertools import groupby

from ..text.plain import writable
from .layout import layout

ESCAPES = {
    "\\": r"\textbackslash{}",
    **{sign: f"\\{sign}" for sign in "&%$#_{}"},
    **{sign: f"{{{sign}}}" for sign in "[]*"},  # else arguments, where they begin a line
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


def latex(table) -> str:
    """The text of a ``tabular``; remarks as comments above."""
    columns = list(table.columns.itertuples())
    lines = [
        f"% {table.title} ({table.dataset}), percent; \\usepackage{{booktabs}}",
        *(f"% {writable(' '.join(remark.split()))}" for remark in table.remarks),
        rf"\begin{{tabular}}{{l{'r' * len(columns)}}}",
        r"\toprule",
        *_head(columns),
    ]
    for group in layout(table):
        lines += [r"\midrule", *_group(group, len(columns))]
    return "\n".join([*lines, r"\bottomrule", r"\end{tabular}", ""])


def escaped(text) -> str:
    """Text for LaTeX, on one line and without control characters."""
    line = re.sub(r"[\x00-\x1f\x7f\s]+", " ", writable(text)).strip()
    return "".join(ESCAPES.get(sign, sign) for sign in line)


def _head(columns):
    """Subsets above their measures, where there are any."""
    spans = [(subset, len(list(same))) for subset, same in groupby(c.subset for c in columns)]
    if any(subset for subset, _ in spans):
        cells, rules, first = [], [], 2
        for subset, width in spans:
            cells.append(rf"\multicolumn{{{width}}}{{c}}{{{escaped(subset)}}}")
            rules.append(rf"\cmidrule(lr){{{first}-{first + width - 1}}}")
            first += width
        yield _line("", *cells)
        yield " ".join(rules)
    yield _line("", *(escaped(column.label) for column in columns))


def _group(group, width):
    yield rf"\multicolumn{{{width + 1}}}{{l}}{{\emph{{{escaped(group.title)}}}}} \\"
    counts = ("" if count is None else str(count) for count in group.counts)
    yield _line(r"\emph{queries}", *counts)
    for row in group.rows:
        name = escaped(row.name)
        if row.printed:
            name += f" ({escaped(row.printed)})"
        yield _line(name, *map(_cell, row.cells))


def _cell(cell):
    if not cell.value:
        return "--"
    value = rf"\textbf{{{cell.value}}}" if cell.best else cell.value
    mark = r"$^{\dagger}$" if cell.differs else ""
    std = rf" {{\scriptsize$\pm${cell.std}}}" if cell.std else ""
    return f"{value}{mark}{std}"


def _line(*cells):
    return " & ".join(cells) + r" \\"

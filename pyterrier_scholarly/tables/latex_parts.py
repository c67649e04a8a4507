"""The pieces of a LaTeX table: escaped texts, rows, headings, signs, and a ``tabular`` of them.

    write_tabular(comments, head, body, width=2, compact=False)   # for the package booktabs

Conventions: every text is escaped, so names and remarks may hold any character. `compact` is as in
`PaperTable.to_latex`; `width` is a table's number of columns besides that of names.
"""

import re
from collections.abc import Sequence

from ..text import writable
from .table_content import DIFFERS, UNANSWERED

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
#: begin and end of a compact table: small type, half the usual room between columns
COMPACT_BEGIN = r"{\footnotesize\setlength{\tabcolsep}{3pt}%"
COMPACT_END = "}"


def write_tabular(
    comments: list[str], head: list[str], body: list[str], width: int, compact: bool
) -> str:
    """Return a table of lines.

    Args:
        comments: of `write_comment`, above the table.
        head: lines above the first rule.
        body: the other lines; the first one is a rule.
        width, compact: see above.
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


def write_heading(text: str, style: str, width: int, compact: bool) -> str:
    """Return a line with a heading over all columns; `style` is a command such as "emph"."""
    column_type = "@{}l@{}" if compact else "l"
    styled_text = rf"\{style}{{{escape(text)}}}"
    return rf"\multicolumn{{{width + 1}}}{{{column_type}}}{{{styled_text}}} \\"


def join_cells(cells: Sequence[str]) -> str:
    """Return the line of a row of the table."""
    return " & ".join(cells) + r" \\"


def write_signs(signs: str, widest_signs: str) -> str:
    """Return signs behind a figure as a superscript, as wide as the widest ones of the column.

    Figures stand at the right edge of a column, so without that room those with a sign would stand
    further left than those without.
    """
    text = "".join(_write_sign(sign) for sign in signs)
    missing_signs = widest_signs[len(signs) :]
    if missing_signs:
        missing_text = "".join(_write_sign(sign) for sign in missing_signs)
        text += rf"\phantom{{{missing_text}}}"
    return f"$^{{{text}}}$" if text else ""


def write_comment(text: str) -> str:
    """Return a text as one line that LaTeX ignores."""
    one_line = " ".join(text.split())
    return f"% {writable(one_line)}"


def escape(text: str) -> str:
    """Escape a text for LaTeX, as one line without control characters."""
    line = BLANKS.sub(" ", writable(text)).strip()
    return "".join(ESCAPES.get(character, character) for character in line)


def _write_sign(sign: str) -> str:
    """Return a sign for the mode of mathematics; letters of baselines are upright."""
    if sign == DIFFERS:
        return r"\dagger"
    if sign == UNANSWERED:
        return r"\ddagger"
    return rf"\mathrm{{{sign}}}"

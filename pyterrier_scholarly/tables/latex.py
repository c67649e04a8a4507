r"""Write a table's cells as LaTeX, for the package booktabs.

A system's line is its name and its figures, the best one of a column in bold::

    BM25 & 30.1$^{\dagger}$ & \textbf{41.2} \\

Every text is escaped, so names and remarks may hold any character.
"""

import re
from collections.abc import Iterable, Sequence
from itertools import groupby

import pandas as pd

from .layout import DIFFERS, UNANSWERED

NO_FIGURE = "--"
#: character -> how LaTeX writes it
ESCAPES = {
    "\\": r"\textbackslash{}",
    **{sign: "\\" + sign for sign in "&%$#_{}"},
    **{sign: "{" + sign + "}" for sign in "[]*"},  # at a line's start these would be arguments
    "~": r"\textasciitilde{}",
    "^": r"\textasciicircum{}",
    "<": r"\textless{}",
    ">": r"\textgreater{}",
    "|": r"\textbar{}",
    "±": r"$\pm$",
    "–": "--",
    DIFFERS: r"$\dagger$",
    UNANSWERED: r"$\ddagger$",
}
#: control characters and white space, line breaks among them
BLANKS = re.compile(r"[\x00-\x1f\x7f\s]+")
#: sign -> how it is written in the mode of mathematics; letters of baselines are upright
SIGNS = {DIFFERS: r"\dagger", UNANSWERED: r"\ddagger"}


def write_tabular(
    comments: Iterable[str],
    cells: pd.DataFrame,
    *,
    std: bool = True,
    counts: bool = True,
    titles: bool = True,
    blocks: bool = False,
    compact: bool = False,
) -> str:
    """Return a ``tabular`` with comments above it.

    Args:
        comments: texts, without LaTeX's sign of a comment.
        cells: of `lay_out` or `lay_out_wins`.
        std, counts, blocks, compact: see `PaperTable.to_latex`.
        titles: whether to write a group's title even if it is the only group.
    """
    if blocks:  # subsets stand below each other, so a measure has one column for all of them
        cells = cells.assign(column=cells["label"])
    cells = cells.assign(text=_write_cells(cells, std))
    columns = list(cells["column"].unique())
    if cells["group"].nunique() > 1:  # several groups must be told apart
        titles = True

    body_lines = []
    if blocks:
        for subset, block in cells.groupby("subset", sort=False):
            body_lines.append(r"\midrule")
            body_lines += _write_block(str(subset), block, columns, counts, titles, compact)
    else:
        for _, group in cells.groupby("group", sort=False):
            body_lines.append(r"\midrule")
            body_lines += _write_group(group, columns, counts, titles, compact)

    comment_lines = ["% " + " ".join(comment.split()) for comment in comments]
    table_lines = _frame_lines(_write_head(cells, blocks), body_lines, len(columns), compact)
    return "\n".join([*comment_lines, *table_lines]) + "\n"


def escape(text: str) -> str:
    """Escape a text for LaTeX, as one line without control characters."""
    line = BLANKS.sub(" ", text).strip()
    return "".join(ESCAPES.get(character, character) for character in line)


def _frame_lines(
    head_lines: Iterable[str], body_lines: Iterable[str], width: int, compact: bool
) -> list[str]:
    """Return the lines of a ``tabular`` with a column of names and `width` columns of figures."""
    column_types = "l" + "r" * width
    if compact:  # no room at the edges, where rules end
        column_types = "@{}" + column_types + "@{}"

    lines = [
        _write_command("begin", "tabular", column_types),
        r"\toprule",
        *head_lines,
        *body_lines,
        r"\bottomrule",
        r"\end{tabular}",
    ]
    if compact:  # small type, half the usual room between columns
        lines = [r"{\footnotesize\setlength{\tabcolsep}{3pt}%", *lines, "}"]
    return lines


def _write_head(cells: pd.DataFrame, blocks: bool) -> list[str]:
    """Return the lines above the figures: labels of measures, and the subsets above them.

    Each of the two is left out if it is empty.
    """
    headings = cells.drop_duplicates("column")
    labels = list(headings["label"])
    subsets = list(headings["subset"])
    has_one_measure = len(labels) > 1 and len(set(labels)) == 1

    upper_texts: list[str] = []
    if blocks or not any(subsets):  # each block has its subset above its rows
        lower_texts = labels
    elif not any(labels):
        lower_texts = subsets
    elif has_one_measure:  # written once, above all subsets
        upper_texts = labels
        lower_texts = subsets
    else:
        upper_texts = subsets
        lower_texts = labels

    lines = []
    if upper_texts:
        lines += _write_spans(upper_texts)
    if any(lower_texts):
        lines.append(_join_cells("", *map(escape, lower_texts)))
    return lines


def _write_spans(texts: Sequence[str]) -> list[str]:
    """Return a line in which neighbours of one text share one wide cell, and their rules below it.

    texts: one for each column.
    """
    wide_cells = [""]  # nothing above the names
    rules = []
    first_column = 2  # LaTeX counts from 1, and the names are the first column
    for text, columns in groupby(texts):
        width = len(list(columns))
        last_column = first_column + width - 1
        wide_cells.append(_write_command("multicolumn", str(width), "c", escape(text)))
        rules.append(_write_command("cmidrule(lr)", f"{first_column}-{last_column}"))
        first_column = last_column + 1
    return [_join_cells(*wide_cells), " ".join(rules)]


def _write_block(
    subset: str,
    block: pd.DataFrame,
    columns: Sequence[object],
    counts: bool,
    titles: bool,
    compact: bool,
) -> list[str]:
    """Return the lines of a subset's block: its heading, and its groups of rows.

    Arguments are as for `_write_group`. If the whole block has one number of queries, the number
    stands in the heading, and the groups need no line of it.
    """
    heading = subset
    query_counts = set(block["queries"]) - {""}
    if counts and len(query_counts) == 1:
        heading = f"{subset} ({query_counts.pop()} queries)".strip()
        counts = False  # for the groups

    lines = []
    if heading:
        lines.append(_write_heading(heading, "textbf", len(columns), compact))
    for _, group in block.groupby("group", sort=False):
        lines += _write_group(group, columns, counts, titles, compact)
    return lines


def _write_group(
    group: pd.DataFrame, columns: Sequence[object], counts: bool, titles: bool, compact: bool
) -> list[str]:
    """Return the lines of a group: its title, its numbers of queries, and its rows.

    Args:
        group: cells with LaTeX's `text`.
        columns: values of `column`, in the table's order.
        counts, titles: whether to write the two.
        compact: as for `write_tabular`.
    """
    row_lines = _write_rows(group, columns)
    if not row_lines:
        return []

    lines = []
    if titles:
        lines.append(_write_heading(group["title"].iloc[0], "emph", len(columns), compact))
    count_of_column = dict(zip(group["column"], group["queries"]))
    count_texts = [count_of_column.get(column, "") for column in columns]
    if counts and any(count_texts):
        lines.append(_join_cells(r"\emph{queries}", *count_texts))
    return lines + row_lines


def _write_rows(group: pd.DataFrame, columns: Iterable[object]) -> list[str]:
    """Return a line for each row of a group that has a figure in these cells."""
    lines = []
    for (name, printed_name), row in group.groupby(["name", "printed"], sort=False):
        if not any(row["value"]):  # a row with figures in other blocks only
            continue

        row_title = escape(name)
        if printed_name:
            row_title += f" ({escape(printed_name)})"

        # a block may lack a column that others have
        text_of_column = dict(zip(row["column"], row["text"]))
        texts = [text_of_column.get(column, NO_FIGURE) for column in columns]
        lines.append(_join_cells(row_title, *texts))
    return lines


def _write_heading(text: str, style: str, width: int, compact: bool) -> str:
    """Return a line with a heading over the names and `width` columns, in "textbf" or "emph"."""
    column_type = "@{}l@{}" if compact else "l"
    styled_text = _write_command(style, escape(text))
    return _join_cells(_write_command("multicolumn", str(width + 1), column_type, styled_text))


def _write_cells(cells: pd.DataFrame, std: bool) -> list[str]:
    """Return the figures of cells with their signs, in bold if they are best, and with ± if `std`.

    Figures stand at the right edge of a column. So that one with fewer signs does not stand further
    right than the others, all signs of a column take as much room as its widest ones.
    """
    # the longest text of a column's signs, in each of its cells
    widest_signs = cells.groupby("column")["signs"].transform(max, key=len)

    texts = []
    for cell, widest in zip(cells.itertuples(), widest_signs):
        if not cell.value:
            texts.append(NO_FIGURE)
            continue
        text = _write_command("textbf", cell.value) if cell.best else cell.value
        if widest:
            text += _write_signs(cell.signs, widest)
        if cell.std and std:
            text += r" {\scriptsize$\pm$" + cell.std + "}"
        texts.append(text)
    return texts


def _write_signs(signs: str, widest_signs: str) -> str:
    """Return signs as a superscript that takes the room of the widest signs."""
    superscript = _write_letters(signs)
    missing_signs = widest_signs[len(signs) :]
    if missing_signs:  # invisible, but as wide
        superscript += _write_command("phantom", _write_letters(missing_signs))
    return "$^{" + superscript + "}$"


def _write_letters(signs: str) -> str:
    """Return signs in the mode of mathematics."""
    return "".join(SIGNS.get(sign) or _write_command("mathrm", sign) for sign in signs)


def _write_command(name: str, *arguments: str) -> str:
    r"""Return a command of LaTeX, such as ``\multicolumn{2}{c}{all}``."""
    return "\\" + name + "".join("{" + argument + "}" for argument in arguments)


def _join_cells(*texts: str) -> str:
    """Return the line of a row."""
    return " & ".join(texts) + r" \\"

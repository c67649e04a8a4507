r"""Write a table's cells as LaTeX, for the package booktabs.

A system's line is its name and its figures, the best one of a column in bold::

    BM25 & 30.1$^{\dagger}$ & \textbf{41.2} \\

The template places the lines. Every text is escaped, so names and remarks may hold any character.
"""

import re
from collections.abc import Iterable

import pandas as pd
from more_itertools import run_length

from ..pages import render_page
from .html import TEMPLATES
from .layout import DIFFERS, UNANSWERED, group_cells

#: character -> how LaTeX writes it
ESCAPES = str.maketrans(
    {
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
)
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
    block_column = "group"
    if blocks:  # subsets stand below each other, so a measure has one column for all of them
        block_column = "subset"
        cells = cells.assign(column=cells["label"])
    headings = cells.drop_duplicates("column")

    # Figures stand at the right edge of a column. So that one with fewer signs does not stand
    # further right than the others, all signs of a column take as much room as its widest ones.
    widest_signs = cells.groupby("column")["signs"].transform(max, key=len)
    cells = cells.assign(signs=list(map(_write_signs, cells["signs"], widest_signs)))

    *upper_lines, headings_of_columns = _choose_headings(headings, blocks) or [[]]
    return render_page(
        TEMPLATES,
        "tabular.tex",
        comments=[" ".join(comment.split()) for comment in comments],
        blocks_of_cells=cells.groupby(block_column, sort=False),
        group_cells=group_cells,
        columns=list(headings["column"]),
        span_lines=[_find_spans(line) for line in upper_lines],
        headings=headings_of_columns,
        std=std,
        counts=counts,
        titles=titles or cells["group"].nunique() > 1,  # several groups must be told apart
        blocks=blocks,
        compact=compact,
        tex=escape,
    )


def escape(text: str) -> str:
    """Escape a text for LaTeX, as one line without control characters."""
    return BLANKS.sub(" ", text).strip().translate(ESCAPES)


def _choose_headings(headings: pd.DataFrame, blocks: bool) -> list[list[str]]:
    """Return the texts above columns, one for each column in each of two lines, or fewer.

    A line is left out if it is empty: wins have no labels, a whole collection has no subset.
    """
    labels = list(headings["label"])
    subsets = list(headings["subset"])
    has_one_measure = len(labels) > 1 and len(set(labels)) == 1
    if blocks:  # each block has its subset above its rows
        lines = [labels]
    elif has_one_measure:  # written once, above all subsets
        lines = [labels, subsets]
    else:
        lines = [subsets, labels]
    return [line for line in lines if any(line)]


def _find_spans(texts: Iterable[str]) -> list[tuple[str, int, int]]:
    """Return what neighbours of one text share: the text, and their first and last column."""
    spans = []
    first_column = 2  # LaTeX counts from 1, and the names are the first column
    for text, width in run_length.encode(texts):
        spans.append((text, first_column, first_column + width - 1))
        first_column += width
    return spans


def _write_signs(signs: str, widest_signs: str) -> str:
    """Return signs as a superscript that takes the room of the widest signs; "" for no signs."""
    if not widest_signs:
        return ""
    superscript = _write_letters(signs)
    missing_signs = widest_signs[len(signs) :]
    if missing_signs:  # invisible, but as wide
        superscript += rf"\phantom{{{_write_letters(missing_signs)}}}"
    return f"$^{{{superscript}}}$"


def _write_letters(signs: str) -> str:
    """Return signs in the mode of mathematics."""
    return "".join(SIGNS.get(sign, rf"\mathrm{{{sign}}}") for sign in signs)

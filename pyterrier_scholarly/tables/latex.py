r"""Write a table's cells as LaTeX, for the package booktabs.

A system's line is its name and its figures, the best one of a column in bold::

    BM25 & 30.1$^{\dagger}$ & \textbf{41.2} \\

Every text is escaped, so names and remarks may hold any character.
"""

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
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
    if cells["group"].nunique() > 1:  # several groups must be told apart
        titles = True
    cells = cells.assign(text=_write_cells(cells, std))
    tabular = Tabular(list(cells["column"].unique()), counts, titles, blocks, compact)

    lines = ["% " + " ".join(comment.split()) for comment in comments]
    lines += tabular.write_begin()
    lines += tabular.write_head(cells)
    lines += tabular.write_body(cells)
    lines += tabular.write_end()
    return "\n".join(lines) + "\n"


def escape(text: str) -> str:
    """Escape a text for LaTeX, as one line without control characters."""
    line = BLANKS.sub(" ", text).strip()
    return "".join(ESCAPES.get(character, character) for character in line)


@dataclass(frozen=True)
class Tabular:
    """Writes the lines of a ``tabular``: a column of names, then columns of figures.

    columns: values of the cells' `column`, in the table's order.
    counts, titles, blocks, compact: as for `write_tabular`.
    """

    columns: Sequence[object]
    counts: bool
    titles: bool
    blocks: bool
    compact: bool

    def write_begin(self) -> list[str]:
        """Return the first lines."""
        column_types = "l" + "r" * len(self.columns)
        if not self.compact:
            return [_write_command("begin", "tabular", column_types), r"\toprule"]
        return [
            # small type, half the usual room between columns
            r"{\footnotesize\setlength{\tabcolsep}{3pt}%",
            # no room at the edges, where rules end
            _write_command("begin", "tabular", "@{}" + column_types + "@{}"),
            r"\toprule",
        ]

    def write_end(self) -> list[str]:
        """Return the last lines."""
        lines = [r"\bottomrule", r"\end{tabular}"]
        return [*lines, "}"] if self.compact else lines

    def write_head(self, cells: pd.DataFrame) -> list[str]:
        """Return the lines above the figures: labels of measures, and the subsets above them.

        Each is left out if it is empty: wins have no labels, a whole collection has no subset.
        """
        headings = cells.drop_duplicates("column")
        labels = list(headings["label"])
        subsets = list(headings["subset"])
        has_one_measure = len(labels) > 1 and len(set(labels)) == 1
        if self.blocks:  # each block has its subset above its rows
            levels = [labels]
        elif has_one_measure:  # written once, above all subsets
            levels = [labels, subsets]
        else:
            levels = [subsets, labels]

        filled_levels = [level for level in levels if any(level)]
        if not filled_levels:
            return []
        *upper_levels, lowest_level = filled_levels
        lines = []
        for upper_level in upper_levels:
            lines += _write_spans(upper_level)
        lines.append(_join_cells("", *map(escape, lowest_level)))
        return lines

    def write_body(self, cells: pd.DataFrame) -> list[str]:
        """Return the lines of all rows, with a rule above each group, or each subset's block."""
        lines = []
        if self.blocks:
            for subset, block in cells.groupby("subset", sort=False):
                lines += [r"\midrule", *self._write_block(str(subset), block)]
        else:
            for _, group in cells.groupby("group", sort=False):
                lines += [r"\midrule", *self._write_group(group, self.counts)]
        return lines

    def _write_block(self, subset: str, block: pd.DataFrame) -> list[str]:
        """Return the lines of a subset's block: its heading, and its groups of rows.

        If the whole block has one number of queries, the number stands in the heading, and the
        groups need no line of it.
        """
        heading = subset
        query_counts = set(block["queries"]) - {""}
        has_count_in_heading = self.counts and len(query_counts) == 1
        if has_count_in_heading:
            (query_count,) = query_counts
            heading = f"{subset} ({query_count} queries)".strip()

        lines = []
        if heading:
            lines.append(self._write_heading(heading, "textbf"))
        counts_in_groups = self.counts and not has_count_in_heading
        for _, group in block.groupby("group", sort=False):
            lines += self._write_group(group, counts_in_groups)
        return lines

    def _write_group(self, group: pd.DataFrame, counts: bool) -> list[str]:
        """Return the lines of a group: its title, its numbers of queries, and its rows.

        counts: whether to write the numbers of queries.
        """
        row_lines = self._write_rows(group)
        if not row_lines:
            return []

        lines = []
        if self.titles:
            lines.append(self._write_heading(group["title"].iloc[0], "emph"))
        count_of_column = dict(zip(group["column"], group["queries"]))
        if counts and any(count_of_column.values()):
            lines.append(self._join_columns(r"\emph{queries}", count_of_column, missing=""))
        return lines + row_lines

    def _write_rows(self, group: pd.DataFrame) -> list[str]:
        """Return a line for each row of a group that has a figure in these cells."""
        lines = []
        for (name, printed_name), row in group.groupby(["name", "printed"], sort=False):
            if not any(row["value"]):  # a row with figures in other blocks only
                continue
            title = escape(name)
            if printed_name:
                title += f" ({escape(printed_name)})"
            text_of_column = dict(zip(row["column"], row["text"]))
            lines.append(self._join_columns(title, text_of_column, missing=NO_FIGURE))
        return lines

    def _write_heading(self, text: str, style: str) -> str:
        """Return a line with a heading over all columns, in "textbf" or "emph"."""
        width = str(len(self.columns) + 1)
        column_type = "@{}l@{}" if self.compact else "l"
        styled_text = _write_command(style, escape(text))
        return _join_cells(_write_command("multicolumn", width, column_type, styled_text))

    def _join_columns(self, title: str, texts: Mapping[object, str], missing: str) -> str:
        """Return the line of a row: its title, and its text in each column.

        texts: by column; a block may lack a column that others have, which has the text `missing`.
        """
        return _join_cells(title, *[texts.get(column, missing) for column in self.columns])


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

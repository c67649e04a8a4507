"""Write the wins, ties and losses of a table's systems as LaTeX.

    text = write_wins(table, table.wins, LatexChoices(counts=False))

A cell is "28/0/22": queries on which the system is better than the baseline, equal, and worse.
"""

from collections.abc import Hashable, Sequence

import pandas as pd

from .latex import NO_FIGURE, LatexChoices
from .latex_parts import (
    escape,
    join_cells,
    write_comment,
    write_heading,
    write_signs,
    write_tabular,
)
from .layout import SIGNIFICANT
from .table_content import DIFFERS, Condition, TableContent


def write_wins(table: TableContent, wins: pd.DataFrame, choices: LatexChoices) -> str:
    """Return a ``tabular`` of wins, ties and losses; see `PaperTable.wins_to_latex`.

    A row for each system, a column for each subset, a block for each measure and baseline.

    Args:
        table: for its title and remarks.
        wins: frame of `PaperTable.wins`.
        choices: `counts` and `compact` alone matter.
    """
    subsets = list(wins["subset"].unique())
    column_count = len(subsets)
    widest_signs = _find_widest_signs(wins)

    body = []
    for (label, baseline), wins_of_block in wins.groupby(["label", "baseline"], sort=False):
        heading = f"{label}, against {baseline}"
        body.append(r"\midrule")
        body.append(write_heading(heading, "emph", column_count, choices.compact))
        body += _write_block(wins_of_block, subsets, widest_signs)

    comments = _write_comments(table)
    head = _write_head(wins, subsets, choices.counts)
    return write_tabular(comments, head, body, column_count, choices.compact)


def _write_comments(table: TableContent) -> list[str]:
    """Return the comments above the table: its title, what its sign means, how it was tested."""
    title = f"{table.full_title}: queries better/equal/worse; \\usepackage{{booktabs}}"
    # Each block here has one baseline and one sign. The remarks on tests are those of the table of
    # figures, where several baselines have a letter each, so they do not explain this sign.
    meaning_of_sign = f"{DIFFERS} p < 0.05"
    test_remarks = [remark.text for remark in table.notes if remark.condition is Condition.TESTS]
    return [write_comment(text) for text in (title, meaning_of_sign, *test_remarks)]


def _write_head(wins: pd.DataFrame, subsets: Sequence[str], counts: bool) -> list[str]:
    """Return the lines of the subsets, if they have names, and of their numbers of queries."""
    lines = []
    if any(subsets):
        lines.append(join_cells(["", *(escape(subset) for subset in subsets)]))
    if counts:
        query_counts = wins.groupby("subset", sort=False)["queries"].max()
        lines.append(join_cells([r"\emph{queries}", *(str(count) for count in query_counts)]))
    return lines


def _write_block(
    wins: pd.DataFrame, subsets: Sequence[str], widest_signs: dict[Hashable, str]
) -> list[str]:
    """Return the lines of systems that are compared by one measure with one baseline."""
    lines = []
    for name, wins_of_system in wins.groupby("name", sort=False):
        cell_by_subset = {}
        for _, win in wins_of_system.iterrows():
            subset = win["subset"]
            cell_by_subset[subset] = _write_win(win, widest_signs[subset])

        cells = [cell_by_subset.get(subset, NO_FIGURE) for subset in subsets]
        lines.append(join_cells([escape(str(name)), *cells]))
    return lines


def _write_win(win: pd.Series, widest_signs: str) -> str:
    """Return a row of `PaperTable.wins` as a cell."""
    signs = DIFFERS if win["p"] < SIGNIFICANT else ""
    counts = f"{win['better']}/{win['equal']}/{win['worse']}"
    return counts + write_signs(signs, widest_signs)


def _find_widest_signs(wins: pd.DataFrame) -> dict[Hashable, str]:
    """Return for each subset the sign that a cell of its column has, "" if none has one."""
    has_sign = wins["p"].lt(SIGNIFICANT).groupby(wins["subset"]).any()
    return {subset: DIFFERS if any_sign else "" for subset, any_sign in has_sign.items()}

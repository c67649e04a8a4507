"""Lay a table out as people read it: groups of rows, figures as texts, the best of each column.

`lay_out` returns one long frame, and `html`, `latex` and `terminal` only place its texts::

    cells = lay_out(table)
    for _, group in cells.groupby("group", sort=False):
        for name, row in group.groupby("name", sort=False):
            print(name, *row["value"])

Conventions: figures are fractions of 1, texts are percent. "" stands for what is missing.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from string import ascii_lowercase
from typing import Any, Literal, NamedTuple, TypeAlias

import pandas as pd

from ..evaluation.checks import RunCheck
from ..protocols import Protocol

#: values of column `source` of figures
PUBLISHED = "published"
OWN = "this run"
#: columns that name a figure of this run, and a test of one
FIGURE = ["name", "subset", "measure"]

DIFFERS = "†"  # the sign of a figure that differs significantly from the only baseline's
UNANSWERED = "‡"  # the sign of a figure some of whose queries have no results
SIGNIFICANT = 0.05  # a smaller p-value makes a difference significant

#: where a column's highest figure is marked
Best: TypeAlias = Literal["group", "overall"] | None
#: the same -> what the figures have in common that are compared; None: each stands alone
RIVALS: dict[Best, list[str]] = {
    "group": ["column", "group"],
    "overall": ["column"],
    None: ["column", "group", "name"],
}


@dataclass(frozen=True, eq=False, repr=False)
class TableData:
    """What a table holds: printed rows, rows of this run, and their remarks; see `PaperTable`.

    The functions that lay it out and write it read this, and `PaperTable` calls them.
    """

    dataset: str
    table: str
    protocol: Protocol
    columns: pd.DataFrame
    figures: pd.DataFrame
    comparisons: pd.DataFrame
    systems: pd.DataFrame
    checks: Mapping[str, RunCheck]
    runs: Mapping[str, pd.DataFrame]
    baselines: Sequence[str]
    corrected: str
    resamples: int
    notes: Sequence[str] = ()

    @property
    def baseline(self) -> str:
        """The name of the first baseline."""
        return self.baselines[0]

    @property
    def title(self) -> str:
        """The collection's name and the table's number."""
        title = self.protocol.title
        return f"{title}, table {self.table}" if self.table else title

    @property
    def full_title(self) -> str:
        """The title, and in parentheses the dataset if it has another name."""
        return self.title if self.title == self.dataset else f"{self.title} ({self.dataset})"


def lay_out(table: TableData, best: Best = "group") -> pd.DataFrame:
    """Return a table's cells in reading order, a frame with a row for each row and column.

    best: where a column's highest figure is marked.

    Returns:
        Frame with

        - `group`, a number: rows over the same queries and documents, which can be compared with
          each other; first the printed ones, then those of this run; its `title` and `source`
        - `name` of the row; `printed`, its name in the paper if that is another one
        - `column`, the position in `columns`; `subset` and `label` above it; `span`, a number that
          neighbouring columns of one subset share
        - `queries`, the group's number of queries in the column
        - `value`, `std` and `signs` of the figure; `best`, whether it is marked
    """
    # each row has a cell in each column; neighbouring columns of one subset share a span
    headings = table.columns[["subset", "measure", "label"]].reset_index(names="column")
    begins_span = headings["subset"] != headings["subset"].shift()
    headings["span"] = begins_span.cumsum()
    cells = _group_rows(table.figures, table.systems).merge(headings, how="cross")

    # most cells have a figure; printed rows and rows of this run may have one name
    keys = ["source", *FIGURE]
    figures = table.figures[[*keys, "value", "std", "queries", "answered"]]
    cells = cells.merge(figures, on=keys, how="left")
    cells["signs"] = _write_signs(cells, table.comparisons.assign(source=OWN), keys)

    # a cell without a figure has the number of its group's other rows
    query_counts = cells.groupby(["group", "column"])["queries"].transform("max")
    decimals = table.protocol.decimals
    written_cells = cells.assign(
        value=[format_percent(value, decimals) for value in cells["value"]],
        std=[format_percent(std, decimals) for std in cells["std"]],
        queries=[format_number(count, ".0f") for count in query_counts],
    )
    return written_cells.assign(best=_find_best(written_cells, RIVALS[best]))


def lay_out_wins(wins: pd.DataFrame) -> pd.DataFrame:
    """Return the wins, ties and losses of systems as cells, see `lay_out`.

    A cell is "28/0/22": queries on which the system is better than the baseline, equal, and worse.
    There is a row for each system, a column for each subset, a group for each measure and baseline.

    wins: of a `PaperTable`.
    """
    cells = wins.copy()
    cells["group"] = wins.groupby(["label", "baseline"], sort=False).ngroup()
    cells["title"] = wins["label"] + ", against " + wins["baseline"]
    cells["column"] = wins.groupby("subset", sort=False).ngroup()

    counts = wins[["better", "equal", "worse"]].astype(str)
    cells["value"] = counts["better"] + "/" + counts["equal"] + "/" + counts["worse"]
    is_significant = wins["sign"] != ""
    # a dagger instead of the baseline's letter, because a group has one baseline
    cells["signs"] = is_significant.map({True: DIFFERS, False: ""})

    # columns of `lay_out` that say nothing here; the measure's label stands in the group's title
    for column in ["printed", "label", "std"]:
        cells[column] = ""
    cells["best"] = False

    cells = cells.sort_values("group", kind="stable")

    # a subset's number of queries stands in its first cell alone, whatever the measure there
    query_counts = cells.groupby("subset")["queries"].transform("max").astype(str)
    is_first_of_subset = ~cells["subset"].duplicated()
    cells["queries"] = query_counts.where(is_first_of_subset, "")
    return cells


class Group(NamedTuple):
    """Rows that can be compared with each other, with their cells that have a figure.

    title: stands above the rows.
    counts: dict from a column to the number of queries in it.
    rows: dict from a row's name and printed name to a dict from a column to the row's cell in it.
    """

    title: str
    counts: dict[Any, str]
    rows: dict[tuple[str, str], dict[Any, Any]]


def group_cells(cells: pd.DataFrame) -> list[Group]:
    """Return the cells with a figure by group, by row and by column, each in their order."""
    groups = []
    with_figure = cells[cells["value"] != ""]
    for (_, title), cells_of_group in with_figure.groupby(["group", "title"], sort=False):
        first_cells = cells_of_group.drop_duplicates("column")
        counts = dict(zip(first_cells["column"], first_cells["queries"]))

        rows: dict[tuple[str, str], dict[Any, Any]] = {}
        for cell in cells_of_group.itertuples():
            row = rows.setdefault((cell.name, cell.printed), {})
            row[cell.column] = cell
        groups.append(Group(title, counts, rows))
    return groups


def sign_baselines(baselines: Sequence[str]) -> dict[str, str]:
    """Return the sign of each baseline: a dagger for one, letters for several."""
    if len(baselines) == 1:
        return {baselines[0]: DIFFERS}
    return dict(zip(baselines, ascii_lowercase))


def format_percent(fraction: float, decimals: int, sign: str = "") -> str:
    """Format a fraction as percent; "" for NaN. `sign` is "+" for a sign before each number."""
    return format_number(100 * fraction, f"{sign}.{decimals}f")


def format_number(number: float, form: str) -> str:
    """Format a number by a format specification such as ".3f"; "" for NaN."""
    return "" if pd.isna(number) else format(number, form)


def title_columns(columns: pd.DataFrame) -> pd.Series:
    """Return the titles of columns, subset and label: "broad R@20"."""
    return (columns["subset"] + " " + columns["label"]).str.strip()


def _write_signs(cells: pd.DataFrame, comparisons: pd.DataFrame, keys: Sequence[str]) -> pd.Series:
    """Return the signs of each cell: of its tests, then the one for queries without results.

    comparisons: of a `PaperTable`. keys: columns that name a figure in both.
    """
    tests_of_figure = comparisons.groupby(list(keys), as_index=False)
    signs_of_figure = tests_of_figure.agg(signs=("sign", "".join))  # "ab" with several baselines
    signs = cells[list(keys)].merge(signs_of_figure, on=list(keys), how="left")["signs"].fillna("")

    is_unanswered = cells["answered"] < cells["queries"]
    return signs + is_unanswered.map({True: UNANSWERED, False: ""})


def _find_best(cells: pd.DataFrame, rival_columns: Sequence[str]) -> pd.Series:
    """Return for each cell whether its value is the highest of two or more rivals.

    rival_columns: in which rivals agree.
    """
    # as they are written, so that figures which look equal are equally good; NaN without a figure
    written_values = pd.to_numeric(cells["value"], errors="coerce")
    rivals = written_values.groupby([cells[column] for column in rival_columns])
    is_highest = written_values == rivals.transform("max")
    has_rival = rivals.transform("count") > 1
    return is_highest & has_rival


def _group_rows(figures: pd.DataFrame, systems: pd.DataFrame) -> pd.DataFrame:
    """Return a table's rows in reading order: `group`, `title`, `source`, `name`, `printed`.

    A group has rows of one source that can be compared: they rank the same part of the documents,
    and have the same queries. Rows of this run may be of two kinds: results that were passed cover
    all queries, systems only those with a judged document that is present.
    """
    marked_figures = figures[["source", "name", "part"]].copy()
    queries_of_column = figures.groupby(["source", "subset", "measure"])["queries"]
    marked_figures["has_most_queries"] = figures["queries"] == queries_of_column.transform("max")
    marked_figures["lacks_queries"] = figures["queries"] < figures["of"]  # of the paper

    # the two kinds of rows: those with the most queries in all of their columns, and others
    figures_of_row = marked_figures.groupby(["source", "name"], sort=False)
    facts_of_row = {
        "part": figures_of_row["part"].first(),
        "has_most_queries": figures_of_row["has_most_queries"].all(),
        "lacks_queries": figures_of_row["lacks_queries"].any(),
    }
    rows = pd.DataFrame(facts_of_row).reset_index()
    rows["group"] = rows.groupby(["source", "part", "has_most_queries"], sort=False).ngroup()

    # a group's title says what its rows lack: queries, as soon as one of them lacks some
    group_lacks_queries = rows.groupby("group")["lacks_queries"].transform("any")
    rows["title"] = [
        _title_group(source, part, lacks_queries)
        for source, part, lacks_queries in zip(rows["source"], rows["part"], group_lacks_queries)
    ]

    # the name in the paper, where the user gave the row another one
    printed_name_of_row = dict(zip(systems["system"], systems["name"]))
    printed_names = rows["name"].map(printed_name_of_row).fillna("")
    has_other_name = (rows["source"] == OWN) & (printed_names != rows["name"])
    rows["printed"] = printed_names.where(has_other_name, "")

    # "published" before "this run", and the rows of a group together
    in_order = rows.sort_values(["source", "group"], kind="stable")
    return in_order[["group", "title", "source", "name", "printed"]]


def _title_group(source: str, part: str, lacks_queries: bool) -> str:
    """Return the title of a group of a source, over a part of the documents, or fewer queries."""
    if source == PUBLISHED:
        return "As printed"

    limits = []
    if lacks_queries:
        limits.append("fewer queries")
    if part:
        limits.append(part)
    if not limits:
        return "This run"
    return f"This run, over {' and '.join(limits)}: not comparable with other rows"

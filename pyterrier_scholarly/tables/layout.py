"""Lay a table out as people read it: groups of rows, figures as texts, the best of each column.

`lay_out` returns one long frame, and `html`, `latex` and `terminal` only place its texts::

    cells = lay_out(columns, figures, comparisons, systems, decimals=2)
    for _, group in cells.groupby("group", sort=False):
        for name, row in group.groupby("name", sort=False):
            print(name, *row["value"])

Conventions: figures are fractions of 1, texts are percent. "" stands for what is missing.
"""

from collections.abc import Sequence
from string import ascii_lowercase
from typing import Literal, TypeAlias

import pandas as pd

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


def lay_out(
    columns: pd.DataFrame,
    figures: pd.DataFrame,
    comparisons: pd.DataFrame,
    systems: pd.DataFrame,
    decimals: int,
    best: Best = "group",
) -> pd.DataFrame:
    """Return a table's cells in reading order, a frame with a row for each row and column.

    Args:
        columns, figures, comparisons, systems: of a `PaperTable`.
        decimals: of percentages.
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
    figure_keys = ["source", *FIGURE]  # printed rows and rows of this run may have one name

    # each row has a cell in each column
    rows = _group_rows(figures, systems)
    cells = rows.merge(_number_headings(columns), how="cross")

    # most cells have a figure, and some figures have signs
    numbers = figures[[*figure_keys, "value", "std", "queries", "answered"]]
    cells = cells.merge(numbers, on=figure_keys, how="left")
    cells = cells.merge(_join_signs(comparisons), on=figure_keys, how="left")

    # behind the signs of tests, the one for queries without results
    is_unanswered = cells["answered"] < cells["queries"]
    signs_of_answers = is_unanswered.map({True: UNANSWERED, False: ""})
    cells["signs"] = cells["signs"].fillna("") + signs_of_answers

    for column in ("value", "std"):
        cells[column] = [format_percent(fraction, decimals) for fraction in cells[column]]

    # a cell without a figure has the number of its group's other rows
    query_counts = cells.groupby(["group", "column"])["queries"].transform("max")
    cells["queries"] = [format_number(count, ".0f") for count in query_counts]
    cells["best"] = _find_best(cells, best)
    return cells


def lay_out_wins(wins: pd.DataFrame) -> pd.DataFrame:
    """Return the wins, ties and losses of systems as cells, see `lay_out`.

    A cell is "28/0/22": queries on which the system is better than the baseline, equal, and worse.
    There is a row for each system, a column for each subset, a group for each measure and baseline.

    wins: of a `PaperTable`.
    """
    counts = wins[["better", "equal", "worse"]].astype(str)
    cells = wins.assign(
        group=wins.groupby(["label", "baseline"], sort=False).ngroup(),
        title=wins["label"] + ", against " + wins["baseline"],
        printed="",
        column=pd.factorize(wins["subset"])[0],
        label="",
        value=counts.agg("/".join, axis=1),
        std="",
        signs=wins["sign"].where(wins["sign"] == "", DIFFERS),  # a group has one baseline
        best=False,
    )

    # A subset's number of queries stands once, in the first group with a figure of the subset:
    # not every subset has every measure.
    cells_of_subset = cells.groupby("subset")
    query_counts = cells_of_subset["queries"].transform("max").astype(str)
    is_first_group = cells["group"] == cells_of_subset["group"].transform("min")
    cells["queries"] = query_counts.where(is_first_group, "")
    return cells.sort_values("group", kind="stable")


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


def _number_headings(columns: pd.DataFrame) -> pd.DataFrame:
    """Return the headings of a table's columns, with the `column` and `span` of cells."""
    headings = columns[["subset", "measure", "label"]].reset_index(names="column")
    starts_span = headings["subset"] != headings["subset"].shift()
    headings["span"] = starts_span.cumsum()
    return headings


def _join_signs(comparisons: pd.DataFrame) -> pd.DataFrame:
    """Return the signs of each tested figure, a figure of this run: `source`, FIGURE, `signs`.

    One that was tested against several baselines has the signs of all in one text: "ab".
    """
    tests_of_figure = comparisons.groupby(FIGURE, as_index=False)
    return tests_of_figure.agg(signs=("sign", "".join)).assign(source=OWN)


def _group_rows(figures: pd.DataFrame, systems: pd.DataFrame) -> pd.DataFrame:
    """Return a table's rows in reading order: `group`, `title`, `source`, `name`, `printed`.

    A group has rows of one source that can be compared: they rank the same part of the documents,
    and have the same queries. Rows of this run may be of two kinds: results that were passed cover
    all queries, systems only those with a judged document that is present.
    """
    rows = _describe_rows(figures)
    rows["group"] = rows.groupby(["source", "part", "has_most_queries"], sort=False).ngroup()
    lacks_queries = rows.groupby("group")["lacks_queries"].transform("any")
    rows["title"] = list(map(_title_group, rows["source"], rows["part"], lacks_queries))

    name_in_paper = dict(zip(systems["system"], systems["name"]))
    printed_names = rows["name"].map(name_in_paper).fillna("")
    is_own = rows["source"] == OWN
    is_other_name = printed_names != rows["name"]
    rows["printed"] = printed_names.where(is_own & is_other_name, "")

    # printed rows first, and the rows of a group together
    in_order = rows.assign(is_own=is_own).sort_values(["is_own", "group"], kind="stable")
    return in_order[["group", "title", "source", "name", "printed"]]


def _describe_rows(figures: pd.DataFrame) -> pd.DataFrame:
    """Return what each row is over: `source`, `name`, `part`, and two answers on its queries.

    `has_most_queries`: no row of its source has more queries in a column. `lacks_queries`: the
    paper has more queries in some column.
    """
    figures_of_column = figures.groupby(["source", "subset", "measure"])
    most_queries = figures_of_column["queries"].transform("max")
    marked_figures = figures.assign(
        has_most_queries=figures["queries"] == most_queries,
        lacks_queries=figures["queries"] < figures["of"],
    )

    rows = []
    for (source, name), figures_of_row in marked_figures.groupby(["source", "name"], sort=False):
        row = {
            "source": source,
            "name": name,
            "part": figures_of_row["part"].iloc[0],  # all figures of a row are over one part
            "has_most_queries": figures_of_row["has_most_queries"].all(),
            "lacks_queries": figures_of_row["lacks_queries"].any(),
        }
        rows.append(row)
    return pd.DataFrame(rows)


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


def _find_best(cells: pd.DataFrame, best: Best) -> pd.Series:
    """Return whether a cell's figure is the highest of those in its column, of two or more."""
    if best is None:
        return pd.Series(False, index=cells.index)

    # numbers as they are written, so those that look equal are equally good; NaN for ""
    numbers = pd.to_numeric(cells["value"], errors="coerce")
    # rivals are the figures of a column, in one group of rows or in all
    rival_columns = ["column", "group"] if best == "group" else ["column"]
    rivals = numbers.groupby([cells[column] for column in rival_columns])
    is_highest = numbers == rivals.transform("max")
    has_rivals = rivals.transform("count") > 1
    return is_highest & has_rivals

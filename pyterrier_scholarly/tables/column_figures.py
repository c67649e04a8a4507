"""The figures in a table's columns: printed ones, and those of this run.

figures = compute_figures(columns, values, baseline="bm25", resamples=1000, seed=0)
printed_figures = select_printed_figures(columns, published("csfcube"))

Two kinds of frames:

- *values* have a row for each system, query and measure, as `row_evaluation` makes them;
- *figures* have a row for each system and column of the table with a figure: FIGURE_COLUMNS.

Values are fractions of 1, as in `published`; NaN is an unknown one.
"""

from collections.abc import Hashable, Iterable

import numpy as np
import pandas as pd

from ..evaluation.baselines import bootstrap_with_differences
from ..evaluation.measure_names import measure_of
from ..evaluation.printed import VERIFIED
from ..evaluation.unjudged_documents import EFFECTS
from .table_columns import Column
from .table_content import OWN, PUBLISHED

#: the meaning of each is with `PaperTable.figures`
FIGURE_COLUMNS = [
    # the system, and the column of the table
    *("name", "source", "subset", "measure", "label"),
    # the mean over queries, or over parts of them; its standard deviation and interval
    *("value", "std", "low", "high"),
    # over which queries and documents
    *("queries", "answered", "of", "part"),
    # the test against the baseline
    *("difference", "p", "better", "equal", "worse", "detectable"),
    # what unjudged documents may hide
    *EFFECTS,
    # what verified a printed figure
    *VERIFIED,
]


def select_printed_figures(columns: Iterable[Column], printed: pd.DataFrame) -> pd.DataFrame:
    """Return the figures that papers print in a table's columns: a row for each row of `printed`.

    Args:
        columns: of the table.
        printed: rows of `published`, each of one of these columns.

    Returns:
        Frame with FIGURE_COLUMNS, NaN where papers print nothing, and `paper`, which printed it.
    """
    query_count_of = {(column.subset, column.measure): column.of for column in columns}
    query_counts = []
    for subset, measure in zip(printed["subset"], printed["measure"]):
        query_counts.append(query_count_of[subset, measure])

    # in `published` the source is a paper; in a table it is PUBLISHED or OWN
    figures = printed.rename(columns={"system": "name", "source": "paper"})
    figures = figures.assign(
        source=PUBLISHED,
        queries=query_counts,
        of=query_counts,  # printed figures are over all of the column's queries
        part="",  # and over all documents
    )
    return figures.reindex(columns=[*FIGURE_COLUMNS, "paper"])


def compute_figures(
    columns: Iterable[Column],
    values: pd.DataFrame,
    baseline: str,
    resamples: int,
    seed: int,
) -> pd.DataFrame:
    """Return the figures of this run, a row for each system and column with a figure.

    A query without results counts as 0. Passed results have no figure in a column none of whose
    queries they answer: nobody knows whether they were made for it.

    Args:
        columns: of the table.
        values: frame `name`, `qid`, `measure`, `value`; `answered` (whether the system has results
            for the query); `was_run` (True for systems that ranked all queries, False for passed
            results); `judged` (a name for the judgements; only systems under the same ones are
            compared); `part` (see `PaperTable.figures`); perhaps EFFECTS.
        baseline: name of the system to compare with.
        resamples, seed: of `bootstrap`.

    Returns:
        Frame with FIGURE_COLUMNS, by system in the order of `values`, then by column.
    """
    figures_by_column = [
        _compute_figures_of_column(column, values, baseline, resamples, seed) for column in columns
    ]
    figures = pd.concat(figures_by_column, ignore_index=True).reindex(columns=FIGURE_COLUMNS)

    names = list(values["name"].unique())
    position_of_name = figures["name"].map(names.index)
    row_order = position_of_name.argsort(kind="stable")  # a system's columns stay in their order
    return figures.iloc[row_order]


def _compute_figures_of_column(
    column: Column, values: pd.DataFrame, baseline: str, resamples: int, seed: int
) -> pd.DataFrame:
    """Return the figures of one column, a row for each system; zero rows if no system has one."""
    values_of_column = _select_values(column, values)
    if values_of_column.empty:
        return pd.DataFrame(columns=FIGURE_COLUMNS)

    figures = _compare_with_baseline(values_of_column, baseline, resamples, seed)

    # The means of the bootstrap are over all queries. A table's are means over the column's parts,
    # such as two test folds, so they replace them.
    values_by_name = values_of_column.groupby("name")
    for averaged in ("value", *EFFECTS):
        mean_by_name = _average_by_name(column, values_by_name, averaged)
        figures[averaged] = figures["name"].map(mean_by_name)

    return figures.assign(
        source=OWN,
        subset=column.subset,
        measure=column.measure,
        label=column.label,
        of=column.of,
        queries=figures["name"].map(values_by_name["qid"].nunique()),
        answered=figures["name"].map(values_by_name["answered"].sum()),
        part=figures["name"].map(values_by_name["part"].first()),
        **dict.fromkeys(VERIFIED, ""),  # nothing verifies a figure of this run
    )


def _select_values(column: Column, values: pd.DataFrame) -> pd.DataFrame:
    """Return the values of a column's measure and queries, of the systems with a figure there.

    A system that was run has a figure even if it found nothing: it ranked these queries, and each
    one counts as 0. Passed results without an answer to any of them were perhaps made for others.
    """
    is_measure = values["measure"] == str(measure_of(column.measure))
    is_query = values["qid"].isin(column.queries)
    values_of_column = values[is_measure & is_query]

    answers_some_query = values_of_column.groupby("name")["answered"].transform("any")
    has_figure = values_of_column["was_run"] | answers_some_query
    return values_of_column[has_figure]


def _compare_with_baseline(
    values: pd.DataFrame, baseline: str, resamples: int, seed: int
) -> pd.DataFrame:
    """Return each system's bootstrap and its test against the baseline, of one column's values.

    Systems under other judgements than the baseline's are not tested: a difference might be one of
    the judgements.
    """
    figures_by_judgements = []
    for _, comparable_values in values.groupby("judged", sort=False):
        figures = bootstrap_with_differences(comparable_values, baseline, resamples, seed)
        figures_by_judgements.append(figures)
    return pd.concat(figures_by_judgements)


def _average_by_name(
    column: Column, values_by_name: Iterable[tuple[Hashable, pd.DataFrame]], averaged: str
) -> dict[Hashable, np.floating]:
    """Return each system's mean over the column's parts; see `_average_over_parts`."""
    mean_by_name = {}
    for name, values_of_system in values_by_name:
        mean_by_name[name] = _average_over_parts(column, values_of_system, averaged)
    return mean_by_name


def _average_over_parts(column: Column, values: pd.DataFrame, averaged: str) -> np.floating:
    """Return the mean, over the column's parts, of the mean over each part's queries.

    Args:
        column: its parts are sets of queries, such as two test folds.
        values: of one system and measure.
        averaged: the column of `values` that is averaged; NaN if it is missing.
    """
    if averaged not in values:
        return np.float64("nan")

    part_means = []
    for part in column.parts:
        values_of_part = values[values["qid"].isin(part)][averaged]
        part_means.append(values_of_part.mean())
    return np.mean(part_means)

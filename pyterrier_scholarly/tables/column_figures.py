"""The figures in a table's columns: printed ones, and those of this run.

Conventions: values are fractions of 1, as in `published`; NaN is an unknown value. A frame of
figures has the columns FIGURE_COLUMNS, and a row for each system and column with a figure.
"""

from collections.abc import Iterable, Sequence

import numpy as np
import pandas as pd

from ..evaluation.baselines import bootstrap_with_differences
from ..evaluation.measure_names import measure_of
from ..evaluation.printed import VERIFIED
from ..evaluation.unjudged_documents import EFFECTS
from ..stats import correct_pvalues
from ..stats.corrections import Correction
from .table_columns import Column
from .table_content import COMPARISON_COLUMNS, OWN, PUBLISHED

FIGURE_COLUMNS = [
    *("name", "source", "subset", "measure", "label", "value", "std", "low", "high"),
    *("queries", "answered", "of", "part", "difference", "p", "better", "equal", "worse"),
    *("detectable", *EFFECTS),
    *VERIFIED,
]


def select_printed_figures(columns: Iterable[Column], printed: pd.DataFrame) -> pd.DataFrame:
    """Return printed rows of `published` with FIGURE_COLUMNS, and their source as `paper`."""
    count_by_column = {(column.subset, column.measure): column.of for column in columns}
    query_counts = [
        count_by_column[subset, measure]
        for subset, measure in zip(printed["subset"], printed["measure"])
    ]

    figures = printed.rename(columns={"system": "name", "source": "paper"})
    figures = figures.assign(source=PUBLISHED, queries=query_counts, of=query_counts, part="")
    return figures.reindex(columns=[*FIGURE_COLUMNS, "paper"])


def compute_figures(
    columns: Iterable[Column],
    values: pd.DataFrame,
    baseline: str,
    resamples: int,
    seed: int,
) -> pd.DataFrame:
    """Return FIGURE_COLUMNS, a row for each column and system that has a figure there.

    A query without results counts as 0. Passed results have no figure in a column none of whose
    queries they answer: nobody knows whether they were made for it.

    Args:
        columns: of the table.
        values: frame `name`, `qid`, `measure`, `value`; `answered` (whether the system has results
            for the query); `was_run` (True for systems that ranked all queries, False for passed
            results); `judged` (a name for the judgements; only systems under the same ones are
            compared); `part` (see `PaperTable.figures`).
        baseline: name of the system to compare with.
        resamples, seed: of `bootstrap`.
    """
    figures_by_column = [
        _compute_figures_of_column(column, values, baseline, resamples, seed) for column in columns
    ]
    figures = pd.concat(figures_by_column, ignore_index=True).reindex(columns=FIGURE_COLUMNS)

    # by system, in the order of the table's rows; of a system, by column
    names = list(values["name"].unique())
    return figures.sort_values("name", key=lambda column: column.map(names.index), kind="stable")


def compare_with_further(
    columns: Iterable[Column], values: pd.DataFrame, baselines: Sequence[str]
) -> pd.DataFrame:
    """Return COMPARISON_COLUMNS, a row for each figure that is compared with one of `baselines`.

    Args:
        columns, values: as for `compute_figures`.
        baselines: names of systems, which may be none.
    """
    comparisons = []
    for baseline in baselines:
        # no interval is read from these figures, so one resample does
        figures = compute_figures(columns, values, baseline, resamples=1, seed=0)
        figures = figures[figures["name"] != baseline].assign(baseline=baseline)
        comparisons.append(figures[figures["difference"].notna()][COMPARISON_COLUMNS])
    if not comparisons:
        return pd.DataFrame(columns=COMPARISON_COLUMNS)
    return pd.concat(comparisons, ignore_index=True)


def correct_together(
    figures: pd.DataFrame, further: pd.DataFrame, correction: Correction
) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Return both frames with `p` corrected for the number of p-values in both together."""
    all_pvalues = [*figures["p"], *further["p"]]
    corrected = correct_pvalues(all_pvalues, correction)
    return (
        figures.assign(p=corrected[: len(figures)]),
        further.assign(p=corrected[len(figures) :]),
    )


def _compute_figures_of_column(
    column: Column, values: pd.DataFrame, baseline: str, resamples: int, seed: int
) -> pd.DataFrame:
    """Return the figures of one column; zero rows if no system has one."""
    values_of_column = _select_values(column, values)
    if values_of_column.empty:
        return pd.DataFrame(columns=FIGURE_COLUMNS)

    # a difference between systems under other judgements would be one of the judgements, too
    compared_figures = [
        bootstrap_with_differences(values_under_same, baseline, resamples, seed)
        for _, values_under_same in values_of_column.groupby("judged", sort=False)
    ]
    figures = pd.concat(compared_figures)

    values_by_name = values_of_column.groupby("name")
    names = figures["name"]
    for averaged in ("value", *EFFECTS):
        means = {name: _average_over_parts(column, rows, averaged) for name, rows in values_by_name}
        figures[averaged] = names.map(means)

    return figures.assign(
        source=OWN,
        subset=column.subset,
        measure=column.measure,
        label=column.label,
        of=column.of,
        queries=names.map(values_by_name["qid"].nunique()),
        answered=names.map(values_by_name["answered"].sum()),
        part=names.map(values_by_name["part"].first()),
        **dict.fromkeys(VERIFIED, ""),
    )


def _select_values(column: Column, values: pd.DataFrame) -> pd.DataFrame:
    """Return the values of a column's measure and queries, of the systems with a figure there."""
    is_measure = values["measure"] == str(measure_of(column.measure))
    is_query = values["qid"].isin(column.queries)
    values_of_column = values[is_measure & is_query]

    answers_some = values_of_column.groupby("name")["answered"].transform("any")
    has_figure = values_of_column["was_run"] | answers_some
    return values_of_column[has_figure]


def _average_over_parts(column: Column, values: pd.DataFrame, averaged: str) -> np.floating:
    """Return the mean, over the column's parts, of the mean over each part's queries.

    averaged: the column of `values`; NaN if it is missing.
    """
    if averaged not in values:
        return np.float64("nan")
    part_means = []
    for part in column.parts:
        values_of_part = values[values["qid"].isin(part)][averaged]
        part_means.append(values_of_part.mean())
    return np.mean(part_means)

"""Cut a table to some of its columns and rows; the figures stay what they are.

    select_columns(table, subsets=["method", "all"], measures=["NDCG%20"])
    select_rows(table, ["bm25", "ours"], printed=False)

Bold marks, groups and remarks are derived from what a table holds, so they fit what is left.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import TypeVar

import pandas as pd

from ir_datasets_ext.choices import check_option, describe_unknown

from ..evaluation.measure_names import Named, measure_of
from .remarks import select_remarks
from .table_content import OWN, TableContent

Table = TypeVar("Table", bound=TableContent)


def title_columns(columns: pd.DataFrame) -> pd.Series:
    """Return the titles of columns, subset and label: "broad R@20"."""
    return (columns["subset"] + " " + columns["label"]).str.strip()


def select_columns(
    table: Table, subsets: Iterable[str] | None, measures: Iterable[Named] | None
) -> Table:
    """Return a table of the columns of some subsets and measures; None stands for all.

    Columns stand by subset, and of a subset by measure, both in the order in which they are named.

    Raises:
        ValueError: an unknown subset or measure, or no column of both.
    """
    columns = table.columns
    if subsets is None:
        chosen_subsets = list(columns["subset"].unique())
    else:
        chosen_subsets = _check_subsets(subsets, columns)
    if measures is None:
        chosen_measures = list(columns["measure"].unique())
    else:
        chosen_measures = [_find_measure(measure, columns) for measure in measures]

    chosen_positions: list[int] = []  # of the columns in the table
    for subset in chosen_subsets:
        for measure in chosen_measures:
            is_chosen = (columns["subset"] == subset) & (columns["measure"] == measure)
            chosen_positions += is_chosen.to_numpy().nonzero()[0].tolist()
    if not chosen_positions:
        raise ValueError(
            f"The table has no column of {', '.join(map(str, chosen_measures))} for "
            f"{', '.join(chosen_subsets)}. Its columns are: {', '.join(title_columns(columns))}."
        )
    return _keep_columns(table, chosen_positions)


def select_titles(table: Table, titles: Sequence[str]) -> Table:
    """Return a table of the columns with these titles (see `title_columns`), in this order."""
    all_titles = list(title_columns(table.columns))
    return _keep_columns(table, [all_titles.index(title) for title in titles])


def select_rows(table: Table, names: Iterable[str] | None, printed: bool) -> Table:
    """Return a table of the rows of some systems, in this order; None stands for all.

    Args:
        printed: whether to keep printed rows.

    Raises:
        ValueError: an unknown name, or no row is left.
    """
    figures = table.figures
    if not printed:
        figures = figures[figures["source"] == OWN]

    all_names = list(figures["name"].unique())
    chosen_names = all_names if names is None else list(dict.fromkeys(names))
    for name in chosen_names:
        check_option("row", name, all_names, of="the table")
    if not chosen_names:
        raise ValueError(f"No row is left of the table. Choose of: {', '.join(all_names)}.")

    chosen_figures = figures[figures["name"].isin(chosen_names)]
    chosen_figures = chosen_figures.sort_values(
        "name", key=lambda column: column.map(chosen_names.index), kind="stable"
    )
    systems = table.systems[table.systems["system"].isin(chosen_names)]
    return replace(
        table,
        figures=chosen_figures.reset_index(drop=True),
        systems=systems.reset_index(drop=True),
        notes=select_remarks(table.notes, chosen_figures),
        runs=_select_runs(table.runs, chosen_names),
        further=_keep_rows_of(table.further, chosen_names),
    )


def put_aggregates_first(table: Table) -> Table:
    """Return the table with the columns over all subsets' queries before those of subsets."""
    is_detail = ~table.columns["aggregate"].astype(bool)
    columns = table.columns.assign(is_detail=is_detail)
    columns = columns.sort_values("is_detail", kind="stable")
    return replace(table, columns=columns.drop(columns="is_detail").reset_index(drop=True))


def _check_subsets(subsets: Iterable[str], columns: pd.DataFrame) -> list[str]:
    """Return the subsets, each once; ValueError for one that the table does not have."""
    known_subsets = list(columns["subset"].unique())
    chosen_subsets = list(dict.fromkeys(subsets))
    for subset in chosen_subsets:
        check_option("subset", subset, known_subsets, of="the table")
    return chosen_subsets


def _find_measure(measure: Named, columns: pd.DataFrame) -> str:
    """Return the name in `columns` of the measure that a user means.

    Users name it by its label in the table, or as a measure in any spelling.

    Raises:
        ValueError: the table has no such measure.
    """
    labelled_measures = columns.drop_duplicates(["label", "measure"])
    has_this_label = labelled_measures["label"] == str(measure)
    if has_this_label.any():
        return str(labelled_measures["measure"][has_this_label].iloc[0])

    try:
        wanted_measure = str(measure_of(measure))
    except ValueError:  # no measure at all, so none of the table's
        wanted_measure = ""
    for column_measure in labelled_measures["measure"]:
        if str(measure_of(column_measure)) == wanted_measure:
            return str(column_measure)

    labels = list(labelled_measures["label"].unique())
    raise ValueError(describe_unknown("measure", str(measure), labels, of="the table"))


def _keep_columns(table: Table, positions: Sequence[int]) -> Table:
    """Return a table of the columns at these positions, in this order, with their figures alone."""
    columns = table.columns.iloc[positions].reset_index(drop=True)
    figures = _keep_figures_under(columns, table.figures)
    further_tests = _keep_figures_under(columns, table.further)  # against further baselines
    remarks = select_remarks(table.notes, figures)  # those that still apply
    return replace(table, columns=columns, figures=figures, further=further_tests, notes=remarks)


def _keep_figures_under(columns: pd.DataFrame, figures: pd.DataFrame) -> pd.DataFrame:
    """Return the figures that stand in one of the columns; no figures have no columns."""
    if figures.empty:
        return figures
    chosen_keys = pd.MultiIndex.from_frame(columns[["subset", "measure"]])
    keys_of_figures = pd.MultiIndex.from_frame(figures[["subset", "measure"]])
    return figures[keys_of_figures.isin(chosen_keys)].reset_index(drop=True)


def _keep_rows_of(figures: pd.DataFrame, names: Sequence[str]) -> pd.DataFrame:
    """Return the figures of these rows; no figures have no columns."""
    if figures.empty:
        return figures
    return figures[figures["name"].isin(names)].reset_index(drop=True)


def _select_runs(runs: Mapping[str, pd.DataFrame], names: Sequence[str]) -> dict[str, pd.DataFrame]:
    """Return the rankings of these rows."""
    return {name: run for name, run in runs.items() if name in names}

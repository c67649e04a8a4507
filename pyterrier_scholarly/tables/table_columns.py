"""The columns of a table: their queries, and the figures in them."""

from collections.abc import Iterable
from typing import NamedTuple

import numpy as np
import pandas as pd

from ..datasets import irds
from ..evaluation.baselines import compared
from ..evaluation.folds import folds, has_folds
from ..evaluation.measure_names import measure_of
from ..evaluation.printed import VERIFIED
from ..protocols import Protocol

PUBLISHED, OWN = "published", "this run"
COLUMNS = [
    *("name", "source", "subset", "measure", "label", "value", "std", "low", "high"),
    *("queries", "answered", "of", "part", "difference", "p", "better", "worse"),
    *VERIFIED,
]


class Heading(NamedTuple):
    """What stands above a column.

    subset, measure, label: as in `published` (an id below the collection, our repr, as printed).
    """

    subset: str
    measure: str
    label: str


class SubsetQueries(NamedTuple):
    """The queries of a subset.

    parts: sets of query ids; the figure is the mean of the means over them. Two test folds, or one
        part with all queries.
    of: number of queries behind the papers' figures.
    """

    parts: tuple[frozenset[str], ...]
    of: int


class Column(NamedTuple):
    """A measure over some queries; the fields of `Heading` and `SubsetQueries`."""

    subset: str
    measure: str
    label: str
    parts: tuple[frozenset[str], ...]
    of: int

    @property
    def queries(self) -> frozenset[str]:
        """All query ids."""
        return frozenset().union(*self.parts)


class Query(NamedTuple):
    """A query's id and text: one id may belong to two texts in two datasets."""

    query_id: str
    text: str


def columns_of(run: str, protocol: Protocol, headings: Iterable[Heading]) -> tuple[Column, ...]:
    """Return a table's columns.

    Args:
        run: id of the dataset whose queries are run.
        protocol: the collection's.
        headings: of the columns, in the table's order.
    """
    queries_of_subset: dict[str, SubsetQueries] = {}
    columns = []
    for heading in headings:
        if heading.subset not in queries_of_subset:
            queries_of_subset[heading.subset] = _queries_of(heading.subset, run, protocol)
        columns.append(Column(*heading, *queries_of_subset[heading.subset]))
    return tuple(columns)


def _queries_of(subset: str, run: str, protocol: Protocol) -> SubsetQueries:
    """Return a subset's queries among those of the run."""
    below = subset.partition("(")[2].rstrip(")") or subset
    subset_queries = present_queries(f"{protocol.collection}/{below}".rstrip("/"))
    run_queries = present_queries(run)

    if protocol.facets:
        query_ids = {query.query_id for query in run_queries}
        # of all facets at once, ids end in the facet
        of_all_facets = f"{run}/".startswith(f"{protocol.collection}/all/")
        if of_all_facets and subset != "all":
            query_ids = {qid for qid in query_ids if qid.rpartition("_")[2] == subset}
    else:
        query_ids = {query.query_id for query in run_queries & subset_queries}

    of = len(subset_queries)
    if not protocol.printed:  # so no paper says how many there are: those with judgements
        query_ids &= _judged_ids(run)
        of = len(query_ids)

    if has_folds(run):
        test_parts = [frozenset(topics["qid"]) for topics in folds(run)]
        return SubsetQueries(tuple(part & query_ids for part in test_parts), of)
    return SubsetQueries((frozenset(query_ids),), of)


def present_queries(name: str) -> set[Query]:
    """Return the queries of a dataset that the files at hand have."""
    return {Query(query.query_id, query.default_text()) for query in irds(name).queries_iter()}


def _judged_ids(name: str) -> set[str]:
    """Return the ids of a dataset's queries that have judgements."""
    dataset = irds(name)
    if not dataset.has_qrels():
        raise ValueError(
            f"Nothing to evaluate: {name} has no judgements. Choose a dataset that has some."
        )
    return {qrel.query_id for qrel in dataset.qrels_iter()}


def printed_figures(columns: Iterable[Column], printed: pd.DataFrame) -> pd.DataFrame:
    """Return printed rows of `published` with `COLUMNS`; NaN where the papers give no value."""
    sizes = {(column.subset, column.measure): column.of for column in columns}
    rows = printed.rename(columns={"system": "name", "source": "paper"})
    of = [sizes[pair] for pair in zip(rows["subset"], rows["measure"])]
    rows = rows.assign(source=PUBLISHED, queries=of, of=of, part="")
    return rows.reindex(columns=[*COLUMNS, "paper"])


def own_figures(
    columns: Iterable[Column],
    perquery: pd.DataFrame,
    baseline: str,
    resamples: int,
    seed: int,
) -> pd.DataFrame:
    """Return `COLUMNS`, a row for each column and system that has a figure there.

    A query without results counts as 0. Passed results have no figure in a column none of whose
    queries they answer: nobody knows whether they were made for it.

    Args:
        columns: of the table.
        perquery: frame `name`, `qid`, `measure`, `value`; `answered` (whether the system has
            results for the query); `asked` (True for systems that were run on all queries, False
            for passed results); `judged` (a name for the judgements; only systems under the same
            ones are compared); `part` (see `PaperTable.figures`).
        baseline: name of the system to compare with.
        resamples, seed: of `bootstrap`.
    """
    figures_by_column = [
        _figures_of(column, perquery, baseline, resamples, seed) for column in columns
    ]
    figures = pd.concat(figures_by_column, ignore_index=True).reindex(columns=COLUMNS)

    order = list(perquery["name"].unique())
    return figures.sort_values("name", key=lambda names: names.map(order.index), kind="stable")


def _figures_of(
    column: Column, perquery: pd.DataFrame, baseline: str, resamples: int, seed: int
) -> pd.DataFrame:
    """Return the figures of one column; zero rows if no system has one."""
    is_measure = perquery["measure"] == str(measure_of(column.measure))
    values = perquery[is_measure & perquery["qid"].isin(column.queries)]
    concerned = values["asked"] | values.groupby("name")["answered"].transform("any")
    values = values[concerned]
    if values.empty:
        return pd.DataFrame(columns=COLUMNS)

    compared_figures = [
        compared(same_judgements, baseline, resamples, seed)
        for _, same_judgements in values.groupby("judged", sort=False)
    ]
    figures = pd.concat(compared_figures)

    by_name = values.groupby("name")
    means = {name: _mean_over_parts(column, rows) for name, rows in by_name}
    return figures.assign(
        value=figures["name"].map(means),
        queries=figures["name"].map(by_name["qid"].nunique()),
        answered=figures["name"].map(by_name["answered"].sum()),
        part=figures["name"].map(by_name["part"].first()),
        measure=column.measure,
        source=OWN,
        **dict.fromkeys(VERIFIED, ""),
        subset=column.subset,
        label=column.label,
        of=column.of,
    )


def _mean_over_parts(column: Column, values: pd.DataFrame) -> np.floating:
    """Return the mean, over the column's parts, of the mean over each part's queries."""
    value_by_query = values.set_index("qid")["value"]
    part_means = [value_by_query[value_by_query.index.isin(part)].mean() for part in column.parts]
    return np.mean(part_means)


def holm(p: pd.Series) -> pd.Series:
    """Correct p-values for their number by Holm's method; NaN stays, and does not count."""
    from statsmodels.stats.multitest import multipletests

    known = p.dropna()
    corrected = multipletests(known, method="holm")[1] if len(known) else known
    return pd.Series(corrected, known.index).reindex(p.index)

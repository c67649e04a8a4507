"""The columns of a paper's table: their queries, and the figures in them."""

from collections.abc import Iterable
from itertools import product
from typing import NamedTuple

import ir_datasets
import numpy as np
import pandas as pd

from ..datasets import irds
from ..evaluation.against import compared
from ..evaluation.folds import folds
from ..evaluation.measures import measure_of
from ..protocols import Protocol

PUBLISHED, OWN = "published", "this run"
COLUMNS = [
    *("name", "source", "subset", "measure", "label", "value", "std", "low", "high"),
    *("queries", "of", "difference", "p", "better", "worse"),
]


class Column(NamedTuple):
    """A measure over some queries.

    subset, measure, label: as in `published` (an id below the collection, our repr, as printed).
    parts: sets of query ids; the figure is the mean of the means over them. Two test folds, or one
        part with all queries.
    of: number of queries behind the papers' figures.
    """

    subset: str
    measure: str
    label: str
    parts: tuple[frozenset[str], ...]
    of: int

    @property
    def queries(self) -> frozenset[str]:
        """All query ids."""
        return frozenset().union(*self.parts)


def columns_of(run: str, protocol: Protocol, printed: pd.DataFrame) -> tuple[Column, ...]:
    """Return a table's columns in the papers' order; with facets, every measure for each facet.

    Args:
        run: id of the dataset whose queries are run.
        protocol: the collection's.
        printed: rows of `published`, of one table.
    """
    rows = printed.drop_duplicates(["subset", "measure"])
    if protocol.facets:  # own rows have every column, whichever of them are printed
        facets = [facet for facet in protocol.facets if facet in set(rows["subset"])]
        pairs = product(facets, protocol.measures.items())
        columns = [(facet, measure, label) for facet, (label, measure) in pairs]
    else:
        columns = list(zip(rows["subset"], rows["measure"], rows["label"]))
    parts = {subset: _parts(run, protocol, subset) for subset, _, _ in columns}
    return tuple(Column(*column, *parts[column[0]]) for column in columns)


def _parts(run: str, protocol: Protocol, subset: str) -> tuple[tuple[frozenset[str], ...], int]:
    """Return a subset's queries among those of the run, in parts; and the subset's size."""
    below = subset.partition("(")[2].rstrip(")") or subset
    queries, present = _queries(f"{protocol.collection}/{below}".rstrip("/")), _queries(run)
    if not protocol.facets:  # one id may belong to two texts in two datasets
        return (frozenset(qid for qid, _ in present & queries),), len(queries)
    qids = frozenset(qid for qid, _ in present)
    if f"{run}/".startswith(f"{protocol.collection}/all/") and subset != "all":  # ids end in facets
        qids = frozenset(qid for qid in qids if qid.rpartition("_")[2] == subset)
    if f"{run}/fold1/test" not in ir_datasets.registry:
        return (qids,), len(queries)
    return tuple(qids & frozenset(topics["qid"]) for topics in folds(run)), len(queries)


def _queries(name: str) -> set[tuple[str, str]]:
    return {(query.query_id, query.default_text()) for query in irds(name).queries_iter()}


def printed_figures(columns: Iterable[Column], printed: pd.DataFrame) -> pd.DataFrame:
    """Return printed rows of `published` with `COLUMNS`; NaN where the papers give no value."""
    sizes = {(column.subset, column.measure): column.of for column in columns}
    rows = printed.rename(columns={"system": "name", "source": "paper"})
    of = [sizes[pair] for pair in zip(rows["subset"], rows["measure"])]
    rows = rows.assign(source=PUBLISHED, queries=of, of=of)
    return rows.reindex(columns=[*COLUMNS, "paper"])


def own_figures(
    columns: Iterable[Column],
    perquery: pd.DataFrame,
    baseline: str,
    resamples: int,
    seed: int,
) -> pd.DataFrame:
    """Return `COLUMNS`, a row for each column and system that has a figure there.

    Args:
        columns: of the table.
        perquery: frame `name`, `qid`, `measure`, `value`; `answered` (False where passed results
            have no document for the query; a system that retrieves nothing has the value 0);
            `judgements` (their number; only systems under the same judgements are compared).
        baseline: name of the system to compare with.
        resamples, seed: of `bootstrap`.
    """
    order = list(perquery["name"].unique())
    figures = pd.concat(
        [_of_column(column, perquery, baseline, resamples, seed) for column in columns],
        ignore_index=True,
    ).reindex(columns=COLUMNS)
    return figures.sort_values("name", key=lambda names: names.map(order.index), kind="stable")


def _of_column(
    column: Column, perquery: pd.DataFrame, baseline: str, resamples: int, seed: int
) -> pd.DataFrame:
    rows = perquery[
        perquery["measure"].eq(str(measure_of(column.measure)))
        & perquery["qid"].isin(column.queries)
    ]
    rows = rows[rows.groupby("name")["answered"].transform("all")]
    if rows.empty:
        return pd.DataFrame(columns=COLUMNS)
    groups = rows.groupby("judgements", sort=False)
    figures = pd.concat([compared(part, baseline, resamples, seed) for _, part in groups])
    values = {name: _mean(column, part) for name, part in rows.groupby("name")}
    return figures.assign(
        value=figures["name"].map(values),
        queries=figures["name"].map(rows.groupby("name")["qid"].nunique()),
        measure=column.measure,
        source=OWN,
        subset=column.subset,
        label=column.label,
        of=column.of,
    )


def _mean(column: Column, rows: pd.DataFrame) -> np.floating:
    """Return the mean, over the column's parts, of the mean over each part's queries."""
    values = rows.set_index("qid")["value"]
    return np.mean([values[values.index.isin(part)].mean() for part in column.parts])


def holm(p: pd.Series) -> pd.Series:
    """Correct p-values for their number by Holm's method; NaN stays, and does not count."""
    from statsmodels.stats.multitest import multipletests

    known = p.dropna()
    corrected = multipletests(known, method="holm")[1] if len(known) else known
    return pd.Series(corrected, known.index).reindex(p.index)

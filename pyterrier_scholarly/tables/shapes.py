"""The tables of a paper: printed rows, columns, and the dataset to run systems on."""

from typing import NamedTuple

import ir_datasets
import pandas as pd

from ..datasets import irds
from ..evaluation import published
from ..protocols import PROTOCOLS
from ..settings import dataset_id
from .columns import Column, columns_of


class Shape(NamedTuple):
    """A table without figures of one's own.

    number: as the paper counts, "" where figures are of several papers.
    run: id of the dataset whose queries systems are run on, once for all columns.
    printed: rows of `published`; without rows for the embedded collection.
    """

    number: str
    collection: str
    run: str
    columns: tuple[Column, ...]
    printed: pd.DataFrame

    @property
    def text(self) -> str:
        """Id, below the collection, of the dataset whose texts the table is over; "" as usual."""
        texts = (column.subset.partition(" (") for column in self.columns)
        return next((text for text, other, _ in texts if other), "")

    @property
    def protocol(self):
        """The collection's `Protocol`."""
        return PROTOCOLS[self.collection]


def tables_of(dataset) -> list[str]:
    """Numbers of the tables over queries of a dataset; ``[""]`` where figures have none.

    Raises:
        ValueError: nothing is printed for the collection, or there is no such dataset.
    """
    return [shape.number for shape in _shapes(dataset)]


def shape_of(dataset, number=None):
    """The table of that number, or the first, with its columns over the queries of a dataset.

    Raises:
        ValueError: as for `tables_of`; there is no table of that number (names those there are).
    """
    found = next(_shapes(dataset, number), None)
    if found is None:
        there = [one or "one without a number" for one in tables_of(dataset)]
        known = ", ".join(there) or "none"
        raise ValueError(f"table={number}: of tables over queries of {dataset} there are: {known}")
    return found


def _shapes(dataset, only=None):
    """Yield the tables (or the one of that number) that have queries of the dataset."""
    name = irds(dataset_id(dataset) or dataset).dataset_id()
    collection, _, below = name.partition("/")
    protocol = PROTOCOLS.get(collection)
    shape = protocol.shape if protocol else collection
    printed = _nearest(f"{shape}/{below}".rstrip("/"))
    for number, rows in printed.groupby("table", sort=False):
        if only is not None and str(only) != number:
            continue
        rows = rows[_made_here(rows["subset"])]
        if rows.empty:
            continue
        run = _run_on(name, collection, rows)
        columns = columns_of(run, collection, rows)
        if any(column.queries for column in columns):
            own = rows if protocol.printed else rows.iloc[:0]
            yield Shape(number, collection, run, columns, own.reset_index(drop=True))


def _made_here(subsets):
    """Which subsets a table is made over: datasets, not settings whose queries are nowhere.

    Where a table compares texts ("full-text (…)" with the usual ones), those of the other text.
    """
    other = subsets.str.contains(" (", regex=False)
    return other if other.any() else ~subsets.str.startswith("(")


def _nearest(name):
    """What is printed for a dataset, or for the nearest above it that has something."""
    while True:
        try:
            return published(name)
        except ValueError:
            if "/" not in name:
                raise
            name = name.rpartition("/")[0]


def _run_on(name, collection, printed):
    """One dataset with all the columns' queries."""
    if name == collection and PROTOCOLS[collection].facets:
        return f"{name}/all"
    subsets = printed["subset"].str.partition(" (")[0].unique()
    if len(subsets) > 1 or PROTOCOLS[collection].facets:
        return name
    below = name.partition("/")[2]
    special = "/".join(part for part in (collection, subsets[0], below) if part)
    return special if special in ir_datasets.registry else name

"""The tables of a paper: printed rows, columns, the dataset to run, and the systems they take."""

from collections.abc import Iterator
from itertools import product
from typing import NamedTuple

import ir_datasets
import pandas as pd

from ..datasets import irds
from ..evaluation import published
from ..evaluation.printed import COLUMNS as PRINTED
from ..protocols import PROTOCOLS, Protocol, protocol_of
from ..settings import dataset_id
from .columns import Column, columns_of


class Shape(NamedTuple):
    """A table before its own figures.

    number: as in the paper; "" where the figures come from several papers.
    protocol: the collection's.
    run: id of the dataset whose queries systems rank, once for all columns.
    printed: rows of `published`; zero rows if papers print nothing.
    """

    number: str
    protocol: Protocol
    run: str
    columns: tuple[Column, ...]
    printed: pd.DataFrame

    @property
    def text(self) -> str:
        """Id, below the collection, of the dataset with the table's texts; "" for the usual."""
        texts = (column.subset.partition(" (") for column in self.columns)
        return next((text for text, other, _ in texts if other), "")


def tables_of(dataset: object) -> list[str]:
    """List the numbers of the tables over a dataset's queries; ``""`` for one without a number.

    Raises:
        ValueError: nothing is printed for the collection, or the dataset is unknown.
    """
    return [shape.number for shape in _shapes(dataset)]


def shape_of(dataset: object, number: str | int | None = None) -> Shape:
    """Return the table of that number (default: the first), over the queries of a dataset.

    Raises:
        ValueError: see `tables_of`; or the number is unknown (lists the known ones).
    """
    for shape in _shapes(dataset, number if number is None else str(number)):
        return shape
    known = ", ".join(one or "one without a number" for one in tables_of(dataset)) or "none"
    raise ValueError(
        f"Unknown table={number!r}. Tables over queries of {dataset}: {known}. Pass one of these."
    )


def _shapes(dataset: object, only: str | None = None) -> Iterator[Shape]:
    """Yield the tables (or the one of that number) that have queries of the dataset."""
    name = irds(dataset_id(dataset) or dataset).dataset_id()
    protocol = protocol_of(name)
    if protocol is None:
        raise ValueError(
            f"No tables of {name}: collections with tables are {', '.join(PROTOCOLS)}."
        )
    printed = _nearest(name) if protocol.printed else _unprinted(protocol, name)
    for number, rows in printed.groupby("table", sort=False):
        rows = rows[_over_datasets(rows["subset"])]
        if rows.empty or only not in (None, number):
            continue
        run = _run_on(name, protocol, rows)
        columns = columns_of(run, protocol, rows)
        if any(column.queries for column in columns):
            shown = rows if protocol.printed else rows.iloc[:0]
            yield Shape(number, protocol, run, columns, shown.reset_index(drop=True))


def _over_datasets(subsets: pd.Series) -> pd.Series:
    """Mark the subsets that are datasets; the others are settings without published queries.

    Where a table compares texts ("full-text (…)" with the usual ones), mark the other text's.
    """
    other = subsets.str.contains(" (", regex=False)
    return other if other.any() else ~subsets.str.startswith("(")


def _nearest(name: str) -> pd.DataFrame:
    """Return what is printed for a dataset, or for the nearest one above it."""
    try:
        return published(name)
    except ValueError:
        if "/" not in name:
            raise
        return _nearest(name.rpartition("/")[0])


def _unprinted(protocol: Protocol, name: str) -> pd.DataFrame:
    """Return the columns of a table without printed figures, as rows of `published`.

    Raises:
        ValueError: the protocol names no measures.
    """
    if not protocol.measures:
        raise ValueError(
            f"The protocol of {protocol.collection} names no measures, so it has no table. Pass "
            "some to Protocol(measures=…)."
        )
    below = name.removeprefix(protocol.collection).strip("/")
    part = below.partition("/")[0]
    subsets = [facet for facet in protocol.facets if part in ("", facet)] or [below]
    pairs = product(subsets, protocol.measures.items())
    columns = [("", subset, measure, label) for subset, (label, measure) in pairs]
    found = pd.DataFrame(columns, columns=["table", "subset", "measure", "label"])
    return found.reindex(columns=PRINTED)


def _run_on(name: str, protocol: Protocol, printed: pd.DataFrame) -> str:
    """Return the id of one dataset with all the columns' queries."""
    subsets = printed["subset"].str.partition(" (")[0].unique()
    if len(subsets) > 1 or protocol.facets:
        return protocol.queries_of(name)
    below = name.removeprefix(protocol.collection).strip("/")
    special = "/".join(part for part in (protocol.collection, subsets[0], below) if part)
    return special if special in ir_datasets.registry else name

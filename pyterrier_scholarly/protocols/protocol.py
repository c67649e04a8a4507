"""What a paper says about its collection, as data: measures, systems and printed tables.

::

    bm25 = System("bm25", form="bm25", source="Doe 2026, 3.1", encoder="")
    Protocol("mine", "My collection", measures={"R@5": "R@5"}, systems=(bm25,))

Only the first two fields of a `Protocol` are required. What is printed stands in CSV files of the
folder that is named after the collection.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NamedTuple

from ..arguments import Count, Natural, check_fields
from .printed_subsets import PrintedSubset
from .released_rankings import ReleasedRanking, read_released_rankings
from .system import System


class OtherTable(NamedTuple):
    """A printed table that is no CSV file here."""

    #: what it holds, and where that is
    text: str
    #: False for a table that is missing in the copy of the paper that was read
    was_read: bool = True


def _read_subset(row: dict[str, str]) -> str:
    """Return the column `subset` of a row of `figures.csv`; "" without one."""
    return row.get("subset", "")


@dataclass(frozen=True)
class Protocol:
    """A collection's systems and measures, its printed tables, and what is known about them.

    Tables of systems are those in which papers print figures. Other tables describe a collection.
    """

    #: id of the collection's dataset; the protocol serves this id and all ids below it
    collection: str
    #: the collection's name in print
    title: str

    # Measures

    #: dict from a printed label to our measure, in the order of a table's columns
    measures: dict[str, str] = field(default_factory=dict)
    #: dict from a printed label to our measure, where it is another one for figures over queries
    #: that are no dataset of ours
    elsewhere: dict[str, str] = field(default_factory=dict)

    # Queries and pools

    #: number of queries in the whole release, by a dataset's id below the collection, "" for all
    #: queries; a file that lacks some is so told from the release
    query_counts: Mapping[str, int] = field(default_factory=dict)
    #: whether queries come with candidates
    pools: bool = True
    #: subsets with two folds each, if the queries have facets; every table then has all measures,
    #: and a bare collection stands for its subset `all`
    facets: tuple[str, ...] = ()
    #: dict from a name, as in ``by_subset(…, by=name)``, to a function from a query to its group,
    #: where the papers divide queries by more than fields of their records
    query_groups: Mapping[str, Callable[[Any], object]] = field(default_factory=dict)

    # Systems

    #: rows of `systems(…).table`
    systems: tuple[System, ...] = ()
    #: dict from a printed name that is none of `systems` to the reason
    left_out: dict[str, str] = field(default_factory=dict)
    #: dict from a system's key to a remark, if its settings were found on the collection
    in_sample: dict[str, str] = field(default_factory=dict)
    #: dict from a kind of model ("bi-encoder", "sentence-encoder", "cross-encoder") to the rows
    #: that a model of the user's gets; their keys are what follows the model's name
    kinds: Mapping[str, tuple[System, ...]] = field(default_factory=dict)

    # Printed figures of systems

    #: where the figures are from; "" if `figures.csv` has a column `source`
    source: str = ""
    #: function from a row of `figures.csv` to the id, below the collection, of the row's dataset
    subset: Callable[[dict[str, str]], str] = _read_subset
    #: those of these ids that are no datasets: settings without published queries, or queries that
    #: systems answer from other texts than the usual
    subsets: tuple[PrintedSubset, ...] = ()
    #: number of printed decimals
    decimals: Natural = 2
    #: what a value of 1 is printed as
    unit: Count = 100
    #: number of bootstrap samples whose means the figures are the mean of; 0 if they are means over
    #: the queries themselves
    resamples: Natural = 0
    #: dict from a table's number to what is known about its figures
    remarks: dict[str, str] = field(default_factory=dict)
    #: dict from the number of a table of systems to the reason why none of its rows can be run:
    #: what it is over was not published
    unpublished: dict[str, str] = field(default_factory=dict)

    # Printed tables that describe the collection

    #: a key of `evaluation.collection_tables.TABLES`, whose function computes such tables; "" for
    #: none
    statistics: str = ""
    #: dict from the name of a file of `printed_tables` that no code computes to the reason
    quoted: dict[str, str] = field(default_factory=dict)
    #: dict from the number of a printed table that is no CSV file here to what it holds
    other_tables: dict[str, OtherTable] = field(default_factory=dict)

    def __post_init__(self) -> None:
        check_fields(self)

    @property
    def folder(self) -> Path:
        """The folder of `figures.csv` and ``tables/<number>.csv``, which have what is printed."""
        return Path(__file__).parent / self.collection.replace("-", "_")

    @property
    def printed(self) -> bool:
        """Whether papers print figures for the collection."""
        return (self.folder / "figures.csv").is_file()

    @property
    def printed_tables(self) -> list[Path]:
        """The CSV files of the tables that describe it: by number, then those named by a word."""
        return sorted(self.folder.glob("tables/*.csv"), key=_sort_key_of_table)

    @property
    def rankings(self) -> tuple[ReleasedRanking, ...]:
        """The rankings that authors released, as ``rankings.csv`` in the folder lists them."""
        return read_released_rankings(self.folder)

    def find_subset(self, name: str) -> PrintedSubset:
        """Return the queries and texts of a printed subset: one of `subsets`, else a dataset."""
        for subset in self.subsets:
            if subset.name == name:
                return subset
        return PrintedSubset(name, queries=name)

    def count_queries(self, name: str) -> int:
        """Return how many queries of a printed subset the whole release has; 0 if unknown."""
        queries = self.find_subset(name).queries
        return 0 if queries is None else self.query_counts.get(queries, 0)

    def queries_of(self, name: str) -> str:
        """Return the id of the dataset with the queries of `name`.

        It is `name` itself, except for a bare collection with facets: `csfcube/all` for `csfcube`.
        """
        if self.facets and name == self.collection:
            return f"{name}/all"
        return name

    def collection_of(self, name: str) -> str:
        """Return the collection's id for an id below it, else `name` itself."""
        is_below = name.startswith(f"{self.collection}/")
        return self.collection if is_below else name


def _sort_key_of_table(path: Path) -> tuple[bool, float, str]:
    """Return the sort key of a table's file: "2.5" stands between 2 and 9, "pilot" at the end."""
    try:
        return False, float(path.stem), ""
    except ValueError:
        return True, 0.0, path.stem

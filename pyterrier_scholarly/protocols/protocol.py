"""What a paper says about its collection, as data: measures, systems and printed tables.

::

    bm25 = System("bm25", form="bm25", source="Doe 2026, 3.1", encoder="")
    Protocol("mine", "My collection", measures={"R@5": "R@5"}, systems=(bm25,))

Only the first two fields of a `Protocol` are required. A paper of the package has its protocol in
``protocol.yaml`` and ``systems.yaml`` of the folder that is named after the collection, and what is
printed in CSV files beside them.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path

from .facts import FOLDER, read_facts
from .released_rankings import ReleasedRanking
from .system import System


@dataclass(frozen=True)
class PrintedSubset:
    """What printed figures are over, where the name of their subset is not the id of a dataset.

    ::

        PrintedSubset("full-text (broad)", queries="broad", texts="full-text")
        PrintedSubset("(search engines) broad", queries=None)  # their queries were not published
        PrintedSubset("with-query-paper", queries="all", pools="with-query-paper")
    """

    #: as in column `subset` of `published`
    name: str
    #: id, below the collection, of the dataset with the queries; None if these were not published
    queries: str | None
    #: id, below the collection, of the dataset whose texts systems read; "" for the usual
    texts: str = ""
    #: id, below the collection, of the dataset whose candidates systems rank, with the same
    #: queries; "" for those of `queries`. Tables show its figures in the column of `queries`
    pools: str = ""
    #: how these candidates differ, for tables with figures of both kinds
    pools_remark: str = ""

    @property
    def dataset(self) -> str | None:
        """Id, below the collection, of the dataset to load: the one with the texts, or queries."""
        return self.texts or self.queries


@dataclass(frozen=True)
class OtherTable:
    """A printed table that is no CSV file here."""

    #: what it holds, and where that is
    text: str
    #: False for a table that is missing in the copy of the paper that was read
    was_read: bool = True


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
    measures: Mapping[str, str] = field(default_factory=dict)

    # Queries and pools

    #: number of queries in the whole release, by a dataset's id below the collection, "" for all
    #: queries; a file that lacks some is so told from the release
    query_counts: Mapping[str, int] = field(default_factory=dict)
    #: whether queries come with candidates
    pools: bool = True
    #: subsets with two folds each, if the queries have facets; every table then has all measures,
    #: and a bare collection stands for its subset `all`
    facets: tuple[str, ...] = ()
    #: groups of queries that the papers have beside fields of the queries: dict from a name, as in
    #: ``by_subset(…, by=name)``, to a field, and from each value of this field to its group
    query_groups: Mapping[str, Mapping[str, Mapping[str, str]]] = field(default_factory=dict)

    # Systems

    #: rows of `systems(…).table`
    systems: tuple[System, ...] = ()
    #: dict from a printed name that is none of `systems` to the reason
    left_out: Mapping[str, str] = field(default_factory=dict)
    #: dict from a system's key to a remark, if its settings were found on the collection
    in_sample: Mapping[str, str] = field(default_factory=dict)
    #: dict from a kind of model ("bi-encoder", "sentence-encoder", "cross-encoder") to the rows
    #: that a model of the user's gets; their keys are what follows the model's name
    kinds: Mapping[str, tuple[System, ...]] = field(default_factory=dict)

    # Printed figures of systems

    #: the paper of the figures; "" if `figures.csv` has a column `paper`
    source: str = ""
    #: those of the figures' subsets that are no datasets: settings without published queries, or
    #: queries that systems answer from other texts, or with other candidates, than the usual
    subsets: tuple[PrintedSubset, ...] = ()
    #: number of printed decimals
    decimals: int = 2
    #: what a value of 1 is printed as
    unit: int = 100
    #: number of bootstrap samples whose means the figures are the mean of; 0 if they are means over
    #: the queries themselves
    resamples: int = 0
    #: dict from a table's number to what is known about its figures
    remarks: Mapping[str, str] = field(default_factory=dict)
    #: dict from the number of a table of systems to the reason why none of its rows can be run:
    #: what it is over was not published
    unpublished: Mapping[str, str] = field(default_factory=dict)

    # Printed tables that describe the collection

    #: a key of `evaluation.collection_statistics.STATISTICS`, whose function computes such tables;
    #: "" for none
    statistics: str = ""
    #: dict from the name of a file of `printed_tables` that no code computes to the reason
    quoted: Mapping[str, str] = field(default_factory=dict)
    #: dict from the number of a printed table that is no CSV file here to what it holds
    other_tables: Mapping[str, OtherTable] = field(default_factory=dict)

    @property
    def folder(self) -> Path:
        """The folder of `figures.csv` and ``tables/<number>.csv``, which have what is printed."""
        return FOLDER / self.collection

    @property
    def printed(self) -> bool:
        """Whether papers print figures for the collection."""
        return (self.folder / "figures.csv").is_file()

    @property
    def printed_tables(self) -> list[Path]:
        """The CSV files of the tables that describe it: by number, then those named by a word."""
        return sorted(self.folder.glob("tables/*.csv"), key=_sort_key_of_table)

    @cached_property
    def rankings(self) -> tuple[ReleasedRanking, ...]:
        """The rankings that authors released, as ``rankings.yaml`` in the folder lists them."""
        path = self.folder / "rankings.yaml"
        return read_facts(path, tuple[ReleasedRanking, ...]) if path.is_file() else ()

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

    def name_dataset(self, part: str) -> str:
        """Return the id of the dataset that has the id `part` below the collection."""
        return f"{self.collection}/{part}".rstrip("/")

    def collection_of(self, name: str) -> str:
        """Return the collection's id for an id below it, else `name` itself."""
        is_below = name.startswith(f"{self.collection}/")
        return self.collection if is_below else name

    def part_of(self, name: str) -> str:
        """Return what stands below the collection in a dataset's id; "" for the collection."""
        return name.removeprefix(self.collection).strip("/")


def _sort_key_of_table(path: Path) -> tuple[bool, float, str]:
    """Return the sort key of a table's file: "2.5" stands between 2 and 9, "pilot" at the end."""
    try:
        return False, float(path.stem), ""
    except ValueError:
        return True, 0.0, path.stem

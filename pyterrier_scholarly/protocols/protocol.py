"""What a paper says about its collection and its systems, as data.

::

    bm25 = System("bm25", "bm25", name="BM25", tables="3 4", encoder="")
    Protocol("mine", "My collection", measures={"R@5": "R@5"}, systems=(bm25,))
"""

from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import Any, NamedTuple

from ..arguments import Count, Natural, check_fields
from .printed_subsets import PrintedSubset

#: value of `System.run` for a model that is trained on the collection's own documents
COLLECTION = "the collection"
#: default model of the systems that run with any encoder
MINILM = "sentence-transformers/all-MiniLM-L6-v2"
#: fields that a table of systems has once per printed row
PRINTED_FIELDS = ("key", "name", "tables", "names")


@dataclass(frozen=True)
class System:
    """A row of the table of named systems: what a system is called and how it is run.

    key: how users call it.
    form: a key of `recipes.FORMS`, which builds the pipeline.
    name: as the papers print it, and as `published` has it; "" for the package's own systems.
    tables: numbers of the printed tables with this system, separated by blanks; "" where no table
        has it, or where its table has no number.
    names: dict from a table's number to the name there, if that table spells it differently.
    source: where the paper describes it.
    named: the model, as the paper names it.
    run: the model, as it is run: a name on the Hugging Face hub or of an API, or COLLECTION; ""
        where no model is needed, or its weights were never published.
    encoder: the model's class in `encoders`, or in `chat` for a language model; "" for none.
    first: key of the system whose results this one re-ranks.
    absent: why `run` cannot be loaded by its name; "" if it can.
    text: id, below the collection, of the dataset whose texts it reads; "" for the usual texts.
    free: whether it runs with any encoder that the user passes.
    settings: the encoder's arguments that differ from its defaults.
    scoring: the form's arguments that differ from its defaults.
    """

    key: str
    form: str
    name: str = ""
    tables: str = ""
    source: str = ""
    named: str = ""
    run: str = ""
    encoder: str = "WholeText"
    first: str = ""
    absent: str = ""
    text: str = ""
    free: bool = False
    settings: Mapping[str, object] = field(default_factory=dict)
    scoring: Mapping[str, object] = field(default_factory=dict)
    note: str = ""
    names: Mapping[str, str] = field(default_factory=dict)

    def __post_init__(self) -> None:
        check_fields(self)

    @property
    def rows(self) -> list[tuple[str, str]]:
        """Pairs of name and table number, one for each printed table; at least one pair."""
        table_numbers = self.tables.split()
        if not table_numbers:
            return [(self.name, "")]
        return [(self.names.get(number, self.name), number) for number in table_numbers]

    @property
    def columns(self) -> dict[str, object]:
        """The columns of `systems(…).table` besides the key and the printed name and table."""
        columns: dict[str, object] = {}
        for name, value in asdict(self).items():
            if name not in (*PRINTED_FIELDS, "settings", "scoring"):
                columns[name] = value

        # each argument has a column of its own
        columns.update(self.settings)
        columns.update(self.scoring)
        return columns

    @property
    def models(self) -> tuple[object, ...]:
        """The keys by which the argument `models` of `systems` may replace its models."""
        return self.key, self.run, self.settings.get("adapter")

    def ordered(self, order: str | None) -> "System":
        """Return the system with that order of one-hop candidates, if it has an order."""
        if order is None or "order" not in self.scoring:
            return self
        return replace(self, scoring={**self.scoring, "order": order})


def own_systems(query: str, **notes: str) -> tuple[System, ...]:
    """Return rows of the package's own systems, with sentences that are read in context.

    Args:
        query: what asks: ``"facet"``, ``"text"`` or ``"question"``, as their forms begin.
        notes: dict from a system's key to its note.
    """
    note_by_key = {"in_context": "mean of max; each sentence is read in its whole text", **notes}

    systems = []
    for key, note in note_by_key.items():
        form = f"{query}_{key}"
        systems.append(System(key, form, run=MINILM, encoder="Contextual", free=True, note=note))
    return tuple(systems)


class OtherTable(NamedTuple):
    """A printed table that is no CSV file here.

    text: what it holds, and where that is.
    was_read: False for a table that is missing in the copy of the paper that was read.
    """

    text: str
    was_read: bool = True


@dataclass(frozen=True)
class Protocol:
    """A collection's systems and measures, its printed tables, and what is known about them.

    collection: id of the collection's dataset. The protocol serves this id and all ids below it.
    title: the collection's name in print.
    measures: dict from a printed label to our measure, in the order of a table's columns.
    elsewhere: the same, for figures over queries that are no dataset of ours, where that differs.
    subset: function from a row of `figures.csv` to the id of its dataset below the collection; by
        default the column `subset`.
    subsets: those of these ids that are no datasets: settings without published queries, or queries
        that systems answer from other texts than the usual.
    source: where the printed figures are from; "" if the CSV has a column `source`.
    systems: rows of `systems(…).table`.
    left_out: dict from the printed names without such a row to the reason.
    statistics: a key of `evaluation.collection_tables.TABLES`; "" if `statistics` has no tables
        for it.
    pools: whether queries come with candidates.
    facets: subsets with two folds each, if the queries have facets. Every table then has all
        measures, and a bare collection stands for its subset `all`.
    decimals, unit: the number of printed decimals, and what a value of 1 is printed as.
    remarks: dict from a table's number to what is known about its printed figures.
    other_tables: dict from the number of a printed table that is no CSV file here to what it holds.
    quoted: dict from the name of a file of `printed_tables` that no code computes to the reason.
    unpublished: dict from the number of a table of systems to the reason why none of its rows can
        be run: what it is over was not published.
    resamples: number of bootstrap samples whose means the printed figures are the mean of; 0 if
        they are means over the queries themselves.
    in_sample: dict from a system's key to a remark, if its settings were found on the collection.
    kinds: dict from a kind of model ("bi-encoder", "sentence-encoder", "cross-encoder") to the rows
        that a model of the user's gets. Their keys are what follows the model's name.
    query_groups: dict from a name, as in ``by_subset(…, by=name)``, to a function from a query to
        its group, where the papers divide queries by more than fields of their records.
    """

    collection: str
    title: str
    measures: dict[str, str] = field(default_factory=dict)
    elsewhere: dict[str, str] = field(default_factory=dict)
    subset: Callable[[dict[str, str]], str] = lambda row: row.get("subset", "")
    subsets: tuple[PrintedSubset, ...] = ()
    source: str = ""
    systems: tuple[System, ...] = ()
    left_out: dict[str, str] = field(default_factory=dict)
    statistics: str = ""
    pools: bool = True
    facets: tuple[str, ...] = ()
    decimals: Natural = 2
    unit: Count = 100
    remarks: dict[str, str] = field(default_factory=dict)
    other_tables: dict[str, OtherTable] = field(default_factory=dict)
    quoted: dict[str, str] = field(default_factory=dict)
    unpublished: dict[str, str] = field(default_factory=dict)
    resamples: Natural = 0
    in_sample: dict[str, str] = field(default_factory=dict)
    kinds: Mapping[str, tuple[System, ...]] = field(default_factory=dict)
    query_groups: Mapping[str, Callable[[Any], object]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        check_fields(self)

    @property
    def folder(self) -> Path:
        """The folder of `figures.csv` and ``tables/<number>.csv``, which hold what is printed."""
        return Path(__file__).parent / self.collection.replace("-", "_")

    @property
    def printed(self) -> bool:
        """Whether papers print figures for the collection."""
        return (self.folder / "figures.csv").is_file()

    @property
    def printed_tables(self) -> list[Path]:
        """The files of its other printed tables: by their numbers, then those named by a word."""
        return sorted(self.folder.glob("tables/*.csv"), key=_sort_key_of_table)

    def find_subset(self, name: str) -> PrintedSubset:
        """Return what figures of a subset are over: one of `subsets`, else the dataset `name`."""
        for subset in self.subsets:
            if subset.name == name:
                return subset
        return PrintedSubset(name, queries=name)

    def queries_of(self, name: str) -> str:
        """Return the id of the dataset with the queries of `name`: for facets, `all` of them."""
        if self.facets and name == self.collection:
            return f"{name}/all"
        return name

    def collection_of(self, name: str) -> str:
        """Return the collection's id if `name` is below it, else `name`."""
        is_below = name.startswith(f"{self.collection}/")
        return self.collection if is_below else name


def _sort_key_of_table(path: Path) -> tuple[bool, float, str]:
    """Return the sort key of a table's file: "2.5" stands between 2 and 9, "pilot" at the end."""
    try:
        return False, float(path.stem), ""
    except ValueError:
        return True, 0.0, path.stem

"""A named system of a paper, or of the package: what it is called, and how it is run.

::

    System("bm25", form="bm25", source="Doe 2026, 3.1", encoder="")

`systems(…).table` has a row for each system, and for each table that prints it.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field

#: value of `System.model` for a model that is trained on the collection's own documents
COLLECTION = "the collection"


@dataclass(frozen=True)
class System:
    """A row of the table of named systems: what a system is called, and how it is run."""

    #: how users call it
    key: str
    #: a key of `recipes.FORMS`, which builds the pipeline
    form: str

    # In the papers

    #: what its printed row is called, as `published` has it; "" for the package's own systems
    printed_name: str = ""
    #: numbers of the printed tables with this system, separated by blanks; "" if no table has it,
    #: or if its table has no number
    tables: str = ""
    #: dict from a table's number to the printed name there, if that table spells it differently
    printed_name_by_table: Mapping[str, str] = field(default_factory=dict)
    #: where the paper describes it
    source: str = ""

    # The model, and the texts that it reads

    #: what the paper calls the model, or where it says that the model is
    named: str = ""
    #: what the model that is run is called: its name on the Hugging Face hub or of an API, or
    #: `COLLECTION`; "" if no model is needed, or if its weights were never published
    model: str = ""
    #: the model's class in `encoders`, or in `chat` for a language model; "" if no model is needed
    encoder: str = "SentenceTransformer"
    #: key of the system whose results this one re-ranks; "" for none
    reranks: str = ""
    #: why the model cannot be loaded by `model`; "" if it can
    absent: str = ""
    #: id, below the collection, of the dataset whose texts it reads; "" for the usual texts
    text: str = ""
    #: whether it runs with any encoder that the user passes
    any_encoder: bool = False
    #: what users should know of the model or of how it is run; "" for nothing
    note: str = ""

    # Arguments that differ from the defaults

    #: arguments of the encoder
    settings: Mapping[str, object] = field(default_factory=dict)
    #: keywords of the scorer that the form makes, such as ``{"k1": 2.0}`` for `BM25Score`
    scoring: Mapping[str, object] = field(default_factory=dict)

    def name_in(self, table: str) -> str:
        """Return its printed name in a table."""
        return self.printed_name_by_table.get(table, self.printed_name)

    @property
    def printed_rows(self) -> list[tuple[str, str]]:
        """Its printed rows: pairs of a name and a table's number, one for each printed table.

        A system in no numbered table has one pair, with "" as number.
        """
        return [(self.name_in(table), table) for table in self.tables.split() or [""]]

    def is_printed_in(self, table: str) -> bool:
        """Return whether a table has a row of it; "" is a table without a number."""
        tables = self.tables.split() or [""]
        return table in tables and self.name_in(table) != ""

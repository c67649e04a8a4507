"""A named system of a paper, or of the package: what it is called, and how it is run.

::

    System("bm25", form="bm25", source="Doe 2026, 3.1", encoder="")

`systems(…).table` has a row for each system, and for each table that prints it.
"""

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, replace

from ..arguments import check_fields

#: value of `System.model_name` for a model that is trained on the collection's own documents
COLLECTION = "the collection"
#: default model of the systems that run with any encoder
MINILM = "sentence-transformers/all-MiniLM-L6-v2"
#: fields that a table of systems has once per printed row
PRINTED_FIELDS = ("key", "printed_name", "printed_name_by_table", "tables")
#: fields whose entries are columns of their own in a table of systems
ARGUMENT_FIELDS = ("settings", "scoring")
#: fields that have a shorter name as a column in a table of systems
COLUMN_OF_FIELD = {
    "model_in_paper": "named",
    "model_name": "run",
    "reranked_key": "first",
    "loading_obstacle": "absent",
    "takes_any_encoder": "free",
}


@dataclass(frozen=True)
class System:
    """A row of the table of named systems: what a system is called, and how it is run.

    The name in brackets is that of the field's column in `systems(…).table`, if it differs.
    """

    #: how users call it
    key: str
    #: a key of `recipes.FORMS`, which builds the pipeline
    form: str

    # In the papers

    #: what its printed row is called, as `published` has it; "" for the package's own systems
    #: (`name`)
    printed_name: str = ""
    #: numbers of the printed tables with this system, separated by blanks; "" if no table has it,
    #: or if its table has no number
    tables: str = ""
    #: dict from a table's number to the printed name there, if that table spells it differently
    printed_name_by_table: Mapping[str, str] = field(default_factory=dict)
    #: where the paper describes it
    source: str = ""

    # The model, and the texts that it reads

    #: what the paper calls the model, or where it says that the model is (`named`)
    model_in_paper: str = ""
    #: what the model that is run is called: its name on the Hugging Face hub or of an API, or
    #: `COLLECTION`; "" if no model is needed, or if its weights were never published (`run`)
    model_name: str = ""
    #: the model's class in `encoders`, or in `chat` for a language model; "" if no model is needed
    encoder: str = "WholeText"
    #: key of the system whose results this one re-ranks; "" for none (`first`)
    reranked_key: str = ""
    #: why the model cannot be loaded by `model_name`; "" if it can (`absent`)
    loading_obstacle: str = ""
    #: id, below the collection, of the dataset whose texts it reads; "" for the usual texts
    text: str = ""
    #: whether it runs with any encoder that the user passes (`free`)
    takes_any_encoder: bool = False
    #: what users should know of the model or of how it is run; "" for nothing
    note: str = ""

    # Arguments that differ from the defaults

    #: arguments of the encoder
    settings: Mapping[str, object] = field(default_factory=dict)
    #: keywords of the scorer that the form makes, such as ``{"k1": 2.0}`` for `BM25Score`
    scoring: Mapping[str, object] = field(default_factory=dict)

    def __post_init__(self) -> None:
        check_fields(self)

    @property
    def printed_rows(self) -> list[tuple[str, str]]:
        """Its printed rows: pairs of a name and a table's number, one for each printed table.

        A system in no numbered table has one pair, with "" as number.
        """
        table_numbers = self.tables.split()
        if not table_numbers:
            return [(self.printed_name, "")]

        printed_rows = []
        for number in table_numbers:
            name_in_table = self.printed_name_by_table.get(number, self.printed_name)
            printed_rows.append((name_in_table, number))
        return printed_rows

    @property
    def columns(self) -> dict[str, object]:
        """Its cells in `systems(…).table` by column, without those of the key and of print."""
        columns: dict[str, object] = {}
        for name, value in asdict(self).items():
            if name not in PRINTED_FIELDS and name not in ARGUMENT_FIELDS:
                column = COLUMN_OF_FIELD.get(name, name)
                columns[column] = value

        columns.update(self.settings)
        columns.update(self.scoring)
        return columns

    @property
    def models(self) -> tuple[object, ...]:
        """The names by which the argument `models` of `systems` may replace its models."""
        return self.key, self.model_name, self.settings.get("adapter")

    def with_order(self, order: str | None) -> "System":
        """Return the system with another order of one-hop candidates.

        It stays as it is if `order` is None, or if it has no such candidates.
        """
        if order is None or "order" not in self.scoring:
            return self
        return replace(self, scoring={**self.scoring, "order": order})


def own_systems(query: str, **notes: str) -> tuple[System, ...]:
    """Return this package's own systems, which read sentences in context, for a kind of query.

    The first is always `in_context`. ``own_systems("facet", six_parts="…")`` is two systems, with
    the keys "in_context" and "six_parts" and the forms "facet_in_context" and "facet_six_parts".

    Args:
        query: the kind of query: ``"facet"``, ``"text"`` or ``"question"``.
        notes: further systems: dict from a system's key to its note.
    """
    note_by_key = {"in_context": "mean of max; each sentence is read in its whole text", **notes}

    systems = []
    for key, note in note_by_key.items():
        system = System(
            key,
            form=f"{query}_{key}",
            model_name=MINILM,
            encoder="Contextual",
            takes_any_encoder=True,  # users may pass another encoder
            note=note,
        )
        systems.append(system)
    return tuple(systems)

"""A row of the table of named systems."""

from dataclasses import dataclass, field

#: where the collection's own documents are what a model is trained on
COLLECTION = "the collection"
#: what a system of any encoder is run with, where none is given
MINILM = "sentence-transformers/all-MiniLM-L6-v2"


@dataclass(frozen=True)
class System:
    """A system of a paper: what it is called, what it is, how it is run.

    form: of `recipes._forms.FORMS`, how the pipeline is put together.
    name: as the papers print it, and so as `published` has it; "" for the package's own.
    tables: numbers of the tables that have it as a row, with blanks between, as `published` has
        them; "" where a table has no number, or none has it.
    names: dict from a table's number to the name there, where it is spelled in another way.
    source: where the paper speaks of it.
    named: as the paper names the model.
    run: as it is run: a name on the Hugging Face hub or of an API, or COLLECTION; "" where the
        weights were never published, or none are needed.
    encoder: the model's class in `encoders` or, of a language model, in `chat`; "" for none.
    first: of a system that re-ranks another one's results, the other's key.
    absent: why `run` cannot be loaded by its name; "" where it can.
    text: id, below the collection, of the dataset whose texts it reads; "" for the usual ones.
    free: whether it is run with whatever encoder is asked for.
    settings: of the encoder, those that differ from its defaults.
    scoring: of the scorer, those that differ from its defaults.
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
    settings: dict = field(default_factory=dict)
    scoring: dict = field(default_factory=dict)
    note: str = ""
    names: dict = field(default_factory=dict)

    @property
    def rows(self) -> list:
        """Its rows of the papers' tables: pairs of name and table's number, one at least."""
        return [(self.names.get(table, self.name), table) for table in self.tables.split() or [""]]


def in_context(key, note):
    """A system of the package's own, of sentences in their context; `key` is its form too."""
    return System(key, key, run=MINILM, encoder="Contextual", free=True, note=note)


#: mean of max, every sentence read in its whole text
READ_IN_CONTEXT = in_context("in_context", "mean of max; each sentence is read in its whole text")

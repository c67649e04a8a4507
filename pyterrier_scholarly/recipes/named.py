"""The systems of the papers by name: one table, and a pipeline for each of its rows."""

from collections.abc import Mapping
from dataclasses import asdict, dataclass, fields

from .. import encoders
from ..settings import BySettings, dataset_id
from ..transformers import Pool
from . import _csfcube_rows, _doris_mae_rows, _litsearch_rows
from ._forms import FORMS
from ._system import COLLECTION

#: collection -> rows; the embedded collection has CSFCube's shape
ROWS = {
    "csfcube": _csfcube_rows.ROWS,
    "scholarly-mini": _csfcube_rows.ROWS,
    "doris-mae": _doris_mae_rows.ROWS,
    "litsearch": _litsearch_rows.ROWS,
}
SHAPES = {"scholarly-mini": "csfcube"}
POOLLESS = ("litsearch",)


def systems(dataset, encoder=None, models=None, candidates=None, precision="fp32", device=None):
    """The systems of a collection's papers that encode texts, sentences or words, by key.

    ``systems("doris-mae")["ts_aspire"]`` is a pipeline, from topics to a ranking of each query's
    pool; nothing is loaded or downloaded until it ranks. LitSearch has no pools, so there systems
    re-rank results: ``bm25 >> systems("litsearch")["gritlm_7b"]``. (To search a collection, give
    `Systems.encoder` to an index.)

    With CSFCube's stand the package's own `one_encoding`, the recommended default, and `six_parts`,
    for any encoder.

    Args:
        dataset: ``"csfcube/method"``, ``"doris-mae/dev"``, ``"litsearch/inline"``, ``"litsearch"``
            and the like (an id, a PyTerrier or an ir_datasets dataset).
        encoder: for the systems of any encoder, what `ContextMaxSim` takes; None for
            all-MiniLM-L6-v2 by its name on the hub.
        models: dict from a key or a name on the hub to what is to be used instead: a folder, a
            SentenceTransformer, or an encoder.
        candidates: a transformer from topics to candidates, in the place of ``Pool(dataset)``.
        precision: of the encoders, as `WholeText` takes it.
        device: of the encoders, as PyTorch names it; None for the best there is.

    Returns:
        A `Systems`: a read-only dict from key to pipeline, in the table's order.

    Raises:
        ValueError: a collection without named systems, or `models` for what no system uses.
    """
    return Systems(dataset, encoder, models or {}, candidates, precision, device)


class Systems(Mapping):
    """What `systems` returns: pipelines by key, built when asked for."""

    def __init__(self, dataset, encoder, models, candidates, precision, device):
        collection = (dataset_id(dataset) or repr(dataset)).partition("/")[0]
        if collection not in ROWS:
            known = ", ".join(ROWS)
            raise ValueError(f"No systems are named for {collection!r}: there are for {known}.")
        self.dataset, self.models, self.candidates = dataset, models, candidates
        self.any, self.common = encoder, {"precision": precision, "device": device}
        self._forms = FORMS[SHAPES.get(collection, collection)]
        self._rows = {row.key: row for row in ROWS[collection]}
        used = {name for row in self._rows.values() for name in _names(row)}
        unused = [name for name in models if name not in used]
        if unused:
            raise ValueError(f"models names {unused}, which no system uses; see systems(…).table.")
        if candidates is None and collection not in POOLLESS:
            self.candidates = Pool(dataset)

    def __getitem__(self, key):
        """The pipeline; KeyError, listing the keys, if there is none of that name."""
        row = self._row(key)
        return self._forms[row.form](
            self.dataset, self.candidates, self.encoder(key), **row.scoring
        )

    def __iter__(self):
        return iter(self._rows)

    def __len__(self):
        return len(self._rows)

    def __contains__(self, key):
        return key in self._rows  # Mapping's own would build the pipeline

    def __repr__(self):
        return f"<systems of {dataset_id(self.dataset)!r}: {', '.join(self)}>"

    @property
    def table(self):
        """A frame with a row per system: what `_system.System` has, settings as columns.

        `name` and `table` join with `published`'s `system` and `table`.
        """
        import pandas as pd

        rows = [asdict(row) for row in self._rows.values()]
        return pd.DataFrame(
            [{**row, **row.pop("settings"), **row.pop("scoring")} for row in rows]
        ).fillna("")

    def encoder(self, key):
        """The encoder of a system, such as a first stage needs it; None if it has none.

        Raises:
            KeyError: no system of that name.
        """
        row = self._row(key)
        if not row.encoder:
            return None
        given = self.models.get(key, self.models.get(row.run))
        if given is None and row.free:
            given = self.any
        if given is None and not row.run:
            return Unpublished(row.named, key)
        model = row.run if given is None else given
        if not isinstance(model, str) and not hasattr(model, "tokenizer"):
            return model
        kind = getattr(encoders, row.encoder)
        known = {field.name for field in fields(kind)}
        common = {name: value for name, value in self.common.items() if name in known}
        settings = {name: self._replaced(name, value) for name, value in row.settings.items()}
        return kind(self.dataset if model == COLLECTION else model, **common, **settings)

    def _replaced(self, setting, value):
        return self.models.get(value, value) if setting == "adapter" else value

    def _row(self, key):
        if key not in self._rows:
            raise KeyError(f"no system {key!r}; there are {', '.join(self)}")
        return self._rows[key]


def _names(row):
    """What `models` may call the row."""
    return row.key, row.run, row.settings.get("adapter")


@dataclass(eq=False, repr=False)
class Unpublished(BySettings):
    """Stands for an encoder whose weights were never published; says so when it is to encode."""

    named: str
    key: str

    def encode_queries(self, texts):
        """Raise ValueError."""
        raise ValueError(
            f"The weights of {self.named} were never published. With some of your own: "
            f"systems(…, models={{{self.key!r}: …}}), a folder with a model, or an encoder."
        )

    encode_documents = encode_queries

"""The systems of the papers by name: one table, and a pipeline for each of its rows."""

from collections.abc import Mapping
from dataclasses import asdict, fields, replace

from .. import chat, encoders
from ..encoders import Room, plain
from ..protocols import PROTOCOLS
from ..protocols.system import COLLECTION
from ..settings import dataset_id
from ..transformers import Pool
from ..transformers.one_hop import ORDERS
from ._absent import Absent
from ._forms import FORMS

PRINTED = ("key", "name", "tables", "names")  # what `Systems.table` has per printed row


def systems(
    dataset,
    encoder=None,
    models=None,
    candidates=None,
    precision="fp32",
    device=None,
    client=None,
    runs=None,
    cache=None,
    one_hop=None,
):
    """The systems of a collection's papers, by key.

    ``systems("doris-mae")["ts_aspire"]`` is a pipeline, from topics to a ranking of each query's
    pool; ``systems("doris-mae")[["bm25", "tf_idf"]]`` is a dict of them, as `pt.Experiment` takes
    it. Nothing is loaded, downloaded or asked until a pipeline ranks. LitSearch has no pools, so
    there BM25 and dense retrievers search the collection for questions (`TextRetriever`). Behind
    another system, or with `candidates`, a dense one re-ranks: ``named["bm25"] >>
    named["gritlm_7b"]``. Language models re-rank the system that they are named with:
    ``named["gpt_4o_gritlm_7b"]`` takes questions.

    With them stand the package's own, for any encoder: `one_encoding`, the recommended default for
    faceted queries, and `six_parts` (CSFCube); `three_parts` for queries of whole texts (DORIS-MAE,
    LitSearch); `in_context`, their simplest part.

    Args:
        dataset: ``"csfcube/method"``, ``"doris-mae/dev"``, ``"litsearch/inline"``, ``"litsearch"``
            and the like (an id, a PyTerrier or an ir_datasets dataset).
        encoder: for the systems of any encoder, what `SentenceMaxSim` takes; None for
            all-MiniLM-L6-v2 by its name on the hub.
        models: dict from a key or a name on the hub to what is to be used instead: a folder, a
            SentenceTransformer or CrossEncoder, an encoder, a function as the scorer takes it.
        candidates: a transformer from topics to candidates, in the place of ``Pool(dataset)``.
        precision: of the encoders: ``"fp32"``, ``"bf16"`` or ``"auto"``; of whole texts,
            cross-encoders and SPLADE also ``"fp16"``, of sentences in context ``"int8"``.
        device: of the encoders, as PyTorch names it; None for the best there is.
        client: of the language models, what `ListwiseRerank` takes: ``Recorded(OpenAIChat(…), …)``;
            None for ``OpenAIChat`` of the paper's model, which needs a key.
        runs: dict from a key to a transformer that stands for the whole system, also where another
            one re-ranks its results: a retriever over an index, ``pt.Transformer.from_df(run)``.
        cache: of the encoders, as `WholeText` takes it. Of a whole collection vectors are hours of
            work: to search with a dense retriever, give True or a folder.
        one_hop: order of LitSearch's one-hop candidates, as `OneHop` takes it: ``"released"``, as
            its code has them, all seeds first; None for ``"paper"``, as its section 3.2 says. Which
            of them its figures are of is not known.

    Returns:
        A `Systems`: a read-only dict from key to pipeline, in the table's order.

    Raises:
        ValueError: a collection without named systems, `models` or `runs` of no system, an unknown
            order.
    """
    common = {"precision": precision, "device": device, "cache": cache}
    return Systems(dataset, encoder, models or {}, candidates, common, client, runs or {}, one_hop)


class Systems(Mapping):
    """What `systems` returns: pipelines by key, built when asked for.

    `left_out` is a dict from the names in the papers' tables that have no pipeline to why.
    """

    def __init__(self, dataset, encoder, models, candidates, common, client, runs, one_hop=None):
        collection = (dataset_id(dataset) or repr(dataset)).partition("/")[0]
        known = {one: protocol for one, protocol in PROTOCOLS.items() if protocol.systems}
        if collection not in known:
            raise ValueError(
                f"No systems are named for {collection!r}: there are for {', '.join(known)}."
            )
        protocol = known[collection]
        self.dataset, self.models, self.candidates = dataset, models, candidates
        self.any, self.common, self.client, self.runs = encoder, common, client, runs
        self._encoders, self._room = {}, Room()
        self._forms = FORMS[protocol.shape]
        self._rows = {row.key: _ordered(row, one_hop) for row in protocol.systems}
        self.left_out = dict(protocol.left_out)
        used = {name for row in self._rows.values() for name in _names(row)}
        _known("models", models, used)
        _known("runs", runs, self._rows)
        orders = [row.scoring["order"] for row in self._rows.values() if "order" in row.scoring]
        if one_hop not in (None, *orders) or not set(orders) <= set(ORDERS):
            raise ValueError(
                f"one_hop={one_hop!r}: expected one of {', '.join(ORDERS)}, for systems of one hop"
            )
        if candidates is None and protocol.pools:
            self.candidates = Pool(dataset)

    def __getitem__(self, key):
        """The pipeline, or a dict of those of a list of keys; KeyError, listing those there are."""
        if isinstance(key, list):
            return {one: self[one] for one in key}
        row = self._row(key)
        if key in self.runs:
            return self.runs[key]
        candidates = self[row.first] if row.first else self.candidates
        collection = dataset_id(self.dataset).partition("/")[0]
        dataset = f"{collection}/{row.text}" if row.text else self.dataset
        return self._forms[row.form](dataset, candidates, self.encoder(key), **row.scoring)

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
        """A frame with a row per system and printed row.

        It has what `protocols.System` has, settings as columns. `name` and `table` join with
        `published`'s `system` and `table`: a system that stands in several of a paper's tables has
        several rows, one that stands in none has one.
        """
        import pandas as pd

        rows = [
            {"key": row.key, "name": name, "table": table, **_columns(row)}
            for row in self._rows.values()
            for name, table in row.rows
        ]
        return pd.DataFrame(rows).astype(object).fillna("")

    def encoder(self, key):
        """The encoder of a system, such as a first stage needs it; None if it has none.

        Of a cross-encoder it is what scores pairs, of a language model the chat client.

        Raises:
            KeyError: no system of that name.
        """
        row = self._row(key)
        if not row.encoder:
            return None
        given = self.models.get(key, self.models.get(row.run))
        if given is None and row.free:
            given = self.any
        if hasattr(chat, row.encoder):
            given = self.client if given is None else given
            return getattr(chat, row.encoder)(row.run) if given is None else given
        if given is None and (row.absent or not row.run):
            return Absent(row.absent or f"The weights of {row.named} were never published", key)
        model = row.run if given is None else plain(given)
        if not isinstance(model, str) and not hasattr(model, "tokenizer"):
            return model
        kind = getattr(encoders, row.encoder)
        known = {field.name for field in fields(kind)}
        common = {name: value for name, value in self.common.items() if name in known}
        if not isinstance(model, str):  # an object may be trained: nothing of it is kept
            common.pop("cache", None)
        settings = {name: self._replaced(name, value) for name, value in row.settings.items()}
        made = kind(self.dataset if model == COLLECTION else model, **common, **settings)
        made = self._encoders.setdefault(made, made)  # systems of one encoder share it
        made.room = self._room
        return made

    def _replaced(self, setting, value):
        return self.models.get(value, value) if setting == "adapter" else value

    def _row(self, key):
        if key not in self._rows:
            raise KeyError(f"no system {key!r}; there are {', '.join(self)}")
        return self._rows[key]


def _columns(row):
    """What a row has besides its key and its printed rows."""
    columns = asdict(row)
    columns |= columns.pop("settings") | columns.pop("scoring")
    return {name: columns[name] for name in columns if name not in PRINTED}


def _ordered(row, one_hop):
    """The row, with that order where it has one."""
    if one_hop is None or "order" not in row.scoring:
        return row
    return replace(row, scoring=row.scoring | {"order": one_hop})


def _names(row):
    """What `models` may call the row."""
    return row.key, row.run, row.settings.get("adapter")


def _known(argument, given, known):
    unused = [name for name in given if name not in known]
    if unused:
        raise ValueError(f"{argument} names {unused}, which no system uses; see systems(…).table.")

"""The systems of a collection's papers, by key.

::

    named = systems("csfcube", encoder="sentence-transformers/all-MiniLM-L6-v2")
    named["one_encoding"]                # a pipeline from topics to a ranking of the candidates
    named[["fabs_tfidf", "fabs_bm25"]]   # a dict of pipelines, for pt.Experiment
    named.table                          # a frame that describes all systems
"""

import inspect
import os
from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass, field, fields, replace
from itertools import chain
from typing import Any, Literal

import pandas as pd
import pyterrier as pt

from .. import chat, encoders
from ..choices import check_option, describe_unknown
from ..datasets import DatasetLike
from ..encoders import LSA, EncoderLike, ModelEncoder, is_lsa
from ..protocols import Protocol, System, protocol_for
from ..protocols.system import COLLECTION
from ..settings import BySettings, dataset_id
from ..transformers import Pool
from .forms import FORMS, SEARCHING_FORMS, VERBOSE_FORMS
from .own_models import make_own_rows


def systems(
    dataset: DatasetLike,
    encoder: EncoderLike | None = None,
    models: Mapping[str, object] | None = None,
    candidates: pt.Transformer | None = None,
    precision: str = "fp32",
    device: str | None = None,
    client: object = None,
    runs: Mapping[str, pt.Transformer] | None = None,
    cache: object = None,
    one_hop: Literal["paper", "released"] | None = None,
    protocol: str | Protocol | None = None,
    verbose: bool = True,
) -> "Systems":
    """Return the systems of a collection's papers, by key.

    A key's pipeline goes from topics to a ranking of each query's pool. A list of keys gives a dict
    of pipelines, as `pt.Experiment` takes it::

        named = systems("doris-mae")
        ts_aspire = named["ts_aspire"]
        compared = named[["bm25", "tf_idf"]]

    Nothing is loaded, downloaded or asked until a pipeline ranks. LitSearch has no pools: BM25
    and dense retrievers search its collection for questions (`TextRetriever`). After another
    system, or with `candidates`, a dense one re-ranks: ``named["bm25"] >> named["gritlm_7b"]``.
    Language models re-rank the system in their name: ``named["gpt_4o_gritlm_7b"]`` takes questions.

    The table also has the package's own systems, for any encoder: `one_encoding`, the recommended
    default for faceted queries, and `six_parts` (CSFCube); `three_parts` for queries of whole texts
    (DORIS-MAE, LitSearch); `in_context`, their simplest part.

    A name in `models` that no system knows is that of a model of your own, which gets systems:
    ``systems("csfcube", models={"ours": "folder"})`` has `ours` and `ours_sentences`. An encoder
    of texts has the paper's form for whole texts and, with ``_sentences``, that for sentences; a
    cross-encoder scores pairs. Forms on LitSearch's full texts end in ``_full``.

    A collection of your own (``"made/mine"``) has the systems that need titles and abstracts alone.
    Its queries are facets of papers if they have the fields `paper_id` and `facet`, else texts.

    Args:
        dataset: ``"csfcube/method"``, ``"doris-mae/dev"``, ``"litsearch/inline"``, ``"litsearch"``
            and the like (an id, a PyTerrier or an ir_datasets dataset). ``"csfcube"`` stands for
            ``"csfcube/all"``.
        encoder: for the systems of any encoder, see `SentenceMaxSim`; None for all-MiniLM-L6-v2 by
            its name on the hub; ``"lsa"`` for ``LSA(dataset)``, which needs no download.
        models: dict from a key or a name on the hub to what replaces it: a folder, a
            SentenceTransformer or CrossEncoder, an encoder, or a function as the scorer takes it.
            Or from a name of your own to such a model, or to a pair of its kind
            (``"bi-encoder"``, ``"sentence-encoder"``, ``"cross-encoder"``) and the model. Without a
            kind, the model's files tell. They also tell its similarity; else it is the paper's.
        candidates: a transformer from topics to candidates, instead of ``Pool(dataset)``.
        precision: of the encoders: ``"fp32"``, ``"bf16"``, ``"fp16"`` or ``"auto"``.
        device: of the encoders, as PyTorch names it; None for the best one available.
        client: of the language models, see `ListwiseRerank`: ``Recorded(OpenAIChat(…), …)``; None
            for ``OpenAIChat`` with the paper's model, which needs a key.
        runs: dict from a key to a transformer that replaces the whole system, also where another
            one re-ranks its results: a retriever over an index, ``pt.Transformer.from_df(run)``.
        cache: of the encoders, see `SentenceTransformer`. Encoding a whole collection takes
            hours: for dense retrieval pass True or a folder.
        one_hop: order of LitSearch's one-hop candidates, see `OneHop`: ``"released"`` as in its
            code, with all seeds first; None for ``"paper"``, as in its section 3.2. Which of them
            produced its figures is unknown.
        protocol: a `Protocol`, or the id of its collection, whose systems are built over `dataset`;
            None for the protocol of the longest part of the dataset's id.
        verbose: show progress of encoders, first stages and language models: bars on a terminal,
            one line each in notebooks and logs.

    Returns:
        A `Systems`: a read-only dict from key to pipeline, in the table's order.

    Raises:
        ValueError: an unknown protocol or dataset, documents without titles and abstracts, a model
            of an unknown kind or with the name of another system, `runs` that no system uses, an
            unknown order, or one for a collection without systems of one hop.
        OSError: the folder of a model of your own is missing, or its name cannot be read.
    """
    protocol = protocol_for(dataset, protocol)
    own_id = dataset_id(dataset)
    if own_id is not None and own_id != protocol.queries_of(own_id):
        dataset = protocol.queries_of(own_id)  # "csfcube" stands for "csfcube/all"

    if is_lsa(encoder):
        encoder = LSA(dataset)
    if candidates is None and protocol.pools:
        candidates = Pool(dataset)

    if not isinstance(models or {}, Mapping):
        raise ValueError(
            f"models={models!r:.100}: expected a dict from a name to a model. Pass such as "
            "models={'ours': 'my-model'}."
        )
    own_rows, replacements = make_own_rows(protocol, models or {})
    rows = {row.key: row for row in chain(protocol.systems, *own_rows.values())}

    if one_hop is not None:
        check_option("one_hop", one_hop, ["paper", "released"])
        one_hop_rows = [row for row in rows.values() if "order" in row.scoring]
        if not one_hop_rows:
            raise ValueError(f"one_hop={one_hop!r}: {protocol.title} has no systems of one hop")
        for row in one_hop_rows:
            rows[row.key] = replace(row, scoring={**row.scoring, "order": one_hop})

    for key in runs or {}:
        if key not in rows:
            raise ValueError(describe_unknown("system", key, rows, of="the argument runs"))

    return Systems(
        dataset=dataset,
        protocol=protocol,
        rows=rows,
        candidates=candidates,
        runs=runs or {},
        yours={name: [row.key for row in rows_of_name] for name, rows_of_name in own_rows.items()},
        replacements=replacements,
        any_encoder=encoder,
        client=client,
        settings={"precision": precision, "device": device, "cache": cache, "verbose": verbose},
    )


def check_options(options: Mapping[str, object]) -> None:
    """Raise TypeError for an option that `systems` does not have."""
    inspect.signature(systems).bind(dataset=None, **options)


@dataclass(eq=False, repr=False)
class Systems(Mapping[str, pt.Transformer]):
    """The result of `systems`: pipelines by key, each built when it is asked for."""

    #: whose queries are answered
    dataset: DatasetLike
    #: of the dataset's collection
    protocol: Protocol
    #: the systems by key
    rows: dict[str, System]
    #: adds the candidates that systems rank; None if systems search, or take results
    candidates: pt.Transformer | None
    #: dict from a key to the transformer that replaces the whole system
    runs: Mapping[str, pt.Transformer]
    #: dict from the name of a model of your own to the keys of its systems
    yours: dict[str, list[str]]
    #: dict from a key, or the name of a model or an adapter, to the user's model in its place
    replacements: dict[str, object]
    #: for the systems that run with any encoder; None for their default
    any_encoder: EncoderLike | None
    #: for the language models; None for OpenAIChat
    client: object
    #: arguments of all encoders, as far as their classes have them
    settings: dict[str, Any]
    _encoders: dict[object, Any] = field(default_factory=dict)
    #: of these only a few hold their models: all of a collection would fill the memory
    _recent_encoders: list[ModelEncoder] = field(default_factory=list)

    @property
    def left_out(self) -> dict[str, str]:
        """From the names in the papers' tables that have no pipeline to the reason."""
        return dict(self.protocol.left_out)

    @property
    def table(self) -> pd.DataFrame:
        """A frame with a row for each system and each of its printed rows.

        Columns: the fields of `protocols.System`, and each setting. `name` and `table` join with
        those of `published`; a system in no printed table has one row.
        """
        lines = []
        for system in self.rows.values():
            columns = asdict(system)
            for printed in ("printed_name", "printed_name_by_table", "tables"):
                del columns[printed]
            columns |= columns.pop("settings") | columns.pop("scoring")
            for name, table in system.printed_rows:
                lines.append({"key": system.key, "name": name, "table": table} | columns)
        return pd.DataFrame(lines).astype(object).fillna("")

    def __getitem__(self, key: str | list[str]) -> Any:
        """Return a pipeline, or a dict of pipelines for a list of keys; KeyError lists all keys."""
        if isinstance(key, list):
            return {single_key: self[single_key] for single_key in key}
        if key in self.runs:
            return self.runs[key]
        row = self._find_row(key)

        dataset = self.dataset
        if row.text:  # it reads other texts of the collection, such as full texts
            collection = self.protocol.collection_of(dataset_id(self.dataset) or "")
            dataset = f"{collection}/{row.text}"
        scoring = dict(row.scoring)
        if row.form in VERBOSE_FORMS:
            scoring["verbose"] = self.settings["verbose"]
        pipeline = FORMS[row.form](dataset, self.encoder(key), **scoring)

        candidates = self[row.reranks] if row.reranks else self.candidates
        if candidates is None or row.form in SEARCHING_FORMS:
            return pipeline
        return candidates >> pipeline

    def encoder(self, key: str) -> Any:
        """Return the encoder of a system, for example for a first stage; None if it has none.

        For a cross-encoder it is the scorer of pairs, for a language model the chat client.

        Raises:
            KeyError: no system has that key.
        """
        row = self._find_row(key)
        if not row.encoder:
            return None

        # what the user passed in place of the system's model, by the key or by the model's name
        replacement = self.replacements.get(key, self.replacements.get(row.model))
        if hasattr(chat, row.encoder):  # a language model
            client = self.client if replacement is None else replacement
            if client is not None:
                return client
            client_class = getattr(chat, row.encoder)
            return client_class(row.model)

        if replacement is None and row.any_encoder:
            replacement = self.any_encoder
        if replacement is None and (row.absent or not row.model):
            weights = f"The weights of {row.named} were never published"
            return Absent(row.absent or weights, key)
        model = row.model if replacement is None else replacement
        if isinstance(model, os.PathLike):
            model = os.fspath(model)

        # a name, a folder, or a loaded model; anything else is an encoder or a scorer already
        needs_encoder = isinstance(model, str) or hasattr(model, "tokenizer")
        return self._build_encoder(model, row) if needs_encoder else model

    def _build_encoder(self, model: object, row: System) -> object:
        """Return an encoder of the row's class around a model, or the equal one built before."""
        encoder_class = getattr(encoders, row.encoder)
        parameters = {parameter.name for parameter in fields(encoder_class)}
        settings = {name: value for name, value in self.settings.items() if name in parameters}
        if not isinstance(model, str):  # an object may be trained meanwhile: cache nothing
            settings.pop("cache", None)

        settings.update(row.settings)
        if "adapter" in settings:
            adapter = settings["adapter"]
            settings["adapter"] = self.replacements.get(adapter, adapter)

        source = self.dataset if model == COLLECTION else model
        encoder = encoder_class(source, **settings)
        if isinstance(encoder, ModelEncoder):
            encoder.recent = self._recent_encoders
        # systems with equal encoders share one, so that its model is loaded once
        return self._encoders.setdefault(encoder, encoder)

    def _find_row(self, key: str) -> System:
        """Return the row of a key; KeyError lists all keys."""
        if key not in self.rows:
            raise KeyError(describe_unknown("system", key, self))
        return self.rows[key]

    def __iter__(self) -> Iterator[str]:
        return iter(self.rows)

    def __len__(self) -> int:
        return len(self.rows)

    def __contains__(self, key: object) -> bool:
        return key in self.rows  # Mapping's own would build the pipeline

    def __repr__(self) -> str:
        return f"<systems of {dataset_id(self.dataset)!r}: {', '.join(self)}>"


@dataclass(eq=False, repr=False)
class Absent(BySettings):
    """Stand for the model of a system that cannot be loaded; raise an error when it should work.

    So the pipeline can be built and shown, and the error comes when it is run.

    why: the reason.
    key: of the system.
    """

    why: str
    key: str

    def encode(self, texts: object, side: object) -> None:
        """Raise ValueError: the system's model cannot be loaded, and what to pass instead."""
        raise ValueError(
            f"{self.why}. Pass a model of your own: systems(…, models={{{self.key!r}: …}}), a "
            "folder with a model, an encoder or a scorer."
        )

    def score(self, pairs: object) -> None:
        """Raise ValueError, as `encode` does."""
        self.encode(pairs, "")

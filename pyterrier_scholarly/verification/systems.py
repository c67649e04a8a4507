"""Checks of our systems: their figures beside the printed ones.

::

    row = PrintedRow("csfcube", "", "fabs_tfidf")
    check = SystemCheck(row, find_system(row), Resources(may_load=False))
    check.why_not() or check.run()
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from itertools import islice
from pathlib import Path
from typing import Any

from .. import chat
from ..datasets import irds
from ..encoders import Encoder, model_value, vectors
from ..fingerprint import Unidentified, fingerprint
from ..protocols import PROTOCOLS, System
from ..protocols.system import COLLECTION
from ..recipes import systems
from ..recipes.named_systems import Systems
from ..tables import reproduce
from ..tables.present_data import PresentData
from ..tables.saved_runs import rank_from_topics
from ..tables.shape import find_shape
from .comparison import compare_with_print, own_figures_of
from .missing_data import explain_missing_data
from .outcomes import Cell, Promise
from .rows import PrintedRow, read_figures
from .timing import time_call

#: texts that are encoded to tell how long all of them take
SAMPLE_TEXTS = 8
#: queries that are ranked to tell how long all of them take
SAMPLE_QUERIES = 3
#: class of `System.encoder` that asks an API for embeddings
EMBEDDING_API = "OpenAIEmbeddings"
#: what stands for a model of which nothing can be told
UNKNOWN = "unknown"


@dataclass(frozen=True)
class Resources:
    """What a check of a system may use.

    options: of `systems` and `reproduce`: models, client, precision, device, cache.
    may_load: whether models may be loaded.
    may_ask: whether an API may be asked, which costs money.
    save_dir: folder of saved runs; None saves none.
    verbose: whether a run says on stderr how far it is.
    """

    options: Mapping[str, Any] = field(default_factory=dict)
    may_load: bool = True
    may_ask: bool = False
    save_dir: Path | None = None
    verbose: bool = False


@dataclass(frozen=True)
class SystemCheck:
    """Our system of a printed row, beside the printed figures.

    row: as printed.
    system: ours of that row.
    resources: what it may use.
    known_differences: column -> the reason of a known difference.
    """

    row: PrintedRow
    system: System
    resources: Resources = field(default_factory=Resources, compare=False, repr=False)
    promise = Promise.SYSTEM
    known_differences: Mapping[str, str] = field(default_factory=dict)

    @property
    def source(self) -> str:
        """The system's key."""
        return f"our system {self.system.key}"

    @property
    def command(self) -> str:
        """Python that runs the system."""
        table = f", table={self.row.table!r}" if self.row.table else ""
        return f'reproduce("{self.dataset}", ["{self.system.key}"]{table})'

    @property
    def dataset(self) -> str:
        """The id of the dataset whose table has the row: the collection, or other pools of it."""
        protocol = PROTOCOLS[self.row.collection]
        for name in read_figures(self.row)["subset"]:
            pools = protocol.find_subset(name).pools
            if pools:  # a row's figures are all over the same candidates
                return f"{protocol.collection}/{pools}"
        return protocol.collection

    @property
    def chain(self) -> list[System]:
        """The system, then the one whose results it re-ranks, and so on up to the first stage."""
        protocol = PROTOCOLS[self.row.collection]
        system_by_key = {system.key: system for system in protocol.systems}

        system = self.system
        chain = [system]
        while system.reranks:  # "" for none
            system = system_by_key[system.reranks]
            chain.append(system)
        return chain

    @cached_property
    def run_dataset(self) -> str:
        """The id of the dataset whose queries are ranked."""
        return find_shape(self.dataset, self.row.table or None).run

    @cached_property
    def named_systems(self) -> Systems:
        """The systems of that dataset, by key."""
        return systems(self.run_dataset, verbose=False, **self.resources.options)

    def why_not(self) -> str:
        """Say all that keeps the check from running here; "" if nothing does."""
        return "; ".join(self.list_obstacles())

    def list_obstacles(self) -> list[str]:
        """Return what keeps the check from running here: models first, then what files lack."""
        reasons = [self._why_no_model(system) for system in self.chain]
        reasons.append(explain_missing_data(self.dataset, self.row.table, self.chain))
        return list(dict.fromkeys(reason for reason in reasons if reason))

    def hash_models(self) -> dict[str, str]:
        """Return what identifies each model that the check runs, by the model's name.

        It is the commit of a model of the hub, or a hash of a model that the user passed instead.
        A model behind an API has none.
        """
        hashes: dict[str, str] = {}
        for system in self.chain:
            replacement = self._find_replacement(system)
            if replacement is not None:
                hashes[system.model] = _identify(replacement)
            elif system.encoder and not asks_api(system):
                hashes[system.model] = _identify(system.model)

            adapter = system.settings.get("adapter")
            if adapter:
                hashes[str(adapter)] = _identify_adapter(str(adapter))
        return hashes

    def hash_files(self) -> dict[str, str]:
        """Return nothing: the check reads no ranking."""
        return {}

    def estimate_seconds(self) -> float:
        """Encode some texts, or rank some queries, and return how long all of them would take.

        A language model is not asked for a sample: what ranks before it is timed alone. The sample
        is measured once: a second time, an encoder would remember its texts.
        """
        return self._estimated_seconds

    @cached_property
    def _estimated_seconds(self) -> float:
        timed_system = self.system
        if asks_api(self.system):
            timed_system = self.chain[-1]  # what the language model re-ranks

        encoder = self.named_systems.encoder(timed_system.key)
        if hasattr(encoder, "encode"):
            return self._estimate_encoding(encoder)
        return self._estimate_ranking(timed_system.key)

    def run(self) -> tuple[Cell, ...]:
        """Rank with the system, and compare each column."""
        table = reproduce(
            self.dataset,
            {self.row.name: self.system.key},
            self.row.table or None,
            save_dir=self.resources.save_dir,
            verbose=self.resources.verbose,
            **self.resources.options,
        )
        return compare_with_print(self.row, own_figures_of(table.figures))

    def _estimate_encoding(self, encoder: Encoder) -> float:
        """Return how long it takes to encode all documents, from a sample of texts."""
        texts = _sample_texts(self.run_dataset)
        vectors(encoder, texts[:1])  # loads the model
        seconds_per_text = time_call(lambda: vectors(encoder, texts)) / len(texts)
        return seconds_per_text * _count_ranked(self.run_dataset)

    def _estimate_ranking(self, key: str) -> float:
        """Return how long the system with this key takes for all queries, from a sample of them."""
        data = PresentData(self.run_dataset)
        topics = data.read_topics(data.reachable)
        pipeline = rank_from_topics(self.named_systems[key], data.name)

        # apart, because the first query builds an index, if the system needs one
        seconds_of_first = time_call(lambda: pipeline(topics.head(1)))
        sample = topics.iloc[1 : 1 + SAMPLE_QUERIES]
        if sample.empty:
            return seconds_of_first
        seconds_per_query = time_call(lambda: pipeline(sample)) / len(sample)
        return seconds_of_first + seconds_per_query * len(topics)

    def _find_replacement(self, system: System) -> object:
        """Return the model that replaces a system's, if one was passed."""
        models = self.resources.options.get("models") or {}
        return models.get(system.key, models.get(system.model))

    def _why_no_model(self, system: System) -> str:
        """Say why a system's model cannot be used here; "" if it can, or if it has none."""
        needs_no_model = not system.encoder or system.model == COLLECTION
        if needs_no_model or self._find_replacement(system) is not None:
            return ""
        if system.absent:
            return system.absent
        if not system.model:
            return f"not public: {system.note}"
        if asks_api(system):
            return self._why_not_asked(system)
        if not self.resources.may_load:
            return f"it loads weights ({system.model}), which this call leaves out"
        return self._describe_missing_weights()

    def _why_not_asked(self, system: System) -> str:
        """Say why a model behind an API may not be asked; "" if it may."""
        has_client = self.resources.options.get("client") is not None
        if self.resources.may_ask or has_client:
            return ""
        return f"it asks an API ({system.model}), which costs money"

    def _describe_missing_weights(self) -> str:
        """Say which weights can neither be found here nor downloaded; "" if there are none."""
        missing_models = []
        for name, identity in self.hash_models().items():
            # a model of the hub is identified as "name@commit"
            has_unknown_commit = identity.endswith("@None")
            if has_unknown_commit:
                missing_models.append(name)
        if not missing_models:
            return ""
        return (
            f"weights {' and '.join(missing_models)} are not on this machine, and the hub does not "
            "answer"
        )


def asks_api(system: System) -> bool:
    """Return whether a system's model is behind an API."""
    return system.encoder == EMBEDDING_API or hasattr(chat, system.encoder)


def _identify(model: object) -> str:
    """Return what stands for a model: its commit, or a hash; `UNKNOWN` for an object without."""
    value = model_value(model)
    if isinstance(value, str):
        return value
    try:
        return fingerprint(value)
    except Unidentified:
        return UNKNOWN


def _identify_adapter(adapter: str) -> str:
    """Return what stands for an adapter, as for a model."""
    return str(model_value(adapter, is_adapter=True))


def _sample_texts(dataset: str) -> list[str]:
    """Return the texts of the first SAMPLE_TEXTS documents."""
    documents = islice(irds(dataset).docs_iter(), SAMPLE_TEXTS)
    return [document.default_text() for document in documents]


def _count_ranked(dataset: str) -> int:
    """Return the number of documents that are ranked: those of pools, else all."""
    source = irds(dataset)
    if not source.has_scoreddocs():
        return source.docs_count() or 0
    return len({candidate.doc_id for candidate in source.scoreddocs_iter()})

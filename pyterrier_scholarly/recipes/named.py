"""The systems of the papers by name: one table, and a pipeline for each of its rows."""

from collections.abc import Container, Iterator, Mapping
from typing import TYPE_CHECKING, Any

import pyterrier as pt

from ..protocols import Protocol, System, protocol_for
from ..settings import dataset_id
from ..transformers import Pool
from ..transformers.one_hop import ORDERS
from .forms import FORMS
from .models import Models

if TYPE_CHECKING:
    import pandas as pd


def systems(
    dataset: object,
    encoder: object = None,
    models: Mapping[str, object] | None = None,
    candidates: pt.Transformer | None = None,
    precision: str = "fp32",
    device: str | None = None,
    client: object = None,
    runs: Mapping[str, pt.Transformer] | None = None,
    cache: object = None,
    one_hop: str | None = None,
    protocol: str | Protocol | None = None,
    verbose: bool = True,
) -> "Systems":
    """Return the systems of a collection's papers, by key.

    ``systems("doris-mae")["ts_aspire"]`` is a pipeline from topics to a ranking of each query's
    pool. ``systems("doris-mae")[["bm25", "tf_idf"]]`` is a dict of them, as `pt.Experiment` takes
    it. Nothing is loaded, downloaded or asked until a pipeline ranks. LitSearch has no pools: BM25
    and dense retrievers search its collection for questions (`TextRetriever`). After another
    system, or with `candidates`, a dense one re-ranks: ``named["bm25"] >> named["gritlm_7b"]``.
    Language models re-rank the system in their name: ``named["gpt_4o_gritlm_7b"]`` takes questions.

    The table also has the package's own systems, for any encoder: `one_encoding`, the recommended
    default for faceted queries, and `six_parts` (CSFCube); `three_parts` for queries of whole texts
    (DORIS-MAE, LitSearch); `in_context`, their simplest part.

    A collection of your own (``"made/mine"``) has the systems that need titles and abstracts alone.
    Its queries are facets of papers if they have the fields `paper_id` and `facet`, else texts.

    Args:
        dataset: ``"csfcube/method"``, ``"doris-mae/dev"``, ``"litsearch/inline"``, ``"litsearch"``
            and the like (an id, a PyTerrier or an ir_datasets dataset). ``"csfcube"`` stands for
            ``"csfcube/all"``.
        encoder: for the systems of any encoder, see `SentenceMaxSim`; None for all-MiniLM-L6-v2 by
            its name on the hub.
        models: dict from a key or a name on the hub to what replaces it: a folder, a
            SentenceTransformer or CrossEncoder, an encoder, or a function as the scorer takes it.
        candidates: a transformer from topics to candidates, instead of ``Pool(dataset)``.
        precision: of the encoders: ``"fp32"``, ``"bf16"`` or ``"auto"``; of whole texts,
            cross-encoders and SPLADE also ``"fp16"``, of sentences in context ``"int8"``.
        device: of the encoders, as PyTorch names it; None for the best one available.
        client: of the language models, see `ListwiseRerank`: ``Recorded(OpenAIChat(…), …)``; None
            for ``OpenAIChat`` with the paper's model, which needs a key.
        runs: dict from a key to a transformer that replaces the whole system, also where another
            one re-ranks its results: a retriever over an index, ``pt.Transformer.from_df(run)``.
        cache: of the encoders, see `WholeText`. Encoding a whole collection takes hours: for dense
            retrieval pass True or a folder.
        one_hop: order of LitSearch's one-hop candidates, see `OneHop`: ``"released"`` as in its
            code, with all seeds first; None for ``"paper"``, as in its section 3.2. Which of them
            produced its figures is unknown.
        protocol: a `Protocol`, or the id of its collection, whose systems are built over `dataset`;
            None for the protocol of the longest part of the dataset's id.
        verbose: show progress on stderr, of encoders, first stages and language models: bars on a
            terminal and in notebooks, lines elsewhere.

    Returns:
        A `Systems`: a read-only dict from key to pipeline, in the table's order.

    Raises:
        ValueError: an unknown protocol or dataset, documents without titles and abstracts, `models`
            or `runs` that no system uses, an unknown order.
    """
    rows = protocol_for(dataset, protocol)
    name = dataset_id(dataset)
    if name is not None and rows.queries_of(name) != name:
        dataset = rows.queries_of(name)
    common = {"precision": precision, "device": device, "cache": cache, "verbose": verbose}
    encoders = Models(dataset, models or {}, encoder, client, common)
    if candidates is None and rows.pools:
        candidates = Pool(dataset)
    return Systems(dataset, rows, encoders, candidates, runs or {}, one_hop, verbose)


class Systems(Mapping[str, pt.Transformer]):
    """The result of `systems`: pipelines by key, each built when it is asked for.

    `left_out` is a dict from the names in the papers' tables that have no pipeline to the reason.
    """

    def __init__(
        self,
        dataset: object,
        protocol: Protocol,
        models: Models,
        candidates: pt.Transformer | None,
        runs: Mapping[str, pt.Transformer],
        one_hop: str | None,
        verbose: bool,
    ) -> None:
        self.dataset, self.candidates, self.runs = dataset, candidates, runs
        self.verbose = verbose
        self._models, self._collection = models, protocol.collection_of(dataset_id(dataset) or "")
        self._rows = {row.key: row.ordered(one_hop) for row in protocol.systems}
        self.left_out = dict(protocol.left_out)
        _check_known("models", models.named, {n for row in self._rows.values() for n in row.models})
        _check_known("runs", runs, self._rows)
        orders = [row.scoring["order"] for row in self._rows.values() if "order" in row.scoring]
        if one_hop not in (None, *orders) or not set(orders) <= set(ORDERS):
            raise ValueError(
                f"one_hop={one_hop!r}: expected one of {', '.join(ORDERS)}, for systems of one hop"
            )

    def __getitem__(self, key: Any) -> Any:
        """Return a pipeline, or a dict of pipelines for a list of keys; KeyError lists all keys."""
        if isinstance(key, list):
            return {one: self[one] for one in key}
        row = self._row(key)
        if key in self.runs:
            return self.runs[key]
        candidates = self[row.first] if row.first else self.candidates
        dataset = f"{self._collection}/{row.text}" if row.text else self.dataset
        form = FORMS[row.form]
        shown = {"verbose": self.verbose} if form.shows else {}
        return form.pipeline(dataset, candidates, self._models.of(row), **row.scoring, **shown)

    def __iter__(self) -> Iterator[str]:
        return iter(self._rows)

    def __len__(self) -> int:
        return len(self._rows)

    def __contains__(self, key: object) -> bool:
        return key in self._rows  # Mapping's own would build the pipeline

    def __repr__(self) -> str:
        return f"<systems of {dataset_id(self.dataset)!r}: {', '.join(self)}>"

    @property
    def table(self) -> "pd.DataFrame":
        """A frame with a row for each system and each of its printed rows.

        Columns: the fields of `protocols.System`, and each setting. `name` and `table` join with
        `system` and `table` of `published`. A system in several printed tables has several rows, a
        system in none has one.
        """
        import pandas as pd

        rows = [
            {"key": row.key, "name": name, "table": table, **row.columns}
            for row in self._rows.values()
            for name, table in row.rows
        ]
        return pd.DataFrame(rows).astype(object).fillna("")

    def encoder(self, key: str) -> Any:
        """Return the encoder of a system, for example for a first stage; None if it has none.

        For a cross-encoder it is the scorer of pairs, for a language model the chat client.

        Raises:
            KeyError: no system has that key.
        """
        return self._models.of(self._row(key))

    def _row(self, key: str) -> System:
        if key not in self._rows:
            raise KeyError(f"no system {key!r}; there are {', '.join(self)}")
        return self._rows[key]


def _check_known(argument: str, names: Mapping[str, object], known: Container[object]) -> None:
    unused = [name for name in names if name not in known]
    if unused:
        raise ValueError(f"{argument} names {unused}, which no system uses; see systems(…).table.")

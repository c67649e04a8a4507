"""The systems of a collection's papers, by key.

::

    named = systems("csfcube", encoder="sentence-transformers/all-MiniLM-L6-v2")
    named["one_encoding"]  # a pipeline from topics to a ranking of the candidates
"""

import inspect
from collections.abc import Callable, Iterable, Mapping

import pyterrier as pt

from ir_datasets_ext.choices import describe_unknown

from ..arguments import check_arguments
from ..datasets import DatasetLike
from ..encoders import LSA, EncoderLike, is_lsa
from ..protocols import Protocol, System, protocol_for
from ..settings import dataset_id
from ..transformers import Pool
from ..transformers.one_hop import ORDERS
from .own_models import make_own_systems
from .pipelines import Systems
from .system_models import Models


@check_arguments
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
    one_hop: str | None = None,
    protocol: str | Protocol | None = None,
    verbose: bool = True,
) -> Systems:
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
        verbose: show progress of encoders, first stages and language models: bars on a terminal,
            one line each in notebooks and logs.

    Returns:
        A `Systems`: a read-only dict from key to pipeline, in the table's order.

    Raises:
        ValueError: an unknown protocol or dataset, documents without titles and abstracts, a model
            of an unknown kind or with the name of another system, `runs` that no system uses, an
            unknown order.
        OSError: the folder of a model of your own is missing, or its name cannot be read.
    """
    protocol = protocol_for(dataset, protocol)
    dataset = _choose_queries(dataset, protocol)
    if is_lsa(encoder):
        encoder = LSA(dataset)

    own = make_own_systems(protocol, models or {})
    all_rows = [*protocol.systems]
    keys_of_own_models = {}
    for own_name, own_rows in own.systems.items():
        all_rows += own_rows
        keys_of_own_models[own_name] = [row.key for row in own_rows]

    _check_one_hop(one_hop, all_rows)
    rows = {row.key: row.with_order(one_hop) for row in all_rows}
    _check_runs(runs or {}, rows)

    if candidates is None and protocol.pools:
        candidates = Pool(dataset)
    encoder_settings = {
        "precision": precision,
        "device": device,
        "cache": cache,
        "verbose": verbose,
    }
    return Systems(
        dataset=dataset,
        protocol=protocol,
        rows=rows,
        models=Models(dataset, own.models, encoder, client, encoder_settings),
        candidates=candidates,
        runs=runs or {},
        yours=keys_of_own_models,
        verbose=verbose,
    )


def check_options(names: Iterable[str], caller: Callable) -> None:
    """Raise TypeError for an option that a caller cannot pass on to `systems`; names the nearest.

    caller: a function with ``**options``, of which the dataset is an argument of its own.
    """
    options_of_systems = list(inspect.signature(systems).parameters)
    options_of_systems.remove("dataset")
    arguments_of_caller = list(inspect.signature(caller).parameters)
    arguments_of_caller.remove("options")

    for name in names:
        if name not in options_of_systems:
            choices = dict.fromkeys([*arguments_of_caller, *options_of_systems])
            raise TypeError(describe_unknown("argument", name, choices, of=caller.__name__))


def _choose_queries(dataset: DatasetLike, protocol: Protocol) -> DatasetLike:
    """Return the dataset whose queries are answered.

    It is `dataset` itself, but for a bare collection with facets, which has no queries: for
    "csfcube" it is the id of another dataset, "csfcube/all".
    """
    own_id = dataset_id(dataset)
    if own_id is None:  # an object without an id
        return dataset

    queries_id = protocol.queries_of(own_id)
    if queries_id == own_id:
        return dataset  # perhaps an object, which is not opened again
    return queries_id


def _check_one_hop(order: str | None, rows: Iterable[System]) -> None:
    """Raise ValueError for an unknown order of one-hop candidates, or if no system has them."""
    if order is None:
        return
    has_one_hop = any("order" in row.scoring for row in rows)
    if order not in ORDERS or not has_one_hop:
        raise ValueError(
            f"one_hop={order!r}: expected one of {', '.join(ORDERS)}, for systems of one hop"
        )


def _check_runs(runs: Mapping[str, pt.Transformer], rows: Mapping[str, System]) -> None:
    """Raise ValueError for a run that replaces no system."""
    for key in runs:
        if key not in rows:
            raise ValueError(describe_unknown("system", key, rows, of="the argument runs"))

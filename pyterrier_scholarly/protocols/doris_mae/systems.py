"""DORIS-MAE's systems [Wang et al. 2023, appendices C and D.2].

The paper runs most systems twice: on whole texts (table 11) and on sentences (table 12: the mean
over the query's sentences of the best match). A bare key is the default of the paper's code:
sentences for SentBERT and ANCE, texts for the others. A key that ends in ``_text`` or
``_sentences`` is the other way.

Tables 13 to 16 have the same systems on other queries or pools. In table 13 an asterisk marks
systems on sentences. In tables 14 and 16 systems are as in the code, and RocketQA is on sentences.
In table 15 all systems but ASPIRE are on whole texts.

The paper says that table 14 has each system in its best form. Its figures contradict this: on
sentences ColBERT-v2, SciBERT and SimLM alone would do far better on the other forty queries.
"""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any, NamedTuple

from ..system import MINILM, System, own_systems

PAPER = "Wang et al. 2023, appendix D.2"
NO_ENTRIES: Mapping[str, str] = {}
COSINE = {"query": "{query}", "document": "{text}"}
MEAN = {"aggregate": "mean"}
RETRAINED = "retrained on 360k papers with citation information (D.1); weights not published"
ROCKETQA = "v2_marco_ce"
BM25_NOTE = "by rank_bm25, on NLTK's tokens"
LEFT_OUT = {"random": "shuffled pools: random_baseline(dataset)"}
"""Printed names without a row, and the reason."""


class TextAndSentenceTables(NamedTuple):
    """Numbers of the tables of a system on whole texts, and of the same system on sentences."""

    texts: str
    sentences: str


def _make_for_texts(
    key: str,
    *,
    printed_name: str,
    tables: str,
    model_in_paper: str,
    hub_name: str = "",
    pooling: str = "pooler",
    similarity: str = "cosine",
    adapter_settings: Mapping[str, str] = NO_ENTRIES,
    **other_fields: Any,
) -> System:
    """Return a system that embeds the query and each abstract as one text, and compares these.

    Args:
        key: how users call the system.
        printed_name: how the paper's tables call the system.
        tables: numbers of the printed tables with it, separated by blanks.
        model_in_paper: how the paper calls the model, or where it says that the model is.
        hub_name: of the model that is run, on the Hugging Face hub; "" if its weights were never
            published.
        pooling: how an embedding is made of the tokens' states.
        similarity: of the two embeddings.
        adapter_settings: further settings of the encoder, for a model that needs an adapter.
        other_fields: further fields of `System`.
    """
    encoder_settings = {
        "pooling": pooling,
        "query_prompt": "",
        "document_prompt": "",
        **adapter_settings,
    }
    scorer_settings = {"similarity": similarity, **COSINE}
    return System(
        key,
        form="text",
        source=PAPER,
        printed_name=printed_name,
        tables=tables,
        model_in_paper=model_in_paper,
        model_name=hub_name,
        settings=encoder_settings,
        scoring=scorer_settings,
        **other_fields,
    )


def _copy_for_sentences(system_on_texts: System, **changed_fields: Any) -> System:
    """Return the same system on sentences, each embedded by itself.

    changed_fields: further fields of `System` that differ on sentences.
    """
    return replace(system_on_texts, form="sentences", scoring=MEAN, **changed_fields)


def _make_for_texts_and_sentences(
    key: str,
    *,
    printed_name: str,
    tables: TextAndSentenceTables,
    model_in_paper: str,
    hub_name: str = "",
    pooling: str = "pooler",
    note: str = "",
    name_by_table: Mapping[str, str] = NO_ENTRIES,
) -> list[System]:
    """Return two systems of one model: the first on whole texts, the second on sentences.

    Args:
        key: how users call the first system; the second has "_sentences" behind it.
        printed_name: how the paper's tables call both systems.
        tables: numbers of the printed tables with each of the two.
        model_in_paper, hub_name, pooling: see `_make_for_texts`.
        note: what users should know of the model.
        name_by_table: dict from a table's number to the printed name there, for tables that spell
            the first system's name differently, such as ``{"14": "ColBERTv2"}``.
    """
    on_texts = _make_for_texts(
        key,
        printed_name=printed_name,
        tables=tables.texts,
        model_in_paper=model_in_paper,
        hub_name=hub_name,
        pooling=pooling,
        note=note,
        printed_name_by_table=name_by_table,
    )
    on_sentences = _copy_for_sentences(
        on_texts,
        key=f"{key}_sentences",
        tables=tables.sentences,
        printed_name_by_table=NO_ENTRIES,
    )
    return [on_texts, on_sentences]


def _make_aspire(key: str, *, printed_name: str, transport: str) -> System:
    """Return a system of ASPIRE, which compares sentences in context by optimal transport.

    Args:
        key: how users call the system.
        printed_name: how the paper's tables call the system.
        transport: how sentences are matched: a `method` of `SentenceTransport`.
    """
    return System(
        key,
        form="transport",
        source=PAPER,
        printed_name=printed_name,
        tables="12 13 14 15 16",
        model_in_paper="github.com/allenai/aspire",
        model_name="allenai/aspire-contextualsentence-singlem-compsci",
        encoder="Contextual",
        # a template without the title, which leaves the separator that stands behind titles
        scoring={"method": transport, "title": "[SEP]"},
        note="the title is one blank",
    )


def _make_rocketqa(
    key: str,
    *,
    form: str,
    tables: str,
    name_by_table: Mapping[str, str] = NO_ENTRIES,
    **scorer_settings: object,
) -> System:
    """Return a system of RocketQA, which scores pairs of a text and an abstract.

    Args:
        key: how users call the system.
        form: "pairs" for whole texts, "pairs_sentences" for sentences.
        tables: numbers of the printed tables with it, separated by blanks.
        name_by_table: dict from a table's number to the printed name there, if it is not RocketQA.
        scorer_settings: further keywords of the scorer.
    """
    return System(
        key,
        form,
        source=PAPER,
        printed_name="RocketQA",
        printed_name_by_table=name_by_table,
        tables=tables,
        model_in_paper="github.com/PaddlePaddle/RocketQA",
        model_name=ROCKETQA,
        encoder="CrossEncoder",
        loading_obstacle=f"rocketqa's {ROCKETQA} is a PaddlePaddle model, which is not loaded here",
        scoring={"document": "{text}", **scorer_settings},
        note="a cross-encoder, although the paper lists it among embedders; scores are logits",
    )


def _make_splade(key: str, *, form: str, tables: str, **scorer_settings: object) -> System:
    """Return a system of SPLADE, whose embeddings are sparse.

    Args:
        key: how users call the system.
        form: "text" for whole texts, "sentences" for sentences.
        tables: numbers of the printed tables with it, separated by blanks.
        scorer_settings: keywords of the scorer.
    """
    return System(
        key,
        form,
        source=PAPER,
        printed_name="SPLADE-v2",
        tables=tables,
        model_in_paper="SPLADE-v2, as in BEIR",
        model_name="naver/splade_v2_distil",
        encoder="SparseEncoder",
        scoring=scorer_settings,
        note="by cosines, although SPLADE is trained for the dot product",
    )


ANCE = "sentence-transformers/msmarco-roberta-base-ance-firstp"
MPNET = "sentence-transformers/all-mpnet-base-v2"
SCIBERT = "allenai/scibert_scivocab_uncased"

#: tables of a system on whole texts
ALL = "11 13 14 15 16"
#: tables of a system that table 13 marks with an asterisk
STARRED = TextAndSentenceTables(texts="11 14 15 16", sentences="12 13")

SYSTEMS = (
    System(
        "bm25",
        "pool_bm25",
        printed_name="BM25",
        tables=ALL,
        source=PAPER,
        model_in_paper="BM25",
        encoder="",
        note=BM25_NOTE,
    ),
    System(
        "bm25_sentences",
        "pool_bm25_sentences",
        source=PAPER,
        model_in_paper="BM25",
        encoder="",
        scoring={"sentences": True},
        note=f"{BM25_NOTE}; no table prints it: the released config.py has whole texts for BM25, "
        "also for table 13, though a ranking by sentences is public, too",
    ),
    System(
        "tf_idf",
        "pool_tfidf",
        printed_name="TF-IDF",
        tables=ALL,
        source=PAPER,
        model_in_paper="TF-IDF",
        encoder="",
    ),
    System(
        "ada_002",
        "text",
        printed_name="ada-002",
        tables=ALL,
        source=PAPER,
        model_in_paper="ada-002, OpenAI's API",
        model_name="text-embedding-ada-002",
        encoder="OpenAIEmbeddings",
        scoring=COSINE,
    ),
    _make_for_texts(
        "e5",
        printed_name="E5-L-v2",
        tables=ALL,
        model_in_paper="intfloat/e5-large-v2",
        hub_name="intfloat/e5-large-v2",
        pooling="mean",
        note="run without the prefixes of E5's training",
    ),
    _make_for_texts(
        "llama",
        printed_name="LLAMA",
        tables="11 14 15",
        model_in_paper="LLaMA 7B, weights on application",
        hub_name="huggyllama/llama-7b",
        pooling="penultimate",
        note="the hub name is a copy's; the mean includes LLaMA's first token",
    ),
    _copy_for_sentences(
        _make_for_texts(
            "sentbert",
            printed_name="SentBERT",
            tables="12 13 14 16",
            model_in_paper="www.sbert.net",
            hub_name=MPNET,
            pooling="model",
        )
    ),
    _make_for_texts(
        "sentbert_text",
        printed_name="SentBERT",
        tables="11 15",
        model_in_paper="www.sbert.net",
        hub_name=MPNET,
        pooling="model",
    ),
    _copy_for_sentences(
        _make_for_texts(
            "ance",
            printed_name="ANCE FirstP",
            tables="12 13 14 16",
            model_in_paper=ANCE,
            hub_name=ANCE,
            pooling="model",
            printed_name_by_table={"12": "ANCE", "13": "ANCE"},
        )
    ),
    _make_for_texts(
        "ance_text",
        printed_name="ANCE FirstP",
        tables="11 15",
        model_in_paper=ANCE,
        hub_name=ANCE,
        pooling="model",
    ),
    *_make_for_texts_and_sentences(
        "simcse",
        printed_name="SimCSE",
        tables=TextAndSentenceTables(texts=ALL, sentences="12"),
        model_in_paper="SimCSE",
        hub_name="princeton-nlp/sup-simcse-roberta-large",
        note="The paper names no checkpoint; this is the largest supervised one of its authors.",
    ),
    *_make_for_texts_and_sentences(
        "scibert",
        printed_name="SciBERT",
        tables=STARRED,
        model_in_paper="SciBERT",
        hub_name=SCIBERT,
    ),
    *_make_for_texts_and_sentences(
        "scibert_id",
        printed_name="SciBERT ID",
        tables=TextAndSentenceTables(texts="11 15", sentences="12 13"),
        model_in_paper="SciBERT, in domain",
        note=RETRAINED,
    ),
    _make_for_texts(
        "specter",
        printed_name="SPECTER",
        tables="11 13 15",
        model_in_paper="github.com/allenai/specter",
        hub_name="allenai/specter",
        pooling="cls",
        similarity="l2",
    ),
    _make_for_texts(
        "specter_id",
        printed_name="SPECTER ID",
        tables="11 13 15",
        model_in_paper="SPECTER, in domain",
        pooling="cls",
        similarity="l2",
        note=RETRAINED,
    ),
    _make_for_texts(
        "specter_v2",
        printed_name="SPECTER-v2",
        tables=ALL,
        model_in_paper="allenai/specter2, the default adapter",
        hub_name="allenai/specter2_base",
        pooling="cls",
        similarity="l2",
        adapter_settings={"adapter": "allenai/specter2"},
    ),
    *_make_for_texts_and_sentences(
        "simlm",
        printed_name="SimLM",
        tables=TextAndSentenceTables(texts=ALL, sentences="12"),
        model_in_paper="github.com/microsoft/unilm, simlm",
        hub_name="intfloat/simlm-base-msmarco-finetuned",
        pooling="cls",
    ),
    *_make_for_texts_and_sentences(
        "ernie_search",
        printed_name="ERNIE",
        tables=STARRED,
        model_in_paper="ERNIE-Search",
        hub_name="nghuyong/ernie-2.0-large-en",
        note="run with ERNIE 2.0, which was not trained to search",
    ),
    *_make_for_texts_and_sentences(
        "colbert_v2",
        printed_name="ColBERT-v2",
        tables=STARRED,
        model_in_paper="ColBERT-v2",
        hub_name="colbert-ir/colbertv2.0",
        note="run with one embedding per text, without late interaction",
        name_by_table={"14": "ColBERTv2"},
    ),
    _make_splade("splade_v2", form="text", tables=ALL, similarity="cosine", **COSINE),
    _make_splade("splade_v2_sentences", form="sentences", tables="12", **MEAN),
    _make_rocketqa(
        "rocketqa_v2", form="pairs", tables="11 15", name_by_table={"11": "RocketQA-v2"}
    ),
    _make_rocketqa(
        "rocketqa_v2_sentences", form="pairs_sentences", tables="12 13 14 16", sentences=True
    ),
    _make_aspire("ts_aspire", printed_name="TSAspire", transport="mean"),
    _make_aspire("ot_aspire", printed_name="OTAspire", transport="plan"),
    System("sentence_maxsim", "sentences", model_name=MINILM, takes_any_encoder=True, scoring=MEAN),
    *own_systems(
        "text",
        one_encoding="without titles and facets: each sentence alone, and words",
        three_parts="the recommended one for queries of whole texts",
    ),
)

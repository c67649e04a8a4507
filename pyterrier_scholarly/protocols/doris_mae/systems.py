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
BM25_NOTE = "by rank_bm25, on NLTK's tokens; sentences are found without NLTK's model"
LEFT_OUT = {"random": "shuffled pools: random_baseline(dataset)"}
"""Printed names without a row, and the reason."""


class TextAndSentenceTables(NamedTuple):
    """Numbers of the tables of a system on whole texts, and of the same system on sentences."""

    texts: str
    sentences: str


def _make_for_texts(
    key: str,
    name: str,
    tables: str,
    named: str,
    run: str = "",
    pooling: str = "pooler",
    similarity: str = "cosine",
    *,
    adapter: Mapping[str, str] = NO_ENTRIES,
    **more: Any,
) -> System:
    """Return a system that embeds the query and each abstract as one text, and compares these.

    Args:
        key: the system's key for users.
        name: as the paper prints it.
        tables: numbers of the printed tables with it, separated by blanks.
        named: the model, as the paper names it.
        run: the model's name on the Hugging Face hub; "" if its weights were never published.
        pooling: how an embedding is made of the tokens' states.
        similarity: of the two embeddings.
        adapter: further settings of the encoder, for a model that needs an adapter.
        more: further fields of `System`.
    """
    encoder_settings = {"pooling": pooling, "query_prompt": "", "document_prompt": "", **adapter}
    scorer_settings = {"similarity": similarity, **COSINE}
    return System(
        key,
        form="text",
        name=name,
        tables=tables,
        source=PAPER,
        named=named,
        run=run,
        settings=encoder_settings,
        scoring=scorer_settings,
        **more,
    )


def _copy_for_sentences(row: System, **more: Any) -> System:
    """Return the same system on sentences, each by itself; `more` are fields that differ."""
    return replace(row, form="sentences", scoring=MEAN, **more)


def _make_for_texts_and_sentences(
    key: str,
    *,
    name: str,
    tables: TextAndSentenceTables,
    named: str,
    run: str = "",
    pooling: str = "pooler",
    note: str = "",
    names: Mapping[str, str] = NO_ENTRIES,
) -> list[System]:
    """Return two rows of a system: on whole texts, and on sentences."""
    on_texts = _make_for_texts(
        key,
        name=name,
        tables=tables.texts,
        named=named,
        run=run,
        pooling=pooling,
        note=note,
        names=names,
    )
    on_sentences = _copy_for_sentences(
        on_texts, key=f"{key}_sentences", tables=tables.sentences, names=NO_ENTRIES
    )
    return [on_texts, on_sentences]


def _make_aspire(key: str, name: str, method: str) -> System:
    """Return a row of ASPIRE: sentences in context, compared by optimal transport."""
    return System(
        key,
        "transport",
        name=name,
        tables="12 13 14 15 16",
        source=PAPER,
        named="github.com/allenai/aspire",
        run="allenai/aspire-contextualsentence-singlem-compsci",
        encoder="Contextual",
        scoring={"method": method, "title": "[SEP]"},
        note="the title is one blank",
    )


def _make_rocketqa(
    key: str,
    form: str,
    tables: str,
    names: Mapping[str, str] = NO_ENTRIES,
    **scoring: object,
) -> System:
    """Return a row of RocketQA, which scores pairs of a text and an abstract."""
    return System(
        key,
        form,
        name="RocketQA",
        tables=tables,
        source=PAPER,
        named="github.com/PaddlePaddle/RocketQA",
        run=ROCKETQA,
        encoder="CrossEncoder",
        absent=f"rocketqa's {ROCKETQA} is a PaddlePaddle model, which is not loaded here",
        names=names,
        scoring={"document": "{text}", **scoring},
        note="a cross-encoder, although the paper lists it among embedders; scores are logits",
    )


def _make_splade(key: str, form: str, tables: str, **scoring: object) -> System:
    """Return a row of SPLADE, whose embeddings are sparse."""
    return System(
        key,
        form,
        name="SPLADE-v2",
        tables=tables,
        source=PAPER,
        named="SPLADE-v2, as in BEIR",
        run="naver/splade_v2_distil",
        encoder="SparseEncoder",
        scoring=scoring,
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
        name="BM25",
        tables=ALL,
        source=PAPER,
        named="BM25",
        encoder="",
        note=BM25_NOTE,
    ),
    System(
        "bm25_sentences",
        "pool_bm25_sentences",
        source=PAPER,
        named="BM25",
        encoder="",
        scoring={"sentences": True},
        note=f"{BM25_NOTE}; no table prints it: the released config.py has whole texts for BM25, "
        "also for table 13, though a ranking by sentences is public, too",
    ),
    System(
        "tf_idf", "pool_tfidf", name="TF-IDF", tables=ALL, source=PAPER, named="TF-IDF", encoder=""
    ),
    System(
        "ada_002",
        "text",
        name="ada-002",
        tables=ALL,
        source=PAPER,
        named="ada-002, OpenAI's API",
        run="text-embedding-ada-002",
        encoder="OpenAIEmbeddings",
        scoring=COSINE,
    ),
    _make_for_texts(
        "e5",
        name="E5-L-v2",
        tables=ALL,
        named="intfloat/e5-large-v2",
        run="intfloat/e5-large-v2",
        pooling="mean",
        note="run without the prefixes of E5's training",
    ),
    _make_for_texts(
        "llama",
        name="LLAMA",
        tables="11 14 15",
        named="LLaMA 7B, weights on application",
        run="huggyllama/llama-7b",
        pooling="penultimate",
        note="the hub name is a copy's; the mean includes LLaMA's first token",
    ),
    _copy_for_sentences(
        _make_for_texts(
            "sentbert",
            name="SentBERT",
            tables="12 13 14 16",
            named="www.sbert.net",
            run=MPNET,
            pooling="model",
        )
    ),
    _make_for_texts(
        "sentbert_text",
        name="SentBERT",
        tables="11 15",
        named="www.sbert.net",
        run=MPNET,
        pooling="model",
    ),
    _copy_for_sentences(
        _make_for_texts(
            "ance",
            name="ANCE FirstP",
            tables="12 13 14 16",
            named=ANCE,
            run=ANCE,
            pooling="model",
            names={"12": "ANCE", "13": "ANCE"},
        )
    ),
    _make_for_texts(
        "ance_text", name="ANCE FirstP", tables="11 15", named=ANCE, run=ANCE, pooling="model"
    ),
    *_make_for_texts_and_sentences(
        "simcse",
        name="SimCSE",
        tables=TextAndSentenceTables(texts=ALL, sentences="12"),
        named="SimCSE",
        run="princeton-nlp/sup-simcse-roberta-large",
        note="The paper names no checkpoint; this is the largest supervised one of its authors.",
    ),
    *_make_for_texts_and_sentences(
        "scibert", name="SciBERT", tables=STARRED, named="SciBERT", run=SCIBERT
    ),
    *_make_for_texts_and_sentences(
        "scibert_id",
        name="SciBERT ID",
        tables=TextAndSentenceTables(texts="11 15", sentences="12 13"),
        named="SciBERT, in domain",
        note=RETRAINED,
    ),
    _make_for_texts(
        "specter",
        name="SPECTER",
        tables="11 13 15",
        named="github.com/allenai/specter",
        run="allenai/specter",
        pooling="cls",
        similarity="l2",
    ),
    _make_for_texts(
        "specter_id",
        name="SPECTER ID",
        tables="11 13 15",
        named="SPECTER, in domain",
        pooling="cls",
        similarity="l2",
        note=RETRAINED,
    ),
    _make_for_texts(
        "specter_v2",
        name="SPECTER-v2",
        tables=ALL,
        named="allenai/specter2, the default adapter",
        run="allenai/specter2_base",
        pooling="cls",
        similarity="l2",
        adapter={"adapter": "allenai/specter2"},
    ),
    *_make_for_texts_and_sentences(
        "simlm",
        name="SimLM",
        tables=TextAndSentenceTables(texts=ALL, sentences="12"),
        named="github.com/microsoft/unilm, simlm",
        run="intfloat/simlm-base-msmarco-finetuned",
        pooling="cls",
    ),
    *_make_for_texts_and_sentences(
        "ernie_search",
        name="ERNIE",
        tables=STARRED,
        named="ERNIE-Search",
        run="nghuyong/ernie-2.0-large-en",
        note="run with ERNIE 2.0, which was not trained to search",
    ),
    *_make_for_texts_and_sentences(
        "colbert_v2",
        name="ColBERT-v2",
        tables=STARRED,
        named="ColBERT-v2",
        run="colbert-ir/colbertv2.0",
        note="run with one embedding per text, without late interaction",
        names={"14": "ColBERTv2"},
    ),
    _make_splade("splade_v2", "text", tables=ALL, similarity="cosine", **COSINE),
    _make_splade("splade_v2_sentences", "sentences", tables="12", **MEAN),
    _make_rocketqa("rocketqa_v2", "pairs", tables="11 15", names={"11": "RocketQA-v2"}),
    _make_rocketqa(
        "rocketqa_v2_sentences", "pairs_sentences", tables="12 13 14 16", sentences=True
    ),
    _make_aspire("ts_aspire", "TSAspire", method="mean"),
    _make_aspire("ot_aspire", "OTAspire", method="plan"),
    System("sentence_maxsim", "sentences", run=MINILM, free=True, scoring=MEAN),
    *own_systems(
        "text",
        one_encoding="without titles and facets: each sentence alone, and words",
        three_parts="the recommended one for queries of whole texts",
    ),
)

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
from typing import Any

from ..protocol import MINILM, System, own_systems

PAPER = "Wang et al. 2023, appendix D.2"
NONE: Mapping[str, str] = {}
COSINE = {"query": "{query}", "document": "{text}"}
MEAN = {"aggregate": "mean"}
RETRAINED = "retrained on 360k papers with citation information (D.1); weights not published"
ROCKETQA = "v2_marco_ce"
TOKENS = "by rank_bm25, on NLTK's tokens; sentences are found without NLTK's model"
LEFT_OUT = {"random": "shuffled pools: random_baseline(dataset)"}
"""Printed names without a row, and the reason."""


def _text(
    key: str,
    name: str,
    tables: str,
    named: str,
    run: str = "",
    pooling: str = "pooler",
    similarity: str = "cosine",
    *,
    adapter: Mapping[str, str] = NONE,
    **more: Any,
) -> System:
    """Return a system on whole texts."""
    return System(
        key,
        "text",
        name,
        tables,
        PAPER,
        named,
        run,
        settings={"pooling": pooling, "query_prompt": "", "document_prompt": "", **adapter},
        scoring={"similarity": similarity, **COSINE},
        **more,
    )


def _sentences(row: System, **more: Any) -> System:
    """Return the system on sentences, each by itself."""
    return replace(row, form="sentences", scoring=MEAN, **more)


def _both(key: str, name: str, tables: tuple[str, str], *model: str, **more: Any) -> list[System]:
    """Return a system on whole texts and on sentences; `tables` of the two in this order."""
    row = _text(key, name, tables[0], *model, **more)
    return [row, _sentences(row, key=f"{key}_sentences", tables=tables[1], names=NONE)]


def _aspire(key: str, name: str, method: str) -> System:
    return System(
        key,
        "transport",
        name,
        "12 13 14 15 16",
        PAPER,
        named="github.com/allenai/aspire",
        run="allenai/aspire-contextualsentence-singlem-compsci",
        encoder="Contextual",
        scoring={"method": method, "title": "[SEP]"},
        note="the title is one blank",
    )


def _rocketqa(
    key: str,
    form: str,
    tables: str,
    names: Mapping[str, str] = NONE,
    **scoring: object,
) -> System:
    return System(
        key,
        form,
        "RocketQA",
        tables,
        PAPER,
        named="github.com/PaddlePaddle/RocketQA",
        run=ROCKETQA,
        encoder="CrossEncoder",
        absent=f"rocketqa's {ROCKETQA} is a PaddlePaddle model, which is not loaded here",
        names=names,
        scoring={"document": "{text}", **scoring},
        note="a cross-encoder, although the paper lists it among embedders; scores are logits",
    )


def _splade(key: str, form: str, tables: str, **scoring: object) -> System:
    return System(
        key,
        form,
        "SPLADE-v2",
        tables,
        PAPER,
        named="SPLADE-v2, as in BEIR",
        run="naver/splade_v2_distil",
        encoder="SparseEncoder",
        scoring=scoring,
        note="by cosines, although SPLADE is trained for the dot product",
    )


ANCE = "sentence-transformers/msmarco-roberta-base-ance-firstp"
MPNET = "sentence-transformers/all-mpnet-base-v2"
SCIBERT = "allenai/scibert_scivocab_uncased"

#: tables of a system on whole texts; tables of one on whole texts and on sentences
ALL = "11 13 14 15 16"
STARRED = ("11 14 15 16", "12 13")

SYSTEMS = (
    System("bm25", "pool_bm25", "BM25", ALL, PAPER, "BM25", encoder="", note=TOKENS),
    System(
        "bm25_sentences",
        "pool_bm25_sentences",
        source=PAPER,
        named="BM25",
        encoder="",
        scoring={"sentences": True},
        note=f"{TOKENS}; no table prints it: the released config.py has whole texts for BM25, also "
        "for table 13, though a ranking by sentences is public, too",
    ),
    System("tf_idf", "pool_tfidf", "TF-IDF", ALL, PAPER, "TF-IDF", encoder=""),
    System(
        "ada_002",
        "text",
        "ada-002",
        ALL,
        PAPER,
        named="ada-002, OpenAI's API",
        run="text-embedding-ada-002",
        encoder="OpenAIEmbeddings",
        scoring=COSINE,
    ),
    _text(
        "e5",
        "E5-L-v2",
        ALL,
        "intfloat/e5-large-v2",
        "intfloat/e5-large-v2",
        "mean",
        note="run without the prefixes of E5's training",
    ),
    _text(
        "llama",
        "LLAMA",
        "11 14 15",
        "LLaMA 7B, weights on application",
        "huggyllama/llama-7b",
        "penultimate",
        note="the hub name is a copy's; the mean includes LLaMA's first token",
    ),
    _sentences(_text("sentbert", "SentBERT", "12 13 14 16", "www.sbert.net", MPNET, "model")),
    _text("sentbert_text", "SentBERT", "11 15", "www.sbert.net", MPNET, "model"),
    _sentences(
        _text(
            "ance",
            "ANCE FirstP",
            "12 13 14 16",
            ANCE,
            ANCE,
            "model",
            names={"12": "ANCE", "13": "ANCE"},
        )
    ),
    _text("ance_text", "ANCE FirstP", "11 15", ANCE, ANCE, "model"),
    *_both("simcse", "SimCSE", (ALL, "12"), "SimCSE", "princeton-nlp/sup-simcse-roberta-large"),
    *_both("scibert", "SciBERT", STARRED, "SciBERT", SCIBERT),
    *_both("scibert_id", "SciBERT ID", ("11 15", "12 13"), "SciBERT, in domain", note=RETRAINED),
    _text(
        "specter",
        "SPECTER",
        "11 13 15",
        "github.com/allenai/specter",
        "allenai/specter",
        "cls",
        "l2",
    ),
    _text(
        "specter_id",
        "SPECTER ID",
        "11 13 15",
        "SPECTER, in domain",
        pooling="cls",
        similarity="l2",
        note=RETRAINED,
    ),
    _text(
        "specter_v2",
        "SPECTER-v2",
        ALL,
        "allenai/specter2, the default adapter",
        "allenai/specter2_base",
        "cls",
        "l2",
        adapter={"adapter": "allenai/specter2"},
    ),
    *_both(
        "simlm",
        "SimLM",
        (ALL, "12"),
        "github.com/microsoft/unilm, simlm",
        "intfloat/simlm-base-msmarco-finetuned",
        "cls",
    ),
    *_both(
        "ernie_search",
        "ERNIE",
        STARRED,
        "ERNIE-Search",
        "nghuyong/ernie-2.0-large-en",
        note="run with ERNIE 2.0, which was not trained to search",
    ),
    *_both(
        "colbert_v2",
        "ColBERT-v2",
        STARRED,
        "ColBERT-v2",
        "colbert-ir/colbertv2.0",
        note="run with one embedding per text, without late interaction",
        names={"14": "ColBERTv2"},
    ),
    _splade("splade_v2", "text", ALL, similarity="cosine", **COSINE),
    _splade("splade_v2_sentences", "sentences", "12", **MEAN),
    _rocketqa("rocketqa_v2", "pairs", "11 15", {"11": "RocketQA-v2"}),
    _rocketqa("rocketqa_v2_sentences", "pairs_sentences", "12 13 14 16", sentences=True),
    _aspire("ts_aspire", "TSAspire", "mean"),
    _aspire("ot_aspire", "OTAspire", "plan"),
    System("sentence_maxsim", "sentences", run=MINILM, free=True, scoring=MEAN),
    *own_systems(
        "text",
        one_encoding="without titles and facets: each sentence alone, and words",
        three_parts="the recommended one for queries of whole texts",
    ),
)

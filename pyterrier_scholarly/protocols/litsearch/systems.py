"""LitSearch's systems [Ajith et al. 2024, 3.2 and appendix D]: BM25, dense retrievers, GPT-4o.

Tables 3, 4, 6, 7 and 8 have them on title and abstract. Keys that end in ``_full`` are table 5's,
on full texts and with the same names.
"""

from collections.abc import Mapping
from dataclasses import replace

from ..system import System, own_systems

PAPER = "Ajith et al. 2024, table 9 and appendix D"
SECTION = "Ajith et al. 2024, 3.2"
FULL_TEXT_SOURCE = "Ajith et al. 2024, 4.1, and its released code"
DOCUMENT = {"document": "Title: {title}\nAbstract: {text}"}
NO_SETTINGS: Mapping[str, str] = {}
FULL_TEXT = {"document": "{full_text}"}
STORED = {"stored": "float16"}
BM25_NOTE = (
    "by rank_bm25, on NLTK's tokens and Porter's stems; of equal texts the last paper is kept"
)

LEFT_OUT = dict.fromkeys(
    ["Google Search", "Google Scholar", "Elicit"],
    "a search engine over other papers, asked by hand for 80 of the questions (table 7)",
)
"""Printed names without a row, and the reason."""


def _make_retrievers(
    key: str,
    *,
    printed_name: str,
    hub_name: str,
    note: str = "",
    full_text_settings: Mapping[str, str] = NO_SETTINGS,
    tables: str = "3 4 6 8",
    **encoder_settings: object,
) -> tuple[System, System]:
    """Return two systems of a dense retriever: on titles with abstracts, and on full texts.

    Texts are truncated as in the paper's footnote 6.

    Args:
        key: how users call the first system; the second has "_full" behind it.
        printed_name: how the paper's tables call both systems.
        hub_name: of the model, on the Hugging Face hub.
        note: what users should know of the model.
        full_text_settings: arguments of the encoder that differ on full texts.
        tables: numbers of the printed tables with the first system, separated by blanks.
        encoder_settings: arguments of the encoder.
    """
    on_abstracts = System(
        key,
        form="dense",
        source=PAPER,
        printed_name=printed_name,
        tables=tables,
        model_in_paper=hub_name,  # the paper names the model as the hub does
        model_name=hub_name,
        settings={"max_length": 512, **encoder_settings},
        scoring={**DOCUMENT, **STORED},
        note=note,
    )

    full_text_note = "as much of the full text as the model reads"
    if note:
        full_text_note = f"{full_text_note}; {note}"
    on_full_texts = replace(
        on_abstracts,
        key=f"{key}_full",
        source=FULL_TEXT_SOURCE,
        tables="5",
        text="full-text",
        settings={**on_abstracts.settings, **full_text_settings},
        scoring={**FULL_TEXT, **STORED},
        note=full_text_note,
    )
    return on_abstracts, on_full_texts


def _make_gpt_4o(retriever_key: str, *, printed_retriever: str) -> tuple[System, System]:
    """Return two systems of GPT-4o: it re-ranks a retriever's results, or also what these cite.

    Tables 3 and 6 have both.

    Args:
        retriever_key: key of the retriever's system.
        printed_retriever: how the paper calls the retriever in the names of the two systems.
    """
    listwise = System(
        f"gpt_4o_{retriever_key}",
        form="listwise",
        source=SECTION,
        printed_name=f"GPT-4o reranking (w/ {printed_retriever})",
        tables="3 6",
        model_in_paper="gpt-4o-2024-05-13",
        model_name="gpt-4o-2024-05-13",
        encoder="OpenAIChat",
        reranked_key=retriever_key,
    )
    one_hop = replace(
        listwise,
        key=f"gpt_4o_one_hop_{retriever_key}",
        form="one_hop",
        printed_name=f"GPT-4o one-hop (w/ {printed_retriever})",
        scoring={"order": "paper", "window": 200},
        note="the released code has all seeds before the papers they cite: one_hop='released'",
    )
    return listwise, one_hop


#: rows for any encoder
OWN = own_systems(
    "question",
    one_encoding="without facets: each sentence after its title, and words",
    three_parts="the recommended one for queries of whole texts",
)
SYSTEMS = (
    System(
        "bm25",
        "bm25",
        printed_name="BM25",
        tables="3 4 6 7",
        source=SECTION,
        model_in_paper="BM25",
        encoder="",
        note=BM25_NOTE,
    ),
    System(
        "bm25_full",
        "bm25",
        printed_name="BM25",
        tables="5",
        source=FULL_TEXT_SOURCE,
        model_in_paper="BM25",
        encoder="",
        text="full-text",
        scoring=FULL_TEXT,
        note=BM25_NOTE,
    ),
    *_make_retrievers(
        "gtr_t5_large",
        printed_name="GTR-T5-large",
        hub_name="sentence-transformers/gtr-t5-large",
        query_prompt="",
        document_prompt="",
    ),
    *_make_retrievers(
        "instructor_xl",
        printed_name="Instructor-XL",
        hub_name="hkunlp/instructor-xl",
        note="instructions are joined to texts without a blank, and are not pooled",
        query_prompt="Represent the research question for retrieving relevant research paper "
        "abstracts:",
        document_prompt="Represent the title and abstract of the research paper for retrieval:",
        full_text_settings={
            "query_prompt": "Represent the research question for retrieving relevant research "
            "papers:",
            "document_prompt": "Represent the research paper for retrieval:",
        },
        prompt_pooled=False,
    ),
    *_make_retrievers(
        "e5_large_v2",
        printed_name="E5-large-v2",
        hub_name="intfloat/e5-large-v2",
        note="fp32 here; the released code encodes papers in bfloat16, and questions in fp32",
        pooling="mean",
        query_prompt="query: ",
        document_prompt="passage: ",
    ),
    *_make_retrievers(
        "gritlm_7b",
        printed_name="GritLM-7B",
        hub_name="GritLM/GritLM-7B",
        note="tokens see each other in both directions; instructions are not pooled; 2,048 tokens "
        "as the paper says, where the released code passes no length and GritLM's default is 512; "
        "fp32 here, where that code takes the type of the checkpoint",
        pooling="mean",
        query_prompt="<|user|>\nGiven a research query, retrieve the title and abstract of the "
        "relevant research paper\n<|embed|>\n",
        document_prompt="<|embed|>\n",
        tables="3 4 6 7 8",
        full_text_settings={
            "query_prompt": "<|user|>\nGiven a research query, retrieve the relevant research "
            "paper\n<|embed|>\n"
        },
        prompt_pooled=False,
        bidirectional=True,
        max_length=2048,
    ),
    *_make_gpt_4o(retriever_key="bm25", printed_retriever="BM25"),
    *_make_gpt_4o(retriever_key="gritlm_7b", printed_retriever="GritLM"),
    *OWN,
)

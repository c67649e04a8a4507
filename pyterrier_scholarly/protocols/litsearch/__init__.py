"""LitSearch [Ajith et al. 2024]: literature questions, broad and specific."""

from dataclasses import replace

from ir_datasets_ext.litsearch.records import SOURCES, LitsearchQuery

from ..printed_subsets import PrintedSubset
from ..prompts import ListwisePrompt
from ..protocol import OtherTable, Protocol
from ..system import System
from .questions import AUTHOR_QUESTIONS, QUESTIONS  # noqa: F401 (public here)
from .systems import DOCUMENT, FULL_TEXT, LEFT_OUT, OWN, STORED, SYSTEMS  # noqa: F401 (public)


def _find_subset(row: dict[str, str]) -> str:
    """Return the id of a printed row's questions; "" for all questions.

    In brackets is what is no dataset of the collection, see `SUBSETS`.

    row: of `figures.csv`, with the columns `table`, `text`, `source` and `specificity`.
    """
    if not row["specificity"]:  # another benchmark, such as "(MSMARCO)"
        return f"({row['source']})"

    source = "" if row["source"] == "all" else row["source"]
    # table 4's heading says specific, but its figures are over both specificities
    specificity = "" if row["table"] == "4" else row["specificity"]
    id_parts = [id_part for id_part in (source, specificity) if id_part]
    questions_id = "/".join(id_parts)

    if row["text"] == "full_paper":  # such as "full-text (inline/broad)"
        return f"full-text ({questions_id})"
    if not row["text"]:  # search engines read other papers than the collection's
        return f"(search engines) {questions_id}"
    return questions_id  # such as "inline/broad", or "broad" for the questions of both sources


#: of the release [Ajith et al. 2024, table 2; those of sources and qualities counted in it]
QUERY_COUNTS = {
    "": 597,
    "inline/broad": 120,
    "inline/specific": 231,
    "author/broad": 35,
    "author/specific": 211,
    "broad": 155,
    "specific": 442,
    "inline/quality-1": 159,
    "inline/quality-2": 192,
    "author/quality-1": 135,
    "author/quality-2": 111,
    "inline-acl/broad": 32,
    "inline-acl/specific": 66,
    "inline-nonacl/broad": 88,
    "inline-nonacl/specific": 165,
}
#: subsets of printed figures that are no datasets
SUBSETS = (
    # of table 5
    PrintedSubset("full-text (inline/broad)", queries="inline/broad", texts="full-text"),
    PrintedSubset("full-text (inline/specific)", queries="inline/specific", texts="full-text"),
    PrintedSubset("full-text (author/broad)", queries="author/broad", texts="full-text"),
    PrintedSubset("full-text (author/specific)", queries="author/specific", texts="full-text"),
    # of table 7: which 80 questions these were was not published
    PrintedSubset("(search engines) inline/specific", queries=None),
    PrintedSubset("(search engines) author/specific", queries=None),
    # of table 8: other benchmarks
    PrintedSubset("(MSMARCO)", queries=None),
    PrintedSubset("(SCIDOCS)", queries=None),
    PrintedSubset("(NQ)", queries=None),
    PrintedSubset("(ArXiv)", queries=None),
)


def _find_source(question: LitsearchQuery) -> str:
    """Return a question's source in the paper's tables: "inline" citations, or an "author"."""
    return "inline" if question.query_set in SOURCES["inline"] else "author"


def _make_for_both_texts(system: System) -> tuple[System, System]:
    """Return two systems for a model of the user's: on titles with abstracts, and on full texts.

    The key of each is what follows the name that the user gives to the model: "" and "_full". If
    the system re-ranks another one's results, the second re-ranks that one's on full texts.
    """
    reranked_key = system.reranked_key
    if reranked_key:
        reranked_key = f"{reranked_key}_full"

    on_full_texts = replace(
        system,
        key="_full",
        text="full-text",
        reranked_key=reranked_key,
        scoring={**system.scoring, **FULL_TEXT},
        note=f"{system.note}; as much of the full text as the model reads",
    )
    return system, on_full_texts


KINDS = {
    "bi-encoder": _make_for_both_texts(
        System(
            "",
            "dense",
            scoring={"similarity": "cosine", **DOCUMENT, **STORED},
            note="one embedding of the question and of the paper",
        )
    ),
    "cross-encoder": _make_for_both_texts(
        System(
            "",
            "question_pairs",
            encoder="CrossEncoder",
            reranked_key="bm25",
            scoring=DOCUMENT,
            note="pairs of the question with BM25's first 100 papers, which GPT-4o re-ranks too",
        )
    ),
}
"""Forms for models of the user's; see `Protocol`."""

LITSEARCH = Protocol(
    "litsearch",
    "LitSearch",
    subset=_find_subset,
    subsets=SUBSETS,
    query_counts=QUERY_COUNTS,
    measures={"R@5": "R@5", "R@20": "R@20", "nDCG@10": "LitSearchNDCG@10"},
    elsewhere={"nDCG@10": "nDCG@10"},  # MTEB's leaderboard
    source="Ajith et al. 2024, LitSearch",
    systems=SYSTEMS,
    statistics="litsearch",
    left_out=LEFT_OUT,
    kinds=KINDS,
    query_groups={"source": _find_source},
    pools=False,
    decimals=1,
    quoted={
        "1": "the rubric; ``write_review`` puts it into the file to be filled in",
        "3.2": "how much GPT-4o reads",
        "selection": "how questions came in and which were kept; a test compares the sums",
        "figure-3": "table 3's points; what else the curves show was not read",
    },
    other_tables={
        "10": OtherTable("The e-mail to authors: ``AUTHOR_QUESTIONS['litsearch'].email``."),
        "11": OtherTable("The form for their questions: ``AUTHOR_QUESTIONS['litsearch'].form``."),
        "12": OtherTable(
            "The prompt that asks for questions about a paragraph: ``QUESTIONS['litsearch']`` of "
            "``protocols``. Its second demonstration is not printed."
        ),
        "13": OtherTable(
            "The prompt that asks for a ranking: ``LISTWISE['litsearch']`` of ``protocols``."
        ),
    },
    remarks={
        "4": "The paper's heading says specific, but its figures are over the broad and the "
        "specific questions of a quality: GritLM-7B's released run has its row over both.",
        "5": "The paper's rows on titles and abstracts are table 3's. Texts are truncated at 512 "
        "tokens, for GritLM-7B at 2,048, as the paper says (footnote 6). The released code passes "
        "no length to GritLM, whose default is 512.",
        "7": "The rows of BM25 and GritLM-7B are table 3's, over all specific questions. The rows "
        "of search engines, over 80 of these and other papers, are in published('litsearch').",
        "8": "nDCG is the released code's, by the sum of 1/rank, over an ideal of all relevant "
        "papers. GritLM-7B's released run has 44.2 over broad questions at cut-off 10, which the "
        "heading names, and the printed 44.1 at cut-off 9. One cell cannot decide between them.",
    },
)
#: largest overlap of a question with the titles of its papers, by source; others were removed
TITLE_LIMITS = {"inline-acl": 0.3, "inline-nonacl": 0.1}

_ABSTRACTS = ListwisePrompt(
    source="Ajith et al. 2024, LitSearch, Table 13 (adapted from Sun et al. 2023)",
    system=(
        "You are RankGPT, an intelligent assistant that can rank papers based on their relevancy "
        "to a research query."
    ),
    opening=(
        "I will provide you with the abstracts of {n} papers, each indicated by number identifier "
        "[]. \nRank the papers based on their relevance to research question: {query}."
    ),
    ready="Okay, please provide the papers.",
    closing=(
        "Search Query: {query}. \nRank the {n} papers above based on their relevance to the "
        "research query. The papers should be listed in descending order using identifiers. The "
        "most relevant papers should be listed first. The output format should be [] > [], e.g., "
        "[1] > [2]. Only respond with the ranking results, do not say any words or explain."
    ),
)

#: prompts of the models that rank
LISTWISE = {
    "litsearch": _ABSTRACTS,
    "litsearch-full-paper": replace(
        _ABSTRACTS,
        source="Ajith et al. 2024, LitSearch, released code; no figure of it is printed",
        opening=_ABSTRACTS.opening.replace("the abstracts of ", ""),
        candidate="{full_text}",
        words=10_000,
    ),
}

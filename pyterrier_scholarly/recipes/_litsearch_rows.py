"""LitSearch's dense retrievers [Ajith et al. 2024, appendix D], on title and abstract."""

from ._system import System

PAPER = "Ajith et al. 2024, table 9 and appendix D"
DOCUMENT = {"document": "Title: {title}\nAbstract: {text}"}
GRIT_TASK = "Given a research query, retrieve the title and abstract of the relevant research paper"


def _row(key, name, run, note="", **settings):
    """A retriever; texts are cut at the lengths of the paper's footnote 6."""
    settings = {"max_length": 512, **settings}
    more = {"settings": settings, "scoring": DOCUMENT, "note": note}
    return System(key, "rerank", name, "3", PAPER, run, run, **more)


ROWS = (
    _row(
        "gtr_t5_large",
        "GTR-T5-large",
        "sentence-transformers/gtr-t5-large",
        query_prompt="",
        document_prompt="",
    ),
    _row(
        "instructor_xl",
        "Instructor-XL",
        "hkunlp/instructor-xl",
        note="instructions are joined to texts without a blank, and are not pooled",
        query_prompt="Represent the research question for retrieving relevant research paper "
        "abstracts:",
        document_prompt="Represent the title and abstract of the research paper for retrieval:",
        prompt_pooled=False,
    ),
    _row(
        "e5_large_v2",
        "E5-large-v2",
        "intfloat/e5-large-v2",
        pooling="mean",
        query_prompt="query: ",
        document_prompt="passage: ",
    ),
    _row(
        "gritlm_7b",
        "GritLM-7B",
        "GritLM/GritLM-7B",
        note="tokens see each other in both directions; instructions are not pooled",
        pooling="mean",
        query_prompt=f"<|user|>\n{GRIT_TASK}\n<|embed|>\n",
        document_prompt="<|embed|>\n",
        prompt_pooled=False,
        bidirectional=True,
        max_length=2048,
    ),
)

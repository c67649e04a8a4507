"""All facts of a paper in one place, as data; generic code reads them.

A benchmark is a folder here. It holds a `Protocol`, rows of systems, what the papers prescribe
(prompts, guidelines, trainings), and CSV files of the printed figures.
"""

from dataclasses import replace
from typing import Any, TypeVar

from ..arguments import check_arguments
from ..datasets import irds
from ..settings import dataset_id
from . import csfcube, doris_mae, litsearch
from .annotation import Demonstration, Guidelines, Invitation, QuestionPrompt
from .csfcube import CSFCUBE, ERROR_TYPES, MINI
from .doris_mae import DORIS_MAE, JUDGING
from .litsearch import AUTHOR_QUESTIONS, LITSEARCH, QUESTIONS, TITLE_LIMITS
from .prompts import RANKGPT, JudgingPrompt, ListwisePrompt
from .protocol import MINILM, Protocol, System

__all__ = [
    "AUTHOR_QUESTIONS",
    "ERROR_TYPES",
    "GUIDELINES",
    "JUDGING",
    "KRSTOVSKI_2016",
    "LISTWISE",
    "PROTOCOLS",
    "QUESTIONS",
    "TITLE_LIMITS",
    "TRAINING",
    "Demonstration",
    "Guidelines",
    "Invitation",
    "JudgingPrompt",
    "ListwisePrompt",
    "Protocol",
    "QuestionPrompt",
    "System",
    "preset",
    "protocol_for",
    "protocol_of",
    "register",
]

#: the paper that introduced rHSA, evaluation without judgements [Krstovski et al. 2016]
RHSA = Protocol(
    "rhsa",
    "rHSA",
    subset=lambda row: row["measure"].partition("(")[2].rstrip(")"),
    measures={"MAP(100q)": "AP", "rHSA(100q)": "rHSA", "rHSA(1M)": "rHSA"},
    source="Krstovski et al. 2016",
    unit=1,
)
#: Its words read literally, for `histogram_slope` and `rHSA`: the variances of a bin are its
#: observed counts, and the variance of its position is that of its values.
KRSTOVSKI_2016 = {"fit": "observed", "x_error": "spread"}

#: collection -> protocol
PROTOCOLS = {one.collection: one for one in (CSFCUBE, LITSEARCH, DORIS_MAE, RHSA, MINI)}
#: for a collection without a protocol, whose queries are facets of papers
FACETS = Protocol(
    "",
    "",
    systems=(
        System("fabs_tfidf", "fabs_tfidf", encoder=""),
        System("fabs_bm25", "fabs_bm25", encoder=""),
        *csfcube.OWN,
    ),
    kinds=csfcube.KINDS,
)
#: for a collection without a protocol, whose queries are texts
TEXTS = Protocol(
    "",
    "",
    systems=(
        System("bm25", "bm25", encoder=""),
        System("sentence_maxsim", "question_sentences", run=MINILM, free=True),
        *litsearch.OWN,
    ),
    pools=False,
    kinds={kind: rows[:1] for kind, rows in litsearch.KINDS.items()},
)
#: name -> prompt of `ListwiseRerank`
LISTWISE = litsearch.LISTWISE | RANKGPT
#: name -> guidelines of `write_grading` and `write_adjudication`
GUIDELINES = csfcube.GUIDELINES | doris_mae.GUIDELINES
#: collection and system -> what is printed about its training
TRAINING: dict[str, dict[str, Any]] = csfcube.TRAINING | doris_mae.TRAINING

Preset = TypeVar("Preset")


@check_arguments
def register(protocol: Protocol) -> None:
    """Add a protocol to `PROTOCOLS`, or replace the one of the same collection."""
    PROTOCOLS[protocol.collection] = protocol


@check_arguments
def protocol_of(name: str) -> Protocol | None:
    """Return the protocol of the longest part of a dataset's id; None if no part has one.

    >>> protocol_of("csfcube/method/fold1").title, protocol_of("made/mine")
    ('CSFCube', None)
    """
    while name not in PROTOCOLS and "/" in name:
        name = name.rpartition("/")[0]
    return PROTOCOLS.get(name)


@check_arguments
def protocol_for(dataset: object, protocol: str | Protocol | None = None) -> Protocol:
    """Return a protocol with systems for a dataset.

    Args:
        dataset: an id, a PyTerrier or an ir_datasets dataset.
        protocol: the protocol or its collection's id. None for `protocol_of` the dataset's id, else
            a general one for any papers, with the dataset's id as collection.

    Raises:
        ValueError: an unknown protocol or dataset, or documents without title and text.
    """
    name = dataset_id(dataset) or repr(dataset)
    chosen = PROTOCOLS.get(protocol) if isinstance(protocol, str) else protocol or protocol_of(name)
    if chosen is not None and chosen.systems:
        return chosen
    known = ", ".join(one for one, protocol in PROTOCOLS.items() if protocol.systems)
    if protocol is not None:
        raise ValueError(f"protocol={protocol!r} has no systems: expected one of {known}")
    papers = irds(dataset)
    if not (papers.has_docs() and {"title", "text"} <= set(papers.docs_cls()._fields)):
        raise ValueError(
            f"No systems for {name!r}: its documents have no fields `title` and `text`. Use a "
            f"collection that has both, or one of {known}."
        )
    fields = papers.queries_cls()._fields if papers.has_queries() else ()
    general = FACETS if {"paper_id", "facet"} <= set(fields) else TEXTS
    return replace(general, collection=name, pools=papers.has_scoreddocs())


@check_arguments
def preset(argument: str, value: str | Preset, presets: dict[str, Preset]) -> Preset:
    """Return the one of `presets` with that name, or `value` if it is of their class itself.

    Raises:
        ValueError: it is neither; names `argument`, the value and the presets.
    """
    chosen = presets.get(value) if isinstance(value, str) else value
    kind = type(next(iter(presets.values())))
    if not isinstance(chosen, kind):
        raise ValueError(
            f"{argument}={value!r}: expected {', '.join(map(repr, presets))}, "
            f"or a {kind.__name__} of your own."
        )
    return chosen

"""All facts of a paper in one place, as data; generic code reads them.

A benchmark is a folder here. It holds a `Protocol`, rows of systems, what the papers prescribe
(prompts, guidelines, trainings), and CSV files of the printed figures.
"""

from dataclasses import replace
from typing import Any, TypeVar

import ir_datasets

from ir_datasets_ext.choices import describe_unknown, suggest_choice

from ..arguments import check_arguments
from ..datasets import DatasetLike, irds
from ..settings import dataset_id
from . import csfcube, doris_mae, litsearch
from .annotation import Demonstration, ErrorTypes, Guidelines, Invitation, QuestionPrompt
from .csfcube import CSFCUBE, MINI
from .doris_mae import DORIS_MAE, JUDGING
from .litsearch import AUTHOR_QUESTIONS, LITSEARCH, QUESTIONS, TITLE_LIMITS
from .printed_subsets import PrintedSubset
from .prompts import RANKGPT, JudgingPrompt, ListwisePrompt
from .protocol import MINILM, OtherTable, Protocol, System
from .rhsa import KRSTOVSKI_2016, RHSA, SlopeSetting

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
    "ErrorTypes",
    "Guidelines",
    "Invitation",
    "JudgingPrompt",
    "ListwisePrompt",
    "OtherTable",
    "PrintedSubset",
    "Protocol",
    "QuestionPrompt",
    "SlopeSetting",
    "System",
    "preset",
    "protocol_for",
    "protocol_of",
    "register",
]

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
#: fields that may hold a document's text, the first of them counts
TEXT_FIELDS = ("text", "abstract", "body", "contents")
TITLE_AND_TEXT = "{title} {text}"
#: forms of TEXTS with a template `document`
TEMPLATED = ("bm25", "dense", "question_pairs")
#: name -> prompt of `ListwiseRerank`
LISTWISE = litsearch.LISTWISE | RANKGPT
#: name -> guidelines of `write_grading` and `write_adjudication`
GUIDELINES = csfcube.GUIDELINES | doris_mae.GUIDELINES
#: name -> types of error, the tags of `write_errors`
ERROR_TYPES = csfcube.ERROR_TYPES | doris_mae.ERROR_TYPES
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
def protocol_for(dataset: DatasetLike, protocol: str | Protocol | None = None) -> Protocol:
    """Return a protocol with systems for a dataset.

    Args:
        dataset: an id, a PyTerrier or an ir_datasets dataset.
        protocol: the protocol or its collection's id. None for `protocol_of` the dataset's id, else
            a general one for any documents, with the dataset's id as collection.

    Raises:
        ValueError: an unknown protocol or dataset, or documents without a text.
    """
    if protocol is not None:
        return _find_with_systems(protocol)

    name = dataset_id(dataset) or repr(dataset)
    known_protocol = protocol_of(name)
    if known_protocol is not None and known_protocol.systems:
        return known_protocol
    return _general_protocol(name, irds(dataset))


def _find_with_systems(protocol: str | Protocol) -> Protocol:
    """Return a protocol by its collection's id, or itself; ValueError if it has no systems."""
    chosen = PROTOCOLS.get(protocol) if isinstance(protocol, str) else protocol
    if chosen is None or not chosen.systems:
        known = [name for name, one in PROTOCOLS.items() if one.systems]
        raise ValueError(
            f"Protocol {protocol!r:.100} has no systems. {suggest_choice(protocol, known)}"
        )
    return chosen


def _general_protocol(name: str, dataset: ir_datasets.Dataset) -> Protocol:
    """Return the systems that any documents with a text have, over one dataset."""
    document = document_template(dataset) if dataset.has_docs() else None
    if document is None:
        known = ", ".join(one for one, protocol in PROTOCOLS.items() if protocol.systems)
        raise ValueError(
            f"No systems for {name!r}: its documents have none of the fields "
            f"{', '.join(TEXT_FIELDS)}. Use a collection that has one, or one of {known}."
        )

    query_fields = dataset.queries_cls()._fields if dataset.has_queries() else ()
    asks_for_facets = {"paper_id", "facet"} <= set(query_fields)
    if asks_for_facets and document == TITLE_AND_TEXT:
        general = FACETS
    else:
        general = _with_document(TEXTS, document)
    return replace(general, collection=name, pools=dataset.has_scoreddocs())


def document_template(dataset: ir_datasets.Dataset) -> str | None:
    """Return the template of a document's text: its title, if any, and its text or abstract.

    None if the documents have none of `TEXT_FIELDS`.
    """
    fields = dataset.docs_cls()._fields
    for text_field in TEXT_FIELDS:
        if text_field in fields:
            return f"{{title}} {{{text_field}}}" if "title" in fields else f"{{{text_field}}}"
    return None


def _with_document(protocol: Protocol, document: str) -> Protocol:
    """Let the systems that read a dataset's texts read these, unless they are the usual ones."""
    if document == TITLE_AND_TEXT:
        return protocol

    def adapt(system: System) -> System:
        if system.form not in TEMPLATED:
            return system
        return replace(system, scoring={**system.scoring, "document": document})

    return replace(
        protocol,
        systems=tuple(adapt(system) for system in protocol.systems),
        kinds={kind: tuple(map(adapt, systems)) for kind, systems in protocol.kinds.items()},
    )


@check_arguments
def preset(argument: str, value: str | Preset, presets: dict[str, Preset]) -> Preset:
    """Return the one of `presets` with that name, or `value` if it is of their class itself.

    Raises:
        ValueError: it is neither; names `argument`, the value and the presets.
    """
    chosen = presets.get(value) if isinstance(value, str) else value
    kind = type(next(iter(presets.values())))
    if not isinstance(chosen, kind):
        names = ", ".join(map(repr, presets))
        remedy = f"Choose one of: {names}; or pass a {kind.__name__} of your own."
        raise ValueError(describe_unknown(argument, value, presets, remedy))
    return chosen

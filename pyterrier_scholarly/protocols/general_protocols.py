"""Systems for datasets without a protocol of their own: for facets of papers, and for texts.

::

    adapt_general("made/mine", irds("made/mine")).systems  # bm25, sentence_maxsim, one_encoding, …
"""

from dataclasses import replace

import ir_datasets

from . import csfcube, litsearch
from .protocol import Protocol
from .system import MINILM, System

#: for a collection without a protocol, whose queries are facets of papers
FACETS = Protocol(
    collection="",
    title="",
    systems=(
        System("fabs_tfidf", "fabs_tfidf", encoder=""),
        System("fabs_bm25", "fabs_bm25", encoder=""),
        *csfcube.OWN,
    ),
    kinds=csfcube.KINDS,
)
#: for a collection without a protocol, whose queries are texts
TEXTS = Protocol(
    collection="",
    title="",
    systems=(
        System("bm25", "bm25", encoder=""),
        System("sentence_maxsim", "question_sentences", model_name=MINILM, takes_any_encoder=True),
        *litsearch.OWN,
    ),
    pools=False,
    # the first row of each kind reads titles and abstracts, the second one full texts
    kinds={kind: rows[:1] for kind, rows in litsearch.KINDS.items()},
)
#: fields that may hold a document's text, the first of them counts
TEXT_FIELDS = ("text", "abstract", "body", "contents")
TITLE_AND_TEXT = "{title} {text}"
#: forms of TEXTS with a template `document`
TEMPLATED_FORMS = ("bm25", "dense", "question_pairs")


def adapt_general(name: str, dataset: ir_datasets.Dataset) -> Protocol | None:
    """Return a protocol for a dataset that has none, with the systems that need a text alone.

    Args:
        name: the dataset's id, which is the collection of the returned protocol.
        dataset: has documents, and perhaps queries and candidates.

    Returns:
        A protocol; None if the documents have no text.
    """
    template = find_document_template(dataset) if dataset.has_docs() else None
    if template is None:
        return None

    query_fields = dataset.queries_cls()._fields if dataset.has_queries() else ()
    asks_for_facets = "paper_id" in query_fields and "facet" in query_fields
    if asks_for_facets and template == TITLE_AND_TEXT:
        general_protocol = FACETS
    else:
        general_protocol = _read_by_template(TEXTS, template)

    has_candidates = dataset.has_scoreddocs()
    return replace(general_protocol, collection=name, pools=has_candidates)


def find_document_template(dataset: ir_datasets.Dataset) -> str | None:
    """Return the template of a document's text: its title, if any, and its text or abstract.

    None if the documents have none of `TEXT_FIELDS`.
    """
    fields = dataset.docs_cls()._fields
    for text_field in TEXT_FIELDS:
        if text_field not in fields:
            continue
        if "title" in fields:
            return f"{{title}} {{{text_field}}}"  # such as "{title} {text}"
        return f"{{{text_field}}}"
    return None


def _read_by_template(protocol: Protocol, template: str) -> Protocol:
    """Return a protocol whose systems read documents by a template, such as "{title} {abstract}".

    Systems without a template for documents stay as they are.
    """
    if template == TITLE_AND_TEXT:  # as they do without
        return protocol

    kinds = {}
    for kind, systems in protocol.kinds.items():
        kinds[kind] = tuple(_read_system_by_template(system, template) for system in systems)
    systems = tuple(_read_system_by_template(system, template) for system in protocol.systems)
    return replace(protocol, systems=systems, kinds=kinds)


def _read_system_by_template(system: System, template: str) -> System:
    """Return a system that reads documents by a template; itself if its form has none."""
    if system.form not in TEMPLATED_FORMS:
        return system
    return replace(system, scoring={**system.scoring, "document": template})

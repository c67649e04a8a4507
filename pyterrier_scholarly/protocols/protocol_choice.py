"""The protocols by collection, and which of them serves a dataset.

::

    protocol_of("csfcube/method/fold1").title      # "CSFCube"
    protocol_for("made/mine").systems              # general systems for any texts
    register(Protocol("mine", "My collection", systems=(...)))
"""

from collections.abc import Iterable
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Any

import ir_datasets

from ..choices import suggest_choice
from ..datasets import DatasetLike, irds
from ..settings import dataset_id
from ..typed_records import convert
from .facts import FOLDER, REMEDY, read_facts
from .protocol import Protocol
from .system import System

#: fields that may hold a document's text, the first of them counts
TEXT_FIELDS = ("text", "abstract", "body", "contents")
TITLE_AND_TEXT = "{title} {text}"
#: forms of the general systems with a template `document`
TEMPLATED_FORMS = ("bm25", "dense", "question_pairs")


def read_protocol(folder: str) -> Protocol:
    """Return the protocol of a paper's folder: ``protocol.yaml``, and ``systems.yaml`` if any."""
    return convert(_read_fields(folder), Protocol, f"{folder}/*.yaml", remedy=REMEDY)


def _read_fields(folder: str) -> dict[str, Any]:
    """Return the fields of a protocol; those that are missing are those of the protocol `like`."""
    protocol_fields = read_facts(f"{folder}/protocol.yaml", dict[str, Any])
    if (FOLDER / folder / "systems.yaml").is_file():
        protocol_fields |= read_facts(f"{folder}/systems.yaml", dict[str, Any])
    if "like" in protocol_fields:
        return _read_fields(protocol_fields.pop("like")) | protocol_fields
    return protocol_fields


#: collection -> protocol, one for each folder; `register` adds to it
PROTOCOLS: dict[str, Protocol] = {
    path.parent.name: read_protocol(path.parent.name)
    for path in sorted(FOLDER.glob("*/protocol.yaml"))
}


def register(protocol: Protocol) -> None:
    """Add a protocol to `PROTOCOLS`, or replace the one of the same collection."""
    PROTOCOLS[protocol.collection] = protocol


def protocol_of(name: str) -> Protocol | None:
    """Return the protocol of the longest part of a dataset's id; None if no part has one.

    >>> protocol_of("csfcube/method/fold1").title, protocol_of("made/mine")
    ('CSFCube', None)
    """
    while name not in PROTOCOLS and "/" in name:
        name = name.rpartition("/")[0]
    return PROTOCOLS.get(name)


def find_queries(file: Path) -> str | None:
    """Return the id of the dataset whose queries a released file of rankings answers.

    None for another file. The file is recognised by its name and its folder's.
    """
    for protocol in PROTOCOLS.values():
        for ranking in protocol.rankings:
            if any(file.match(pattern) for pattern in ranking.files):
                return ranking.queries
    return None


def protocol_for(dataset: DatasetLike, protocol: str | Protocol | None = None) -> Protocol:
    """Return a protocol with systems for a dataset.

    Args:
        dataset: an id, a PyTerrier or an ir_datasets dataset.
        protocol: the protocol, or an id that has one by `protocol_of`. None for that of the
            dataset's id, else a general one for any documents, with this id as collection.

    Raises:
        ValueError: an unknown protocol or dataset, or documents without a text.
    """
    name = dataset_id(dataset) or repr(dataset)
    chosen = protocol if isinstance(protocol, Protocol) else protocol_of(protocol or name)
    if chosen is not None and chosen.systems:
        return chosen

    if protocol is not None:
        suggestion = suggest_choice(protocol, _list_with_systems())
        raise ValueError(f"Protocol {protocol!r:.100} has no systems. {suggestion}")
    return _adapt_general(name, irds(dataset))


def _list_with_systems() -> list[str]:
    """Return the ids of the collections whose protocols have systems."""
    return [collection for collection, protocol in PROTOCOLS.items() if protocol.systems]


@cache
def read_general(queries: str) -> Protocol:
    """Return the protocol of collections without one, whose queries are "facets" or "texts"."""
    return read_facts(f"general/{queries}.yaml", Protocol)


def _adapt_general(name: str, dataset: ir_datasets.Dataset) -> Protocol:
    """Return a protocol for a dataset that has none, with the systems that need a text alone.

    Args:
        name: the dataset's id, which is the collection of the returned protocol.
        dataset: has documents, and perhaps queries and candidates.

    Raises:
        ValueError: the documents have no text.
    """
    template = _find_document_template(name, dataset)
    query_fields = dataset.queries_cls()._fields if dataset.has_queries() else ()
    asks_for_facets = {"paper_id", "facet"} <= set(query_fields)
    has_papers = template == TITLE_AND_TEXT
    general = read_general("facets" if asks_for_facets and has_papers else "texts")
    return replace(
        general,
        collection=name,
        pools=dataset.has_scoreddocs(),
        systems=_read_by_template(general.systems, template),
        kinds={kind: _read_by_template(rows, template) for kind, rows in general.kinds.items()},
    )


def _find_document_template(name: str, dataset: ir_datasets.Dataset) -> str:
    """Return the template of a document's text: its title, if any, and its text or abstract.

    name: the dataset's, for the error if the documents have none of `TEXT_FIELDS`.
    """
    fields = dataset.docs_cls()._fields if dataset.has_docs() else ()
    for text_field in TEXT_FIELDS:
        if text_field in fields:
            title = "{title} " if "title" in fields else ""
            return f"{title}{{{text_field}}}"  # such as "{title} {text}"
    raise ValueError(
        f"No systems for {name!r}: its documents have none of the fields {', '.join(TEXT_FIELDS)}. "
        f"Use a collection that has one, or one of {', '.join(_list_with_systems())}."
    )


def _read_by_template(systems: Iterable[System], template: str) -> tuple[System, ...]:
    """Return systems that read documents by a template, such as "{title} {abstract}".

    Titles and texts are what they read without; those without a template stay as they are.
    """
    adapted_systems = []
    for system in systems:
        if system.form in TEMPLATED_FORMS and template != TITLE_AND_TEXT:
            system = replace(system, scoring={**system.scoring, "document": template})
        adapted_systems.append(system)
    return tuple(adapted_systems)

"""The protocols by collection, and which of them serves a dataset.

::

    protocol_of("csfcube/method/fold1").title      # "CSFCube"
    protocol_for("made/mine").systems              # general systems for any texts
    register(Protocol("mine", "My collection", systems=(...)))
"""

from pathlib import Path

from ir_datasets_ext.choices import suggest_choice

from ..arguments import check_arguments
from ..datasets import DatasetLike, irds
from ..settings import dataset_id
from .csfcube import CSFCUBE, MINI
from .doris_mae import DORIS_MAE
from .general_protocols import TEXT_FIELDS, adapt_general
from .litsearch import LITSEARCH
from .protocol import Protocol
from .rhsa import RHSA

#: collection -> protocol; `register` adds to it
PROTOCOLS: dict[str, Protocol] = {
    protocol.collection: protocol for protocol in (CSFCUBE, LITSEARCH, DORIS_MAE, RHSA, MINI)
}


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


def find_queries(file: Path) -> str | None:
    """Return the id of the dataset whose queries a released file of rankings answers.

    None for another file. The file is recognised by its name and its folder's.
    """
    for protocol in PROTOCOLS.values():
        for ranking in protocol.rankings:
            if any(file.match(pattern) for pattern in ranking.files):
                return ranking.queries
    return None


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
        return _choose_protocol(protocol)

    name = dataset_id(dataset) or repr(dataset)
    own_protocol = protocol_of(name)
    if own_protocol is not None and own_protocol.systems:
        return own_protocol

    general_protocol = adapt_general(name, irds(dataset))
    if general_protocol is None:
        raise ValueError(
            f"No systems for {name!r}: its documents have none of the fields "
            f"{', '.join(TEXT_FIELDS)}. Use a collection that has one, or one of "
            f"{', '.join(_list_with_systems())}."
        )
    return general_protocol


def _choose_protocol(protocol: str | Protocol) -> Protocol:
    """Return the protocol with an id, or the one passed; ValueError if it has no systems."""
    chosen: Protocol | None
    if isinstance(protocol, str):  # the id of its collection
        chosen = PROTOCOLS.get(protocol)
    else:
        chosen = protocol

    if chosen is None or not chosen.systems:
        suggestion = suggest_choice(protocol, _list_with_systems())
        raise ValueError(f"Protocol {protocol!r:.100} has no systems. {suggestion}")
    return chosen


def _list_with_systems() -> list[str]:
    """Return the ids of the collections whose protocols have systems."""
    return [collection for collection, protocol in PROTOCOLS.items() if protocol.systems]

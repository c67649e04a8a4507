"""Systems for models of your own: the forms that a paper has for a model's kind.

    own = make_own_systems(protocol, {"ours": "folder", "theirs": ("cross-encoder", model)})
    own.systems["ours"]  # rows with the keys "ours" and "ours_sentences"

A name that is that of a named system's model replaces this model instead, and adds no system.
"""

import os
from collections.abc import Container, Iterable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any, NamedTuple

from ..encoders import plain
from ..protocols import Protocol, System
from .model_facts import ModelFacts, find_facts

#: our names -> how a note says them
SIMILARITY_IN_NOTES = {"cosine": "cosines", "dot": "dot products", "l2": "L2 distances"}


@dataclass
class OwnSystems:
    """What `make_own_systems` returns.

    systems: dict from the name of a model of your own to the rows that it gets.
    models: dict from a row's key, or from a name that a named system has, to its model.
    """

    systems: dict[str, list[System]] = field(default_factory=dict)
    models: dict[str, object] = field(default_factory=dict)


def make_own_systems(protocol: Protocol, models: Mapping[str, object]) -> OwnSystems:
    """Make systems for the models whose names no system knows.

    The others replace the models of named systems.

    Args:
        protocol: a collection's; its `kinds` has the forms.
        models: dict from a name to a model, or to a pair of its kind and a model; see `systems`.

    Raises:
        ValueError: an unknown kind, or a name that a named system has.
        OSError: a missing folder, or a name whose files cannot be read.
    """
    names = SystemNames.of(protocol)
    own = OwnSystems()
    for name, source in models.items():
        own_model = _read_source(name, source)
        replaces_model = own_model.stated_kinds is None and name in names.replaceable
        if replaces_model:
            own.models[name] = own_model.model
        else:
            _add_systems(own, own_model, names, protocol)
    return own


def _add_systems(
    own: OwnSystems, own_model: "OwnModel", names: "SystemNames", protocol: Protocol
) -> None:
    """Add the systems of a model of the user's to `own`; ValueError if a name is taken."""
    taken_names = names.replaceable | names.key_of_printed_name.keys()
    _check_free([own_model.name], taken_names, own_model.name, names)

    rows = _make_rows(own_model, protocol)
    row_keys = [row.key for row in rows]
    taken_keys = names.replaceable | own.models.keys()  # also by models that came before
    _check_free(row_keys, taken_keys, own_model.name, names)

    own.systems[own_model.name] = rows
    for key in row_keys:
        own.models[key] = own_model.model


class OwnModel(NamedTuple):
    """A model of the user's.

    name: the user's.
    stated_kinds: the one that the user stated, which may be unknown; None without one.
    model: a folder, a name on the hub, or an object.
    """

    name: str
    stated_kinds: list[Any] | None
    model: object


class SystemNames(NamedTuple):
    """The names of a protocol's systems, which a model of your own may not have.

    replaceable: names by which a system's model can be replaced: its key, and its model's name.
    key_of_printed_name: dict from a system's printed name to its key.
    """

    replaceable: set[object]
    key_of_printed_name: dict[str, str]

    @classmethod
    def of(cls, protocol: Protocol) -> "SystemNames":
        """Return the names of a protocol's systems."""
        replaceable: set[object] = set()
        key_of_printed_name = {}
        for system in protocol.systems:
            replaceable.update(system.models)
            for printed_name, _ in system.printed_rows:
                if printed_name:
                    key_of_printed_name[printed_name] = system.key
        return cls(replaceable, key_of_printed_name)


def _read_source(name: str, source: object) -> OwnModel:
    """Return the model that was passed, alone or in a pair of its kind and the model."""
    if isinstance(source, tuple):
        kind, model = source
        return OwnModel(name, [kind], model)
    return OwnModel(name, None, source)


def _check_free(
    wanted_names: Iterable[str], taken_names: Container[object], name: str, names: SystemNames
) -> None:
    """Raise ValueError, about the model called `name`, if a wanted name is taken."""
    if any(wanted_name in taken_names for wanted_name in wanted_names):
        raise ValueError(_describe_taken_name(name, names))


def _describe_taken_name(name: str, names: SystemNames) -> str:
    """Return the error's message for a model with the name of another system."""
    key_to_replace = names.key_of_printed_name.get(name, name)
    return (
        f"models: {name!r} is the name of another system. Pass models={{{key_to_replace!r}: …}}, "
        "without a kind, to replace its model; choose another name for a row of your own."
    )


def _make_rows(own_model: OwnModel, protocol: Protocol) -> list[System]:
    """Return the rows of a model: one for each form that the protocol has for its kinds."""
    name = own_model.name
    model = plain(own_model.model)
    if own_model.stated_kinds is None:
        facts = find_facts(name, model)
        kinds = [kind.value for kind in facts.kinds]
    else:  # no file needs to be read
        facts = ModelFacts(kinds=())
        kinds = own_model.stated_kinds

    templates: list[System] = []
    for kind in kinds:
        templates += protocol.kinds.get(kind, ())
    if not templates:
        raise ValueError(
            f"models: {name!r} is of the kind {' or '.join(map(repr, kinds))}. The systems of "
            f"{protocol.collection} have forms for: {', '.join(protocol.kinds) or 'no kind'}."
        )

    model_name = _name_model(model)
    rows = []
    for template in templates:
        key = f"{name}{template.key}"  # such as "ours" and "_sentences"
        rows.append(_make_row(template, key, model_name, facts))
    return rows


def _name_model(model: object) -> str:
    """Return the name of a model on the hub, or of its folder; "" for an object."""
    if not isinstance(model, str):
        return ""
    if os.path.isdir(model):
        return os.path.basename(os.path.abspath(model))
    return model


def _make_row(template: System, key: str, model_name: str, facts: ModelFacts) -> System:
    """Return the row of a model of the user's, made from a row of `Protocol.kinds`.

    What the model states, its similarity and its class of encoder, replaces what the template has.
    The note says by which similarity vectors are compared.
    """
    scoring = dict(template.scoring)
    note = template.note
    compares_vectors = "similarity" in scoring
    if compares_vectors:
        similarity = facts.similarity or str(scoring["similarity"])
        scoring["similarity"] = similarity
        note = f"{note}; by {SIMILARITY_IN_NOTES[similarity]}"

    return replace(
        template,
        key=key,
        model_name=model_name,
        encoder=facts.encoder or template.encoder,
        scoring=scoring,
        note=note,
    )

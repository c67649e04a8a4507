"""Systems for models of your own: the forms that a paper has for a model's kind.

    own = make_own_systems(protocol, {"ours": "folder", "theirs": ("cross-encoder", model)})
    own.systems["ours"]  # rows with the keys "ours" and "ours_sentences"

A name that is that of a named system's model replaces this model instead, and adds no system.
"""

import os
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import NamedTuple

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
        has_kind = isinstance(source, tuple)
        if name in names.replaceable and not has_kind:
            own.models[name] = source  # replaces the model of named systems
            continue

        if name in names.replaceable or name in names.key_of_printed_name:
            raise ValueError(_describe_taken_name(name, names))
        rows = _make_rows(name, source, protocol)
        taken_keys = names.replaceable | own.models.keys()
        if any(row.key in taken_keys for row in rows):
            raise ValueError(_describe_taken_name(name, names))

        own.systems[name] = rows
        model = source[1] if isinstance(source, tuple) else source
        for row in rows:
            own.models[row.key] = model
    return own


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


def _describe_taken_name(name: str, names: SystemNames) -> str:
    """Return the error's message for a model with the name of another system."""
    key_to_replace = names.key_of_printed_name.get(name, name)
    return (
        f"models: {name!r} is the name of another system. Pass models={{{key_to_replace!r}: …}}, "
        "without a kind, to replace its model; choose another name for a row of your own."
    )


def _make_rows(name: str, source: object, protocol: Protocol) -> list[System]:
    """Return the rows of a model: one for each form that the protocol has for its kinds."""
    if isinstance(source, tuple):
        stated_kind, given_model = source
        model = plain(given_model)
        facts = ModelFacts(kinds=())  # the user says the kind, so no file is read
        kinds = [stated_kind]
    else:
        model = plain(source)
        facts = find_facts(name, model)
        kinds = [kind.value for kind in facts.kinds]

    forms: list[System] = []
    for kind in kinds:
        forms += protocol.kinds.get(kind, ())
    if not forms:
        raise ValueError(
            f"models: {name!r} is of the kind {' or '.join(map(repr, kinds))}. The systems of "
            f"{protocol.collection} have forms for: {', '.join(protocol.kinds) or 'no kind'}."
        )

    model_name = _name_model(model)
    return [_make_row(form, f"{name}{form.key}", model_name, facts) for form in forms]


def _name_model(model: object) -> str:
    """Return the name of a model on the hub, or of its folder; "" for an object."""
    if not isinstance(model, str):
        return ""
    if os.path.isdir(model):
        return os.path.basename(os.path.abspath(model))
    return model


def _make_row(form: System, key: str, model_name: str, facts: ModelFacts) -> System:
    """Return a form of the protocol as the row of a model of the user's.

    What the model states, its similarity and kind of encoder, replaces what the form has.
    """
    scoring = dict(form.scoring)
    note = form.note
    if "similarity" in scoring:  # the form compares vectors
        similarity = facts.similarity or str(scoring["similarity"])
        scoring["similarity"] = similarity
        note = f"{note}; by {SIMILARITY_IN_NOTES[similarity]}"

    encoder = facts.encoder or form.encoder
    return replace(form, key=key, run=model_name, encoder=encoder, scoring=scoring, note=note)

"""Systems for models of your own: a model's kind, and the forms that a paper has for that kind.

    own = make_own_systems(protocol, {"ours": "folder", "theirs": ("cross-encoder", model)})
    own.systems["ours"]  # rows with the keys "ours" and "ours_sentences"

A name that is that of a named system's model replaces this model instead, and adds no system.
"""

import os
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass, field, replace
from enum import Enum
from pathlib import Path
from typing import Any, NamedTuple

from ir_datasets_ext.store import read_json

from ..encoders import Encoder, PassageEncoder, plain
from ..protocols import Protocol, System


class Kind(str, Enum):
    """What a model computes; its value is how users and protocols write it."""

    WHOLE_TEXTS = "bi-encoder"
    SENTENCES = "sentence-encoder"
    PAIRS = "cross-encoder"


#: class of sentence-transformers, as a model's files name it, or ours -> kinds
KINDS_OF_CLASS = {
    "SentenceTransformer": (Kind.WHOLE_TEXTS, Kind.SENTENCES),
    "SparseEncoder": (Kind.WHOLE_TEXTS, Kind.SENTENCES),
    "CrossEncoder": (Kind.PAIRS,),
    "Contextual": (Kind.SENTENCES,),
}
CROSS_ENCODER_HEAD = "ForSequenceClassification"  # ends the architecture of a cross-encoder
TRANSFORMERS_CONFIG = "config.json"
SENTENCE_TRANSFORMERS_CONFIG = "config_sentence_transformers.json"
#: sentence-transformers' names of similarities -> ours
SIMILARITIES = {"cosine": "cosine", "dot": "dot", "euclidean": "l2"}
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


class ModelClass(NamedTuple):
    """What a model's files, or the model itself, say of it.

    name: its class in sentence-transformers, or the nearest one.
    similarity: by which its embeddings are compared, as sentence-transformers names it, if stated.
    """

    name: str
    similarity: object


class ModelFacts(NamedTuple):
    """What decides the rows of a model.

    kinds: what it computes.
    encoder: class of its encoder; "" for that of the form.
    similarity: our name of the similarity that it states; "" for that of the form.
    """

    kinds: tuple[Kind, ...]
    encoder: str = ""
    similarity: str = ""


def make_own_systems(protocol: Protocol, models: Mapping[str, object]) -> OwnSystems:
    """Make the rows of each model whose name no system knows, and name all models.

    Args:
        protocol: a collection's; its `kinds` has the forms.
        models: see `systems`.

    Raises:
        ValueError: an unknown kind, or a name that a named system has.
        OSError: a missing folder, or a name whose files cannot be read.
    """
    model_names = {name for row in protocol.systems for name in row.models}
    key_of_printed_name = {}
    for row in protocol.systems:
        for printed_name, _ in row.rows:
            if printed_name:
                key_of_printed_name[printed_name] = row.key

    own = OwnSystems()
    for name, source in models.items():
        has_kind = isinstance(source, tuple)
        if name in model_names and not has_kind:
            own.models[name] = source  # replaces the model of named systems
            continue

        key_to_replace = key_of_printed_name.get(name, name)
        if name in model_names or name in key_of_printed_name:
            raise ValueError(_describe_taken_name(name, key_to_replace))
        rows = _make_rows(name, source, protocol)
        taken_keys = {row.key for row in rows} & (model_names | own.models.keys())
        if taken_keys:
            raise ValueError(_describe_taken_name(name, key_to_replace))

        own.systems[name] = rows
        model = source[1] if isinstance(source, tuple) else source
        for row in rows:
            own.models[row.key] = model
    return own


def _describe_taken_name(name: str, key_to_replace: str) -> str:
    return (
        f"models: {name!r} is the name of another system. Pass models={{{key_to_replace!r}: …}}, "
        "without a kind, to replace its model; choose another name for a row of your own."
    )


def _make_rows(name: str, source: object, protocol: Protocol) -> list[System]:
    """Return a model's forms as rows under its name, with its class and similarity."""
    if isinstance(source, tuple):
        kind, model = source
        model = plain(model)
        kinds: tuple[str, ...] = (kind,)
        facts = ModelFacts(())
    else:
        model = plain(source)
        facts = _find_facts(name, model)
        kinds = tuple(kind.value for kind in facts.kinds)

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
    """Return a form of the protocol as the row of a model."""
    scoring = dict(form.scoring)
    note = form.note
    if "similarity" in scoring:
        similarity = facts.similarity or str(scoring["similarity"])
        scoring["similarity"] = similarity
        note = f"{note}; by {SIMILARITY_IN_NOTES[similarity]}"

    encoder = facts.encoder or form.encoder
    return replace(form, key=key, run=model_name, encoder=encoder, scoring=scoring, note=note)


def _find_facts(name: str, model: object) -> ModelFacts:
    """Return a model's kinds, and what its files or itself say of its class and similarity."""
    if isinstance(model, str):
        model_class = _read_class(name, model)
    else:
        model_class = _classify_object(model)

    if model_class.name not in KINDS_OF_CLASS:
        kinds = ", ".join(kind.value for kind in Kind)
        raise ValueError(
            f"models: {name!r} is a {model_class.name}, which no form reads. Pass (kind, model) "
            f"with a kind of {kinds}, or a pipeline of your own among the systems."
        )
    return ModelFacts(
        kinds=KINDS_OF_CLASS[model_class.name],
        encoder="SparseEncoder" if model_class.name == "SparseEncoder" else "",
        similarity=SIMILARITIES.get(str(model_class.similarity), ""),
    )


def _classify_object(model: object) -> ModelClass:
    """Return the class of a model or of an encoder by its methods."""
    own_class = type(model).__name__
    encodes_passages_alone = isinstance(model, PassageEncoder) and not isinstance(model, Encoder)

    if hasattr(model, "score"):
        name = "CrossEncoder"
    elif encodes_passages_alone:
        name = "Contextual"
    elif own_class in KINDS_OF_CLASS or own_class.startswith("MultiVector"):
        name = own_class
    else:
        name = "SentenceTransformer"
    return ModelClass(name, getattr(model, "similarity_fn_name", None))


def _read_class(name: str, model: str) -> ModelClass:
    """Read the class from the files of a model's folder, or of its repository on the hub."""
    own_config = _read_config(model, SENTENCE_TRANSFORMERS_CONFIG)
    transformers_config = _read_config(model, TRANSFORMERS_CONFIG)
    if own_config is None and transformers_config is None:
        raise FileNotFoundError(
            f"models: {name!r} is no system's name, so {model!r} would be a model of your own. But "
            "it is no folder with a config.json, nor can it be read from the Hugging Face hub "
            "(extra dense). Pass a folder, a name on the hub, an encoder, or (kind, model)."
        )

    own_config = own_config or {}
    if "model_type" in own_config:
        class_name = str(own_config["model_type"])
    else:  # saved by an older sentence-transformers, or by transformers alone
        class_name = _guess_class(transformers_config or {})
    return ModelClass(class_name, own_config.get("similarity_fn_name"))


def _guess_class(transformers_config: Mapping[str, Any]) -> str:
    """Return the class of a model by the architecture that its file names."""
    architectures = transformers_config.get("architectures") or [""]
    is_cross_encoder = str(architectures[0]).endswith(CROSS_ENCODER_HEAD)
    return "CrossEncoder" if is_cross_encoder else "SentenceTransformer"


def _read_config(model: str, file_name: str) -> dict[str, Any] | None:
    """Return a JSON file of a model's folder or repository; None if there is none."""
    names = [model]
    if "/" not in model:  # sentence-transformers' own models may be named without their owner
        names.append(f"sentence-transformers/{model}")

    for name in names:
        with suppress(OSError, ImportError):
            return read_json(_find_file(name, file_name), remedy="Save the model again.")
    return None


def _find_file(model: str, file_name: str) -> Path:
    """Return the path of a model's file, downloaded from the hub if the model is no folder."""
    if os.path.isdir(model):
        return Path(model, file_name)

    from huggingface_hub import hf_hub_download

    try:
        return Path(hf_hub_download(model, file_name))
    except ValueError as error:  # no name on the hub, but a missing folder
        raise FileNotFoundError(model) from error

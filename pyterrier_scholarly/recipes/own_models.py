"""Rows for models of your own: the forms that a paper has for a model's kind.

::

    rows, models = make_own_rows(protocol, {"ours": "folder", "theirs": ("cross-encoder", model)})
    [row.key for row in rows["ours"]]   # "ours" and "ours_sentences"

A name that is that of a named system's model replaces this model instead, and adds no row.
"""

import os
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from ..encoders import PassageEncoder
from ..protocols import Protocol, System
from ..typed_records import read_json

#: class of sentence-transformers, as a model's files name it, or ours -> kinds of its rows
KINDS_OF_CLASS = {
    "SentenceTransformer": ("bi-encoder", "sentence-encoder"),
    "SparseEncoder": ("bi-encoder", "sentence-encoder"),
    "CrossEncoder": ("cross-encoder",),
    "Contextual": ("sentence-encoder",),
}
CROSS_ENCODER_HEAD = "ForSequenceClassification"  # ends the architecture of a cross-encoder
#: sentence-transformers' names of similarities -> ours
SIMILARITIES = {"cosine": "cosine", "dot": "dot", "euclidean": "l2"}
#: our names -> how a note says them
SIMILARITY_IN_NOTES = {"cosine": "cosines", "dot": "dot products", "l2": "L2 distances"}


def make_own_rows(
    protocol: Protocol, models: Mapping[str, object]
) -> tuple[dict[str, list[System]], dict[str, object]]:
    """Make rows for the models whose names no system knows; the others replace systems' models.

    Args:
        protocol: a collection's; its `kinds` has the forms.
        models: dict from a name to a model, or to a pair of its kind and a model; see `systems`.

    Returns:
        Two dicts: from each name of a model of your own to its rows; and from the key of a row, or
        from a name that a named system has, to its model.

    Raises:
        ValueError: a kind without forms, or a name that a named system has.
        OSError: a missing folder, or a name whose files cannot be read.
    """
    # from all names of systems to the name by which the model is replaced: a printed name leads to
    # the system's key; a key, a model's or an adapter's name to itself
    names_of_systems: dict[object, object] = {}
    for system in protocol.systems:
        names_of_systems |= {printed_name: system.key for printed_name, _ in system.printed_rows}
    for system in protocol.systems:  # a printed name may be another system's key, which counts
        own_names = (system.key, system.model, system.settings.get("adapter"))
        names_of_systems |= {name: name for name in own_names}

    rows_of_model: dict[str, list[System]] = {}
    model_by_name: dict[str, object] = {}
    for name, source in models.items():
        kind, model = source if isinstance(source, tuple) else (None, source)
        name_to_replace = names_of_systems.get(name)
        if kind is None and name == name_to_replace:
            model_by_name[name] = model
            continue

        if name_to_replace is not None:  # before any file is read
            raise _refuse_name(name, name_to_replace)
        if isinstance(model, os.PathLike):
            model = os.fspath(model)
        rows = _make_rows(name, kind, model, protocol)
        if any(row.key in names_of_systems or row.key in model_by_name for row in rows):
            raise _refuse_name(name, name)
        rows_of_model[name] = rows
        model_by_name |= {row.key: model for row in rows}
    return rows_of_model, model_by_name


def _refuse_name(name: str, name_to_replace: object) -> ValueError:
    """Return the error for a model's name that a system has, whose model another name replaces."""
    return ValueError(
        f"models: {name!r} is the name of another system. Pass models={{{name_to_replace!r}: …}}, "
        "without a kind, to replace its model; choose another name for a row of your own."
    )


def _make_rows(name: str, kind: str | None, model: object, protocol: Protocol) -> list[System]:
    """Return the rows of a model: one for each form that the protocol has for its kinds.

    kind: the one that the user stated; None without one, so that the model's files tell.
    """
    model_class, similarity = ("", "") if kind is not None else _classify(name, model)
    kinds = KINDS_OF_CLASS.get(model_class, ()) if kind is None else (kind,)
    forms = [form for own_kind in kinds for form in protocol.kinds.get(own_kind, ())]
    if not forms:
        described_model = f"a {model_class}" if kind is None else f"of the kind {kind!r}"
        raise ValueError(
            f"models: {name!r} is {described_model}, which no form reads. Pass (kind, model) with "
            f"a kind that the systems of {protocol.collection} have forms for: "
            f"{', '.join(protocol.kinds) or 'none'}; or a pipeline of your own among the systems."
        )

    model_name = model if isinstance(model, str) else ""
    if os.path.isdir(model_name):  # a table shows no folders of the user's
        model_name = os.path.basename(os.path.abspath(model_name))

    rows = []
    for form in forms:
        row = replace(form, key=f"{name}{form.key}", model=model_name)
        if model_class == "SparseEncoder":
            row = replace(row, encoder=model_class)
        if "similarity" in form.scoring:  # it compares vectors
            scoring = {**form.scoring, "similarity": similarity or form.scoring["similarity"]}
            similarity_in_note = SIMILARITY_IN_NOTES[str(scoring["similarity"])]
            row = replace(row, scoring=scoring, note=f"{form.note}; by {similarity_in_note}")
        rows.append(row)
    return rows


def _classify(name: str, model: object) -> tuple[str, str]:
    """Return a model's class, such as one of KINDS_OF_CLASS, and its similarity, in our words.

    Those of a name or a folder are read from its files. The similarity is "" if none is stated.
    """
    if not isinstance(model, str):
        similarity = getattr(model, "similarity_fn_name", None)
        return _guess_class_of_object(model), SIMILARITIES.get(str(similarity), "")

    own_config = _read_config(model, "config_sentence_transformers.json")
    transformers_config = _read_config(model, "config.json")
    if not own_config and not transformers_config:
        raise FileNotFoundError(
            f"models: {name!r} is no system's name, so {model!r} would be a model of your own. But "
            "it is no folder with a config.json, nor can it be read from the Hugging Face hub "
            "(extra dense). Pass a folder, a name on the hub, an encoder, or (kind, model)."
        )

    # saved by an older sentence-transformers, or by transformers alone, its class is not named
    architectures = transformers_config.get("architectures") or [""]
    is_cross_encoder = str(architectures[0]).endswith(CROSS_ENCODER_HEAD)
    guessed_class = "CrossEncoder" if is_cross_encoder else "SentenceTransformer"
    model_class = own_config.get("model_type", guessed_class)
    return model_class, SIMILARITIES.get(str(own_config.get("similarity_fn_name")), "")


def _guess_class_of_object(model: object) -> str:
    """Return the class of a model or of an encoder, by its methods and its class's name."""
    own_class = type(model).__name__
    if hasattr(model, "score"):
        return "CrossEncoder"
    if isinstance(model, PassageEncoder) and not hasattr(model, "encode"):
        return "Contextual"
    if own_class in KINDS_OF_CLASS or own_class.startswith("MultiVector"):
        return own_class
    return "SentenceTransformer"


def _read_config(model: str, file_name: str) -> dict[str, Any]:
    """Return a JSON file of a model's folder, or of its repository; {} if there is none."""
    if os.path.isdir(model):
        path = os.path.join(model, file_name)
        return read_json(path, remedy="Save the model again.") if os.path.isfile(path) else {}

    # sentence-transformers' own models may be named without their owner
    for repository in (model, f"sentence-transformers/{model}"):
        try:
            from huggingface_hub import hf_hub_download

            path = hf_hub_download(repository, file_name)
        except (ImportError, OSError, ValueError):  # no such file, or no name on the hub
            continue
        return read_json(path)
    return {}

"""Rows for models of your own: a model's kind, and the forms that a paper has for that kind."""

import os
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import Any

from ir_datasets_ext.store import read_json

from ..encoders import Encoder, PassageEncoder, plain
from ..protocols import Protocol, System

WHOLE, SENTENCES, PAIRS = KINDS = ("bi-encoder", "sentence-encoder", "cross-encoder")
HEAD = "ForSequenceClassification"  # ends the architecture of a cross-encoder
#: class of sentence-transformers, as a model's files name it, or ours -> kinds
CLASSES = {
    "SentenceTransformer": (WHOLE, SENTENCES),
    "SparseEncoder": (WHOLE, SENTENCES),
    "CrossEncoder": (PAIRS,),
    "Contextual": (SENTENCES,),
}
FILES = ("config_sentence_transformers.json", "config.json")
SIMILARITIES = {"cosine": "cosine", "dot": "dot", "euclidean": "l2"}
SHOWN = {"cosine": "cosines", "dot": "dot products", "l2": "L2 distances"}


def your_systems(
    protocol: Protocol, models: Mapping[str, object]
) -> tuple[dict[str, list[System]], dict[str, object]]:
    """Return the rows of each model whose name no system knows, and all models by their keys.

    Args:
        protocol: a collection's; its `kinds` has the forms.
        models: see `systems`.

    Raises:
        ValueError: an unknown kind, or a name that a named system has.
        OSError: a missing folder, or a name whose files cannot be read.
    """
    known = {name for row in protocol.systems for name in row.models}
    printed = {name: row.key for row in protocol.systems for name, _ in row.rows if name}
    found: dict[str, list[System]] = {}
    named: dict[str, object] = {}
    for name, source in models.items():
        if name in known and not isinstance(source, tuple):
            named[name] = source  # replaces the model of named systems
            continue
        kind, model = source if isinstance(source, tuple) else (None, source)
        rows = [] if name in {*known, *printed} else _rows(name, kind, plain(model), protocol)
        if not rows or {row.key for row in rows} & {*known, *named}:
            raise ValueError(
                f"models: {name!r} is the name of another system. Pass "
                f"models={{{printed.get(name, name)!r}: …}}, without a kind, to replace its model; "
                "choose another name for a row of your own."
            )
        found[name] = rows
        named |= dict.fromkeys([row.key for row in rows], model)
    return found, named


def _rows(name: str, kind: str | None, model: object, protocol: Protocol) -> list[System]:
    """Return a model's forms as rows under its name, with its class and similarity."""
    kinds, own = ((kind,), {}) if kind else _found(name, model)
    forms = [form for one in kinds for form in protocol.kinds.get(one, ())]
    if not forms:
        raise ValueError(
            f"models: {name!r} is of the kind {' or '.join(map(repr, kinds))}. The systems of "
            f"{protocol.collection} have forms for: {', '.join(protocol.kinds) or 'no kind'}."
        )
    shown = model if isinstance(model, str) else ""
    run = os.path.basename(os.path.abspath(shown)) if os.path.isdir(shown) else shown
    return [_row(form, f"{name}{form.key}", run, **own) for form in forms]


def _row(form: System, key: str, run: str, similarity: str = "", encoder: str = "") -> System:
    scoring, note = dict(form.scoring), form.note
    if "similarity" in scoring:
        scoring["similarity"] = similarity or scoring["similarity"]
        note = f"{note}; by {SHOWN[str(scoring['similarity'])]}"
    own = encoder or form.encoder
    return replace(form, key=key, run=run, encoder=own, scoring=scoring, note=note)


def _found(name: str, model: object) -> tuple[tuple[str, ...], dict[str, str]]:
    """Return a model's kinds, and what its files or itself say of its class and similarity."""
    kind, stated = _stated(name, model) if isinstance(model, str) else _of_object(model)
    if kind not in CLASSES:
        raise ValueError(
            f"models: {name!r} is a {kind}, which no form reads. Pass (kind, model) with a kind of "
            f"{', '.join(KINDS)}, or a pipeline of your own among the systems."
        )
    return CLASSES[kind], {
        "encoder": kind if kind == "SparseEncoder" else "",
        "similarity": SIMILARITIES.get(str(stated), ""),
    }


def _of_object(model: object) -> tuple[str, object]:
    """Return an object's class in sentence-transformers, or the nearest one, and its similarity."""
    kind = type(model).__name__
    if hasattr(model, "score"):
        kind = "CrossEncoder"
    elif isinstance(model, PassageEncoder) and not isinstance(model, Encoder):
        kind = "Contextual"
    elif not kind.startswith("MultiVector") and kind not in CLASSES:
        kind = "SentenceTransformer"
    return kind, getattr(model, "similarity_fn_name", None)


def _stated(name: str, model: str) -> tuple[str, object]:
    """Return the class in sentence-transformers and the similarity that a model's files state."""
    own, config = (_read(model, file) for file in FILES)
    if own is None and config is None:
        raise FileNotFoundError(
            f"models: {name!r} is no system's name, so {model!r} would be a model of your own. But "
            "it is no folder with a config.json, nor can it be read from the Hugging Face hub "
            "(extra dense). Pass a folder, a name on the hub, an encoder, or (kind, model)."
        )
    heads = (config or {}).get("architectures") or [""]
    default = "CrossEncoder" if str(heads[0]).endswith(HEAD) else "SentenceTransformer"
    return str((own or {}).get("model_type", default)), (own or {}).get("similarity_fn_name")


def _read(model: str, file: str) -> dict[str, Any] | None:
    """Return a JSON file of a model's folder or repository; None if there is none."""
    for name in (model,) if "/" in model else (model, f"sentence-transformers/{model}"):
        with suppress(OSError, ImportError):
            return read_json(_path(name, file), remedy="Save the model again.")
    return None


def _path(model: str, file: str) -> Path:
    if os.path.isdir(model):
        return Path(model, file)
    from huggingface_hub import hf_hub_download

    try:
        return Path(hf_hub_download(model, file))
    except ValueError as error:  # no name on the hub, but a missing folder
        raise FileNotFoundError(model) from error

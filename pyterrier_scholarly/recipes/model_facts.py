"""What kind of model it is, as its files or the model itself tell.

::

    find_facts("ours", "folder").kinds  # (Kind.WHOLE_TEXTS, Kind.SENTENCES)
"""

import os
from collections.abc import Mapping
from contextlib import suppress
from enum import Enum
from pathlib import Path
from typing import Any, NamedTuple

from ir_datasets_ext.store import read_json

from ..encoders import Encoder, PassageEncoder


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


class ModelFacts(NamedTuple):
    """What decides the rows of a model.

    kinds: what it computes.
    encoder: class of its encoder; "" for that of the form.
    similarity: our name of the similarity that it states; "" for that of the form.
    """

    kinds: tuple[Kind, ...]
    encoder: str = ""
    similarity: str = ""


class ModelClass(NamedTuple):
    """What a model's files, or the model itself, say of it.

    name: its class in sentence-transformers, or the nearest one.
    similarity: by which its embeddings are compared, as sentence-transformers names it, if stated.
    """

    name: str
    similarity: object


def find_facts(name: str, model: object) -> ModelFacts:
    """Return a model's kinds, and the encoder and similarity that it needs.

    Args:
        name: the user's, for errors.
        model: a folder, a name on the hub, or an object.

    Raises:
        ValueError: a class of models that no form reads.
        OSError: a missing folder, or a name whose files cannot be read.
    """
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
    """Return the class of a model or of an encoder, by its methods and its class's name."""
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
    """Return a model's class and its similarity, as the model's own files state them.

    They are read from its folder, or from its repository on the hub.

    Args:
        name: of the row in the table, for an error.
        model: a folder, or a name on the hub.
    """
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

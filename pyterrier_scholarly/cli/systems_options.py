"""Options for named systems: their encoder and models, and how these compute.

Several subcommands share them: `add_arguments` adds the options, `read_settings` makes arguments of
`systems` and `reproduce` from what was typed.
"""

from argparse import ArgumentParser, Namespace
from collections.abc import Sequence
from pathlib import Path
from typing import Any

#: arguments of `systems` and `reproduce` that have another name in the shell, or none
PYTHON_NAMES = {"models": "--model", "candidates": "", "client": "", "one_hop": "", "protocol": ""}

#: help of the option for an encoder of one's own papers
ENCODER_OF_PAPERS = (
    "a sentence-transformers model, a folder, or 'lsa' for latent semantic analysis of the papers, "
    "by words, which needs no weights (default)"
)


def add_arguments(parser: ArgumentParser) -> None:
    """Add the options that `read_settings` reads."""
    group = parser.add_argument_group("systems")
    group.add_argument(
        "--encoder",
        metavar="MODEL",
        help="for systems of any encoder: a sentence-transformers model, a folder, or 'lsa' for "
        "latent semantic analysis of the collection, which needs no weights "
        "(default: all-MiniLM-L6-v2)",
    )
    add_models(parser)
    group.add_argument(
        "--cache", metavar="FOLDER", help="of cached embeddings, which a later run reuses"
    )


def add_models(parser: ArgumentParser) -> None:
    """Add the options for models, and for how they compute."""
    group = parser.add_argument_group("models")
    group.add_argument(
        "--model",
        action="append",
        default=[],
        metavar="NAME=MODEL",
        help="folder of a model, or its name on the hub. NAME is a system's key or a model's name, "
        "to replace its model; another NAME adds rows for a model of your own, whose kind may "
        "stand before it (NAME=cross-encoder:MODEL, bi-encoder, sentence-encoder); repeatable",
    )
    group.add_argument(
        "--precision",
        default="fp32",
        help="of the encoders: fp32 (default), bf16, fp16 or auto (bf16 where it is faster)",
    )
    group.add_argument("--device", help="of the encoders, as in PyTorch (default: the best)")


def check_outputs(*paths: str | None) -> None:
    """Raise OSError if a path cannot be written: before the work, not after."""
    for name in paths:
        if not name:  # an option that was not passed
            continue
        path = Path(name)
        if path.is_dir():
            raise IsADirectoryError(f"{path} is a folder. Pass the name of a file.")
        if not path.parent.is_dir():
            raise FileNotFoundError(f"{path} cannot be written: folder {path.parent} is missing.")


def read_settings(options: Namespace) -> dict[str, Any]:
    """Return the arguments of `systems` and `reproduce`.

    Raises:
        ValueError: a ``--model`` without ``=``, or a duplicate name.
    """
    return {
        "encoder": options.encoder,
        "models": read_models(options.model),
        "precision": options.precision,
        "device": options.device,
        "cache": options.cache,
    }


def read_models(texts: Sequence[str]) -> dict[str, str | tuple[str, str]]:
    """Return the models of ``NAME=MODEL``, by name.

    Raises:
        ValueError: a text without ``=``, or a duplicate name.
    """
    models: dict[str, str | tuple[str, str]] = {}
    for text in texts:
        name, equals, model = text.partition("=")
        if not equals:
            raise ValueError(f"--model {text}: expected NAME=MODEL, e.g. ours=./folder.")
        if name in models:
            raise ValueError(f"--model {', '.join(texts)}: duplicate name. Pass each name once.")
        models[name] = _read_model(model)
    return models


def _read_model(text: str) -> str | tuple[str, str]:
    """Return a model, or its kind and the model of ``KIND:MODEL``."""
    kind, colon, model = text.partition(":")
    is_folder = Path(text).is_dir()  # whose name may have a colon
    if not colon or is_folder:
        return text
    return kind, model

"""Identify a model that is given by name: a commit on the hub, or the files of a folder.

For example::

    model_value("allenai/specter")  # "allenai/specter@3a3b9b…", the commit on this machine
    model_value("models/my-model")  # a hash of the folder's files
"""

import os
from collections.abc import Hashable
from contextlib import suppress
from functools import lru_cache
from importlib.util import find_spec
from pathlib import Path
from typing import TypeGuard, TypeVar

from ..fingerprint import fingerprint
from ..folders import hash_once

Model = TypeVar("Model")

ADAPTER_CONFIG = "adapter_config.json"
MODEL_CONFIG = "config.json"
#: every folder of a model has one of these
MODEL_FILES = ("modules.json", MODEL_CONFIG, ADAPTER_CONFIG)
SECONDS_FOR_HUB = 10  # to answer which commit a name has


def plain(model: Model) -> Model | str:
    """Return a path as a string; anything else unchanged."""
    return os.fspath(model) if isinstance(model, os.PathLike) else model


def is_hub_name(model: object) -> TypeGuard[str]:
    """Return whether `model` is a name on the Hugging Face hub: neither an object nor a folder."""
    return isinstance(model, str) and not os.path.isdir(model)


def model_value(model: Model, revision: str | None = None, file: str = MODEL_CONFIG) -> Model | str:
    """Return what stands for a model in a fingerprint; it changes when the model does.

    For a name on the hub it is the name with its commit, or with the revision if the commit is
    unknown. For a folder it is a hash of its files, for an object the object itself.

    Args:
        model: the name, folder or object.
        revision, file: see `find_commit`.
    """
    if is_hub_name(model):
        commit = find_commit(model, revision, file)
        return f"{model}@{commit or revision}"
    if not isinstance(model, str):
        return model

    file_hashes = {}
    for path in _list_model_files(model):
        file_hashes[os.path.relpath(path, model)] = hash_once(path)
    return fingerprint(file_hashes)


def stamp_files(folder: object) -> tuple[Hashable, ...]:
    """Return a value that changes with the files of a folder; () for anything else.

    Raises:
        ValueError: a folder without a model.
    """
    if not isinstance(folder, str):
        return ()

    stamps = []
    for path in _list_model_files(folder):
        status = path.stat()
        stamps.append((str(path), status.st_size, status.st_mtime_ns))
    return tuple(stamps)


def find_commit(name: str, revision: str | None = None, file: str = MODEL_CONFIG) -> str | None:
    """Return a name's commit on this machine, else the one on the hub, else None.

    So a name has the same commit before and after its download.

    Args:
        revision: a branch, a tag, or a commit, which may be shortened.
        file: one that the name has on this machine, if it was downloaded.
    """
    if find_spec("huggingface_hub") is None:  # the encoder's error names what to install
        return None
    from huggingface_hub import try_to_load_from_cache

    # sentence-transformers may have a folder of its own, which the hub's client, which downloads
    # adapters, does not know
    is_adapter = file == ADAPTER_CONFIG
    folder = None if is_adapter else os.environ.get("SENTENCE_TRANSFORMERS_HOME")
    # raised for what cannot be a name on the hub, such as the path of a missing folder
    with suppress(ValueError):
        for full_name in _list_full_names(name):
            path = try_to_load_from_cache(full_name, file, cache_dir=folder, revision=revision)
            if isinstance(path, str):
                return Path(path).parent.name  # the hub's client names the folder after the commit
    return _ask_hub_for_commit(name, revision)


def _list_model_files(folder: str) -> list[Path]:
    """Return all files of a model's folder; none for a name.

    Raises:
        ValueError: a folder without a model: its files may be those of a whole disk.
    """
    if not os.path.isdir(folder):
        return []
    if not any(Path(folder, name).is_file() for name in MODEL_FILES):
        raise ValueError(
            f"{folder} is no folder of a model: expected one of {', '.join(MODEL_FILES)} in it."
        )
    return [path for path in sorted(Path(folder).rglob("*")) if path.is_file()]


@lru_cache
def _ask_hub_for_commit(name: str, revision: str | None) -> str | None:
    """Return a name's commit on the hub; None for an unknown name, or without network."""
    from huggingface_hub import model_info

    for full_name in _list_full_names(name):
        with suppress(Exception):  # an unknown name, or no network, which has many classes
            return model_info(full_name, revision=revision, timeout=SECONDS_FOR_HUB).sha
    return None


def _list_full_names(name: str) -> list[str]:
    """Return the names to try: sentence-transformers' own models need no owner."""
    return [name] if "/" in name else [name, f"sentence-transformers/{name}"]

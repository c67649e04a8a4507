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

from ir_datasets_ext.store import fingerprint
from ir_datasets_ext.store.hashes import file_hash
from ir_datasets_ext.store.plain_files import size_and_mtime

Model = TypeVar("Model")

ADAPTER_CONFIG = "adapter_config.json"
MODEL_CONFIG = "config.json"
#: every folder of a model has one of these
MODEL_FILES = ("modules.json", MODEL_CONFIG, ADAPTER_CONFIG)
SECONDS_FOR_HUB = 10  # to answer which commit a name has


def plain(model: Model) -> Model | str:
    """Return a path as a string; anything else unchanged."""
    if isinstance(model, os.PathLike):
        return os.fspath(model)
    return model


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
        file_hashes[os.path.relpath(path, model)] = file_hash(path, "sha256")
    return fingerprint(file_hashes)


def stamp_files(folder: object) -> tuple[Hashable, ...]:
    """Return a value that changes with the files of a folder; () for anything else.

    Raises:
        ValueError: a folder without a model.
    """
    if not isinstance(folder, str):
        return ()
    return tuple((str(path), *size_and_mtime(path)) for path in _list_model_files(folder))


def find_commit(name: str, revision: str | None = None, file: str = MODEL_CONFIG) -> str | None:
    """Return a name's commit on this machine, else the one on the hub, else None.

    So a name has the same commit before and after its download.

    Args:
        revision: a branch, a tag, or a commit, which may be shortened.
        file: one that the name has on this machine, if it was downloaded.
    """
    if find_spec("huggingface_hub") is None:  # the encoder's error names what to install
        return None

    commit = _find_downloaded_commit(name, revision, file)
    if commit is None:
        commit = _ask_hub_for_commit(name, revision)
    return commit


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


def _find_downloaded_commit(name: str, revision: str | None, file: str) -> str | None:
    """Return the commit of a model that was downloaded to this machine; None if it was not.

    Args:
        name: of the model on the hub.
        revision: a branch, a tag, or a commit.
        file: one that the model has on this machine, if it was downloaded.
    """
    from huggingface_hub import try_to_load_from_cache

    download_folder = _choose_download_folder(file)
    # raised for what cannot be a name on the hub, such as the path of a missing folder
    with suppress(ValueError):
        for full_name in _list_full_names(name):
            path = try_to_load_from_cache(
                full_name, file, cache_dir=download_folder, revision=revision
            )
            if isinstance(path, str):
                folder_of_commit = Path(path).parent  # the hub's client names it after the commit
                return folder_of_commit.name
    return None


def _choose_download_folder(file: str) -> str | None:
    """Return the folder into which a model with this file is downloaded; None for the hub's own.

    sentence-transformers downloads models into a folder of its own, if the environment names one.
    Adapters are downloaded by the hub's client, which does not know that folder.
    """
    if file == ADAPTER_CONFIG:
        return None
    return os.environ.get("SENTENCE_TRANSFORMERS_HOME")


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
    if "/" in name:
        return [name]
    return [name, f"sentence-transformers/{name}"]

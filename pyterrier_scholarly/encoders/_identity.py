"""What tells one named model from another: commits of the hub, contents of folders."""

import os
from contextlib import suppress
from functools import lru_cache
from importlib.util import find_spec
from pathlib import Path

from ir_datasets_ext.store import fingerprint
from ir_datasets_ext.store.files import file_hash, stamp

from ._adapter import CONFIG


def plain(model):
    """A path as a string; anything else as it is."""
    return os.fspath(model) if isinstance(model, os.PathLike) else model


def is_name(model) -> bool:
    """Whether `model` is a name on the Hugging Face hub: neither an object nor a folder."""
    return isinstance(model, str) and not os.path.isdir(model)


def model_value(model, revision=None, file="config.json"):
    """What a model stands for in a fingerprint.

    Of a name its commit (the revision, if no commit can be found), of a folder its contents; an
    object is itself.
    """
    if is_name(model):
        return f"{model}@{commit(model, revision, file) or revision}"
    return _contents(stamps(model), model) if isinstance(model, str) else model


def stamps(folder) -> tuple:
    """Something hashable that changes with the files of a folder; () for anything else."""
    found = sorted(Path(folder).rglob("*")) if isinstance(folder, str) else ()
    return tuple((str(path), *stamp(path)) for path in found if path.is_file())


@lru_cache(maxsize=16)
def _contents(stamps, folder):
    of = {os.path.relpath(path, folder): file_hash(path, "sha256") for path, *_ in stamps}
    return fingerprint(of)


def commit(name, revision=None, file="config.json"):
    """The commit of a name that is on this machine, or else would be downloaded now, or None.

    So a name stands for the same before and after it is downloaded.
    """
    if find_spec("huggingface_hub") is None:  # the encoder will say what to install
        return None
    return _here(name, revision, file) or _there(name, revision)


def _full(name):
    """What a name may stand for: sentence-transformers' own models need no owner."""
    return (name,) if "/" in name else (name, f"sentence-transformers/{name}")


def _here(name, revision, file):
    """The commit of a branch, tag or (short) commit whose `file` is on this machine, or None."""
    from huggingface_hub import try_to_load_from_cache

    # where sentence-transformers downloads to; adapters, which it does not know, are elsewhere
    place = None if file == CONFIG else os.environ.get("SENTENCE_TRANSFORMERS_HOME")
    with suppress(ValueError):  # no name on the hub, but a missing folder
        for full in _full(name):
            found = try_to_load_from_cache(full, file, cache_dir=place, revision=revision)
            if isinstance(found, str):
                return Path(found).parent.name
    return None


@lru_cache
def _there(name, revision):
    from huggingface_hub import model_info

    for full in _full(name):
        try:
            return model_info(full, revision=revision, timeout=10).sha
        except Exception:  # none of that name, or no network, which is of many classes
            continue
    return None

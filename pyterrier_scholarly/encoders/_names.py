"""Models by name: what tells them apart (commits of the hub, contents of folders), loading them."""

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
    if not isinstance(model, str):
        return model
    files = (path for path, *_ in stamps(model))
    return fingerprint({os.path.relpath(path, model): file_hash(path, "sha256") for path in files})


def stamps(folder) -> tuple:
    """Something hashable that changes with the files of a folder; () for anything else."""
    found = sorted(Path(folder).rglob("*")) if isinstance(folder, str) else ()
    return tuple((str(path), *stamp(path)) for path in found if path.is_file())


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


def load_named(name, device=None, kind="SentenceTransformer", **settings):
    """The SentenceTransformer of that name; `settings` as its constructor takes them.

    Args:
        kind: another class of sentence-transformers, such as ``"CrossEncoder"``.

    Raises:
        ImportError: sentence-transformers is missing or too old; names the extra that brings it.
        OSError: there is no such model; says what to download, and how it goes without network.
    """
    made = imported(name, kind)
    try:
        return made(name, device=device, **settings)
    except OSError as error:
        raise OSError(
            f"The model {name!r} cannot be loaded: {error}\nGive a folder, or a name on the "
            f"Hugging Face hub. Without network (HF_HUB_OFFLINE=1), run `hf download {name}` "
            "beforehand where there is one, or copy its folder here and give the path."
        ) from error


def imported(name, kind):
    """The class in sentence_transformers that a name is loaded with; errors: `load_named`."""
    try:
        import sentence_transformers

        return getattr(sentence_transformers, kind)
    except (ImportError, AttributeError) as error:
        raise ImportError(
            f"Encoding with {name!r} needs the {kind} of sentence-transformers: "
            'run `pip install "pyterrier-scholarly[dense]"`.'
        ) from error

"""What tells one model from another for good: vectors on disk are kept under it."""

import hashlib
import json
import os
from functools import lru_cache
from pathlib import Path
from weakref import WeakKeyDictionary

_known = WeakKeyDictionary()


def pinned(name, revision=None):
    """The commit of a model of the Hugging Face hub that is on this machine, else `revision`."""
    if not isinstance(name, str) or Path(name).is_dir():
        return revision
    from huggingface_hub import try_to_load_from_cache

    place = os.environ.get("SENTENCE_TRANSFORMERS_HOME")
    for full in (name, f"sentence-transformers/{name}"):
        file = try_to_load_from_cache(full, "config.json", cache_dir=place, revision=revision)
        if isinstance(file, str):
            return Path(file).parent.name
    return revision


def identity(model, revision, load) -> str:
    """A string that differs between models that give other vectors.

    Args:
        model: a SentenceTransformer, a folder or a name on the hub.
        revision: of a name.
        load: gives the SentenceTransformer of a name that is not on this machine yet.

    Raises:
        ValueError: a model given as an object that does not show its weights.
    """
    if not isinstance(model, str):
        return f"weights {_content(model)}"
    if Path(model).is_dir():
        files = sorted(path for path in Path(model).rglob("*") if path.is_file())
        return f"files {_files(tuple((str(p), *_stamp(p)) for p in files), model)}"
    found = pinned(model, revision)
    if found == revision:  # a commit, or not on this machine
        loaded = load()
        found = pinned(model, revision)
    if found is None:  # not where the hub's files are
        return f"weights {_content(loaded)}"
    return f"{model}@{found}"


def state(model):
    """Something that changes when a model, given as an object, is trained; None for a name."""
    if not hasattr(model, "state_dict"):
        return None
    tensors = model.state_dict().values()
    return tuple((tensor.data_ptr(), tensor._version) for tensor in tensors)


def _stamp(path):
    status = path.stat()
    return status.st_size, status.st_mtime_ns


@lru_cache(maxsize=16)
def _files(stamped, folder):
    """Hash of a folder's files, read once until one changes."""
    digest = hashlib.sha256()
    for path, *_ in stamped:
        digest.update(f"{os.path.relpath(path, folder)}\0".encode())
        with open(path, "rb") as file:
            own = hashlib.sha256()
            while chunk := file.read(1 << 22):
                own.update(chunk)
        digest.update(own.digest())
    return digest.hexdigest()


def _content(model):
    """Hash of weights, tokenizer and settings, taken again when a weight was changed."""
    import torch

    tensors = sorted(getattr(model, "state_dict", dict)().items())
    if not tensors:
        raise ValueError(
            f"{type(model).__name__} does not show its weights, so a cache cannot tell it from "
            "others: give the model by its name or folder, or no cache."
        )
    about = _about(model)
    if _known.get(model, (None,))[0] != (state(model), about):
        digest = hashlib.sha256(about.encode())
        for name, tensor in tensors:
            digest.update(f"{name} {tensor.dtype} {tuple(tensor.shape)}\0".encode())
            flat = tensor.detach().cpu().contiguous().flatten()
            digest.update(flat.view(torch.uint8).numpy())
        _known[model] = (state(model), about), digest.hexdigest()
    return _known[model][1]


def _about(model) -> str:
    """What else than weights makes vectors: modules and their settings, prompts, tokenizer."""
    names = ("prompts", "default_prompt_name", "truncate_dim", "max_seq_length")
    parts = [model, getattr(model[0], "config", ""), _words(getattr(model, "tokenizer", None))]
    return "\0".join(map(repr, [*parts, *(getattr(model, name, None) for name in names)]))


def _words(tokenizer):
    words = getattr(tokenizer, "backend_tokenizer", tokenizer)
    if not hasattr(words, "to_str"):
        return repr(words)
    # how it pads and cuts changes from call to call
    return {**json.loads(words.to_str()), "padding": None, "truncation": None}

"""What tells one model from another for good: vectors on disk are kept under it."""

import hashlib
import json
import os
from functools import lru_cache
from pathlib import Path
from weakref import WeakKeyDictionary

from ._commits import here

#: settings of a sentence-transformers model that change its vectors, and can be set at any time
SETTINGS = ("prompts", "default_prompt_name", "truncate_dim", "max_seq_length")
ADAPTERS = ("active_adapters", "disable_adapters")  # what PEFT's layers say of themselves
SAMPLE = 64  # values of a tensor, that many or a few more

_known = WeakKeyDictionary()


def pinned(name, revision=None):
    """The commit of a model of the Hugging Face hub that is on this machine, else `revision`."""
    if not isinstance(name, str) or Path(name).is_dir():
        return revision
    return here(name, revision) or revision


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
        return f"files {_files(state(model), model)}"
    found = here(model, revision)
    if found is None:  # not on this machine yet
        loaded = load()
        found = here(model, revision)
    if found is None:  # not where the hub's files are
        return f"weights {_content(loaded)}"
    return f"{model}@{found}"


def state(model):
    """Something hashable that changes when a model is trained, or set otherwise, where it is.

    Of a folder its files, of an object its tensors, modules, configurations, adapters and SETTINGS;
    None where neither is at hand: of a name on the hub, of objects that show no tensors. PyTorch
    counts what is written to a tensor, but not through its `.data`: that shows in a sample of its
    values, so a change of a few of them may be missed.
    """
    if isinstance(model, (str, os.PathLike)):
        return _stamps(model) if Path(model).is_dir() else None
    if not hasattr(model, "state_dict"):
        return None
    tensors = list(model.state_dict().values())
    written = tuple((tensor.data_ptr(), tensor._version) for tensor in tensors)
    about = (repr(model), _configurations(model), *_adapters(model), _settings(model))
    return written, _sample(tensors), about


def _sample(tensors) -> str:
    """Hash of some values of each tensor, at odd distances: from all columns of a matrix."""
    import torch

    on = {}
    for tensor in tensors:
        if tensor.layout == torch.strided and not tensor.is_meta:
            flat = tensor.detach().reshape(-1)
            on.setdefault(tensor.device, []).append(flat[:: len(flat) // SAMPLE | 1].float())
    digest = hashlib.blake2b()
    for samples in on.values():
        digest.update(torch.cat(samples).cpu().numpy())
    return digest.hexdigest()


def _configurations(model) -> str:
    """The settings that transformers read as they compute; their own repr takes milliseconds."""
    found = (vars(part).get("config") for part in model.modules())
    distinct = {id(one): one for one in found if hasattr(one, "__dict__")}
    return repr([vars(one) for one in distinct.values()])


def _adapters(model) -> list:
    """Which adapters compute, where a model has any."""
    found = (getattr(part, name, None) for part in model.modules() for name in ADAPTERS)
    return [repr(one) for one in found if one is not None and not callable(one)]


def _settings(model) -> str:
    return "\0".join(repr(getattr(model, name, None)) for name in SETTINGS)


def _stamps(folder):
    """Path, size and time of change of each file in a folder."""
    files = sorted(path for path in Path(folder).rglob("*") if path.is_file())
    stats = [path.stat() for path in files]
    return tuple((str(path), of.st_size, of.st_mtime_ns) for path, of in zip(files, stats))


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
    parts = [model, getattr(model[0], "config", ""), _words(getattr(model, "tokenizer", None))]
    return "\0".join([*map(repr, parts), _settings(model), *_adapters(model)])


def _words(tokenizer):
    words = getattr(tokenizer, "backend_tokenizer", tokenizer)
    if not hasattr(words, "to_str"):
        return repr(words)
    # how it pads and cuts changes from call to call
    return {**json.loads(words.to_str()), "padding": None, "truncation": None}

"""What tells one model from another, on disk and in memory."""

import os
from functools import lru_cache
from hashlib import blake2b
from pathlib import Path
from weakref import WeakKeyDictionary

from ir_datasets_ext.store import fingerprint
from ir_datasets_ext.store.contents import said, words
from ir_datasets_ext.store.files import file_hash, stamp

from ._commits import commit

SAMPLE = 64  # values of a tensor, that many or a few more

_known = WeakKeyDictionary()


def pinned(name, revision=None):
    """The commit that a model's name stands for, else `revision`."""
    return commit(name, revision) or revision if is_name(name) else revision


def is_name(model) -> bool:
    """Whether `model` is a name on the Hugging Face hub: neither an object nor a folder."""
    return isinstance(model, str) and not os.path.isdir(model)


def model_value(model, revision=None, file="config.json"):
    """What a model stands for in a fingerprint.

    Its commit, of a name (the revision, where there is no commit to be had); the contents, of a
    folder; the fingerprint, of an object with weights, taken again when these were changed.
    """
    if is_name(model):
        return f"{model}@{commit(model, revision, file) or revision}"
    if isinstance(model, (str, os.PathLike)):
        return _contents(state(model) or (), model)
    if not hasattr(model, "state_dict"):
        return model
    now = state(model), words(model)
    if _known.get(model, (None,))[0] != now:
        _known[model] = now, fingerprint(model)
    return _known[model][1]


def state(model):
    """Something hashable that changes when a model is trained, or set otherwise, where it is.

    Of a folder its files, of an object its tensors and all that it says of itself; None where
    neither is at hand: of a name on the hub, of objects that show no tensors. PyTorch counts what
    is written to a tensor, but not through its `.data`: that shows in a sample of its values, so a
    change of a few of them may be missed.
    """
    if isinstance(model, (str, os.PathLike)):
        return tuple((str(path), *stamp(path)) for path in _files(model)) or None
    if not hasattr(model, "state_dict"):
        return None
    tensors = list(model.state_dict().values())
    written = tuple((tensor.data_ptr(), tensor._version) for tensor in tensors)
    return written, _sample(tensors), tuple(said(model))


@lru_cache(maxsize=16)
def _contents(stamps, folder):
    of = {os.path.relpath(path, folder): file_hash(path, "sha256") for path, *_ in stamps}
    return fingerprint(of)


def _files(folder):
    return sorted(path for path in Path(folder).rglob("*") if path.is_file())


def _sample(tensors) -> str:
    """Hash of some values of each tensor, at odd distances: from all columns of a matrix."""
    import torch

    on = {}
    for tensor in tensors:
        if tensor.layout == torch.strided and not tensor.is_meta:
            flat = tensor.detach().reshape(-1)
            on.setdefault(tensor.device, []).append(flat[:: len(flat) // SAMPLE | 1].float())
    digest = blake2b()
    for samples in on.values():
        digest.update(torch.cat(samples).cpu().numpy())
    return digest.hexdigest()

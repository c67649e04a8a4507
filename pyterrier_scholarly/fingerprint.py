"""Fingerprints: equal for values of one meaning, different for any others.

::

    fingerprint({"encoder": encoder, "texts": texts})  # "5f9c…", the same in every process

A value is described by values of JSON's types, and the fingerprint is the sha256 of their canonical
JSON. What was kept under a fingerprint is found while descriptions stay as they are.
"""

import json
import os
import re
from collections.abc import Mapping
from dataclasses import fields, is_dataclass
from hashlib import sha256
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import torch

LONGEST_SHOWN_REPR = 200  # characters
REMEDY = (
    "Pass a value, a dataclass, a model's name or folder, or an object with the method "
    "`__fingerprint__`; or keep nothing (no cache)."
)
ADDRESS = re.compile(r"(?: at )?\b0x[0-9a-fA-F]+")  # in memory, as reprs show it
ELISION = re.compile(r"\.\.\.|…")  # in the reprs of long arrays and tables
#: settings of a sentence-transformers model that change its embeddings, and can change at any time
MODEL_SETTINGS = ("prompts", "default_prompt_name", "truncate_dim", "max_seq_length")
ADAPTER_STATES = ("active_adapters", "disable_adapters")  # attributes of PEFT's layers


class Unidentified(ValueError):
    """A value shows only its address in memory, or only a part of its content."""


def fingerprint(value: object) -> str:
    """Return a sha256, as hexadecimal digits, that differs for values of different meaning.

    It is the same in every process and for every copy. The first rule that fits applies:

    - Values of JSON's types are their canonical JSON: keys sorted, no blanks, ASCII. A tuple is a
      list, and 1 is neither 1.0 nor "1". Sets and bytes are their content.
    - A path is its name, and sizes and times of change of its files.
    - An object with a method `__fingerprint__` is its class and the dict of settings that the
      method returns. A model's name stands for its commit there, a model's folder for its contents.
    - Frames, arrays, sparse matrices and tensors are their form and content. A PyTorch model is its
      modules, configuration, tokenizer and weights.
    - Transformers and scikit-learn's estimators are their class and attributes. Other dataclasses
      are their class and the fields that they compare. A text there that names a folder is a path.
    - A dataset is its id.
    - Anything else is its repr.

    Raises:
        Unidentified: no rule fits a part of the value. Its repr has an address in memory (a
            function) or leaves something out ("...").

    >>> fingerprint({"b": 1, "a": "é"}) == fingerprint({"a": "é", "b": 1})
    True
    """
    try:
        description = _describe(value)
        canonical_json = json.dumps(description, sort_keys=True, separators=(",", ":"))
    except RecursionError:
        raise Unidentified(f"{type(value).__name__}: nested too deeply, or in itself.") from None
    return sha256(canonical_json.encode("ascii")).hexdigest()


# The description of a path, an array and the like is a list that begins with a tag: NUL and the
# name of its kind or class. Users' texts do not begin with NUL, so no plain list equals it.


def _describe(value: Any) -> object:
    """Return values of JSON's types that describe `value`, by the first rule that fits.

    The rules for Python's own types come first, then those for objects of libraries.
    """
    if value is None or isinstance(value, (str, int, float)):
        return value
    if isinstance(value, dict):
        return _describe_dict(value)
    if isinstance(value, (list, tuple)):
        descriptions = [_describe(item) for item in value]
        is_plain = type(value) in (list, tuple)
        # a named tuple: its class says what the fields mean
        return descriptions if is_plain else _tag(value, *descriptions)
    if isinstance(value, type):
        return _tag(value)
    if isinstance(value, (set, frozenset)):
        # sorted, because each process may have another order
        return ["\0set", *sorted([_describe(item) for item in value], key=json.dumps)]
    if isinstance(value, (bytes, bytearray)):
        return ["\0bytes", sha256(value).hexdigest()]
    if isinstance(value, os.PathLike):
        return _describe_path(Path(value))
    return _describe_object(value)


def _describe_object(value: Any) -> object:
    """Describe an object by its methods and attributes: importing its library would take long."""
    if hasattr(value, "__fingerprint__"):
        return _describe_settings(value, value.__fingerprint__())

    # tables and arrays
    if _has_all(value, "columns", "index", "to_numpy"):
        columns = [column.to_numpy() for _, column in value.items()]
        return _describe(["\0frame", list(value.columns), value.index.to_numpy(), *columns])
    if hasattr(value, "to_numpy"):  # a column or an index, which has no index
        index = value.index.to_numpy() if hasattr(value, "index") else None
        return _describe(["\0series", getattr(value, "name", None), index, value.to_numpy()])
    if _has_all(value, "tobytes", "dtype"):
        # the bytes of objects are addresses
        has_objects = value.dtype.hasobject
        content = list(value.flat) if has_objects else sha256(value.tobytes()).hexdigest()
        return ["\0array", list(value.shape), str(value.dtype), _describe(content)]
    if hasattr(value, "tocsr"):
        rows = value.tocsr()
        return _describe(["\0sparse", rows.shape, rows.indptr, rows.indices, rows.data])
    if _has_all(value, "detach", "dtype"):
        return _describe_tensor(value)

    # models, steps of pipelines, records and datasets
    if _has_all(value, "state_dict", "modules"):
        return _describe_model(value)
    if hasattr(value, "transform") or hasattr(value, "get_params"):  # an estimator may be fitted
        return _describe_settings(value, vars(value))
    if is_dataclass(value):  # by the fields that tell it from others
        compared_names = [field.name for field in fields(value) if field.compare]
        return _describe_settings(value, {name: getattr(value, name) for name in compared_names})
    if hasattr(value, "irds_ref"):  # a dataset of PyTerrier
        return _describe(value.irds_ref())
    if hasattr(value, "dataset_id"):
        return value.dataset_id()

    return _describe_repr(value)


def _has_all(value: object, *names: str) -> bool:
    return all(hasattr(value, name) for name in names)


def _tag(value: object, *descriptions: object) -> list:
    """Return descriptions behind the name of a class, in a form that people's JSON never has."""
    kind = value if isinstance(value, type) else type(value)
    return [f"\0{kind.__module__}.{kind.__qualname__}", *descriptions]


def _describe_dict(value: Mapping) -> object:
    """Describe a dict by its items, whatever their order.

    JSON has only texts as keys. So a dict with other keys becomes a tagged list of its items.
    """
    if all(isinstance(key, str) for key in value):
        return {key: _describe(item) for key, item in value.items()}

    items = [[_describe(key), _describe(item)] for key, item in value.items()]
    # by their JSON, because keys of several types cannot be compared
    return ["\0dict", sorted(items, key=json.dumps)]


def _describe_path(path: Path) -> list:
    """Describe a file, or a folder with all its files, by names, sizes and times of change.

    The content is not read: it may be large.
    """
    paths = sorted(path.rglob("*")) if path.is_dir() else [path]
    files = []
    for file in paths:
        if file.is_file():
            status = file.stat()
            files.append([str(file), status.st_size, status.st_mtime_ns])
    return ["\0path", str(path), files]


def _describe_settings(value: object, settings: Mapping[str, object]) -> list:
    """Describe an object by its class and settings; a text that names a folder is a path."""
    named_settings: dict[str, object] = {}
    for name, setting in settings.items():
        names_folder = (
            isinstance(setting, str)
            and setting.strip("/.")  # "." and "/" are rather punctuation
            and os.path.isdir(setting)
        )
        named_settings[name] = Path(str(setting)) if names_folder else setting
    return _tag(value, _describe_dict(named_settings))


def _describe_tensor(value: "torch.Tensor") -> object:
    """Describe a tensor of any precision, by its bytes."""
    import torch

    flat_tensor = value.detach().cpu().to_dense().contiguous().flatten()
    content = flat_tensor.view(torch.uint8).numpy()
    return _describe(["\0tensor", str(value.dtype), list(value.shape), content])


def _describe_model(value: "torch.nn.Module") -> object:
    """Describe a PyTorch module, or a model of sentence-transformers, wherever it is in memory."""
    weights = dict(value.state_dict())
    # A model with a tokenizer has weights. If PyTorch shows none, they are elsewhere (as in an ONNX
    # model). Then two models with different weights would get the same fingerprint.
    if not weights and hasattr(value, "tokenizer"):
        raise Unidentified(_describe_unidentified(type(value).__name__, "its weights"))
    return _describe(["\0model", *_show_structure(value), _show_tokenizer(value), weights])


def _show_structure(model: "torch.nn.Module") -> list[str]:
    """Return the reprs of a model's modules, configurations, adapters and settings."""
    modules = list(model.modules())

    # the configs that transformers reads as it computes, each once
    configs = [vars(module).get("config") for module in modules]
    distinct_configs = list({id(config): config for config in configs}.values())
    # their attributes, because their own repr takes milliseconds
    config_attributes = [vars(config) for config in distinct_configs if hasattr(config, "__dict__")]

    adapter_states = []
    for module in modules:
        for name in ADAPTER_STATES:
            state = getattr(module, name, None)
            if state is not None and not callable(state):
                adapter_states.append(state)

    settings = [getattr(model, name, None) for name in MODEL_SETTINGS]
    shown_objects = [model, *config_attributes, *adapter_states, *settings]
    return [ADDRESS.sub("", repr(shown)) for shown in shown_objects]


def _show_tokenizer(model: "torch.nn.Module") -> str:
    """Return what a model's tokenizer does, without padding and truncation: each call sets them."""
    tokenizer = getattr(model, "tokenizer", None)
    if tokenizer is None:
        return repr(None)

    # transformers wraps a tokenizer of the library tokenizers, which shows all of its settings
    backend = getattr(tokenizer, "backend_tokenizer", tokenizer)
    if not hasattr(backend, "to_str"):
        return ADDRESS.sub("", repr(backend))

    settings = json.loads(backend.to_str())
    return repr({**settings, "padding": None, "truncation": None})


def _describe_repr(value: object) -> list:
    """Describe a value by its class and its repr; raise Unidentified if that hides the content."""
    text = repr(value)
    # an address in memory, or dots in the place of a long array's numbers
    hides_content = ADDRESS.search(text) or ELISION.search(text)
    if hides_content:
        text_in_a_line = " ".join(text.split())
        shown_text = text_in_a_line[:LONGEST_SHOWN_REPR]
        raise Unidentified(_describe_unidentified(shown_text, "its content"))

    return _tag(value, text)


def _describe_unidentified(shown_value: str, missing: str) -> str:
    """Return the message of an error about a value that does not show what is missing."""
    return f"{shown_value} does not show {missing}, so it cannot be identified. {REMEDY}"

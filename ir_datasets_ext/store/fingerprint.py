"""Fingerprints: equal for values of one meaning, different for any others."""

import json
import os
import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import fields, is_dataclass
from hashlib import sha256
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ir_datasets_ext.store.disk import stamp

if TYPE_CHECKING:
    import numpy as np
    import pandas as pd
    import torch
    from _typeshed import DataclassInstance
    from scipy.sparse import spmatrix

SHOWN = 200  # characters of a value that an error shows
UNSHOWN = (
    "does not show {}, so it cannot be identified. Pass a value, a dataclass, a model's name or "
    "folder, or an object with the method `__fingerprint__`; or keep nothing (no cache)."
)
ADDRESS = re.compile(r"(?: at )?\b0x[0-9a-fA-F]+")
ELIDED = re.compile(r"\.\.\.|…")  # as arrays and tables are printed
#: settings of a sentence-transformers model that change its embeddings, and can change at any time
SETTINGS = ("prompts", "default_prompt_name", "truncate_dim", "max_seq_length")
ADAPTERS = ("active_adapters", "disable_adapters")  # state of PEFT's layers


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
        text = json.dumps(_plain(value), sort_keys=True, separators=(",", ":"))
    except RecursionError:
        raise Unidentified(f"{type(value).__name__}: nested too deeply, or in itself.") from None
    return sha256(text.encode("ascii")).hexdigest()


def _plain(value: object) -> object:
    """Return values of JSON's types that describe `value`."""
    if value is None or isinstance(value, (str, int, float)):
        return value
    return next(plain for known, plain in RULES if known(value))(value)


def _tagged(value: object, *plain: object) -> list:
    """Return a list of a form that people's JSON never has."""
    kind = value if isinstance(value, type) else type(value)
    return [f"\0{kind.__module__}.{kind.__qualname__}", *plain]


def _dict(value: Mapping) -> object:
    if all(isinstance(key, str) for key in value):
        return {key: _plain(item) for key, item in value.items()}
    return ["\0dict", sorted(([_plain(k), _plain(v)] for k, v in value.items()), key=json.dumps)]


def _list(value: Iterable) -> list:
    items = [_plain(item) for item in value]
    return items if type(value) in (list, tuple) else _tagged(value, *items)


def _path(value: str | os.PathLike) -> list:
    path = Path(value)
    files = sorted(path.rglob("*")) if path.is_dir() else [path]
    return ["\0path", str(path), [[str(file), *stamp(file)] for file in files if file.is_file()]]


def _settings(value: object, settings: Mapping[str, object]) -> list:
    """Return a class and its settings."""
    named = {
        name: Path(own) if isinstance(own, str) and own.strip("/.") and os.path.isdir(own) else own
        for name, own in settings.items()
    }
    return _tagged(value, _dict(named))


def _fields(value: "DataclassInstance") -> list:
    return _settings(
        value, {field.name: getattr(value, field.name) for field in fields(value) if field.compare}
    )


def _frame(value: "pd.DataFrame") -> object:
    columns = [column.to_numpy() for _, column in value.items()]
    return _plain(["\0frame", list(value.columns), value.index.to_numpy(), *columns])


def _series(value: "pd.Series | pd.Index") -> object:
    index = value.index.to_numpy() if hasattr(value, "index") else None
    return _plain(["\0series", getattr(value, "name", None), index, value.to_numpy()])


def _array(value: "np.ndarray") -> list:
    objects = value.dtype.hasobject  # then its bytes are addresses
    content = _list(list(value.flat)) if objects else sha256(value.tobytes()).hexdigest()
    return ["\0array", list(value.shape), str(value.dtype), content]


def _sparse(value: "spmatrix") -> object:
    rows = value.tocsr()
    return _plain(["\0sparse", rows.shape, rows.indptr, rows.indices, rows.data])


def _tensor(value: "torch.Tensor") -> object:
    """Describe a tensor of any precision, by its bytes."""
    import torch

    content = value.detach().cpu().to_dense().contiguous().flatten().view(torch.uint8).numpy()
    return _plain(["\0tensor", str(value.dtype), list(value.shape), content])


def _model(value: "torch.nn.Module") -> object:
    """Describe a PyTorch module, or a model of sentence-transformers, wherever it is in memory."""
    if not value.state_dict() and hasattr(value, "tokenizer"):
        raise Unidentified(f"{type(value).__name__} {UNSHOWN.format('its weights')}")
    return _plain(["\0model", *_reprs(value), _words(value), dict(value.state_dict())])


def _reprs(model: "torch.nn.Module") -> list[str]:
    """Return what a model shows beside weights and words: modules, configuration, settings."""
    parts = list(model.modules())
    # the configs that transformers reads as it computes; their own repr takes milliseconds
    configs = {id(one): one for one in (vars(part).get("config") for part in parts)}
    adapters = [getattr(part, name, None) for part in parts for name in ADAPTERS]
    described = [
        model,
        *(vars(one) for one in configs.values() if hasattr(one, "__dict__")),
        *(one for one in adapters if one is not None and not callable(one)),
        *(getattr(model, name, None) for name in SETTINGS),
    ]
    return [ADDRESS.sub("", repr(one)) for one in described]


def _words(model: "torch.nn.Module") -> str:
    """Return what a model's tokenizer does, without padding and truncation: each call sets them."""
    tokenizer = getattr(model, "tokenizer", None)
    words = getattr(tokenizer, "backend_tokenizer", tokenizer)
    if words is None or not hasattr(words, "to_str"):
        return ADDRESS.sub("", repr(words))
    return repr({**json.loads(words.to_str()), "padding": None, "truncation": None})


def _repr(value: object) -> list:
    text = repr(value)
    if ADDRESS.search(text) or ELIDED.search(text):
        raise Unidentified(f"{' '.join(text.split())[:SHOWN]} {UNSHOWN.format('its content')}")
    return _tagged(value, text)


def _is(*kinds: type) -> Callable[[object], bool]:
    return lambda value: isinstance(value, kinds)


def _has(*names: str) -> Callable[[object], bool]:
    return lambda value: all(hasattr(value, name) for name in names)


#: (test, function to values of JSON's types): the first that fits
RULES: tuple[tuple[Callable[[object], bool], Callable[[Any], object]], ...] = (
    (_is(dict), _dict),
    (_is(list, tuple), _list),
    (_is(type), _tagged),
    (_is(set, frozenset), lambda value: ["\0set", *sorted(map(_plain, value), key=json.dumps)]),
    (_is(bytes, bytearray), lambda value: ["\0bytes", sha256(value).hexdigest()]),
    (_is(os.PathLike), _path),
    (_has("__fingerprint__"), lambda value: _settings(value, value.__fingerprint__())),
    (_has("columns", "index", "to_numpy"), _frame),
    (_has("to_numpy"), _series),
    (_has("tobytes", "dtype"), _array),
    (_has("tocsr"), _sparse),
    (_has("detach", "dtype"), _tensor),
    (_has("state_dict", "modules"), _model),
    (_has("transform"), lambda value: _settings(value, vars(value))),
    (_has("get_params"), lambda value: _settings(value, vars(value))),  # maybe fitted
    (is_dataclass, _fields),
    (_has("irds_ref"), lambda value: _plain(value.irds_ref())),
    (_has("dataset_id"), lambda value: value.dataset_id()),
    (lambda value: True, _repr),
)

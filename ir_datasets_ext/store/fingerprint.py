"""What tells values apart: what is kept is found again by it."""

import json
import os
from dataclasses import fields, is_dataclass
from hashlib import sha256
from pathlib import Path

from ir_datasets_ext.store import contents
from ir_datasets_ext.store.files import stamp

SHOWN = 200  # characters of a value that an error shows
UNSHOWN = (
    "does not show {}, so it cannot be told from others. Pass a value, a dataclass, a model's name "
    "or folder, or an object with the method `__fingerprint__`; or keep nothing (no cache)."
)


class Unidentified(ValueError):
    """A value shows only its address in memory, or only a part of what it is."""


def fingerprint(value) -> str:
    """Return a sha256, as hexadecimal digits, that differs where two values mean different things.

    It is the same in every process and for every copy. The rules, the first that fits:

    - Values of JSON's types are their canonical JSON: keys sorted, no blanks, ASCII. A tuple is a
      list, and 1 is neither 1.0 nor "1". Sets and bytes are their content.
    - A path is its name, and sizes and times of change of the files that it has.
    - An object with a method `__fingerprint__` is its class and the dict that this returns: its
      settings. A model's name stands for its commit there, a model's folder for its contents.
    - Frames, arrays, sparse matrices and tensors are their form and content. A PyTorch model is its
      modules, configuration, tokenizer and weights.
    - Transformers and scikit-learn's estimators are their class and attributes, other dataclasses
      their class and the fields that they compare. A text there that names a folder is a path.
    - A dataset is its id.
    - Anything else is its repr.

    Raises:
        Unidentified: a part of the value is none of this, and its repr has an address in memory (a
            function) or leaves something out ("...").

    >>> fingerprint({"b": 1, "a": "é"}) == fingerprint({"a": "é", "b": 1})
    True
    """
    try:
        text = json.dumps(_plain(value), sort_keys=True, separators=(",", ":"))
    except RecursionError:
        raise Unidentified(f"{type(value).__name__}: nested too deeply, or in itself.") from None
    return sha256(text.encode("ascii")).hexdigest()


def _plain(value):
    """Values of JSON's types that say what `value` is."""
    if value is None or isinstance(value, (str, int, float)):
        return value
    return next(plain for known, plain in RULES if known(value))(value)


def _tagged(value, *plain):
    """Lists of this form are in no JSON that people write."""
    kind = value if isinstance(value, type) else type(value)
    return [f"\0{kind.__module__}.{kind.__qualname__}", *plain]


def _dict(value):
    if all(isinstance(key, str) for key in value):
        return {key: _plain(item) for key, item in value.items()}
    return ["\0dict", sorted(([_plain(k), _plain(v)] for k, v in value.items()), key=json.dumps)]


def _list(value):
    items = [_plain(item) for item in value]
    return items if type(value) in (list, tuple) else _tagged(value, *items)


def _set(value):
    return ["\0set", *sorted(map(_plain, value), key=json.dumps)]


def _path(value):
    path = Path(value)
    found = sorted(path.rglob("*")) if path.is_dir() else [path]
    return ["\0path", str(path), [[str(file), *stamp(file)] for file in found if file.is_file()]]


def _settings(value, settings):
    """A class and its settings."""
    named = {
        name: Path(own) if isinstance(own, str) and own.strip("/.") and os.path.isdir(own) else own
        for name, own in settings.items()
    }
    return _tagged(value, _dict(named))


def _fields(value):
    compared = [field.name for field in fields(value) if field.compare]
    return _settings(value, {name: getattr(value, name) for name in compared})


def _array(value):
    if value.dtype.hasobject:  # whose bytes are addresses
        content = [_plain(item) for item in value.flat]
    else:
        content = sha256(value.tobytes()).hexdigest()
    return ["\0array", list(value.shape), str(value.dtype), content]


def _model(value):
    if not value.state_dict() and hasattr(value, "tokenizer"):
        raise Unidentified(f"{type(value).__name__} {UNSHOWN.format('its weights')}")
    return _plain(contents.model(value))


def _repr(value):
    text = repr(value)
    if contents.ADDRESS.search(text) or contents.ELIDED.search(text):
        raise Unidentified(f"{' '.join(text.split())[:SHOWN]} {UNSHOWN.format('what it is')}")
    return _tagged(value, text)


def _is(*kinds):
    return lambda value: isinstance(value, kinds)


def _has(*names):
    return lambda value: all(hasattr(value, name) for name in names)


def _as(simpler):
    """By simpler values that say the same."""
    return lambda value: _plain(simpler(value))


#: test, values of JSON's types: the first that fits
RULES = (
    (_is(dict), _dict),
    (_is(list, tuple), _list),
    (_is(type), _tagged),
    (_is(set, frozenset), _set),
    (_is(bytes, bytearray), lambda value: ["\0bytes", sha256(value).hexdigest()]),
    (_is(os.PathLike), _path),
    (_has("__fingerprint__"), lambda value: _settings(value, value.__fingerprint__())),
    (_has("columns", "index", "to_numpy"), _as(contents.frame)),
    (_has("to_numpy"), _as(contents.series)),
    (_has("tobytes", "dtype"), _array),
    (_has("tocsr"), _as(contents.sparse)),
    (_has("detach", "dtype"), _as(contents.tensor)),
    (_has("state_dict", "modules"), _model),
    (_has("transform"), lambda value: _settings(value, vars(value))),
    (_has("get_params"), lambda value: _settings(value, vars(value))),  # maybe fitted
    (is_dataclass, _fields),
    (_has("irds_ref"), lambda value: _plain(value.irds_ref())),
    (_has("dataset_id"), lambda value: value.dataset_id()),
    (lambda value: True, _repr),
)

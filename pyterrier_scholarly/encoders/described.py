"""What a value is, as a string: runs and vectors on disk are found again by it."""

import re
from dataclasses import fields, is_dataclass
from hashlib import sha256
from pathlib import Path

import pandas as pd
import pyterrier as pt

from ..settings import BySettings, dataset_id
from ._adapter import CONFIG
from ._commits import with_commit
from ._contents import ADDRESS, frame, module, series, sparse, tensor
from ._identity import identity
from ._of_model import OfModel

ELIDED = re.compile(r"\.\.\.|…")  # as arrays and tables are printed
LONG = 200  # characters of a setting, beyond which it is hashed
#: settings that name a model: whose they are, and a file that the hub has of it
NAMING = {
    "model": (OfModel, "config.json"),
    "adapter": (OfModel, CONFIG),
    "encoder": (BySettings, "config.json"),
    "scorer": (BySettings, "config.json"),
}


class Unidentified(ValueError):
    """A value shows no more than where it is in memory, or only a part of what it is."""


def described(value) -> str:
    """A string that differs where two values make systems rank, or encoders encode, differently.

    Steps, encoders, other dataclasses and PyTerrier's operators are their settings; frames, arrays
    and models given as objects are their content. A model's name, in an encoder or given to a step,
    stands for the commit that is on this machine, or else on the hub; its folder for the files'
    content; names of other folders for sizes and times of the files there. Anything else is its
    repr.

    Raises:
        Unidentified: the repr has an address in memory (a function, a thing of unknown make) or
            leaves something out ("...").
    """
    for known, describe in _HOW:
        if known(value):
            return describe(value)
    text = repr(value)
    if ADDRESS.search(text) or ELIDED.search(text):
        raise Unidentified(" ".join(text.split())[:LONG])
    return text


def _parts(value, names):
    inside = ", ".join(f"{name}={_short(_setting(value, name))}" for name in names)
    return f"{type(value).__module__}.{type(value).__qualname__}({inside})"


def _setting(value, name):
    own = getattr(value, name)
    kind, file = NAMING.get(name, ((), None))
    if not (isinstance(value, kind) and isinstance(own, (str, Path))):
        return described(own)
    if Path(own).is_dir():
        return identity(str(own), None, None)
    return repr(with_commit(str(own), getattr(value, "revision", None), file))


def _short(text):
    return text if len(text) < LONG else sha256(text.encode()).hexdigest()


def _fields(value):
    return _parts(value, [field.name for field in fields(value) if field.compare])


def _attributes(value):
    return _parts(value, sorted(vars(value)))


def _sequence(value):
    kind = "" if type(value) in (list, tuple) else type(value).__qualname__
    return f"{kind}[{', '.join(map(described, value))}]"


def _set(value):
    return f"{{{', '.join(sorted(map(described, value)))}}}"


def _dict(value):
    return f"{{{', '.join(sorted(f'{described(k)}: {described(v)}' for k, v in value.items()))}}}"


def _text(value):
    """A string or path; the name of a folder with sizes and times of its files."""
    name = str(value)
    folder = Path(name) if 0 < len(name) < 1000 and "\n" not in name else None
    if folder is None or not folder.is_dir():
        return repr(value)
    stats = [(path, path.stat()) for path in sorted(folder.rglob("*")) if path.is_file()]
    files = [(str(path), stat.st_size, stat.st_mtime_ns) for path, stat in stats]
    return repr((value, files))


def _array(value):
    if value.dtype.hasobject:  # whose bytes are addresses
        items = (repr(item) if isinstance(item, str) else described(item) for item in value.flat)
        content = "\0".join(items).encode()
    else:
        content = value.tobytes()
    return f"array({value.shape}, {value.dtype}, {sha256(content).hexdigest()})"


def _has(*names):
    return lambda value: all(hasattr(value, name) for name in names)


def _is(*kinds):
    return lambda value: isinstance(value, kinds)


def _as(simpler):
    """By what says the same in lists and arrays."""
    return lambda value: described(simpler(value))


#: test, description: the first that fits
_HOW = (
    (_is(type), repr),
    (_is(str, Path), _text),
    (_is(list, tuple), _sequence),
    (_is(set, frozenset), _set),
    (_is(dict), _dict),
    (_is(pd.DataFrame), _as(frame)),
    (_is(pd.Series, pd.Index), _as(series)),
    (_has("tobytes", "dtype"), _array),
    (_has("tocsr"), _as(sparse)),
    (_has("detach", "dtype"), _as(tensor)),
    (_is(BySettings), _fields),
    (_is(pt.Transformer), _attributes),
    # a SentenceTransformer or its like: also what is around its weights
    (_has("state_dict", "tokenizer"), lambda value: identity(value, None, None)),
    (_has("state_dict"), _as(module)),
    (_has("get_params"), _attributes),  # scikit-learn's, maybe fitted
    (is_dataclass, _fields),
    (lambda value: dataset_id(value) is not None, lambda value: repr(dataset_id(value))),
)

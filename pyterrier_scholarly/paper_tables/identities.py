"""What a system is, as a string: runs on disk are found again by it."""

import re
from dataclasses import fields
from hashlib import sha256
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

import pandas as pd
import pyterrier as pt

from ..encoders._identity import identity
from ..settings import BySettings, dataset_id

ADDRESS = re.compile(r" at 0x[0-9a-f]+")


class Unidentified(ValueError):
    """A part of a system shows no more than where it is in memory."""


def fingerprint(system, data) -> str:
    """A short hash of a system, the data that it ranks, and the version of this package.

    Raises:
        Unidentified: see `described`.
    """
    try:
        release = version("pyterrier-scholarly")
    except PackageNotFoundError:  # run from a folder of sources
        release = ""
    whole = f"{described(system)}\0{data}\0{release}"
    return sha256(whole.encode()).hexdigest()[:12]


def described(value) -> str:
    """A string that differs where two systems rank differently.

    Steps, encoders and PyTerrier's operators are their settings; frames, arrays and models given
    as objects are their content, names of folders also stand for the files there; anything else is
    its repr.

    Raises:
        Unidentified: the repr is an address in memory (a function, a thing of unknown make).
    """
    for known, describe in _HOW:
        if known(value):
            return describe(value)
    text = repr(value)
    if ADDRESS.search(text):
        raise Unidentified(text)
    return text


def _parts(value, names):
    inside = ", ".join(f"{name}={described(getattr(value, name))}" for name in names)
    return f"{type(value).__module__}.{type(value).__qualname__}({inside})"


def _sequence(value):
    return f"[{', '.join(described(item) for item in value)}]"


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


def _frame(value):
    rows = pd.util.hash_pandas_object(value.astype(str), index=False).to_numpy()
    return f"frame({list(value.columns)}, {sha256(rows.tobytes()).hexdigest()})"


def _array(value):
    return f"array({value.shape}, {value.dtype}, {sha256(value.tobytes()).hexdigest()})"


def _weights(value):
    """A model by its weights (`_identity` also looks at a SentenceTransformer's settings)."""
    if hasattr(value, "tokenizer"):
        return identity(value, None, None)
    digest = sha256()
    for name, tensor in sorted(value.state_dict().items()):
        content = tensor.detach().cpu().double().numpy().tobytes()
        digest.update(f"{name} {tuple(tensor.shape)}".encode() + content)
    return f"{type(value).__qualname__}({digest.hexdigest()})"


#: test, description: the first that fits
_HOW = (
    (lambda value: isinstance(value, (str, Path)), _text),
    (lambda value: isinstance(value, (list, tuple)), _sequence),
    (lambda value: isinstance(value, dict), _dict),
    (lambda value: isinstance(value, pd.DataFrame), _frame),
    (lambda value: hasattr(value, "tobytes") and hasattr(value, "dtype"), _array),
    (
        lambda value: isinstance(value, BySettings),
        lambda value: _parts(value, [field.name for field in fields(value) if field.compare]),
    ),
    (
        lambda value: isinstance(value, pt.Transformer),
        lambda value: _parts(value, sorted(vars(value))),
    ),
    (lambda value: hasattr(value, "state_dict"), _weights),
    (lambda value: dataset_id(value) is not None, lambda value: repr(dataset_id(value))),
)

"""Try one input: with a deadline, a check that it does not change, and a judgement of its error.

An error is clear if:

- it is a ValueError, TypeError, LookupError, NameError (of a measure), ImportError or OSError;
- a `raise` statement of this package raised it: the last line of its traceback. PyTerrier's
  validation, ir_measures' parser of other names, argparse, and system errors that name a file are
  allowed, too;
- its message has at least four words: a VALUE (quoted, in brackets, a number, a path, a name with a
  dot or underscore, a type, None and the like), and a word for what was expected or what to do
  (REMEDY).
"""

import linecache
import re
import signal
import threading
from contextlib import contextmanager, redirect_stderr, redirect_stdout
from io import StringIO
from pathlib import Path
from time import perf_counter
from typing import NamedTuple

import numpy as np
import pandas as pd

PACKAGES = ("pyterrier_scholarly", "ir_datasets_ext")
HOSTS = ("pyterrier/validate.py", "ir_measures/util.py")
ROOT = Path(__file__).parents[2]
FAMILIES = (ValueError, TypeError, LookupError, NameError, ImportError, OSError)
VALUE = re.compile(
    r"['\"`\d/<\[{(]|\w[._]\w|\b(None|True|False|nan|inf|NaT|empty)\b|"
    r"\b(of type|document|query|column|row|no|write to)\s+\S"
)
REMEDY = re.compile(
    r"\b(expected|expects|must|needs?|required|choose|drop|give|pass|use|put|write|delete|restore|"
    r"say|remove|convert|set|run|make|name|rename|fill|split|leave|correct|install|instead|again|"
    r"has|have|is for|is the|are these|there is|there are|does the|exclude|as in)\b",
    re.I,
)


class Late(BaseException):
    """An input exceeded its deadline; no handler of the package catches this."""


class Tried(NamedTuple):
    """The result of an input: `fault`, or ""; `refused`: whether it was rejected."""

    fault: str = ""
    refused: bool = False
    seconds: float = 0.0


def tried(use, value, seconds=10.0) -> Tried:
    """Call ``use(value)`` and judge the result."""
    before, start = picture(value), perf_counter()
    error = None
    try:
        with redirect_stdout(StringIO()), redirect_stderr(StringIO()), deadline(seconds):
            use(value)
    except Late:
        return Tried(f"hang: more than {seconds:g} s", False, perf_counter() - start)
    except (Exception, SystemExit) as caught:
        error = caught
    took = perf_counter() - start
    if picture(value) != before:
        return Tried("input changed", error is not None, took)
    return Tried("" if error is None else unclear(error), error is not None, took)


@contextmanager
def deadline(seconds):
    """Raise `Late` in this thread after the deadline."""
    if threading.current_thread() is not threading.main_thread():
        raise RuntimeError("a deadline needs the main thread")

    def ring(*_):
        raise Late

    earlier = signal.signal(signal.SIGALRM, ring)
    signal.setitimer(signal.ITIMER_REAL, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, earlier)


def unclear(error) -> str:
    """Explain why an error is not clear, its place first; "" if it is clear."""
    if isinstance(error, SystemExit):
        return "" if error.code in (0, 2) else f"SystemExit {error.code!r}"
    place, raised = _origin(error)
    if place.startswith(HOSTS) or (isinstance(error, OSError) and error.filename is not None):
        return ""
    said = f"{type(error).__name__} at {place}: {_message(error):.200}"
    if not isinstance(error, FAMILIES):
        return f"another class: {said}"
    if not raised:
        return f"raw: {said}"
    text = _message(error)
    if len(text.split()) < 4 or not VALUE.search(text) or not REMEDY.search(text):
        return f"says too little: {said}"
    return ""


def _message(error):
    return str(error.args[0]) if isinstance(error, KeyError) and error.args else str(error)


def _origin(error):
    """Return where an error was raised, and whether by a `raise` of the package."""
    step = error.__traceback__
    while step.tb_next is not None:
        step = step.tb_next
    file = Path(step.tb_frame.f_code.co_filename)
    inside = file.is_relative_to(ROOT) and file.relative_to(ROOT).parts[0] in PACKAGES
    line = linecache.getline(str(file), step.tb_lineno).strip()
    place = f"{file.relative_to(ROOT) if inside else '/'.join(file.parts[-2:])}:{step.tb_lineno}"
    return place, inside and line.startswith("raise")


def picture(value):
    """Return a snapshot of a value, which any later change makes different."""
    if isinstance(value, pd.DataFrame):
        columns = [value.iloc[:, place] for place in range(value.shape[1])]
        cells = [(str(column.dtype), picture(column.tolist())) for column in columns]
        return repr(list(value.columns)), repr(value.index), cells
    if isinstance(value, np.ndarray):
        return str(value.dtype), value.shape, picture(value.tolist())
    if isinstance(value, dict):
        return [(picture(key), picture(inner)) for key, inner in value.items()]
    if isinstance(value, (list, tuple)):
        return type(value).__name__, [picture(inner) for inner in value]
    return repr(value)

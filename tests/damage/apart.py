"""Run a function in a forked process, and report its result."""

import gc
import logging
import os
import pickle
import select
import signal
import sys
import traceback
import warnings
from dataclasses import dataclass, field
from pathlib import Path

ROOT = Path(__file__).parents[2]
OURS = tuple(str(ROOT / name) + os.sep for name in ("ir_datasets_ext", "pyterrier_scholarly"))

OTHERS = (DeprecationWarning, PendingDeprecationWarning, FutureWarning, ResourceWarning)


@dataclass(frozen=True)
class Told:
    """The report of a process.

    result: repr of the returned value; None if the function raised.
    warnings: texts of warnings and of logged warnings.
    error: type and message; "" if it returned. ours: whether our code raised it.
    trace: the traceback. modules: the imported modules at the end.
    """

    result: str | None = None
    warnings: tuple = ()
    error: str = ""
    ours: bool = False
    trace: str = ""
    modules: tuple = field(default=(), compare=False, repr=False)


def apart(function, *arguments, seconds=120) -> Told:
    """Call `function` in a forked process, which shares the imported modules only.

    The process is killed after this many seconds.
    """
    return begun(function, *arguments)(seconds)


def begun(function, *arguments):
    """Start such a call; return a function that waits for its end."""
    reading, writing = os.pipe()
    sys.stdout.flush()
    child = os.fork()
    if not child:
        os.close(reading)
        _tell(writing, function, arguments)
    os.close(writing)
    return lambda seconds: _ended(child, reading, seconds)


def _ended(child, reading, seconds):
    held, end = b"", not select.select([reading], [], [], seconds)[0]
    while not end and (block := os.read(reading, 1 << 20)):
        held += block
    if end:
        os.kill(child, signal.SIGKILL)
    os.close(reading)
    _, status = os.waitpid(child, 0)
    if held:
        return pickle.loads(held)
    what = f"no answer in {seconds} s" if end else f"ended with status {status}"
    return Told(error=f"Crash: {what}")


def _tell(writing, function, arguments):
    gc.freeze()  # so that the garbage collector skips imported objects
    try:
        silent = os.open(os.devnull, os.O_RDWR)
        for stream in (0, 1, 2):
            os.dup2(silent, stream)
        with os.fdopen(writing, "wb") as file:
            file.write(pickle.dumps(_told(function, arguments)))
    finally:
        os._exit(0)


class _Kept(logging.Handler):
    def __init__(self):
        super().__init__(logging.WARNING)
        self.texts = []

    def emit(self, record):
        self.texts.append(record.getMessage())


def _told(function, arguments):
    kept = _Kept()
    logging.getLogger("pyterrier_scholarly").addHandler(kept)
    with warnings.catch_warnings(record=True) as said:
        warnings.simplefilter("always")
        try:
            outcome = {"result": repr(function(*arguments))}
        except Exception as error:
            frames = traceback.extract_tb(error.__traceback__)
            outcome = {"error": f"{type(error).__name__}: {error}"}
            outcome["ours"] = frames[-1].filename.startswith(OURS)
            outcome["trace"] = "".join(traceback.format_exception(error))
    own = [one.message for one in said if not isinstance(one.message, OTHERS)]
    texts = (*kept.texts, *map(str, own))
    return Told(**outcome, warnings=texts, modules=tuple(sys.modules))

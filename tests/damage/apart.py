"""Run a function in a process of its own, split off from this one, and tell what came of it."""

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
    """What a process told before it ended.

    result: repr of what the function returned; None where it raised.
    warnings: texts of warnings, and of what was logged as one.
    error: type and message; "" where it returned. ours: whether code of ours raised it.
    trace: the traceback. modules: those that it had imported in the end.
    """

    result: str | None = None
    warnings: tuple = ()
    error: str = ""
    ours: bool = False
    trace: str = ""
    modules: tuple = field(default=(), compare=False, repr=False)


def apart(function, *arguments, seconds=120) -> Told:
    """Call `function` in a process that has imported what this one has, and knows nothing else.

    It is killed after so many seconds.
    """
    return begun(function, *arguments)(seconds)


def begun(function, *arguments):
    """Begin to call `function` in such a process; return what waits for the end of it."""
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
    gc.freeze()  # what is imported is not looked through again
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

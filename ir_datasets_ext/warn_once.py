"""Warnings that a process shows once.

::

    warn_once("papers.jsonl is not the release's file")
    warn_once("papers.jsonl is not the release's file")  # shows nothing
"""

import os
import sys
import warnings
from functools import cache
from pathlib import Path
from types import FrameType

#: what stands before a warning that no line of a user's code led to
OWN_NAME = "pyterrier-scholarly"
_warned_subjects: set[object] = set()


def warn_once(text: str, about: object = None) -> None:
    """Warn once per process; with `about`, only the first of all texts about the same thing.

    Files are read deep inside, at different depths, and for the lines of other packages. So the
    warning names the line of the user's code that led here. If there is none, as in a thread or in
    the shell's commands, it names this package alone, because any other line would mislead.
    """
    subject = text if about is None else about
    if subject in _warned_subjects:
        return
    _warned_subjects.add(subject)

    frame: FrameType | None = sys._getframe()
    while frame is not None and frame.f_code.co_filename.startswith(_list_others_places()):
        frame = frame.f_back
    file, line = (frame.f_code.co_filename, frame.f_lineno) if frame else (OWN_NAME, 0)
    warnings.warn_explicit(text, UserWarning, file, line, module=__name__)


@cache
def _list_others_places() -> tuple[str, ...]:
    """Return what the names of all files but the user's begin with.

    They are Python's, those of installed packages and their commands, of modules without a file,
    and of our packages, which may be a checkout's. The user's may be beside the packages, in an
    environment's own folder.
    """
    import sysconfig  # reads a file of Python's, which importing this package should not

    folders = [sysconfig.get_path(name) for name in ("stdlib", "purelib", "platlib", "scripts")]
    checkout = Path(__file__).parents[1]
    folders += [str(checkout / name) for name in ("ir_datasets_ext", "pyterrier_scholarly")]
    return ("<frozen", *(f"{folder}{os.sep}" for folder in folders))

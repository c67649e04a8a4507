"""Warnings that a process shows once.

::

    warn_once("papers.jsonl is not the release's file")
    warn_once("papers.jsonl is not the release's file")  # shows nothing
"""

import sys
import warnings
from functools import cache
from pathlib import Path
from types import FrameType

#: what stands before a warning that no line of a user's code led to
OWN_NAME = "pyterrier-scholarly"
#: this package, and the one beside it, which may be a checkout's
OWN_FOLDERS = tuple(
    str(Path(__file__).parents[2] / name) for name in ("ir_datasets_ext", "pyterrier_scholarly")
)

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

    frame = _find_frame_of_user()
    file, line = OWN_NAME, 0
    if frame is not None:
        file, line = frame.f_code.co_filename, frame.f_lineno
    warnings.warn_explicit(text, UserWarning, file, line, module=__name__)


def _find_frame_of_user() -> FrameType | None:
    """Return the innermost frame whose code is no package's and not Python's own."""
    frame: FrameType | None = sys._getframe(1)
    while frame is not None:
        file = frame.f_code.co_filename
        is_frozen = file.startswith("<frozen")  # Python's own, such as runpy
        if not is_frozen and not file.startswith((*_list_installed(), *OWN_FOLDERS)):
            return frame
        frame = frame.f_back
    return None


@cache
def _list_installed() -> tuple[str, ...]:
    """Return the folders with the code of Python, of installed packages and of their commands."""
    import sysconfig  # reads a file of Python's, which importing this package should not

    return tuple(sysconfig.get_path(name) for name in ("stdlib", "purelib", "platlib", "scripts"))

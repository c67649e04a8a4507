"""Warnings that a process shows once.

::

    warn_once("papers.jsonl is not the release's file")
    warn_once("papers.jsonl is not the release's file")  # shows nothing
"""

import sys
import warnings

#: packages between a user's line and the place that warns
INNER_PACKAGES = ("ir_datasets_ext", "pyterrier_scholarly", "ir_datasets", "pyterrier")

_warned_subjects: set[object] = set()


def warn_once(text: str, about: object = None) -> None:
    """Warn once per process; with `about`, only the first of all texts about the same thing."""
    subject = text if about is None else about
    if subject in _warned_subjects:
        return

    _warned_subjects.add(subject)
    warnings.warn(text, stacklevel=_find_level_of_user())


def _find_level_of_user() -> int:
    """Return `stacklevel` for `warn_once`, so that the warning shows the line of a user.

    Files are read deep inside, at different depths. If all callers are inside of the packages, as
    in the shell's commands, it is the outermost.
    """
    level = 1
    frame = sys._getframe(1)
    while frame.f_back is not None:
        package = frame.f_globals.get("__name__", "").partition(".")[0]
        if package not in INNER_PACKAGES:
            break
        frame = frame.f_back
        level += 1
    return level

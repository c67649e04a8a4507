"""Warnings that a process shows once.

::

    warn_once("papers.jsonl is not the release's file")
    warn_once("papers.jsonl is not the release's file")  # shows nothing
"""

import warnings

_warned_subjects: set[object] = set()


def warn_once(text: str, about: object = None) -> None:
    """Warn once per process; with `about`, only the first of all texts about the same thing."""
    subject = text if about is None else about
    if subject in _warned_subjects:
        return

    _warned_subjects.add(subject)
    warnings.warn(text, stacklevel=4)

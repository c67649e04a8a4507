"""Check and show frames of runs, judgements and annotations.

run = frames.check(run, "check_run", ["qid", "docno", "score"])

The checks are those of `frame_checks`, which steps use, too.
"""

from ..choices import some
from ..frame_checks import check_columns, check_texts, has_text, refuse_rows
from ..frame_checks import check_frame as check
from .screen import fit_screen

__all__ = [
    "check",
    "check_columns",
    "check_texts",
    "fit_screen",
    "has_text",
    "refuse_rows",
    "some",
]

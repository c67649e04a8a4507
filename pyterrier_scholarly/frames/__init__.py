"""Check frames of runs, judgements and annotations; steps check theirs by `step.Step.check`.

run = frames.check(run, "check_run", ["qid", "docno", "score"])
"""

from ..choices import some
from .column_checks import check_texts, has_text, refuse_rows
from .column_rules import check_columns
from .frame_checks import check, convert_to_objects
from .screen import fit_screen

__all__ = [
    "check",
    "check_columns",
    "check_texts",
    "convert_to_objects",
    "fit_screen",
    "has_text",
    "refuse_rows",
    "some",
]

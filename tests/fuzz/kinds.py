"""The kinds of inputs. To add one, write a module with `draw` and `use`, and list it in KINDS."""

from collections.abc import Callable
from typing import NamedTuple

from tests.fuzz import (
    of_arguments,
    of_cli,
    of_files,
    of_frames,
    of_measures,
    of_replies,
)


class Kind(NamedTuple):
    """A kind of inputs.

    draw: a function from a `random.Random` to an input; equal seeds give equal inputs.
    use: tries an input; raises AssertionError if the output is wrong.
    share: percentage of inputs of this kind.
    """

    name: str
    draw: Callable
    use: Callable
    share: float


KINDS = [
    Kind("frames", of_frames.draw, of_frames.use, 40),
    Kind("measures", of_measures.draw, of_measures.use, 20),
    Kind("answers", of_replies.draw_answer, of_replies.use_answer, 10),
    Kind("texts of answers", of_replies.draw_text, of_replies.use_text, 10),
    Kind("files of replies", of_replies.draw_lines, of_replies.use_lines, 5),
    Kind("records", of_files.draw_record, of_files.use_record, 8),
    Kind("manifests", of_files.draw_manifest, of_files.use_manifest, 2),
    Kind("rows", of_files.draw_rows, of_files.use_rows, 2),
    Kind("logs", of_files.draw_log, of_files.use_log, 0.5),
    Kind("command lines", of_cli.draw, of_cli.use, 2.5),
    Kind("arguments", of_arguments.draw, of_arguments.use, 10),
]

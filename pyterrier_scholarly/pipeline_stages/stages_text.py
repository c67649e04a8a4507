"""Write the stages of a pipeline as text for a terminal: a table, the losses, and remarks.

::

    print(write_text(table, ["NDCG%20"], "My pipeline: 17 queries", sentences))

Conventions: lines have 80 characters at most.
"""

from collections.abc import Sequence
from textwrap import fill

import pandas as pd

from .stage_values import RECALL

LINE_WIDTH = 80
LONGEST_NAME = 30  # characters of a stage's name
DECIMALS = 3


def write_text(
    stages: pd.DataFrame, measures: Sequence[str], heading: str, sentences: Sequence[str]
) -> str:
    """Write a heading, a table of stages, and sentences.

    Args:
        stages: as `Stages.stages`.
        measures: columns of it; the table has as many of them as fit.
        heading: shortened to a line.
        sentences: each begins on a line of its own.
    """
    shown_measures = _choose_fitting(stages, measures)
    lines = [cut_text(heading, LINE_WIDTH)]
    lines.append(_write_table(stages, shown_measures))

    hidden_measures = measures[len(shown_measures) :]
    if hidden_measures:
        sentences = [f"Not shown here: {', '.join(hidden_measures)}.", *sentences]
    lines += [fill(sentence, LINE_WIDTH) for sentence in sentences]
    return "\n".join(lines)


def cut_text(text: str, most: int) -> str:
    """Return a text, cut to so many characters; an ellipsis stands for the rest."""
    return text if len(text) <= most else f"{text[: most - 1]}…"


def _choose_fitting(stages: pd.DataFrame, measures: Sequence[str]) -> Sequence[str]:
    """Return the first measures, as many as the table has room for."""
    for count in range(len(measures), 0, -1):
        first_line = _write_table(stages, measures[:count]).partition("\n")[0]
        if len(first_line) <= LINE_WIDTH:
            return measures[:count]
    return []


def _write_table(stages: pd.DataFrame, measures: Sequence[str]) -> str:
    """Write the table with all of these measures."""
    columns = ["stage", "name", *measures, RECALL, "lost_relevant", "seconds"]
    shown = stages[columns].rename(columns={"lost_relevant": "lost"})
    shown["name"] = [cut_text(name, LONGEST_NAME) for name in shown["name"]]
    return shown.round(DECIMALS).to_string(index=False, na_rep="–")

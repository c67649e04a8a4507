"""Released replies of a language model, read again [Wang2023, A.4]."""

from typing import NamedTuple

import pandas as pd

from .. import protocols
from ..datasets import irds
from .verdicts import PARSERS

COLUMNS = ["qid", "docno", "label", *PARSERS]


class Reread(NamedTuple):
    """What parsers read in replies, beside the scores that were released with them.

    frame: a row per annotation that has a reply: `qid` (the aspect), `docno`, `label` (the released
        score) and, for each parser of `judge` (`released`, `last`), the grade it reads or NaN.
    table: a row per `parser`: `annotations`, `replies` (those with text), `read` (replies with a
        verdict), `equal` (those whose grade is the released score), `share` (equal / replies; NaN
        without any).
    """

    frame: pd.DataFrame
    table: pd.DataFrame

    def __str__(self):
        return self.table.to_string(index=False, float_format="{:.4f}".format)


def reread_replies(dataset="doris-mae", preset="anno-gpt"):
    """Read the verdicts of released replies by both parsers of `judge`, and compare the scores.

    DORIS-MAE releases each reply with the score that its authors read from it. Their parser left
    -1 where it found no single label, for a person to correct (README of their code): there `equal`
    is below `replies` with ``released``, too. Replies are read one at a time and not kept.

    Args:
        dataset: one with annotations: ``"doris-mae"``, ``"doris-mae/v0"``.
        preset: ``"anno-gpt"``, or the `JudgingPrompt` whose labels the replies use.

    Returns:
        `Reread`; print it.

    Raises:
        ValueError: a dataset without annotations.
    """
    found = irds(dataset)
    if not hasattr(found, "annotations_iter"):
        raise ValueError(f"{dataset} has no annotations with replies: pass doris-mae.")
    grades = protocols.preset("preset", preset, protocols.JUDGING).grades
    count, rows = 0, []
    for aspect_id, abstract_id, reply, score in found.annotations_iter():
        count += 1
        if reply:
            read = [grades.get(parse(reply, grades)) for parse in PARSERS.values()]
            rows.append((aspect_id, abstract_id, score, *read))
    frame = pd.DataFrame(rows, columns=COLUMNS).astype(dict.fromkeys(PARSERS, float))
    return Reread(frame, pd.DataFrame([_compared(frame, name, count) for name in PARSERS]))


def _compared(frame, parser, annotations):
    equal = frame[parser].eq(frame["label"])
    numbers = {"annotations": annotations, "replies": len(frame)}
    read = {"read": int(frame[parser].notna().sum()), "equal": int(equal.sum())}
    return {"parser": parser, **numbers, **read, "share": equal.mean()}

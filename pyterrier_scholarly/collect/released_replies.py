"""Read the replies that DORIS-MAE released again, beside the scores that were released with them.

print(reread_replies("doris-mae"))
"""

from typing import NamedTuple

import pandas as pd

from .. import datasets, frames, protocols
from ..arguments import check_arguments
from ..choices import choose_preset
from ..datasets import DatasetLike
from .verdict_parsers import VERDICT_PARSERS


class Reread(NamedTuple):
    """Hold the readings of replies, beside the scores that were released with them.

    frame: a row per annotation with a reply: `qid` (the aspect), `docno`, `label` (the released
        score) and, for each parser of `judge` (`released`, `last`), its grade or NaN.
    table: a row per `parser`: `annotations`, `replies` (those with text), `read` (replies with a
        verdict), `equal` (replies whose grade is the released score), `share` (equal / replies;
        NaN without replies).
    """

    frame: pd.DataFrame
    table: pd.DataFrame

    def __repr__(self) -> str:
        return frames.fit_screen(self)

    def __str__(self) -> str:
        return self.table.to_string(index=False, float_format="{:.4f}".format)


@check_arguments
def reread_replies(
    dataset: DatasetLike = "doris-mae", preset: str | protocols.JudgingPrompt = "anno-gpt"
) -> Reread:
    """Read released replies by both parsers of `judge`, and compare with the released scores.

    DORIS-MAE releases each reply with the score that its authors read. Their parser left -1 if it
    found no single label, for a person to correct (README of their code). So `equal` is below
    `replies` for ``released``, too. Replies are read one at a time and not kept in memory.

    Args:
        dataset: one with annotations: ``"doris-mae"``, ``"doris-mae/v0"``.
        preset: ``"anno-gpt"``, or the `JudgingPrompt` whose labels the replies use.

    Raises:
        ValueError: a dataset without annotations.
    """
    source = datasets.irds(dataset)
    if not hasattr(source, "annotations_iter"):
        raise ValueError(f"{dataset} has no annotations with replies: pass doris-mae.")

    grades = choose_preset("preset", preset, protocols.JUDGING).grades
    annotation_count = 0
    rows = []
    for aspect_id, abstract_id, reply, score in source.annotations_iter():
        annotation_count += 1
        if not reply:
            continue

        verdicts = [parse(reply, grades) for parse in VERDICT_PARSERS.values()]
        grades_read = [None if verdict is None else grades[verdict] for verdict in verdicts]
        rows.append((aspect_id, abstract_id, score, *grades_read))

    frame = pd.DataFrame(rows, columns=["qid", "docno", "label", *VERDICT_PARSERS])
    frame = frame.astype(dict.fromkeys(VERDICT_PARSERS, float))  # NaN without a verdict
    return Reread(frame, _compare_with_scores(frame, annotation_count))


def _compare_with_scores(frame: pd.DataFrame, annotation_count: int) -> pd.DataFrame:
    """Count, for each parser, the replies whose grade it reads as their authors did.

    Args:
        frame: a row per reply: the released score as `label`, and each parser's grade in a column
            of the parser's name, NaN without a verdict.
        annotation_count: number of annotations, with and without a reply.

    Returns:
        Frame with a row per parser, as in `Reread.table`.
    """
    parser_names = list(VERDICT_PARSERS)
    grades_read = frame[parser_names]  # a column per parser
    is_equal = grades_read.eq(frame["label"], axis=0)

    read_counts = grades_read.notna().sum()
    equal_counts = is_equal.sum()
    equal_shares = is_equal.mean()
    return pd.DataFrame(
        {
            "parser": parser_names,
            "annotations": annotation_count,
            "replies": len(frame),
            "read": read_counts.to_numpy(),
            "equal": equal_counts.to_numpy(),
            "share": equal_shares.to_numpy(),
        }
    )

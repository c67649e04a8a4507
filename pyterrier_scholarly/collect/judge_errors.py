"""The pairs that a judge grades otherwise than most people do, for a reader [Wang2023, B.4].

rows = disagreement_rows(judged.frame, "doris-mae/human", pairs)
write_errors(rows, "errors.csv", "doris-mae")
"""

from collections.abc import Mapping

import pandas as pd

from .. import frames
from ..arguments import check_arguments
from .people_majority import People, find_majority
from .ratings import PAIR


@check_arguments
def disagreement_rows(
    judged: pd.DataFrame | Mapping[str, pd.DataFrame], people: People, pairs: pd.DataFrame
) -> pd.DataFrame:
    """Collect the pairs that a judge grades otherwise than most people do [Wang2023, B.4].

    Args:
        judged: frame of `qid`, `docno`, `label` and `content` (the reply), as the `frame` of
            `judge`; or a dict from a judge to such a frame.
        people: a dataset with their ratings (``"doris-mae/human"``), a frame of `qid`, `docno`,
            `annotator`, `rating`, or a dict from a person to a frame of `qid`, `docno`, `label`.
        pairs: frame of `qid`, `docno`, `query` (the aspect) and `text` (the abstract).

    Returns:
        Frame `name` (the judge), `qid`, `docno`, `label`, `majority` (both as text), `query`,
        `text`, `content`: the rows for ``write_errors(rows, path, "doris-mae")``.

    Raises:
        ValueError: see `agreement`; a pair that is missing from `pairs`.
    """
    pairs = frames.check(pairs, "disagreement_rows", [*PAIR, "query", "text"], keys=PAIR)
    majority = find_majority(people)
    frame_of_judge = judged if isinstance(judged, Mapping) else {"judge": judged}

    rows_of_judges = []
    for name, frame in frame_of_judge.items():
        needed = [*PAIR, "label", "content"]
        frame = frames.check(frame, "disagreement_rows", needed, keys=PAIR)
        graded_by_both = frame[needed].merge(majority, on=PAIR)
        is_different = graded_by_both["label"] != graded_by_both["majority"]
        rows_of_judges.append(graded_by_both[is_different].assign(name=name))
    rows = pd.concat(rows_of_judges, ignore_index=True)

    # the pairs of `rows`, in their order: NaN where `pairs` has no such pair
    texts = rows[PAIR].merge(pairs[[*PAIR, "query", "text"]], on=PAIR, how="left")
    _check_texts(texts)
    return pd.DataFrame(
        {
            "name": rows["name"],
            "qid": rows["qid"],
            "docno": rows["docno"],
            "label": rows["label"].map("{:g}".format),
            "majority": rows["majority"].map("{:g}".format),
            "query": texts["query"],
            "text": texts["text"],
            "content": rows["content"],
        }
    )


def _check_texts(texts: pd.DataFrame) -> None:
    without_text = texts[texts["text"].isna()]
    if len(without_text):
        missing_pairs = frames.some(f"{row.qid} {row.docno}" for row in without_text.itertuples())
        raise ValueError(f"pairs has no {missing_pairs}, which judge and people grade: add them.")

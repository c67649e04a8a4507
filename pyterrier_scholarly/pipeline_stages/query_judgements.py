"""The judgements that stages are measured by: those of queries that have topics, too."""

from dataclasses import dataclass
from functools import cached_property

import pandas as pd

from .. import frames
from .pipeline_run import Pair


@dataclass(frozen=True, eq=False)
class Judgements:
    """The judgements of the evaluated queries.

    Attributes:
        qrels: `qid`, `docno`, `label` (int), and the further columns of the caller's frame.
        qids: of the queries with topics and judgements, in the topics' order.
        relevant: lowest grade of a relevant document.
    """

    qrels: pd.DataFrame
    qids: tuple[str, ...]
    relevant: int

    @cached_property
    def grades(self) -> dict[Pair, int]:
        """The grade of each judged pair of query and document."""
        pairs = zip(self.qrels["qid"], self.qrels["docno"])
        return dict(zip(pairs, self.qrels["label"].tolist()))

    @cached_property
    def relevant_pairs(self) -> list[Pair]:
        """The relevant pairs of query and document, in the judgements' order."""
        return [pair for pair, grade in self.grades.items() if grade >= self.relevant]

    def keep_judged_queries(self, pairs: set[Pair]) -> set[Pair]:
        """Return the pairs of evaluated queries."""
        qids = set(self.qids)
        return {(qid, docno) for qid, docno in pairs if qid in qids}


def read_judgements(topics: pd.DataFrame, qrels: pd.DataFrame, relevant: int) -> Judgements:
    """Return the judgements of the queries in `topics`.

    Raises:
        ValueError: a label that is no whole number, or no query in common.
    """
    qrels = frames.check(
        qrels,
        "stages(qrels=…)",
        ["qid", "docno", "label"],
        remedy="Pass judgements as dataset.get_qrels() returns them.",
    )
    labels = pd.to_numeric(qrels["label"], errors="coerce")
    is_wrong = labels.isna() | (labels % 1 != 0)
    if is_wrong.any():
        row = qrels[is_wrong].iloc[0]
        raise ValueError(
            f"stages(qrels=…): the label of {row['qid']!r}, {row['docno']!r} is {row['label']}; "
            "expected a whole number. Correct the label, or drop the row."
        )

    judged_qids = set(qrels["qid"])
    topic_qids = topics["qid"].drop_duplicates().tolist()
    qids = [qid for qid in topic_qids if qid in judged_qids]
    if not qids:
        raise ValueError(
            "No query has both a topic and judgements: topics are "
            f"{frames.some(map(repr, topic_qids))}, judged are "
            f"{frames.some(map(repr, qrels['qid'].unique()))}. Pass topics and qrels of one "
            "dataset."
        )
    # with all columns: measures of DORIS-MAE read `iteration`
    judged_rows = qrels.assign(label=labels)[qrels["qid"].isin(qids)]
    return Judgements(judged_rows.astype({"label": int}), tuple(qids), relevant)

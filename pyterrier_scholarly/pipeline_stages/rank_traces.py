"""Follow each paper's rank through the stages.

::

    trace_ranks(run, judgements)  # a row for each paper, a column for each ranking
"""

import pandas as pd

from .pipeline_run import PipelineRun
from .query_judgements import Judgements


def trace_ranks(run: PipelineRun, judgements: Judgements) -> pd.DataFrame:
    """Return the rank of each paper behind each stage that changes the ranking.

    Returns:
        Frame `qid`, `docno`, `label` (NA: unjudged), and for each ranking ``rank_1``,
        ``rank_2``, … by its stage's number: the paper's rank, from 1, or NA. It has all papers
        that are ranked, and all judged relevant, by query and best last rank.
    """
    relevant = pd.DataFrame(judgements.relevant_pairs, columns=["qid", "docno"], dtype=object)
    papers = relevant.set_index(["qid", "docno"])
    rank_columns = []
    for stage in run.stages:
        if not stage.is_ranking_of_its_own:
            continue
        column = name_rank_column(stage.number)
        rank_columns.append(column)
        results = stage.ranking[stage.ranking["qid"].isin(judgements.qids)]
        ranks = results.set_index(["qid", "docno"])["rank"].astype("Int64")
        papers = papers.join(ranks.to_frame(column), how="outer")

    traced = papers.reset_index()
    pairs = zip(traced["qid"], traced["docno"])
    grades = pd.array([judgements.grades.get(pair) for pair in pairs], dtype="Int64")
    traced.insert(2, "label", grades)

    # queries in the order of the topics; papers by their last rank, then by earlier ones
    position_by_qid = {qid: position for position, qid in enumerate(judgements.qids)}
    traced["position"] = traced["qid"].map(position_by_qid)
    latest_first = rank_columns[::-1]
    ordered = traced.sort_values(["position", *latest_first, "docno"], na_position="last")
    return ordered.drop(columns="position").reset_index(drop=True)


def name_rank_column(stage_number: int) -> str:
    """Return the column of `trace_ranks` with a stage's ranks."""
    return f"rank_{stage_number}"

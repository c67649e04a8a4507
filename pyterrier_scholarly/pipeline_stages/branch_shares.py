"""Count what the branches of an operator share, and what each alone brings.

::

    compare_branches(run, judgements, top=10)  # a row for each branch of each operator
"""

from typing import NamedTuple

import pandas as pd

from .pipeline_run import Pair, PipelineRun, Stage
from .query_judgements import Judgements


class Branch(NamedTuple):
    """A branch of an operator; a row of `Stages.branches`."""

    stage: int
    operator: str
    branch: int
    ends_with: int
    name: str
    documents: float
    shared: float
    alone: float
    top_alone: float
    relevant: int
    relevant_alone: int
    relevant_top_alone: int


class BranchPairs(NamedTuple):
    """The pairs of query and document of a branch, for the evaluated queries.

    Attributes:
        end: the last stage of the branch that has documents.
        pairs: of all documents at the end.
        top_pairs: of the first documents of each query.
    """

    end: Stage
    pairs: set[Pair]
    top_pairs: set[Pair]


def compare_branches(run: PipelineRun, judgements: Judgements, top: int) -> pd.DataFrame:
    """Count what the branches of each operator share, and what each alone brings.

    top: how many first documents of a branch `top_alone` looks at.
    """
    rows = []
    for stage in run.stages:
        if stage.operator is None:
            continue

        branches = [_collect_branch(run, number, judgements, top) for number in stage.inputs]
        for position, branch in enumerate(branches):
            others = [*branches[:position], *branches[position + 1 :]]
            rows.append(_compare_with_others(stage, position + 1, branch, others, judgements))
    return pd.DataFrame(rows, columns=Branch._fields)


def _collect_branch(
    run: PipelineRun, end_number: int, judgements: Judgements, top: int
) -> BranchPairs:
    """Collect the documents at a branch's end, or at the nearest stage before that has any."""
    end = run.stages[end_number]
    if not end.form.has_documents:
        sources = run.find_sources(end)
        end = sources[-1] if sources else end
    return BranchPairs(
        end,
        pairs=judgements.keep_judged_queries(end.collect_pairs()),
        top_pairs=judgements.keep_judged_queries(end.collect_pairs(top)),
    )


def _compare_with_others(
    stage: Stage,
    branch_number: int,
    branch: BranchPairs,
    others: list[BranchPairs],
    judgements: Judgements,
) -> Branch:
    """Count what a branch brings, what others have, too, and what it alone has."""
    alone = branch.pairs.difference(*(other.pairs for other in others))
    top_alone = branch.top_pairs.difference(*(other.top_pairs for other in others))
    shared_count = len(branch.pairs) - len(alone)
    relevant_pairs = set(judgements.relevant_pairs)
    query_count = len(judgements.qids)
    return Branch(
        stage=stage.number,
        operator=stage.name,
        branch=branch_number,
        ends_with=branch.end.number,
        name=branch.end.name,
        documents=len(branch.pairs) / query_count,
        shared=shared_count / query_count,
        alone=len(alone) / query_count,
        top_alone=len(top_alone) / query_count,
        relevant=len(branch.pairs & relevant_pairs),
        relevant_alone=len(alone & relevant_pairs),
        relevant_top_alone=len(top_alone & relevant_pairs),
    )

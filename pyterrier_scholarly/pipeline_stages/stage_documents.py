"""Follow documents through stages: where relevant ones are lost, and what branches share.

::

    list_lost(run, judgements)         # a row for each relevant paper that a stage leaves out
    compare_branches(run, judgements)  # a row for each branch of each operator
    trace_ranks(run, judgements)       # a row for each paper, a column for each ranking
"""

from collections.abc import Collection, Iterable
from functools import singledispatch
from typing import NamedTuple, TypeAlias

import pandas as pd
import pyterrier as pt
from pyterrier._ops import RankCutoff, SetIntersection

from ..transformers import OneHop
from ..transformers.pool import PoolRestriction
from .stage_runs import PipelineRun, ResultForm, Stage
from .stage_values import Judgements

Pair: TypeAlias = tuple[str, str]  # a query's id and a document's
NEVER_FOUND = "no stage returned it"
NOT_RETURNED = "not returned"


class Lost(NamedTuple):
    """A relevant paper that a stage left out; a row of `Stages.lost`."""

    qid: str
    docno: str
    relevance: int
    stage: int | None
    name: str
    rank: int | None
    reason: str
    in_result: bool


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


def list_lost(run: PipelineRun, judgements: Judgements) -> pd.DataFrame:
    """Return the relevant papers that each stage left out, and those that none ever returned.

    A stage's input is the result of the nearest stage before it that has documents, or of all
    branches of an operator together.
    """
    final_stage = run.last_with_documents
    final_pairs = set() if final_stage is None else collect_pairs(final_stage)
    relevant_docnos = {docno for _, docno in judgements.relevant_pairs}
    returned_pairs: set[Pair] = set()
    rows = []
    for stage in run.stages:
        if not stage.form.has_documents:
            continue

        stage_pairs = collect_pairs(stage)
        returned_pairs |= stage_pairs
        ranks_before = _collect_best_ranks(run.find_sources(stage), relevant_docnos)
        for pair in judgements.relevant_pairs:
            if pair not in ranks_before or pair in stage_pairs:
                continue
            assert stage.step is not None, "the input has no stage before it"
            rank = ranks_before[pair]
            rows.append(
                Lost(
                    qid=pair[0],
                    docno=pair[1],
                    relevance=judgements.grades[pair],
                    stage=stage.number,
                    name=stage.name,
                    rank=rank,
                    reason=describe_loss(stage.step, rank),
                    in_result=pair in final_pairs,
                )
            )

    for pair in judgements.relevant_pairs:
        if pair not in returned_pairs:
            rows.append(
                Lost(
                    qid=pair[0],
                    docno=pair[1],
                    relevance=judgements.grades[pair],
                    stage=None,
                    name="",
                    rank=None,
                    reason=NEVER_FOUND,
                    in_result=False,
                )
            )

    lost = pd.DataFrame(rows, columns=Lost._fields)
    return lost.astype({"stage": "Int64", "rank": "Int64", "relevance": int, "in_result": bool})


@singledispatch
def describe_loss(step: pt.Transformer, rank: int | None) -> str:
    """Say why a step left out a paper that had `rank` before it, as far as the step tells."""
    return NOT_RETURNED


@describe_loss.register
def _describe_loss_of_cutoff(step: RankCutoff, rank: int | None) -> str:
    return f"below the cut-off at {step.k}"


@describe_loss.register
def _describe_loss_of_one_hop(step: OneHop, rank: int | None) -> str:
    if rank is not None and rank > step.m:
        return f"below the {step.m} seeds; no citation brought it into the {step.n} candidates"
    return f"beyond the {step.n} candidates"


@describe_loss.register
def _describe_loss_of_restriction(step: PoolRestriction, rank: int | None) -> str:
    return "outside the query's pool"


@describe_loss.register
def _describe_loss_of_intersection(step: SetIntersection, rank: int | None) -> str:
    return "missing in a branch"


def compare_branches(run: PipelineRun, judgements: Judgements, top: int) -> pd.DataFrame:
    """Count what the branches of each operator share, and what each alone brings.

    top: how many first documents of a branch `top_alone` looks at.
    """
    relevant_pairs = set(judgements.relevant_pairs)
    rows = []
    for stage in run.stages:
        if stage.operator is None:
            continue

        ends = [_find_end(run, number) for number in stage.inputs]
        pairs_of_branches = [_keep_queries(collect_pairs(end), judgements) for end in ends]
        top_of_branches = [_keep_queries(collect_pairs(end, top), judgements) for end in ends]
        for position, end in enumerate(ends):
            pairs = pairs_of_branches[position]
            alone = pairs - _unite(pairs_of_branches, position)
            top_alone = top_of_branches[position] - _unite(top_of_branches, position)
            query_count = len(judgements.qids)
            rows.append(
                Branch(
                    stage=stage.number,
                    operator=stage.name,
                    branch=position + 1,
                    ends_with=end.number,
                    name=end.name,
                    documents=len(pairs) / query_count,
                    shared=(len(pairs) - len(alone)) / query_count,
                    alone=len(alone) / query_count,
                    top_alone=len(top_alone) / query_count,
                    relevant=len(pairs & relevant_pairs),
                    relevant_alone=len(alone & relevant_pairs),
                    relevant_top_alone=len(top_alone & relevant_pairs),
                )
            )
    return pd.DataFrame(rows, columns=Branch._fields)


def trace_ranks(run: PipelineRun, judgements: Judgements) -> pd.DataFrame:
    """Return the rank of each paper behind each stage that changes the ranking.

    Returns:
        Frame `qid`, `docno`, `relevance` (NA: unjudged), and for each ranking ``rank_1``,
        ``rank_2``, … by its stage's number: the paper's rank, from 1, or NA. It has all papers
        that are ranked, and all judged relevant, by query and best last rank.
    """
    qids = list(judgements.qids)
    relevant = pd.DataFrame(judgements.relevant_pairs, columns=["qid", "docno"], dtype=object)
    papers = relevant.set_index(["qid", "docno"])

    rank_columns = []
    for stage in run.stages:
        if not stage.is_ranking_of_its_own:
            continue
        column = name_rank_column(stage.number)
        rank_columns.append(column)
        results = stage.ranking[stage.ranking["qid"].isin(qids)]
        ranks = results.set_index(["qid", "docno"])["rank"].astype("Int64")
        papers = papers.join(ranks.to_frame(column), how="outer")

    flow = papers.reset_index()
    pairs = zip(flow["qid"], flow["docno"])
    grades = pd.array([judgements.grades.get(pair) for pair in pairs], dtype="Int64")
    flow.insert(2, "relevance", grades)

    # queries in the order of the topics; papers by their last rank, then by earlier ones
    position_by_qid = {qid: position for position, qid in enumerate(qids)}
    flow["position"] = flow["qid"].map(position_by_qid)
    ordered = flow.sort_values(["position", *rank_columns[::-1], "docno"], na_position="last")
    return ordered.drop(columns="position").reset_index(drop=True)


def name_rank_column(stage_number: int) -> str:
    """Return the column of `trace_ranks` with a stage's ranks."""
    return f"rank_{stage_number}"


def collect_pairs(stage: Stage, top: int | None = None) -> set[Pair]:
    """Return the pairs of query and document of a stage, or of its first `top` documents.

    Without an order there are no first documents: then all are returned.
    """
    results = stage.ranking
    if top is not None and stage.form is ResultForm.RANKED:
        results = results[results["rank"] <= top]
    return set(zip(results["qid"], results["docno"]))


def _collect_best_ranks(stages: Iterable[Stage], docnos: Collection[str]) -> dict[Pair, int | None]:
    """Return the best rank of each pair in any of some stages; None where there is no order.

    docnos: of the documents to look for.
    """
    best_ranks: dict[Pair, int | None] = {}
    for stage in stages:
        results = stage.ranking[stage.ranking["docno"].isin(docnos)]
        ranks: list[int | None] = [None] * len(results)
        if stage.form is ResultForm.RANKED:
            ranks = results["rank"].tolist()
        for qid, docno, rank in zip(results["qid"], results["docno"], ranks):
            earlier_rank = best_ranks.get((qid, docno))
            is_better = earlier_rank is None or (rank is not None and rank < earlier_rank)
            if is_better:
                best_ranks[qid, docno] = rank
    return best_ranks


def _find_end(run: PipelineRun, number: int) -> Stage:
    """Return the last stage of a branch, or the nearest before it that has documents."""
    end = run.stages[number]
    sources = [end] if end.form.has_documents else run.find_sources(end)
    return sources[-1] if sources else end


def _keep_queries(pairs: set[Pair], judgements: Judgements) -> set[Pair]:
    """Return the pairs of evaluated queries."""
    qids = set(judgements.qids)
    return {pair for pair in pairs if pair[0] in qids}


def _unite(sets_of_pairs: list[set[Pair]], without: int) -> set[Pair]:
    """Return the pairs of all branches but one."""
    united: set[Pair] = set()
    for position, pairs in enumerate(sets_of_pairs):
        if position != without:
            united |= pairs
    return united

"""List the relevant papers that stages leave out, and say why.

::

    list_lost(run, judgements)  # a row for each relevant paper and each stage that leaves it out
"""

from collections.abc import Collection, Iterable
from functools import singledispatch
from typing import NamedTuple

import pandas as pd
import pyterrier as pt
from pyterrier._ops import RankCutoff, SetIntersection

from ..transformers import OneHop
from ..transformers.pool import PoolRestriction
from .pipeline_run import Pair, PipelineRun, Stage
from .query_judgements import Judgements
from .stage_results import ResultForm

NEVER_FOUND = "no stage returned it"
NOT_RETURNED = "not returned"


class Lost(NamedTuple):
    """A relevant paper that a stage left out; a row of `Stages.lost`.

    stage, rank: None if no stage returned the paper; rank also if it had none.
    """

    qid: str
    docno: str
    relevance: int
    stage: int | None
    name: str
    rank: int | None
    reason: str
    in_result: bool


def list_lost(run: PipelineRun, judgements: Judgements) -> pd.DataFrame:
    """Return the relevant papers that each stage left out, and those that none ever returned.

    A stage leaves out what its sources have and its result has not; an operator has the ends of all
    its branches as sources.
    """
    final_stage = run.last_with_documents
    final_pairs = set() if final_stage is None else final_stage.collect_pairs()
    returned_pairs: set[Pair] = set()
    lost = []
    for stage in run.stages:
        if stage.form.has_documents:
            lost.extend(_list_lost_by_stage(run, stage, judgements, final_pairs))
            returned_pairs |= stage.collect_pairs()
    lost.extend(_list_never_found(judgements, returned_pairs))

    frame = pd.DataFrame(lost, columns=Lost._fields)
    return frame.astype({"stage": "Int64", "rank": "Int64", "relevance": int, "in_result": bool})


def _list_lost_by_stage(
    run: PipelineRun, stage: Stage, judgements: Judgements, final_pairs: set[Pair]
) -> list[Lost]:
    """Return the relevant papers that one stage left out. final_pairs: of the pipeline's result."""
    relevant_docnos = {docno for _, docno in judgements.relevant_pairs}
    ranks_before = _collect_best_ranks(run.find_sources(stage), relevant_docnos)
    pairs_after = stage.collect_pairs()
    lost = []
    for pair in judgements.relevant_pairs:
        is_left_out = pair in ranks_before and pair not in pairs_after
        if not is_left_out:
            continue
        assert stage.step is not None, "the input has no stage before it"
        qid, docno = pair
        rank = ranks_before[pair]
        lost.append(
            Lost(
                qid=qid,
                docno=docno,
                relevance=judgements.grades[pair],
                stage=stage.number,
                name=stage.name,
                rank=rank,
                reason=describe_loss(stage.step, rank),
                in_result=pair in final_pairs,
            )
        )
    return lost


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


def _list_never_found(judgements: Judgements, returned_pairs: set[Pair]) -> list[Lost]:
    """Return the relevant papers that no stage returned."""
    lost = []
    for pair in judgements.relevant_pairs:
        if pair in returned_pairs:
            continue
        qid, docno = pair
        lost.append(
            Lost(
                qid=qid,
                docno=docno,
                relevance=judgements.grades[pair],
                stage=None,
                name="",
                rank=None,
                reason=NEVER_FOUND,
                in_result=False,
            )
        )
    return lost


# --- why a step left out a paper: one function for each class of steps that tells -------------


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

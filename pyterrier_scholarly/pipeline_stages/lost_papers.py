"""List the relevant papers that stages leave out, and say why.

::

    lost = list_lost(run, judgements)   # a row for each relevant paper and stage that leaves it out
    summarise_losses(lost, judgements)  # "The pipeline returned 248 of 491 relevant papers. …"
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
FOUND_ELSEWHERE = "not returned here, but by another stage"
NOT_RETURNED = "not returned"


class Lost(NamedTuple):
    """A relevant paper that a stage left out; a row of `Stages.lost`.

    rank: before the stage; None if the paper had none, as in front of a retriever.
    """

    qid: str
    docno: str
    label: int
    stage: int
    name: str
    rank: int | None
    reason: str
    in_result: bool


def list_lost(run: PipelineRun, judgements: Judgements) -> pd.DataFrame:
    """Return the relevant papers that each stage left out.

    A stage leaves out what its sources have and its result has not; an operator has the ends of all
    its branches as sources. A stage without documents before it, such as a retriever, could have
    returned any paper: it leaves out every relevant one that it does not return.
    """
    final_stage = run.last_with_documents
    final_pairs = set() if final_stage is None else final_stage.collect_pairs()
    stages = [stage for stage in run.stages if stage.form.has_documents]
    returned_pairs: set[Pair] = set().union(*(stage.collect_pairs() for stage in stages))

    lost = []
    for stage in stages:
        if run.find_sources(stage):
            lost.extend(_list_dropped(run, stage, judgements, final_pairs))
        else:
            lost.extend(_list_not_retrieved(stage, judgements, returned_pairs, final_pairs))

    frame = pd.DataFrame(lost, columns=Lost._fields)
    return frame.astype({"stage": int, "rank": "Int64", "label": int, "in_result": bool})


def _list_dropped(
    run: PipelineRun, stage: Stage, judgements: Judgements, final_pairs: set[Pair]
) -> list[Lost]:
    """Return the relevant papers that a stage received and left out.

    final_pairs: of the pipeline's result.
    """
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
                label=judgements.grades[pair],
                stage=stage.number,
                name=stage.name,
                rank=rank,
                reason=describe_loss(stage.step, rank),
                in_result=pair in final_pairs,
            )
        )
    return lost


def _collect_best_ranks(stages: Iterable[Stage], docnos: Collection[str]) -> dict[Pair, int | None]:
    """Return the best rank of each query's documents over some stages.

    It is None for a document that only stages without an order returned. A document that no stage
    returned is missing.

    Args:
        stages: to look in.
        docnos: of the documents to look for.
    """
    best_ranks: dict[Pair, int | None] = {}
    for stage in stages:
        results = stage.ranking[stage.ranking["docno"].isin(docnos)]
        pairs = zip(results["qid"], results["docno"])
        if stage.form is not ResultForm.RANKED:
            for pair in pairs:
                best_ranks.setdefault(pair, None)  # another stage's rank stays
            continue

        for pair, rank in zip(pairs, results["rank"].tolist()):
            earlier_rank = best_ranks.get(pair)
            if earlier_rank is None or rank < earlier_rank:
                best_ranks[pair] = rank
    return best_ranks


def _list_not_retrieved(
    stage: Stage, judgements: Judgements, returned_pairs: set[Pair], final_pairs: set[Pair]
) -> list[Lost]:
    """Return the relevant papers that a stage without documents before it did not return.

    Args:
        returned_pairs: of all stages.
        final_pairs: of the pipeline's result.
    """
    pairs_after = stage.collect_pairs()
    lost = []
    for pair in judgements.relevant_pairs:
        if pair in pairs_after:
            continue
        qid, docno = pair
        lost.append(
            Lost(
                qid=qid,
                docno=docno,
                label=judgements.grades[pair],
                stage=stage.number,
                name=stage.name,
                rank=None,
                reason=FOUND_ELSEWHERE if pair in returned_pairs else NEVER_FOUND,
                in_result=pair in final_pairs,
            )
        )
    return lost


def summarise_losses(lost: pd.DataFrame, judgements: Judgements) -> str:
    """Say in words how many relevant papers the pipeline returned, and where others were lost.

    Papers that the result has all the same, by another branch or a later stage, are not lost. A
    paper that several stages left out counts for the last of them, so that the counts add up. A
    retriever does not count that lacks what another stage returned: the paper was lost later.
    """
    is_lost = ~lost["in_result"] & (lost["reason"] != FOUND_ELSEWHERE)
    lost_for_good = lost[is_lost]  # in the order of stages
    last_losses = lost_for_good.drop_duplicates(["qid", "docno"], keep="last")
    relevant_count = len(judgements.relevant_pairs)
    returned_count = relevant_count - len(last_losses)
    sentences = [f"The pipeline returned {returned_count} of {relevant_count} relevant papers."]

    is_never_found = last_losses["reason"] == NEVER_FOUND
    never_found_count = int(is_never_found.sum())
    if never_found_count:
        sentences.append(f"No stage returned {never_found_count} of the others.")
    losses_by_stage = last_losses[~is_never_found].groupby(["stage", "name"], sort=True)
    for (stage, name), count in losses_by_stage.size().items():
        sentences.append(f"Stage {stage} ({name}) left out {count}.")
    return " ".join(sentences)


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

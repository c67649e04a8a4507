"""Rank with the systems to be compared, or read their rankings, and check that they fit.

    data = PresentData("csfcube/all")
    ranked = rank_systems({"ours": pipeline, "theirs": "theirs.trec"}, data, options={})

What does not fit at all is an error; what fits in part is a remark, which the result shows.
"""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any, Literal, NamedTuple, TypeAlias

import pandas as pd
import pyterrier as pt

from .. import frames
from ..arguments import FilePath
from ..evaluation.run_checks import Reference, check_against
from ..frames import some
from ..recipes import systems as named_systems
from ..tables.present_data import PresentData
from ..tables.row_sources import RowSource, SystemLike, read_sources
from ..tables.system_keys import check_known
from ..tables.system_runs import rank_from_topics, run_source
from .ranked_system import PAIR, RankedSystem
from .ranking_remarks import remark_pools

#: what happens to a query that a run does not answer
Missing: TypeAlias = Literal["skip", "zero"]


class RankedSystems(NamedTuple):
    """All systems with what they are compared on.

    judgements: frame `qid`, `docno`, `label`, and perhaps `iteration`, of the compared queries.
    topics: frame `qid`, `query` of the compared queries.
    remarks: sentences on what fits in part.
    """

    systems: list[RankedSystem]
    judgements: pd.DataFrame
    topics: pd.DataFrame
    remarks: list[str]


def rank_systems(
    systems: Mapping[str, SystemLike],
    data: PresentData,
    options: Mapping[str, Any],
    missing: Missing = "skip",
    save_dir: FilePath | None = None,
    verbose: bool = False,
) -> RankedSystems:
    """Rank all judged queries with each system, and choose the queries that are compared.

    Args:
        systems: see `name_systems`.
        data: the dataset that is present.
        options: of `systems`, for keys.
        missing: "skip" leaves out a query that results which were passed do not answer; "zero"
            keeps it. A pipeline was asked for all, so that a query without results stays.
        save_dir: folder for runs, see `reproduce`.
        verbose: whether to print what is run.

    Raises:
        ValueError: a system that is none, or that does not fit the dataset; no query in common.
        KeyError: an unknown key.
    """
    sources = _build_pipelines(read_sources(systems, data.name), data, options, verbose)
    # only a pipeline has to read documents, so only it needs those judged to be present
    all_are_results = all(source.results is not None for source in sources)
    judged = data.judgements if all_are_results else data.reachable
    topics = data.read_topics(judged)
    reference = Reference.of(data.name, judged.rows)

    remarks: list[str] = []
    system_by_name: dict[str, RankedSystem] = {}
    for source in _put_results_first(sources):
        run = run_source(source, topics, data, save_dir, verbose)
        remarks += _check_run(run, source, reference, missing)
        ordered_run = _order(run, source.name)
        system_by_name[source.name] = RankedSystem(source.name, ordered_run, source.pipeline)
    systems_in_order = [system_by_name[source.name] for source in sources]

    qids = _choose_queries(systems_in_order, topics["qid"].tolist(), missing)
    if len(qids) < len(topics):
        remarks.append(
            f"Compared are the {len(qids)} of {len(topics)} queries that all results answer; pass "
            "missing='zero' to count the others as 0."
        )
    ranked = [system._replace(run=_restrict(system.run, qids)) for system in systems_in_order]
    remarks += remark_pools(ranked)
    return RankedSystems(
        systems=ranked,
        judgements=_restrict(judged.rows, qids),
        topics=_restrict(topics, qids),
        remarks=remarks,
    )


def _build_pipelines(
    sources: Sequence[RowSource], data: PresentData, options: Mapping[str, Any], verbose: bool
) -> list[RowSource]:
    """Return sources in which each key has its pipeline, from topics."""
    keys = [source.key for source in sources if source.key is not None]
    pipeline_of_key: Mapping[str, pt.Transformer] = {}
    if keys:
        known_systems = named_systems(data.name, verbose=verbose, **options)
        check_known(keys, known_systems)
        pipeline_of_key = known_systems

    runnable = []
    for source in sources:
        pipeline = source.pipeline if source.key is None else pipeline_of_key[source.key]
        if pipeline is not None:
            pipeline = rank_from_topics(pipeline, data.name)
        runnable.append(source._replace(pipeline=pipeline))
    return runnable


def _put_results_first(sources: Sequence[RowSource]) -> list[RowSource]:
    """Return results before pipelines: if they do not fit, the error comes before hours of ranking.

    Else the order stays.
    """
    passed_results = [source for source in sources if source.results is not None]
    pipelines = [source for source in sources if source.results is None]
    return [*passed_results, *pipelines]


def _check_run(
    run: pd.DataFrame, source: RowSource, reference: Reference, missing: Missing
) -> list[str]:
    """Return a remark on each way in which a system's run fits the dataset only in part.

    Raises:
        ValueError: the run does not fit the dataset at all.
    """
    check = check_against(run, reference, source.name)
    if source.results is not None and missing == "skip":
        # its remark would say that missing queries count as 0, but they are left out
        check = replace(check, missing_queries=())
    return [f"{source.name}: {remark}" for remark in check.remarks]


def _order(run: pd.DataFrame, name: str) -> pd.DataFrame:
    """Return `qid`, `docno`, `score`, `rank`, best first; ValueError for a score that is NaN."""
    try:
        run = frames.check(run, "compare", [*PAIR, "score"])
    except ValueError as error:
        raise ValueError(f"{name}: {error}") from error

    ranked = (
        run[PAIR]
        .assign(score=run["score"].astype(float))
        .sort_values(["qid", "score", "docno"], ascending=[True, False, False], kind="stable")
    )
    return ranked.assign(rank=ranked.groupby("qid").cumcount()).reset_index(drop=True)


def _restrict(frame: pd.DataFrame, qids: Sequence[str]) -> pd.DataFrame:
    """Return the rows of some queries."""
    return frame[frame["qid"].isin(qids)].reset_index(drop=True)


def _choose_queries(
    ranked: Sequence[RankedSystem], judged_qids: Sequence[str], missing: Missing
) -> list[str]:
    """Return the queries that are compared.

    Raises:
        ValueError: results of two systems have no query in common.
    """
    chosen = set(judged_qids)
    for system in ranked:
        if system.pipeline is None and missing == "skip":
            chosen &= system.answered
    if not chosen:
        answered = [f"{system.name} has {some(sorted(system.answered))}" for system in ranked]
        raise ValueError(
            f"The systems have no query in common: {'; '.join(answered)}. Pass results for the "
            "same queries, or missing='zero' to count a query without results as 0."
        )
    return [qid for qid in judged_qids if qid in chosen]

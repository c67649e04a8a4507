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
from ..choices import some
from ..evaluation.checks import PAIR, Reference, check_run
from ..recipes import systems as named_systems
from ..tables.present_data import PresentData
from ..tables.rows import SystemLike, build_pipelines, read_systems
from ..tables.saved_runs import Ranked, RankingSource, rank_from_topics, rank_or_read
from .ranking_remarks import remark_pools

#: what happens to a query that a run does not answer
Missing: TypeAlias = Literal["skip", "zero"]


class RankedSystems(NamedTuple):
    """All systems with what they are compared on.

    judgements: frame `qid`, `docno`, `label`, and perhaps `iteration`, of the compared queries.
    topics: frame `qid`, `query` of the compared queries.
    remarks: sentences on what fits in part.
    """

    systems: list[Ranked]
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
    sources = _read_systems(systems, data, options, verbose)
    # only a pipeline has to read documents, so only it needs those judged to be present
    all_are_results = all(isinstance(source, pd.DataFrame) for source in sources.values())
    judgements = data.judgements if all_are_results else data.reachable
    topics = data.read_topics(judgements)
    reference = Reference(data.name, judgements)

    # results before pipelines: if they do not fit, the error comes before hours of ranking
    results_first = sorted(sources, key=lambda name: isinstance(sources[name], pt.Transformer))
    remarks: list[str] = []
    system_by_name: dict[str, Ranked] = {}
    for name in results_first:
        ranked = rank_or_read(name, sources[name], topics, data, save_dir, verbose)
        remarks += _check_run(ranked, reference, missing)
        system_by_name[name] = ranked._replace(run=_order(ranked.run, name))
    systems_in_order = [system_by_name[name] for name in sources]

    qids = _choose_queries(systems_in_order, topics["qid"].tolist(), missing)
    if len(qids) < len(topics):
        remarks.append(
            f"Compared are the {len(qids)} of {len(topics)} queries that all results answer; pass "
            "missing='zero' to count the others as 0."
        )
    ranked_systems = [
        system._replace(run=_restrict(system.run, qids)) for system in systems_in_order
    ]
    remarks += remark_pools(ranked_systems)
    return RankedSystems(
        systems=ranked_systems,
        judgements=_restrict(judgements, qids),
        topics=_restrict(topics, qids),
        remarks=remarks,
    )


def _read_systems(
    systems: Mapping[str, SystemLike],
    data: PresentData,
    options: Mapping[str, Any],
    verbose: bool,
) -> dict[str, RankingSource]:
    """Return systems by name, each as a pipeline from topics, or as results."""
    sources = read_systems(systems, data.name)
    known_systems: Mapping[str, pt.Transformer] = {}
    if any(isinstance(source, str) for source in sources.values()):
        known_systems = named_systems(data.name, verbose=verbose, **options)
    built = build_pipelines(sources, known_systems, data.name)
    return {
        name: rank_from_topics(system, data.name) if isinstance(system, pt.Transformer) else system
        for name, system in built.items()
    }


def _check_run(ranked: Ranked, reference: Reference, missing: Missing) -> list[str]:
    """Return a remark on each way in which a system's run fits the dataset only in part.

    Raises:
        ValueError: the run does not fit the dataset at all.
    """
    check = check_run(ranked.run, reference, name=ranked.name)
    if ranked.pipeline is None and missing == "skip":
        # its remark would say that missing queries count as 0, but they are left out
        check = replace(check, missing_queries=())
    return [f"{ranked.name}: {remark}" for remark in check.remarks]


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
    ranked: Sequence[Ranked], judged_qids: Sequence[str], missing: Missing
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

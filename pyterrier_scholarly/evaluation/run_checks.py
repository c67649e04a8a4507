"""Check whether a run fits a collection, before its figures are believed.

    check = check_run("my-run.trec", "csfcube/all")
    print(check)                # what does not fit, in sentences
    print(check.judged_share)   # 0.031: most results are outside the pools

A measure cannot tell a bad run from one over other documents or queries: both have the value 0.
"""

import warnings
from collections.abc import Iterable
from typing import NamedTuple

import numpy as np
import pandas as pd

from ir_datasets_ext import facets

from .. import frames
from ..arguments import FilePath, check_arguments
from ..datasets import DatasetLike
from ..frames import some
from .own_papers import find_own_papers, mark_pairs
from .run_check_report import RunCheck
from .run_reference import PAIR, Reference
from .runs import read_run
from .score_order import ScoreOrder, find_score_order

MOST_LOOKED_UP = 10_000  # documents; of more, so many are looked up, evenly spread over the ids


@check_arguments
def check_run(run: pd.DataFrame | FilePath, dataset: DatasetLike, *, name: str = "run") -> RunCheck:
    """Check whether a run fits a dataset: its documents, queries, judgements, scores and ranks.

    `reproduce` does this for each row of a table. For a `pt.Experiment` of your own::

        print(check_run(run, "csfcube/all"))

    Args:
        run: frame with `qid`, `docno`, perhaps `score` and `rank`; or a file, see `read_run`.
        dataset: an id, a PyTerrier or an ir_datasets dataset, with judgements.
        name: of the run, for messages.

    Returns:
        A `RunCheck`; printed, it says what does not fit.

    Raises:
        ValueError: the run has no results; the dataset has none of its queries, or none of its
            documents; ids that are no texts; a document twice for one query.
    """
    results = run if isinstance(run, pd.DataFrame) else read_run(run, dataset)
    return check_against(results, Reference.of(dataset), name)


def check_against(run: pd.DataFrame, reference: Reference, name: str) -> RunCheck:
    """Return how a run and a reference fit. Arguments and errors: see `check_run`."""
    run = _check_frame(run, name)
    unknown_queries = _find_unknown_queries(run, reference, name)
    document_count = run["docno"].nunique()
    look_up = _look_up_documents(run, reference, name)

    judged_queries = reference.judgements["qid"].unique()
    answered_queries = set(run["qid"])
    missing_queries = [qid for qid in judged_queries if qid not in answered_queries]

    # a query without judgements has no figures, so its results do not count
    counted_results = run[run["qid"].isin(judged_queries)]
    if counted_results.empty:
        raise ValueError(
            f"{name} has no results for a query of {reference.name} that has judgements: its "
            f"queries are {some(list(run['qid'].unique()))}; judged are {some(judged_queries)}. "
            "Pass a run over these."
        )

    is_judged = mark_pairs(counted_results, reference.judgements)
    own = find_own_papers(counted_results, reference.judgements, reference.query_papers)
    order = ScoreOrder()
    if reference.measure is not None:
        order = find_score_order(counted_results, reference.judgements, reference.measure)

    return RunCheck(
        name=name,
        dataset=reference.name,
        queries=len(judged_queries),
        missing_queries=tuple(missing_queries),
        unknown_queries=tuple(unknown_queries),
        documents=document_count,
        looked_up=look_up.document_count,
        unknown_documents=tuple(look_up.unknown_ids),
        results=len(counted_results),
        judged=int(is_judged.sum()),
        outside_pools=_count_outside(counted_results, reference.pools),
        own_paper=own.qids,
        own_paper_first=own.first_count,
        sizes=reference.sizes,
        order=order,
    )


def _check_frame(run: pd.DataFrame, name: str) -> pd.DataFrame:
    """Return the run after checking its columns; ValueError if it has no results."""
    try:
        run = frames.check(run, "check_run", PAIR)
    except ValueError as error:
        raise ValueError(f"{name}: {error}") from error
    if run.empty:
        raise ValueError(f"{name} has no results. Pass a run that has some.")
    return run


def _find_unknown_queries(run: pd.DataFrame, reference: Reference, name: str) -> list[str]:
    """Return the run's queries that the dataset has not; ValueError if it has none of them."""
    run_queries = list(run["qid"].unique())
    unknown_queries = [qid for qid in run_queries if qid not in reference.query_ids]
    if len(unknown_queries) == len(run_queries):
        raise ValueError(_describe_foreign_queries(name, run_queries, reference))
    return unknown_queries


def _look_up_documents(run: pd.DataFrame, reference: Reference, name: str) -> "LookUp":
    """Look up some of the run's documents; ValueError if the dataset has none of them."""
    look_up = _look_up(list(run["docno"].unique()), reference)
    if look_up.document_count and len(look_up.unknown_ids) == look_up.document_count:
        raise ValueError(_describe_foreign_documents(name, look_up.unknown_ids, reference))
    return look_up


def warn_of_misfit(check: RunCheck) -> None:
    """Warn of what does not fit of a run; to be called by a function that users call."""
    for remark in check.remarks:
        warnings.warn(f"{check.name}: {remark}", stacklevel=3)


def _count_outside(run: pd.DataFrame, pools: pd.DataFrame | None) -> int | None:
    """Count the results that are no candidates of their query; None without pools."""
    if pools is None:
        return None
    return int((~mark_pairs(run, pools)).sum())


class LookUp(NamedTuple):
    """Which documents of a run the collection lacks, as far as they were looked up.

    document_count: number of documents that were looked up, or are known without a look-up.
    unknown_ids: ids of those documents that the collection lacks.
    """

    document_count: int
    unknown_ids: list[str]


def _look_up(documents: list[str], reference: Reference) -> LookUp:
    """Find which of a run's documents the collection lacks.

    The judged ones, and those of the pools, are known. Of the others, at most MOST_LOOKED_UP are
    looked up in the dataset.
    """
    unlisted_ids = sorted(set(documents) - reference.listed_documents)
    if reference.dataset is None:
        # the judged documents and the pools are the whole collection, so all others are unknown
        return LookUp(document_count=len(documents), unknown_ids=unlisted_ids)

    listed_count = len(documents) - len(unlisted_ids)
    if not unlisted_ids:  # so the dataset's documents need not be opened
        return LookUp(document_count=listed_count, unknown_ids=[])

    looked_up_ids = unlisted_ids
    if len(unlisted_ids) > MOST_LOOKED_UP:
        positions = np.linspace(0, len(unlisted_ids) - 1, MOST_LOOKED_UP).astype(int)
        looked_up_ids = [unlisted_ids[position] for position in positions]

    known_documents = reference.dataset.docs_store().get_many(looked_up_ids)
    unknown_ids = [doc_id for doc_id in looked_up_ids if doc_id not in known_documents]
    return LookUp(
        document_count=listed_count + len(looked_up_ids),
        unknown_ids=unknown_ids,
    )


def _describe_foreign_queries(name: str, run_queries: list[str], reference: Reference) -> str:
    """Return the error's message for a run without a query of the dataset."""
    known_queries = sorted(reference.query_ids)
    return (
        f"{name} has no query of {reference.name}: its queries are {some(run_queries)}; expected "
        f"are {some(known_queries)}. {_remedy_for_facets(run_queries, known_queries)}"
    )


def _remedy_for_facets(run_queries: list[str], known_queries: list[str]) -> str:
    """Say what to do with a run whose query ids are not the dataset's.

    A query id is a paper's ("1198964", in a dataset of one facet), or has the facet behind it
    ("1198964_method", in a dataset of all facets). One can be converted to the other.
    """
    dataset_appends_facets = bool(_papers_of(known_queries) & set(run_queries))
    if dataset_appends_facets:
        return "Join the runs of single facets: to_all({'method': run, …})."

    run_appends_facets = bool(_papers_of(run_queries) & set(known_queries))
    if run_appends_facets:
        return "Take the run of a single facet: from_all(run)['method']."
    return "Pass a run over this dataset's queries, or the dataset that it is a run over."


def _papers_of(query_ids: Iterable[str]) -> set[str]:
    """Return the papers of query ids that end in a facet."""
    papers = set()
    for query_id in query_ids:
        paper, _, facet = query_id.rpartition("_")
        if facet in facets.FACETS:
            papers.add(paper)
    return papers


def _describe_foreign_documents(name: str, unknown: list[str], reference: Reference) -> str:
    """Return the error's message for a run without a document of the collection."""
    known_documents = sorted(reference.listed_documents)
    return (
        f"{name} has no document of {reference.name}: its documents are {some(unknown)}; expected "
        f"are ids such as {some(known_documents)}. Pass a run over this collection, or the dataset "
        "that it is a run over."
    )

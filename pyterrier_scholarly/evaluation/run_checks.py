"""Check whether a run fits a collection, before its figures are believed.

    check = check_run("my-run.trec", "csfcube/all")
    print(check)                # what does not fit, in sentences
    print(check.judged_share)   # 0.031: most results are outside the pools

A measure cannot tell a bad run from one over other documents or queries: both have the value 0.
"""

import warnings
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import ir_datasets
import numpy as np
import pandas as pd

from ir_datasets_ext import facets

from .. import frames
from ..arguments import FilePath, check_arguments
from ..datasets import DatasetLike, irds
from ..frames import some
from .runs import read_run

PAIR = ["qid", "docno"]
MOST_LOOKED_UP = 10_000  # documents; of more, so many are looked up, evenly spread over the ids


class Sizes(NamedTuple):
    """How many documents of a collection are present, and how many its release has."""

    present: int
    released: int

    @property
    def is_part(self) -> bool:
        """Whether documents of the release are missing."""
        return self.present < self.released

    def __str__(self) -> str:
        return f"{self.present:,} of {self.released:,} documents"


@dataclass(frozen=True)
class RunCheck:
    """How a run and a collection fit.

    Attributes:
        name: of the run.
        dataset: id of the dataset.
        queries: number of queries that have judgements.
        missing_queries: ids of those without results; their measures are 0.
        unknown_queries: ids that the dataset lacks; they are ignored.
        documents: number of different documents in the results.
        looked_up: how many of these were looked up in the collection (of those that are neither
            judged nor in a pool, 10,000 at most).
        unknown_documents: ids among these that the collection lacks.
        results: number of results for queries that have judgements.
        judged: how many of these results are judged.
        outside_pools: how many are no candidates of their query; None if it has no pools.
        own_paper: ids of queries whose own paper, unjudged, is among their results.
        own_paper_first: how many of these have it first.
        sizes: documents of the collection; None if unknown.
    """

    name: str
    dataset: str
    queries: int
    missing_queries: tuple[str, ...]
    unknown_queries: tuple[str, ...]
    documents: int
    looked_up: int
    unknown_documents: tuple[str, ...]
    results: int
    judged: int
    outside_pools: int | None
    own_paper: tuple[str, ...]
    own_paper_first: int
    sizes: Sizes | None

    @property
    def answered(self) -> int:
        """How many of the queries with judgements have results."""
        return self.queries - len(self.missing_queries)

    @property
    def known_share(self) -> float:
        """Share of the documents that the collection has, within 0..1."""
        return 1 - len(self.unknown_documents) / max(1, self.looked_up)

    @property
    def judged_share(self) -> float:
        """Share of the results that are judged, within 0..1."""
        return self.judged / max(1, self.results)

    @property
    def ranks_part(self) -> bool:
        """Whether the results seem to come from a part of the collection's documents.

        Either documents of the release are missing, and all results are among those present; or,
        without pools, all queries rank the same documents, less than half of all. Rankings of a
        pool, or of the judged documents, are whole.
        """
        stays_in_pools = self.outside_pools == 0 or self.judged == self.results
        if self.sizes is None or stays_in_pools:
            return False
        if self.sizes.is_part:
            return not self.unknown_documents

        has_pools = self.outside_pools is not None
        rank_the_same = self.answered > 1 and self.results == self.documents * self.answered
        return not has_pools and rank_the_same and 2 * self.documents < self.sizes.released

    @property
    def part(self) -> str:
        """The part of the documents that was ranked, as text; "" for the whole collection."""
        if self.sizes is None or not self.ranks_part:
            return ""
        if self.sizes.is_part:
            return str(self.sizes)
        return str(Sizes(self.documents, self.sizes.released))

    @property
    def remarks(self) -> tuple[str, ...]:
        """Sentences on what does not fit, without the run's name; none if everything does."""
        return (*self._remarks_on_queries(), *self._remarks_on_documents())

    def _remarks_on_queries(self) -> Iterable[str]:
        if self.missing_queries:
            yield (
                f"no results for {len(self.missing_queries)} of {self.queries} queries "
                f"({some(self.missing_queries)}); these count as 0."
            )
        if self.unknown_queries:
            yield (
                f"{len(self.unknown_queries)} of its queries are not in {self.dataset} "
                f"({some(self.unknown_queries)}); these are ignored."
            )

    def _remarks_on_documents(self) -> Iterable[str]:
        if self.part:
            yield f"results from {self.part} only, not comparable with figures over all of them."
        elif self.unknown_documents and not (self.sizes and self.sizes.is_part):
            yield (
                f"{1 - self.known_share:.0%} of its documents are not in {self.dataset} "
                f"({some(self.unknown_documents)}); these count as not relevant."
            )
        if self.own_paper:
            yield (
                f"the query's own paper is among the results of {len(self.own_paper)} queries, "
                f"first for {self.own_paper_first}. It is not judged, so measures that count "
                "unjudged papers fall (P@20): leave it out of the results."
            )
        if self.outside_pools:
            yield (
                f"{self.outside_pools / self.results:.0%} of its results are outside the pools, "
                "so not judged. NDCG%20 skips these, P@20 counts them as not relevant. To rank the "
                "pools alone, put Pool(dataset).restrict() behind the retriever."
            )
        if not self.judged:
            yield "none of its results is judged for its query, so all figures are 0."

    def __str__(self) -> str:
        known = "present" if self.sizes is not None and self.sizes.is_part else "known"
        counts = (
            f"{self.name}, {self.dataset}: {self.answered:,} of {self.queries:,} judged queries "
            f"answered, {self.known_share:.1%} of {self.documents:,} documents {known}, "
            f"{self.judged_share:.1%} of {self.results:,} results judged."
        )
        return "\n".join([counts, *(f"- {remark}" for remark in self.remarks)])


@check_arguments
def check_run(run: pd.DataFrame | FilePath, dataset: DatasetLike, *, name: str = "run") -> RunCheck:
    """Check whether a run fits a dataset: its documents, queries, judgements and query papers.

    `reproduce` does this for each row of a table. For a `pt.Experiment` of your own::

        print(check_run(run, "csfcube/all"))

    Args:
        run: frame with `qid`, `docno` and perhaps `score`; or a file, see `read_run`.
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


@dataclass(frozen=True)
class Reference:
    """What runs are checked against.

    name: as messages have it.
    query_ids: of all queries.
    judgements: frame with `qid` and `docno`.
    pools: frame with `qid` and `docno`; None if queries have no candidates.
    query_papers: dict from a query's id to the paper that it comes from.
    dataset: has the documents; None if these are the judged ones and those of the pools.
    """

    name: str
    query_ids: frozenset[str]
    judgements: pd.DataFrame
    pools: pd.DataFrame | None
    query_papers: Mapping[str, str]
    dataset: ir_datasets.Dataset | None

    @classmethod
    def of(cls, dataset: DatasetLike, judgements: pd.DataFrame | None = None) -> "Reference":
        """Read a dataset's queries and pools; judgements: None for all of the dataset."""
        source = irds(dataset)
        if judgements is None:
            judgements = _frame_of_pairs(source.qrels_iter()) if source.has_qrels() else None
        if judgements is None or judgements.empty:
            raise ValueError(
                f"Nothing to check against: {source.dataset_id()} has no judgements. Choose a "
                "dataset that has some."
            )

        queries = list(source.queries_iter()) if source.has_queries() else []
        query_ids = frozenset(query.query_id for query in queries)
        query_papers = {
            query.query_id: query.paper_id for query in queries if hasattr(query, "paper_id")
        }
        return cls(
            name=source.dataset_id(),
            query_ids=query_ids or frozenset(judgements["qid"]),
            judgements=judgements[PAIR],
            pools=_frame_of_pairs(source.scoreddocs_iter()) if source.has_scoreddocs() else None,
            query_papers=query_papers,
            dataset=source if source.has_docs() else None,
        )

    @cached_property
    def sizes(self) -> Sizes | None:
        """How many documents there are; None if that is unknown."""
        return None if self.dataset is None else count_documents(self.dataset)

    @cached_property
    def listed_documents(self) -> frozenset[str]:
        """The documents that are judged, or in a pool."""
        listed = set(self.judgements["docno"])
        if self.pools is not None:
            listed.update(self.pools["docno"])
        return frozenset(listed)


def count_documents(dataset: ir_datasets.Dataset) -> Sizes | None:
    """Count the documents that are present, and those of the release; None if unknown."""
    released = dataset.metadata().get("docs", {}).get("count")
    present = dataset.docs_count()

    # other people's datasets count only what they have indexed, and are downloaded as a whole
    if present is None:
        present = released
    if present is None:
        return None
    return Sizes(present, max(present, released or 0))


def check_against(run: pd.DataFrame, reference: Reference, name: str) -> RunCheck:
    """Check a run; see `check_run`."""
    try:
        run = frames.check(run, "check_run", PAIR)
    except ValueError as error:
        raise ValueError(f"{name}: {error}") from error
    if run.empty:
        raise ValueError(f"{name} has no results. Pass a run that has some.")

    run_queries = list(run["qid"].unique())
    unknown_queries = [qid for qid in run_queries if qid not in reference.query_ids]
    if len(unknown_queries) == len(run_queries):
        raise ValueError(_describe_foreign_queries(name, run_queries, reference))

    run_documents = list(run["docno"].unique())
    looked_up, unknown_documents = _look_up(run_documents, reference)
    if looked_up and len(unknown_documents) == looked_up:
        raise ValueError(_describe_foreign_documents(name, unknown_documents, reference))

    judged_queries = reference.judgements["qid"].unique()
    counted = run[run["qid"].isin(judged_queries)]
    if counted.empty:
        raise ValueError(
            f"{name} has no results for a query of {reference.name} that has judgements: its "
            f"queries are {some(run_queries)}; judged are {some(judged_queries)}. Pass a run over "
            "these."
        )

    is_judged = _is_among(counted, reference.judgements)
    is_own_paper = (counted["qid"].map(reference.query_papers) == counted["docno"]) & ~is_judged
    is_first = counted["docno"] == counted["qid"].map(_first_documents(counted))
    answered = set(run_queries)

    return RunCheck(
        name=name,
        dataset=reference.name,
        queries=len(judged_queries),
        missing_queries=tuple(qid for qid in judged_queries if qid not in answered),
        unknown_queries=tuple(unknown_queries),
        documents=len(run_documents),
        looked_up=looked_up,
        unknown_documents=tuple(unknown_documents),
        results=len(counted),
        judged=int(is_judged.sum()),
        outside_pools=_count_outside(counted, reference.pools),
        own_paper=tuple(counted["qid"][is_own_paper].unique()),
        own_paper_first=int((is_own_paper & is_first).sum()),
        sizes=reference.sizes,
    )


def warn_of_misfit(check: RunCheck) -> None:
    """Warn of what does not fit of a run; to be called by a function that users call."""
    for remark in check.remarks:
        warnings.warn(f"{check.name}: {remark}", stacklevel=3)


def _frame_of_pairs(rows: Iterable) -> pd.DataFrame:
    """Return the pairs of query and document of qrels or candidates."""
    return pd.DataFrame([(row.query_id, row.doc_id) for row in rows], columns=PAIR)


def _is_among(run: pd.DataFrame, pairs: pd.DataFrame) -> pd.Series:
    """Mark the rows of a run whose query and document are among `pairs`."""
    known_pairs = pd.MultiIndex.from_frame(pairs[PAIR])
    return pd.Series(pd.MultiIndex.from_frame(run[PAIR]).isin(known_pairs), run.index)


def _count_outside(run: pd.DataFrame, pools: pd.DataFrame | None) -> int | None:
    """Count the results that are no candidates of their query; None without pools."""
    if pools is None:
        return None
    return int((~_is_among(run, pools)).sum())


def _first_documents(run: pd.DataFrame) -> dict[str, str]:
    """Return each query's first document; without scores, that of its first row."""
    best_first = frames.best_first(run) if "score" in run.columns else run
    firsts = best_first.drop_duplicates("qid")
    return dict(zip(firsts["qid"], firsts["docno"]))


def _look_up(documents: list[str], reference: Reference) -> tuple[int, list[str]]:
    """Look documents up; return how many, and which of them the collection lacks.

    The judged ones, and those of the pools, are known. Of the others, MOST_LOOKED_UP are looked up.
    """
    unlisted_ids = sorted(set(documents) - reference.listed_documents)
    listed_count = len(documents) - len(unlisted_ids)
    if reference.dataset is None:
        return len(documents), unlisted_ids
    if not unlisted_ids:
        return listed_count, []

    looked_up_ids = unlisted_ids
    if len(unlisted_ids) > MOST_LOOKED_UP:
        positions = np.linspace(0, len(unlisted_ids) - 1, MOST_LOOKED_UP).astype(int)
        looked_up_ids = [unlisted_ids[position] for position in positions]

    known_documents = reference.dataset.docs_store().get_many(looked_up_ids)
    unknown_ids = [doc_id for doc_id in looked_up_ids if doc_id not in known_documents]
    return listed_count + len(looked_up_ids), unknown_ids


def _describe_foreign_queries(name: str, run_queries: list[str], reference: Reference) -> str:
    """Return the error's message for a run without a query of the dataset."""
    known_queries = sorted(reference.query_ids)
    return (
        f"{name} has no query of {reference.name}: its queries are {some(run_queries)}; expected "
        f"are {some(known_queries)}. {_remedy_for_facets(run_queries, known_queries)}"
    )


def _remedy_for_facets(run_queries: list[str], known_queries: list[str]) -> str:
    """Say how to convert ids of papers and of papers with facets; a general remedy for others."""
    if _papers_of(known_queries) & set(run_queries):
        return "Join the runs of single facets: to_all({'method': run, …})."
    if _papers_of(run_queries) & set(known_queries):
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

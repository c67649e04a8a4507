"""Check whether a run fits a collection, before its figures are believed.

    check = check_run("my-run.trec", "csfcube/all")
    print(check)          # what does not fit, in sentences
    check.judged_share    # 0.031: most results are outside the pools

A measure cannot tell a bad run from one over other documents or queries: both have the value 0.
What ties and contradicting ranks do to a figure: see `score_order`.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple, TypeAlias

import ir_datasets
import pandas as pd
import pyterrier as pt

from ir_datasets_ext.facets import FACETS

from .. import frames
from ..datasets import DatasetLike, irds
from ..frames import some
from ..step import best_first
from .measure_names import default_measures
from .runs import FilePath, read_run
from .score_order import ScoreOrder, find_score_order

Runs: TypeAlias = Mapping[str, pd.DataFrame]  #: from a system's name to its results

PAIR = ["qid", "docno"]
#: column of ids -> what they name, one and several
ID_KINDS = {"qid": ("query", "queries"), "docno": ("document", "documents")}
MOST_LOOKED_UP = 10_000  # documents; of more, so many at most are looked up


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
        present: the part of the release's documents that is present, as text; "" for all of them.
        part: the part of the documents that was ranked, as text; "" for the whole collection.
        order: ties, constant scores, and scores that contradict ranks.
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
    present: str
    part: str
    order: ScoreOrder

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
    def remarks(self) -> tuple[str, ...]:
        """Sentences on what does not fit, without the run's name; none if everything does."""
        remarks = []

        # on queries
        if self.missing_queries:
            remarks.append(
                f"no results for {len(self.missing_queries)} of {self.queries} queries "
                f"({some(self.missing_queries)}); these count as 0."
            )
        if self.unknown_queries:
            remarks.append(
                f"{len(self.unknown_queries)} of its queries are not in {self.dataset} "
                f"({some(self.unknown_queries)}); these are ignored."
            )
        # on the order of scores
        remarks += self.order.remarks

        # on documents
        if self.part:
            remarks.append(
                f"results from {self.part} only, not comparable with figures over all of them."
            )
        elif self.unknown_documents and not self.present:
            remarks.append(
                f"{1 - self.known_share:.0%} of its documents are not in {self.dataset} "
                f"({some(self.unknown_documents)}); these count as not relevant."
            )
        if self.own_paper:
            remarks.append(describe_own_papers(self.own_paper, self.own_paper_first))
        if self.outside_pools:  # their number; None without pools
            remarks.append(
                f"{self.outside_pools / self.results:.0%} of its results are outside the pools, "
                "so not judged. NDCG%20 skips these, P@20 counts them as not relevant. To rank the "
                "pools alone, put Pool(dataset).restrict() behind the retriever."
            )
        if self.judged == 0:
            remarks.append("none of its results is judged for its query, so all figures are 0.")
        return tuple(remarks)

    def __str__(self) -> str:
        known = "present" if self.present else "known"
        first_line = (
            f"{self.name}, {self.dataset}: {self.answered:,} of {self.queries:,} judged queries "
            f"answered, {self.known_share:.1%} of the run's {self.documents:,} documents {known}, "
            f"{self.judged_share:.1%} of {self.results:,} results judged."
        )
        if self.present:
            first_line += f" At hand are {self.present}."
        return "\n".join([first_line, *(f"- {remark}" for remark in self.remarks)])


class Reference:
    """The queries, judgements, pools and documents that runs are checked against.

    Attributes:
        name: the dataset's id.
        judgements: frame with `qid`, `docno` and `label`.
        query_papers: dict from the id of each query to the paper that it comes from, or to None.
        pools: frame with `qid` and `docno`; None if queries have no candidates.
        listed_documents: ids of the documents that are judged, or in a pool.
        documents: the dataset, which has them; None if these are the listed ones.
        sizes: how many documents the collection has; None if that is unknown.
        measure: whose figure says what ties do.
    """

    def __init__(self, dataset: DatasetLike, judgements: pd.DataFrame | None = None) -> None:
        """Read what runs are checked against.

        Args:
            dataset: an id or dataset object.
            judgements: frame of `qid`, `docno` and `label`; None for the dataset's own.

        Raises:
            ValueError: there are no judgements.
        """
        source = irds(dataset)
        self.name = source.dataset_id()
        if judgements is None and source.has_qrels():
            judgements = pt.model.from_ir_measures(pd.DataFrame(source.qrels_iter()))
        if judgements is None or judgements.empty:
            raise ValueError(
                f"Nothing to check against: {self.name} has no judgements. Choose a dataset that "
                "has some."
            )
        self.judgements = judgements[[*PAIR, "label"]]

        # other people's datasets may have judgements alone
        queries = source.queries_iter() if source.has_queries() else ()
        query_papers = {query.query_id: getattr(query, "paper_id", None) for query in queries}
        self.query_papers = query_papers or dict.fromkeys(judgements["qid"])

        self.pools = None
        self.listed_documents = set(judgements["docno"].unique())
        if source.has_scoreddocs():
            pairs = [(row.query_id, row.doc_id) for row in source.scoreddocs_iter()]
            self.pools = pd.DataFrame(pairs, columns=PAIR)
            self.listed_documents.update(doc_id for _, doc_id in pairs)

        self.documents = source if source.has_docs() else None
        self.sizes = count_documents(source)

        # the first NDCG, or else the first measure
        measures = default_measures(source)
        self.measure = min(measures, key=lambda measure: "ndcg" not in str(measure).lower())

    def look_up(self, doc_ids: set[str]) -> tuple[int, list[str]]:
        """Return how many of the documents were looked up, and which of these are unknown.

        Those that are judged, or in a pool, are known without a look-up.
        """
        unlisted_ids = sorted(doc_ids - self.listed_documents)

        # at equal distances in their order: the first ids may be of one part, such as one year
        distance = len(unlisted_ids) // MOST_LOOKED_UP + 1
        sampled_ids = unlisted_ids[::distance]
        looked_up_count = len(doc_ids) - len(unlisted_ids) + len(sampled_ids)

        if self.documents is None or not sampled_ids:  # so no document need be opened
            return looked_up_count, sampled_ids
        known_documents = self.documents.docs_store().get_many(sampled_ids)
        return looked_up_count, [doc_id for doc_id in sampled_ids if doc_id not in known_documents]


def count_documents(dataset: ir_datasets.Dataset) -> Sizes | None:
    """Count the documents that are present, and those of the release; None if none is known."""
    if not dataset.has_docs():
        return None
    released = dataset.metadata().get("docs", {}).get("count")
    present = dataset.docs_count()
    # other people's datasets count only what they have indexed, and are downloaded as a whole
    if present is None:
        present = released
    return None if present is None else Sizes(present, max(present, released or 0))


def check_run(
    run: pd.DataFrame | FilePath, dataset: DatasetLike | Reference, *, name: str = "run"
) -> RunCheck:
    """Check whether a run fits a dataset: its documents, queries, judgements, scores and ranks.

    `reproduce` does this for each row of a table. For a `pt.Experiment` of your own::

        print(check_run(run, "csfcube/all"))

    Args:
        run: frame with `qid`, `docno`, perhaps `score` and `rank`; or a file, see `read_run`.
        dataset: an id, a PyTerrier or an ir_datasets dataset, with judgements; or a `Reference`,
            which is read once for many runs.
        name: of the run, for messages.

    Returns:
        A `RunCheck`; printed, it says what does not fit.

    Raises:
        ValueError: the run has no results; the dataset has none of its queries, or none of its
            documents; ids that are no texts; a document twice for one query.
    """
    reference = dataset if isinstance(dataset, Reference) else Reference(dataset)
    run_frame = run if isinstance(run, pd.DataFrame) else read_run(run, reference.documents)
    # with its scores, if it has some
    checked_run = _check_frame(run_frame, name, [*PAIR, "score"], PAIR)

    # queries: only judged ones have figures, so results for others do not count
    judged_queries = reference.judgements["qid"].unique().tolist()
    run_queries = checked_run["qid"].unique().tolist()
    results = checked_run[checked_run["qid"].isin(judged_queries)]
    if results.empty:
        owner = f"{reference.name} that has judgements"
        raise ValueError(_explain_foreign_ids(name, "qid", run_queries, judged_queries, owner))

    answered_queries = set(run_queries)
    missing_queries = [qid for qid in judged_queries if qid not in answered_queries]
    unknown_queries = [qid for qid in run_queries if qid not in reference.query_papers]

    # documents: of many, some are looked up
    run_documents = set(checked_run["docno"].unique())
    looked_up_count, unknown_documents = reference.look_up(run_documents)
    if len(unknown_documents) == looked_up_count:
        known_documents = sorted(reference.listed_documents)
        raise ValueError(
            _explain_foreign_ids(name, "docno", unknown_documents, known_documents, reference.name)
        )

    # results: which are judged, in a pool, or their query's own paper
    judged_count = int(mark_pairs(results, reference.judgements).sum())
    outside_pools_count = _count_outside_pools(results, reference)
    own_paper_queries, own_paper_first_count = find_own_papers(
        results, reference.judgements, reference.query_papers
    )

    # a ranking of pools, or of judged documents, is no ranking of a part: a system that ranks
    # these had nothing more to rank
    part = ""
    ranks_pools = outside_pools_count == 0
    ranks_judged_documents = judged_count == len(results)
    if not ranks_pools and not ranks_judged_documents:
        part = _describe_part(results, len(run_documents), len(unknown_documents), reference)

    present = ""
    if reference.sizes is not None and reference.sizes.is_part:
        present = str(reference.sizes)

    return RunCheck(
        name=name,
        dataset=reference.name,
        queries=len(judged_queries),
        missing_queries=tuple(missing_queries),
        unknown_queries=tuple(unknown_queries),
        documents=len(run_documents),
        looked_up=looked_up_count,
        unknown_documents=tuple(unknown_documents),
        results=len(results),
        judged=judged_count,
        outside_pools=outside_pools_count,
        own_paper=tuple(own_paper_queries),
        own_paper_first=own_paper_first_count,
        present=present,
        part=part,
        order=find_score_order(results, reference.judgements, reference.measure),
    )


def _count_outside_pools(results: pd.DataFrame, reference: Reference) -> int | None:
    """Count the results that are no candidates of their query; None if there are no pools."""
    if reference.pools is None:
        return None
    is_candidate = mark_pairs(results, reference.pools)
    return int((~is_candidate).sum())


def _check_frame(run: pd.DataFrame, name: str, *columns: Sequence[str]) -> pd.DataFrame:
    """Return the run after checking its columns; ValueError if it has no results."""
    try:
        run = frames.check(run, name, *columns)
    except ValueError as error:
        raise ValueError(f"{name}: {error}") from error
    if run.empty:
        raise ValueError(f"{name} has no results. Pass a run that has some.")
    return run


def _explain_foreign_ids(
    name: str, column: str, ids: Iterable[str], known_ids: Iterable[str], owner: str
) -> str:
    """Return an error's message for a run that has no id of those that are known.

    Args:
        name: of the run.
        column: of the ids, "qid" or "docno".
        ids, known_ids: those of the run, and those of the owner.
        owner: a dataset, or what else has such ids.
    """
    kind, plural = ID_KINDS[column]
    # a query id is a paper's, in a dataset of one facet, or has the facet behind it, in one of all
    remedy = f"Pass a run over such {plural}, or the dataset that it is a run over."
    if _find_papers(known_ids).intersection(ids):
        remedy = "Join the runs of single facets: to_all({'method': run, …})."
    elif _find_papers(ids).intersection(known_ids):
        remedy = "Take the run of a single facet: from_all(run)['method']."
    return (
        f"{name} has no {kind} of {owner}: it has {some(ids)}; expected are {some(known_ids)}. "
        f"{remedy}"
    )


def _find_papers(query_ids: Iterable[str]) -> set[str]:
    """Return the papers of those query ids that end in a facet."""
    parts_of_ids = [query_id.rpartition("_") for query_id in query_ids]
    return {paper for paper, _, ending in parts_of_ids if ending in FACETS}


def _describe_part(
    results: pd.DataFrame, document_count: int, unknown_count: int, reference: Reference
) -> str:
    """Return the part of the collection that a run seems to rank; "" for the whole.

    Either documents of the release are missing, and all results are among those present; or,
    without pools, all queries rank the same documents, less than half of all.
    """
    sizes = reference.sizes
    if sizes is None:  # the collection's documents are unknown
        return ""
    if sizes.is_part:
        return "" if unknown_count else str(sizes)

    # queries rank the same documents if there are as many results as pairs of query and document
    query_count = results["qid"].nunique()
    ranks_the_same = query_count > 1 and len(results) == query_count * document_count
    is_less_than_half = document_count < sizes.released / 2
    if reference.pools is None and ranks_the_same and is_less_than_half:
        return str(Sizes(document_count, sizes.released))
    return ""


# --- runs that are evaluated together ----------------------------------------------------------


def check_runs(runs: Runs, known: pd.DataFrame, owner: str) -> dict[str, pd.DataFrame]:
    """Return systems' results after a check of their columns and ids.

    Args:
        runs: from a system's name to a frame with `qid`, `docno`, `score`.
        known: frame with `qid`, and perhaps `docno`; each run has an id of each column.
        owner: of these ids, for errors.

    Raises:
        ValueError: no run, or one with wrong columns, or of other queries or documents.
    """
    if not runs:
        raise ValueError("runs={}: expected the results of one system or more.")

    checked_runs = {}
    for name, run in runs.items():
        run = _check_frame(run, name, [*PAIR, "score"])
        for column in known.columns:
            ids = run[column].unique()
            known_ids = known[column].unique()
            if set(ids).isdisjoint(known_ids):
                raise ValueError(_explain_foreign_ids(name, column, ids, known_ids, owner))
        checked_runs[name] = run
    return checked_runs


# --- a query's own paper among its results -----------------------------------------------------


def find_own_papers(
    results: pd.DataFrame, judgements: pd.DataFrame, query_papers: Mapping[str, str | None]
) -> tuple[list[str], int]:
    """Find the queries whose own paper is among their results, and not judged.

    Such a paper is most similar to itself, so it comes first. Nobody judged it, so measures that
    count unjudged papers fall.

    Args:
        results: frame of `qid`, `docno` and perhaps `score`; without scores, the best come first.
        judgements: frame of `qid` and `docno`.
        query_papers: from a query's id to the paper that it comes from.

    Returns:
        The ids of these queries, and how many of them have it first.
    """
    is_own_paper = results["docno"] == results["qid"].map(query_papers)
    if not is_own_paper.any():  # the usual case: then nothing need be looked up or ordered
        return [], 0
    own_papers = results[is_own_paper]
    own_papers = own_papers[~mark_pairs(own_papers, judgements)]
    queries = own_papers["qid"].unique().tolist()

    results_of_queries = results[results["qid"].isin(queries)]
    if "score" in results.columns:
        results_of_queries = best_first(results_of_queries)
    first_results = results_of_queries.drop_duplicates("qid")
    return queries, int(mark_pairs(first_results, own_papers).sum())


def describe_own_papers(queries: Sequence[str], first_count: int) -> str:
    """Say how many queries have their own paper among their results, and what to do."""
    return (
        f"the query's own paper is among the results of {len(queries)} queries, first for "
        f"{first_count}. It is not judged, so measures that count unjudged papers fall (P@20): "
        "leave it out of the results."
    )


def mark_pairs(results: pd.DataFrame, pairs: pd.DataFrame) -> pd.Series:
    """Mark the rows of results whose query and document are among `pairs`."""
    result_pairs = pd.MultiIndex.from_frame(results[PAIR])
    is_among_pairs = result_pairs.isin(pd.MultiIndex.from_frame(pairs[PAIR]))
    return pd.Series(is_among_pairs, results.index)

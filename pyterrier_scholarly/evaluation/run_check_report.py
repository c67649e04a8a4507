"""The result of checking a run: numbers of what fits a collection, and sentences on the rest.

check = check_run("my-run.trec", "csfcube/all")
check.judged_share   # 0.031: most results are outside the pools
check.remarks        # sentences on what does not fit
"""

from collections.abc import Iterable
from dataclasses import dataclass

from ..frames import some
from .own_papers import OwnPapers, describe_own_papers
from .run_reference import Sizes
from .score_order import ScoreOrder


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
    sizes: Sizes | None
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
    def ranks_part(self) -> bool:
        """Whether the results seem to come from a part of the collection's documents.

        Either documents of the release are missing, and all results are among those present; or,
        without pools, all queries rank the same documents, less than half of all. Rankings of a
        pool, or of the judged documents, are whole.
        """
        if self.sizes is None:  # the collection's documents are unknown
            return False
        if self._ranks_chosen_only:
            return False

        if self.sizes.is_part:
            ranks_present_only = len(self.unknown_documents) == 0
            return ranks_present_only
        return self._queries_rank_few(self.sizes.released)

    @property
    def _ranks_chosen_only(self) -> bool:
        """Whether all results are candidates of their query, or all are judged."""
        ranks_pools_only = self.outside_pools == 0  # it is None if the dataset has no pools
        ranks_judged_only = self.judged == self.results
        return ranks_pools_only or ranks_judged_only

    def _queries_rank_few(self, released_count: int) -> bool:
        """Return whether all queries rank the same documents, less than half of those released.

        With pools it is False: queries may then rank what they like.
        """
        has_pools = self.outside_pools is not None
        if has_pools:
            return False

        # if each query ranks all documents of the results, there are as many results as pairs
        pair_count = self.documents * self.answered
        queries_rank_the_same = self.answered > 1 and self.results == pair_count
        ranks_less_than_half = 2 * self.documents < released_count
        return queries_rank_the_same and ranks_less_than_half

    @property
    def part(self) -> str:
        """The part of the documents that was ranked, as text; "" for the whole collection."""
        if self.sizes is None or not self.ranks_part:
            return ""
        if self.sizes.is_part:  # all documents that are present were ranked
            return str(self.sizes)

        # all are present, but the queries rank only those of the results
        ranked_sizes = Sizes(present=self.documents, released=self.sizes.released)
        return str(ranked_sizes)

    @property
    def remarks(self) -> tuple[str, ...]:
        """Sentences on what does not fit, without the run's name; none if everything does."""
        return (
            *self._remarks_on_queries(),
            *self.order.remarks,
            *self._remarks_on_documents(),
        )

    def _remarks_on_queries(self) -> Iterable[str]:
        """Yield sentences on queries without results, and on unknown queries."""
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
        """Yield sentences on the documents of the results; none if all are as they should be."""
        has_part_of_collection = self.sizes is not None and self.sizes.is_part
        if self.part:
            yield f"results from {self.part} only, not comparable with figures over all of them."
        elif self.unknown_documents and not has_part_of_collection:
            unknown_share = 1 - self.known_share
            yield (
                f"{unknown_share:.0%} of its documents are not in {self.dataset} "
                f"({some(self.unknown_documents)}); these count as not relevant."
            )

        queries_with_own_paper = OwnPapers(qids=self.own_paper, first_count=self.own_paper_first)
        if queries_with_own_paper.qids:
            yield describe_own_papers(queries_with_own_paper)

        if self.outside_pools:  # their number; None without pools
            outside_share = self.outside_pools / self.results
            yield (
                f"{outside_share:.0%} of its results are outside the pools, "
                "so not judged. NDCG%20 skips these, P@20 counts them as not relevant. To rank the "
                "pools alone, put Pool(dataset).restrict() behind the retriever."
            )

        if self.judged == 0:
            yield "none of its results is judged for its query, so all figures are 0."

    def __str__(self) -> str:
        has_part_of_collection = self.sizes is not None and self.sizes.is_part
        known = "present" if has_part_of_collection else "known"
        first_line = (
            f"{self.name}, {self.dataset}: {self.answered:,} of {self.queries:,} judged queries "
            f"answered, {self.known_share:.1%} of the run's {self.documents:,} documents {known}, "
            f"{self.judged_share:.1%} of {self.results:,} results judged."
        )
        if has_part_of_collection:
            first_line += f" At hand are {self.sizes}."

        remark_lines = [f"- {remark}" for remark in self.remarks]
        return "\n".join([first_line, *remark_lines])

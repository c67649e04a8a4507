"""Triplets of papers from a citation graph, by SPECTER's definition and by DORIS-MAE's.

cites = {"a": ["b", "c"], "b": ["d"], "c": ["a"], "d": []}
triplets = CitationTriplets(cites, papers=list("abcd"), definition="specter")
for anchor, positive, negative in triplets:
    ...
"""

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import count, cycle, islice
from typing import Annotated, NamedTuple, Protocol, TypeAlias

import numpy as np

from ..arguments import Count, Name, Seed, check_arguments, check_fields, one_of
from ..settings import BySettings


class CitationGraph(Protocol):
    """A graph that looks up the citations of a paper, as `collect.citation_graph` returns it."""

    def neighbours(self, paper: str, /) -> Iterable[str]:
        """Return the ids that the paper cites."""


#: a dict from a paper's id to the ids that it cites, or a graph that looks them up
Graph: TypeAlias = Mapping[str, Iterable[str]] | CitationGraph

#: a function from a paper's id to the ids that it cites
FindCited: TypeAlias = Callable[[str], Iterable[str]]


class Triplet(NamedTuple):
    """Three ids: a paper, a related one, and an unrelated one."""

    anchor: str
    positive: str
    negative: str


class Related(NamedTuple):
    """Papers by their relation to one paper: lists of distinct ids, in the order of citations.

    positive: related ones.
    hard: unrelated ones, but hard to tell from related ones.
    """

    positive: list[str]
    hard: list[str]


class Definition(NamedTuple):
    """How the triplets of a paper are made.

    relate: a function from an id, and a function that finds what a paper cites, to `Related`.
    triplets_per_paper: the number of a paper's triplets; None for one per related paper.
    most_hard: how many of them have a hard negative, at most.
    """

    relate: Callable[[str, FindCited], Related]
    triplets_per_paper: int | None
    most_hard: int


def relate_as_specter(paper: str, find_cited: FindCited) -> Related:
    """Relate by citations; what only these cite is a hard negative [Cohan2020, 2.4].

    The paper itself is in neither list.
    """
    direct_ids = [cited for cited in dict.fromkeys(find_cited(paper)) if cited != paper]

    second_ids = []
    seen_ids = {paper, *direct_ids}
    for direct_id in direct_ids:
        for second_id in find_cited(direct_id):
            if second_id not in seen_ids:
                seen_ids.add(second_id)
                second_ids.append(second_id)
    return Related(positive=direct_ids, hard=second_ids)


def relate_as_doris_mae(paper: str, find_cited: FindCited) -> Related:
    """Relate by citations and their citations [Wang2023, appendix D.1]."""
    related = relate_as_specter(paper, find_cited)
    return Related(positive=related.positive + related.hard, hard=[])


#: name -> how triplets are made
DEFINITIONS = {
    "specter": Definition(relate_as_specter, triplets_per_paper=5, most_hard=2),
    "doris-mae": Definition(relate_as_doris_mae, triplets_per_paper=None, most_hard=0),
}


@dataclass(eq=False, repr=False)
class CitationTriplets(BySettings):
    """Stream triplets (paper, related paper, other paper) from a citation graph.

    - ``"specter"`` [Cohan2020]: cited papers are related. Up to `each` triplets of a paper: 2 with
      a *hard* negative, which a cited paper cites, but not the paper itself; the others with any
      unrelated paper. (The source does not discuss papers with fewer citations. Here positives are
      repeated, and a missing hard negative is replaced by a random one.)
    - ``"doris-mae"`` [Wang2023, D.1]: what a cited paper cites is related, too. One triplet per
      relation. (Negatives are not printed: here any unrelated paper.)

    A paper is never related to itself, nor its own negative, whatever loops the graph has. Only
    the graph and the ids are in memory: triplets are drawn on the fly. Equal settings give equal
    triplets; the order of papers and citations does not matter.

    Args:
        cites: a dict from a paper's id to the ids that it cites, or a graph with `neighbours`, like
            a `citation_graph`.
        papers: ids of the papers to use, those with texts. Others of the graph only connect them.
        definition: ``"specter"`` or ``"doris-mae"``.
        each: triplets of a paper at most; None for the definition's own (5; all relations).
        seed: of all draws.
        buffer: triplets among which the next one is drawn, so that a paper's triplets are not
            consecutive; 1 keeps the order.

    Raises:
        ValueError: an unknown definition, a number below 1, fewer than three papers, or duplicate
            papers.
    """

    cites: Graph = field(repr=False)
    papers: Collection[Name] = field(repr=False)
    definition: Annotated[str, one_of(DEFINITIONS)] = field(default="specter", kw_only=True)
    each: Count | None = field(default=None, kw_only=True)
    seed: Seed = field(default=0, kw_only=True)
    buffer: Count = field(default=10_000, kw_only=True)

    def __post_init__(self) -> None:
        check_fields(self)
        self._ids = sorted(self.papers)  # a set's order differs between processes
        self._number_of_paper = {paper: number for number, paper in enumerate(self._ids)}
        self._looked_up: dict[str, list[str]] = {}  # a paper's citations in a graph

        paper_count = len(self._ids)
        distinct_count = len(self._number_of_paper)
        if paper_count < 3 or distinct_count < paper_count:
            raise ValueError(
                "Triplets need at least three papers, without duplicates: there are "
                f"{paper_count}, {distinct_count} of them different."
            )

    def __iter__(self) -> Iterator[Triplet]:
        """Yield the triplets of the first pass."""
        return self.epoch(0)

    def __len__(self) -> int:
        """Return the number of triplets in a pass."""
        return sum(self._count_triplets(self.related(paper)) for paper in self._ids)

    @check_arguments
    def related(self, paper: str) -> Related:
        """Return the papers that are related to a paper, and its hard negatives.

        What is related, says `definition`. Papers outside of `papers` are left out.
        """
        relate = DEFINITIONS[self.definition].relate
        related_in_graph = relate(paper, self._look_up_citations)

        # the graph may have papers without a text, which only connect others
        return Related(
            positive=self._drop_other_papers(related_in_graph.positive),
            hard=self._drop_other_papers(related_in_graph.hard),
        )

    @check_arguments
    def epoch(self, number: int) -> Iterator[Triplet]:
        """Yield the triplets of a pass, from 0; each pass has another order and other draws."""
        order_random = np.random.default_rng([self.seed, number])
        buffer_random = np.random.default_rng([self.seed, number, 1])
        paper_order = order_random.permutation(len(self._ids))
        return mix(self._triplets_in_order(paper_order, number), self.buffer, buffer_random)

    def endless(self) -> Iterator[Triplet]:
        """Yield the triplets of one pass after the other; none if a pass has none."""
        if not len(self):
            return
        for number in count():
            yield from self.epoch(number)

    @check_arguments
    def triplets_of(self, paper: str, epoch: int = 0) -> list[Triplet]:
        """Return the triplets of one paper in a pass over all papers; passes count from 0."""
        related = self.related(paper)
        triplet_count = self._count_triplets(related)
        most_hard = DEFINITIONS[self.definition].most_hard
        # each paper and pass has draws of its own, in whatever order papers come
        random = np.random.default_rng([self.seed, epoch, 2, self._number_of_paper[paper]])

        # draws depend on those before them: their order is part of what a seed means
        hard_negatives = draw_some(related.hard, most_hard, random)[:triplet_count]
        easy_count = triplet_count - len(hard_negatives)
        not_easy = {paper, *related.positive, *related.hard}
        distinct_easy_negatives = self._draw_others(not_easy, easy_count, random)
        positives = draw_some(related.positive, triplet_count, random)

        # easy negatives and positives are repeated where there are too few
        easy_negatives = list(islice(cycle(distinct_easy_negatives), easy_count))
        negatives = hard_negatives + easy_negatives
        return [
            Triplet(paper, positive, negative)
            for positive, negative in zip(cycle(positives), negatives)
        ]

    def _triplets_in_order(self, paper_order: np.ndarray, epoch: int) -> Iterator[Triplet]:
        """Yield the triplets of each paper; `paper_order` has the papers' numbers."""
        for number in paper_order:
            yield from self.triplets_of(self._ids[number], epoch)

    def _count_triplets(self, related: Related) -> int:
        """Return the number of triplets of a paper with these relations."""
        positive_count = len(related.positive)
        if positive_count == 0:
            return 0

        wanted_count = self._choose_count(positive_count)

        # the paper itself, related papers and hard negatives are no easy negatives
        easy_count = len(self._ids) - 1 - positive_count - len(related.hard)
        if easy_count > 0:
            return wanted_count  # easy negatives are repeated if there are too few

        # without any, each triplet needs a hard negative of its own
        hard_count = min(DEFINITIONS[self.definition].most_hard, len(related.hard))
        return min(wanted_count, hard_count)

    def _choose_count(self, positive_count: int) -> int:
        """Return how many triplets a paper should have: `each`, or the definition's own number."""
        triplets_per_paper = DEFINITIONS[self.definition].triplets_per_paper
        if triplets_per_paper is None:
            # each related paper is in one triplet: `each` may lower their number, not raise it
            return min(self.each or positive_count, positive_count)
        return self.each or triplets_per_paper

    def _draw_others(self, excluded: set[str], most: int, random: np.random.Generator) -> list[str]:
        """Draw up to `most` different papers that are not `excluded`."""
        other_count = len(self._ids) - len(excluded)
        wanted_count = min(most, other_count)

        drawn: dict[str, None] = {}  # distinct, in the order of the draws
        while len(drawn) < wanted_count:
            paper = self._ids[random.integers(len(self._ids))]
            if paper not in excluded:
                drawn[paper] = None
        return list(drawn)

    def _drop_other_papers(self, ids: Iterable[str]) -> list[str]:
        """Return those of `ids` that are among `papers`."""
        return [paper for paper in ids if paper in self._number_of_paper]

    def _look_up_citations(self, paper: str) -> list[str]:
        """Return the ids that a paper cites, sorted, as the papers are."""
        if not hasattr(self.cites, "neighbours"):  # a dict
            return sorted(self.cites.get(paper, ()))

        if paper not in self._looked_up:  # a graph may read a file for each call
            self._looked_up[paper] = sorted(self.cites.neighbours(paper))
        return self._looked_up[paper]


def draw_some(papers: Sequence[str], most: int, random: np.random.Generator) -> list[str]:
    """Draw up to `most` of the papers, without repetition."""
    order = random.permutation(len(papers))
    return [papers[number] for number in order[:most]]


def mix(
    triplets: Iterable[Triplet], buffer_size: int, random: np.random.Generator
) -> Iterator[Triplet]:
    """Yield all triplets in a random order, which needs only `buffer_size` of them in memory.

    Each is drawn from those that wait; the next one of `triplets` takes its place.
    """
    waiting: list[Triplet] = []
    for triplet in triplets:
        waiting.append(triplet)
        if len(waiting) >= buffer_size:
            yield waiting.pop(random.integers(len(waiting)))

    for number in random.permutation(len(waiting)):
        yield waiting[number]

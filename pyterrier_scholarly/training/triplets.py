"""Triplets of papers from a citation graph, by SPECTER's definition and by DORIS-MAE's."""

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from itertools import chain, count, cycle, islice
from typing import Annotated, Any, NamedTuple, TypeAlias

import numpy as np

from ir_datasets_ext.store import fingerprint

from ..arguments import Count, Name, Seed, check_arguments, one_of
from ..frames import has_text, some
from ..settings import BySettings

Graph: TypeAlias = Mapping[str, Iterable[str]] | Any  # Any: an object with `neighbours`
CitedBy = Callable[[str], Iterable[str]]


class Triplet(NamedTuple):
    """Three ids: a paper, a related one, and an unrelated one."""

    anchor: str
    positive: str
    negative: str


class Related(NamedTuple):
    """Papers by their relation to one paper: lists of distinct ids, in the order of citations.

    positive: related; hard: unrelated, but hard to tell from related ones.
    """

    positive: list[str]
    hard: list[str]


class Definition(NamedTuple):
    """How triplets are made.

    relate: from an id and a function (id → cited ids) to `Related`; each: triplets per paper, None
    for one per related paper; hard: how many of them have a hard negative.
    """

    relate: Callable[[str, CitedBy], Related]
    each: Count | None
    hard: int


def specter(paper: str, cited_by: CitedBy) -> Related:
    """Relate by citations; what only these cite is a hard negative [Cohan2020, 2.4].

    The paper itself is in neither list.
    """
    direct = [other for other in dict.fromkeys(cited_by(paper)) if other != paper]
    known = {paper, *direct}
    second = dict.fromkeys(other for one in direct for other in cited_by(one) if other not in known)
    return Related(direct, list(second))


def doris_mae(paper: str, cited_by: CitedBy) -> Related:
    """Relate by citations and their citations [Wang2023, appendix D.1]."""
    direct, second = specter(paper, cited_by)
    return Related([*direct, *second], [])


#: name -> how triplets are made
DEFINITIONS = {
    "specter": Definition(specter, each=5, hard=2),
    "doris-mae": Definition(doris_mae, each=None, hard=0),
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
        super().__post_init__()
        self._ids = sorted(self.papers)  # a set's order differs between processes
        self._number = {paper: number for number, paper in enumerate(self._ids)}
        self._cache: dict[str, list[str]] = {}  # what a paper cites
        if len(self._ids) < 3 or len(self._number) < len(self._ids):
            raise ValueError(
                "Triplets need at least three papers, without duplicates: there are "
                f"{len(self._ids)}, {len(self._number)} of them different."
            )

    def __iter__(self) -> Iterator[Triplet]:
        """Yield the triplets of the first pass."""
        return self.epoch(0)

    def __len__(self) -> int:
        """Return the number of triplets in a pass."""
        return sum(self._size(self.related(paper)) for paper in self._ids)

    @check_arguments
    def related(self, paper: str) -> Related:
        """Return the `Related` papers of a paper, by the definition."""
        every = DEFINITIONS[self.definition].relate(paper, self._cited)
        return Related(*([other for other in ids if other in self._number] for ids in every))

    @check_arguments
    def epoch(self, number: int) -> Iterator[Triplet]:
        """Yield the triplets of a pass, from 0; each pass has another order and other draws."""
        order = np.random.default_rng([self.seed, number]).permutation(len(self._ids))
        triplets = (triplet for place in order for triplet in self.of(self._ids[place], number))
        return mixed(triplets, self.buffer, np.random.default_rng([self.seed, number, 1]))

    def endless(self) -> Iterator[Triplet]:
        """Yield the triplets of one pass after the other; none if a pass has none."""
        return chain.from_iterable(map(self.epoch, count() if len(self) else ()))

    @check_arguments
    def of(self, paper: str, epoch: int = 0) -> list[Triplet]:
        """Return the triplets of one paper in a pass."""
        related = self.related(paper)
        size = self._size(related)
        random = np.random.default_rng([self.seed, epoch, 2, self._number[paper]])
        hard = _shuffled(related.hard, DEFINITIONS[self.definition].hard, random)[:size]
        easy = self._unrelated({paper, *related.positive, *related.hard}, size - len(hard), random)
        positives = cycle(_shuffled(related.positive, size, random))
        negatives = [*hard, *islice(cycle(easy), size - len(hard))]
        return [Triplet(paper, positive, other) for positive, other in zip(positives, negatives)]

    def _size(self, related: Related) -> int:
        """Return the number of triplets of a paper with these relations."""
        definition, positives = DEFINITIONS[self.definition], len(related.positive)
        size = self.each or definition.each or positives
        if definition.each is None or not positives:
            size = min(size, positives)
        others = len(self._ids) - 1 - positives - len(related.hard)
        return size if others > 0 else min(size, definition.hard, len(related.hard))

    def _unrelated(self, taken: set[str], size: int, random: np.random.Generator) -> list[str]:
        """Draw up to `size` different papers that are not `taken`."""
        size = min(size, len(self._ids) - len(taken))
        papers: dict[str, None] = {}
        while len(papers) < size:
            paper = self._ids[random.integers(len(self._ids))]
            if paper not in taken:
                papers[paper] = None
        return list(papers)

    def _cited(self, paper: str) -> list[str]:
        if not hasattr(self.cites, "neighbours"):
            return sorted(self.cites.get(paper, ()))  # as the papers are
        if paper not in self._cache:  # a graph may read a file for each call
            self._cache[paper] = sorted(self.cites.neighbours(paper))
        return self._cache[paper]


def _shuffled(papers: Sequence[str], size: int, random: np.random.Generator) -> list[str]:
    """Draw up to `size` of the papers, without repetition."""
    return [papers[place] for place in random.permutation(len(papers))[:size]]


def mixed(items: Iterable[Triplet], size: int, random: np.random.Generator) -> Iterator[Triplet]:
    """Yield all items, each drawn from `size` that wait."""
    waiting: list[Triplet] = []
    for item in items:
        waiting.append(item)
        if len(waiting) >= size:
            yield waiting.pop(random.integers(len(waiting)))
    for place in random.permutation(len(waiting)):
        yield waiting[place]


def check_texts(texts: Mapping[str, str], papers: Iterable[str]) -> None:
    """Raise ValueError if a paper's text is missing or blank."""
    missing = []
    for paper in papers:
        with suppress(KeyError):
            if has_text(texts[paper]):
                continue
        missing.append(paper)
    if missing:
        raise ValueError(
            f"There is no text of {some(missing)}: pass `texts` for all papers of the triplets, or "
            "make triplets without these."
        )


def content_hash(triplets: CitationTriplets, texts: Mapping[str, str]) -> str:
    """Return a hash of papers, texts and relations, which does not depend on their order."""
    papers = sorted(triplets.papers)
    return fingerprint([fingerprint([p, texts[p], triplets.related(p)]) for p in papers])[:16]
